#include "scree/solvers/pgd.hpp"

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;

void pgd(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  const Vector g = problem.make_vector();  // -r of the listing
  const Vector d = problem.make_vector();  // -p
  const Vector Nd = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, g);  // line 1
  while (monitor.wants_more(x, g)) {
    problem.K.project_gradient(x, g, d);  // line 2
    problem.N->apply(d, Nd);
    const auto [slope, curvature] = dots({{g, d}, {d, Nd}});
    if (curvature > 0.0) petsc(VecAXPY(x, -slope / curvature, d));  // lines 3 and 4
    problem.K.project(x);                                           // line 5
    find_velocity(problem, x, g);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
