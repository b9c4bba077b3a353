#include "scree/io/fclib_solution.hpp"

#include <span>
#include <vector>

#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/petsc.hpp"

namespace scree::io {

namespace {

/// Collective.
void add_vector(SharedHdf5& file, const std::string& name, Vec vec) {
  const parallel::ReadArray own(vec);
  file.add_entries(name, std::span(own.data(), static_cast<std::size_t>(own.size())));
}

/// Collective.
void add_sizes(SharedHdf5& file, const FclibProblem& problem) {
  const std::string group = problem.global ? "/fclib_global" : "/fclib_local";
  const std::string contacts = group + (problem.global ? "/H" : "/W");
  file.add_group(group);
  file.add_group(contacts);
  file.add_number(contacts + "/n", 3 * problem.contacts);
  if (!problem.global) return;
  file.add_group(group + "/M");
  file.add_number(group + "/M/n", problem.dofs);
}

}  // namespace

void write_solution(const parallel::Comm& comm, const std::filesystem::path& path, const FclibProblem& problem, Vec x) {
  const parallel::Vector u = problem.problem().make_vector();
  problem.problem().N->apply(x, u);
  parallel::petsc(VecAXPY(u, 1.0, problem.problem().r));
  const std::vector<double> v = problem.global ? problem.form.velocities(x) : std::vector<double>();
  const std::int64_t numbers = 6 * problem.contacts + problem.dofs;
  write_shared_hdf5(comm, path, numbers * std::int64_t{sizeof(double)}, [&](SharedHdf5& file) {
    add_sizes(file, problem);
    file.add_group("/solution");
    if (problem.global) file.add_entries("/solution/v", std::span(v));
    add_vector(file, "/solution/u", u);
    add_vector(file, "/solution/r", x);
  });
}

}  // namespace scree::io
