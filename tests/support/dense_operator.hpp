#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>

#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/problem/one_contact.hpp"
#include "support/support.hpp"

namespace scree::test {

/// A matrix as operator: all blocks on the last rank, the others are empty. Its motion is N x.
class DenseOperator : public problem::ContactOperator {
 public:
  explicit DenseOperator(Eigen::MatrixXd N)
      : ContactOperator(world()), N_(world().rank() + 1 == world().size() ? std::move(N) : Eigen::MatrixXd(0, 0)) {}

  [[nodiscard]] int block_count() const override { return static_cast<int>(N_.rows() / 3); }
  [[nodiscard]] std::vector<model::Mat3> diagonal_blocks() const override {
    std::vector<model::Mat3> blocks;
    for (int k = 0; k < block_count(); ++k) blocks.emplace_back(N_.block<3, 3>(3 * k, 3 * k));
    return blocks;
  }
  [[nodiscard]] problem::Factors factors() const override {
    const int rows = static_cast<int>(N_.rows());
    problem::Factors result{rows, rows, {}, {}, {}};
    const std::int64_t first = world().sum_below(rows);
    for (int i = 0; i < rows; ++i) {
      result.reads.push_back({i, first + i, 1.0});
      for (int j = 0; j < rows; ++j) result.writes.push_back({j, first + i, N_(i, j)});
    }
    return result;
  }
  [[nodiscard]] problem::Motion motion_at_rest() const override { return problem::Motion(N_.rows(), 0.0); }
  [[nodiscard]] std::ptrdiff_t own_motion() const override { return N_.rows(); }
  void refresh(problem::Motion&) const override {}
  void block_velocities(int first, int last, const double*, const problem::Motion& motion, double* w) const override {
    std::copy(motion.begin() + 3 * first, motion.begin() + 3 * last, w);
  }
  [[nodiscard]] double local_energy(Vec x, const problem::Motion& motion) const override {
    const parallel::ReadArray in(x);
    double sum = 0.0;
    for (int k = 0; k < in.size(); ++k) sum += 0.5 * in[k] * motion[static_cast<std::size_t>(k)];
    return sum;
  }

 private:
  void find_motion(Vec x, problem::Motion& motion) const override {
    const parallel::ReadArray in(x);
    const Eigen::VectorXd product = N_ * Eigen::Map<const Eigen::VectorXd>(in.data(), in.size());
    motion.assign(product.data(), product.data() + product.size());
  }
  void relax_all(Vec r, const problem::ConstraintSet& set, Vec x, problem::Motion& motion,
                 const problem::Relaxation& how) const override {
    const parallel::ReadArray offsets(r);
    const parallel::WriteArray impulses(x);
    Eigen::Map<Eigen::VectorXd> moved(motion.data(), N_.rows());
    for (int i = 0; i < block_count(); ++i) {
      const int k = how.backward ? block_count() - 1 - i : i;
      Eigen::Map<model::Vec3> at(impulses.data() + 3 * k);
      const model::Mat3 own = N_.block<3, 3>(3 * k, 3 * k);
      const model::Vec3 q = moved.segment<3>(3 * k) + Eigen::Map<const model::Vec3>(offsets.data() + 3 * k) - own * at;
      const model::Vec3 next = how.local ? how.local(set, k, own, q, at) : problem::solve_block(set, k, own, q, at);
      moved += N_.middleCols<3>(3 * k) * (next - at);
      at = next;
    }
  }

  Eigen::MatrixXd N_;
};

/// A vector of a dense problem: its entries on the last rank.
inline parallel::Vector dense_vector(const Eigen::VectorXd& values) {
  const bool here = world().rank() + 1 == world().size();
  parallel::Vector result(world(), here ? static_cast<int>(values.size() / 3) : 0);
  const parallel::WriteArray out(result);
  for (int k = 0; k < out.size(); ++k) out[k] = values[k];
  return result;
}

/// Collective: a dense problem; K is that of all contacts.
inline problem::ContactProblem dense_problem(const Eigen::MatrixXd& N, const Eigen::VectorXd& r,
                                             problem::ConstraintSet K) {
  if (world().rank() + 1 != world().size()) K = {K.law, {}, {}, K.facets, {}};
  return {std::make_unique<DenseOperator>(N), dense_vector(r), std::move(K)};
}

}  // namespace scree::test
