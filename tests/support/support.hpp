#pragma once

#include <boost/test/unit_test.hpp>

#include "scree/parallel/comm.hpp"

namespace scree::test {

/// The communicator of all ranks of a test program. Every rank runs the same tests in the same order.
[[nodiscard]] const parallel::Comm& world();

/// While it lives, division by zero, overflow and invalid operations end the test case that made them. Every
/// BOOST_AUTO_TEST_CASE and BOOST_DATA_TEST_CASE has one; a fixture of your own derives from it.
class Traps {
 public:
  Traps();
  ~Traps();
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;
};

}  // namespace scree::test

// Boost.Test switches traps off before each test case, so they are switched on inside, by what the case derives from.
#define BOOST_AUTO_TEST_CASE_FIXTURE ::scree::test::Traps
