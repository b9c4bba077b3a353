#pragma once

#include <stdexcept>

namespace scree {

/// What the user gave is wrong: names the file, the key or line, and the remedy. Programs end with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The simulation reached a state that must not go on (lost bodies, non-finite numbers). Exit code 4.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace scree
