#pragma once

#include <petscvec.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <string>
#include <vector>

#include "scree/problem/contact_problem.hpp"

// How direct methods for small problems meet distributed ones: every rank has the whole problem and solves it alike.

namespace scree::solvers {

/// How much of a problem a method can take.
struct Capacity {
  std::string solver;
  double share;  ///< of the memory of a rank
  /// What the method needs on each rank for so many rows that can move and so many entries of N (bytes).
  double (*bytes)(double rows, double entries);
};

/// A problem of bounds, l <= z <= u, whole on every rank. It has the rows that can move, scaled so that the diagonal of
/// N is 1: x = scale z, N = scale N scale, r = scale r. Then a tolerance means the same for light and heavy bodies.
struct WholeProblem {
  Eigen::SparseMatrix<double> N;
  Eigen::VectorXd r, lower, upper, scale;
  bool symmetric = true;  ///< N, to rounding

  /// Collective. Throws InputError, before anything large is made, if the method cannot take the problem.
  WholeProblem(const problem::ContactProblem& problem, const Capacity& capacity);

  [[nodiscard]] int rows() const { return static_cast<int>(r.size()); }
  /// Collective: z of x.
  [[nodiscard]] Eigen::VectorXd read(const parallel::Comm& comm, Vec x) const;
  /// x <- z on the rows that can move.
  void write(const Eigen::VectorXd& z, Vec x) const;

 private:
  void gather_matrix(const problem::ContactProblem& problem);
  void scale_by_diagonal();

  std::vector<int> numbers_;       ///< of the rows that can move, among all
  std::vector<int> own_;           ///< rows of this rank that can move, among its own
  std::size_t first_own_ = 0;      ///< place of the first of them in z
  std::int64_t number_below_ = 0;  ///< rows of lower ranks
};

}  // namespace scree::solvers
