#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "scree/problem/contact_problem.hpp"

// What gradient methods have in common.

namespace scree::solvers {

/// a.b. Collective.
inline double dot(Vec a, Vec b) {
  double value = 0.0;
  parallel::petsc(VecDot(a, b, &value));
  return value;
}

/// Several scalar products in one reduction. Collective.
template <std::size_t count>
std::array<double, count> dots(const std::pair<Vec, Vec> (&factors)[count]) {
  std::array<double, count> values{};
  for (std::size_t k = 0; k < count; ++k) parallel::petsc(VecDotBegin(factors[k].first, factors[k].second, &values[k]));
  for (std::size_t k = 0; k < count; ++k) parallel::petsc(VecDotEnd(factors[k].first, factors[k].second, &values[k]));
  return values;
}

/// w <- N x + r. Collective.
inline void find_velocity(const problem::ContactProblem& problem, Vec x, Vec w) {
  problem.N->apply(x, w);
  parallel::petsc(VecAXPY(w, 1.0, problem.r));
}

/// P, a diagonal near that of N: in its metric a projected gradient step treats light and heavy bodies alike.
///
/// `averaged`: the three rows of a contact have their mean, so that K's projection is the usual one (seed 003, below
/// eq. 23). `anisotropic`: the normal row has its own entry, the two tangential rows have their mean; a cone is then
/// projected on as if its mu were mu' = mu S_n / S_t, S = P^-1/2. Without friction only the normal row counts. Each row
/// of a joint has its own entry. A row of N that is zero, such as an absent one of a joint, gets 1. Collective.
inline parallel::Vector diagonal_scaling(const problem::ContactProblem& problem, const std::string& kind) {
  parallel::Vector scaling = problem.make_vector();
  problem.N->diagonal(scaling);
  const parallel::WriteArray p(scaling);
  for (int k = 0; k < p.size(); k += 3) {
    const bool joint = problem.K.is_joint(k / 3);
    if (!joint && problem.K.law_of(k / 3) == problem::Law::frictionless) {
      p[k + 1] = p[k + 2] = p[k];
    } else if (!joint && kind == "averaged") {
      p[k] = p[k + 1] = p[k + 2] = (p[k] + p[k + 1] + p[k + 2]) / 3.0;
    } else if (!joint) {
      p[k + 1] = p[k + 2] = 0.5 * (p[k + 1] + p[k + 2]);
    }
    for (int c = 0; c < 3; ++c)
      if (p[k + c] <= 0.0) p[k + c] = 1.0;
  }
  return scaling;
}

}  // namespace scree::solvers
