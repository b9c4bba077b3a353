#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "scree/problem/sparse_problem.hpp"
#include "support/support.hpp"

// Contact problems in matrices that every rank knows in full, and their parts that the ranks hold.

namespace scree::test {

struct DenseLocal {
  Eigen::MatrixXd W;
  Eigen::VectorXd q, mu;
};

struct DenseGlobal {
  Eigen::MatrixXd M, H;
  Eigen::VectorXd f, b, mu;

  [[nodiscard]] Eigen::MatrixXd N() const;
  [[nodiscard]] Eigen::VectorXd r() const;
};

class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : random_(seed) {}

  double operator()(double from = -1.0, double to = 1.0);
  Eigen::VectorXd vector(Eigen::Index size, double from = -1.0, double to = 1.0);
  Eigen::MatrixXd positive(Eigen::Index size);

  /// Bodies of six degrees of freedom in a row, each contact between neighbours or with a wall; so N is sparse.
  DenseGlobal chain(int bodies, int contacts);

  /// Every contact touches every other.
  DenseLocal dense(int contacts);

 private:
  std::mt19937_64 random_;
};

DenseLocal local_of(const DenseGlobal& problem);

/// The entries that are not zero, dealt out to the ranks by turns.
problem::SparseMatrix deal_out(const Eigen::MatrixXd& dense);

std::vector<double> own_part(const Eigen::VectorXd& whole, std::int64_t width);

problem::SparseProblem make_sparse(const DenseLocal& dense);

problem::SparseProblem make_sparse(const DenseGlobal& dense);

void set_part(Vec vec, const Eigen::VectorXd& whole);

/// Collective: a distributed vector in full.
Eigen::VectorXd whole_of(const std::vector<double>& own);
Eigen::VectorXd whole_of(Vec vec);

/// Collective: w = N x + r of a problem, in full.
Eigen::VectorXd velocities_of(const problem::ContactProblem& problem, const Eigen::VectorXd& x);

double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b);

}  // namespace scree::test
