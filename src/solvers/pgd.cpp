#include "scree/solvers/pgd.hpp"

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;

void pgd(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  const Vector g = problem.make_vector();  // -r of the listing
  const Vector d = problem.make_vector();  // -p of the listing
  const Vector Nd = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, g);  // line 1
  while (monitor.wants_more(x, g)) {
    problem.K.project_gradient(x, g, d);  // line 2
    problem.N->apply(d, Nd);
    const auto [slope, curvature] = dots({{g, d}, {d, Nd}});
    // Lines 3 to 5, along g in place of d. For bounds the projection makes both the same; where faces meet at an angle,
    // iterates that follow d jam at edges.
    if (curvature > 0.0) petsc(VecAXPY(x, -slope / curvature, g));
    problem.K.project(x);
    find_velocity(problem, x, g);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
