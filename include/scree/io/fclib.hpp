#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Collective: writes the contact problem of a step as an FCLIB global problem, M v = H x + f and u = H^T v + w, with
/// six rows per body (velocity, angular velocity in the world frame) and three columns per contact (n, t, o). Bodies
/// and contacts are numbered rank by rank, and each rank writes its own part. The file appears under its name only when
/// it is complete; its directory must exist. Any failure throws std::runtime_error with the name on all ranks.
void write_global_problem(const parallel::Comm& comm, const std::filesystem::path& path,
                          const dynamics::StepProblem& problem);

/// The step whose problem a run shall write, and where to.
struct ProblemDump {
  std::int64_t step;
  std::filesystem::path file;
};

/// Reads STEP:FILE. Throws InputError if it is not that, or if STEP is not one of first .. last.
[[nodiscard]] ProblemDump parse_problem_dump(const std::string& text, std::int64_t first, std::int64_t last);

}  // namespace scree::io
