#include "scree/solvers/cpg.hpp"

#include <utility>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;

void cpg(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  const Vector g = problem.make_vector();                          // -r of the listing
  Vector d = problem.make_vector(), last = problem.make_vector();  // -p of this and the last iteration
  const Vector kept = problem.make_vector();                       // the part of the last d in the tangent cone
  const Vector Nd = problem.make_vector();
  double curvature = 0.0;  // d.N d
  problem.K.project(x);
  find_velocity(problem, x, g);  // line 1
  while (monitor.wants_more(x, g)) {
    std::swap(d, last);
    problem.K.project_gradient(x, g, d);        // line 2
    problem.K.project_gradient(x, last, kept);  // line 3
    const double beta = curvature > 0.0 ? -dot(d, Nd) / curvature : 0.0;
    petsc(VecAXPY(d, beta, kept));  // lines 4 and 5
    problem.N->apply(d, Nd);
    const auto [slope, d_N_d] = dots({{g, d}, {d, Nd}});
    curvature = d_N_d;
    if (curvature > 0.0) petsc(VecAXPY(x, -slope / curvature, d));  // lines 6 and 7
    problem.K.project(x);                                           // line 8
    find_velocity(problem, x, g);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
