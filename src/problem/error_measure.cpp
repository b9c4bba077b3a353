#include "scree/problem/error_measure.hpp"

#include <algorithm>
#include <limits>

namespace scree::problem {

using parallel::petsc;

const std::vector<MeasureInfo>& measures() {
  static const std::vector<MeasureInfo> all = {
      {Measure::natural, "natural", "|x - P_K(x - w)| / max(|r|, |x|, |w|)"},
      {Measure::natural_q, "natural_q", "|x - P_K(x - w)| / |r|"},
      {Measure::projected_gradient, "projected_gradient", "largest component of the projected gradient (m/s)"},
  };
  return all;
}

double value_of(const ErrorMeasures& errors, Measure measure) {
  switch (measure) {
    case Measure::natural:
      return errors.natural;
    case Measure::natural_q:
      return errors.natural_q;
    case Measure::projected_gradient:
      break;
  }
  return errors.projected_gradient;
}

namespace {

/// Without a scale only no error at all is small.
double relative(double error, double scale) {
  if (scale > 0.0) return error / scale;
  return error > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace

ErrorMeasures measure_errors(const ContactProblem& problem, Vec x, Vec w) {
  // p = x - P_K(x - w)
  const auto p = problem.make_vector();
  petsc(VecWAXPY(p, -1.0, w, x));
  problem.K.project(p);
  petsc(VecAYPX(p, -1.0, x));
  double step = 0.0, size_r = 0.0, size_x = 0.0, size_w = 0.0;
  const std::pair<Vec, double*> norms[] = {{p, &step}, {problem.r, &size_r}, {x, &size_x}, {w, &size_w}};
  for (const auto& [vec, norm] : norms) petsc(VecNormBegin(vec, NORM_2, norm));
  for (const auto& [vec, norm] : norms) petsc(VecNormEnd(vec, NORM_2, norm));

  ErrorMeasures errors;
  errors.natural = relative(step, std::max({size_r, size_x, size_w}));
  errors.natural_q = relative(step, size_r);
  problem.K.project_gradient(x, w, p);
  petsc(VecNorm(p, NORM_INFINITY, &errors.projected_gradient));
  return errors;
}

}  // namespace scree::problem
