#pragma once

#include <petscvec.h>

#include <string_view>
#include <vector>

#include "scree/problem/contact_problem.hpp"

namespace scree::problem {

/// How far an iterate is from a solution, recomputed from x and w alone.
struct ErrorMeasures {
  double natural = 0.0;             ///< |x - P_K(x - w)| / max(|r|, |x|, |w|)
  double natural_q = 0.0;           ///< |x - P_K(x - w)| / |r|
  double projected_gradient = 0.0;  ///< largest component of the projected gradient (m/s; seed 003 eq. 13)
};

enum class Measure { natural, natural_q, projected_gradient };

struct MeasureInfo {
  Measure measure;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<MeasureInfo>& measures();
[[nodiscard]] double value_of(const ErrorMeasures& errors, Measure measure);

/// Collective. w = N x + r must belong to x.
[[nodiscard]] ErrorMeasures measure_errors(const ContactProblem& problem, Vec x, Vec w);

}  // namespace scree::problem
