// Every solver of the registry on every law that it takes.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "scree/solvers/registry.hpp"
#include "support/nearest.hpp"

namespace scree::test {

struct SolverCase {
  std::string solver;
  problem::Law law;
  friend std::ostream& operator<<(std::ostream& out, const SolverCase& c) {
    return out << c.solver << " on " << name_of(c.law);
  }
};

/// All but `enumerate`, which takes a dozen rows: test_direct.cpp.
inline std::vector<SolverCase> all_solver_cases() {
  std::vector<SolverCase> cases;
  for (const auto& solver : solvers::registry())
    for (const auto& info : laws_of_beds())
      if (solver.name != "enumerate" && std::ranges::count(solver.laws, info.law) > 0)
        cases.push_back({solver.name, info.law});
  return cases;
}

}  // namespace scree::test
