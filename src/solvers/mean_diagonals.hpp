#pragma once

#include <vector>

#include "scree/problem/contact_operator.hpp"

namespace scree::solvers {

/// Collective: the mean diagonal entry of each block of this rank (1/kg), the unit of what stands beside N there. Where
/// a block can move nothing, that of all blocks.
inline std::vector<double> mean_diagonals(const problem::ContactOperator& N) {
  std::vector<double> means;
  double sums[2] = {};
  for (const model::Mat3& block : N.diagonal_blocks()) sums[0] += means.emplace_back(block.trace() / 3.0);
  sums[1] = static_cast<double>(means.size());
  N.comm().sum(sums);
  const double usual = sums[0] > 0.0 ? sums[0] / sums[1] : 1.0;
  for (double& mean : means)
    if (!(mean > 0.0)) mean = usual;
  return means;
}

}  // namespace scree::solvers
