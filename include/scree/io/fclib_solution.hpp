#pragma once

#include <petscvec.h>

#include <filesystem>

#include "scree/io/fclib_reader.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Collective: writes FCLIB's group /solution with the impulses r = x, the contact velocities u and, for a global
/// problem, the velocities v, in the order of the problem's file. The sizes that libfclib looks up before it reads a
/// solution stand beside it. The file appears under its name only when it is complete.
void write_solution(const parallel::Comm& comm, const std::filesystem::path& path, const FclibProblem& problem, Vec x);

}  // namespace scree::io
