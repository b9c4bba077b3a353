#include "whole_problem.hpp"

#include <fmt/format.h>
#include <petscmat.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "capacity.hpp"
#include "gradient.hpp"

namespace scree::solvers {

using parallel::Comm;
using parallel::petsc;
using parallel::ReadArray;
using parallel::WriteArray;
using problem::ContactProblem;

namespace {

/// This rank's rows that can move; the set must consist of bounds.
std::vector<int> movable_rows(const ContactProblem& problem) {
  std::vector<int> rows;
  for (int k = 0; k < problem.N->block_count(); ++k) {
    const problem::RowBounds bounds = problem.K[k].rows();
    for (int c = 0; c < 3; ++c)
      if (bounds.lower[c] < bounds.upper[c]) rows.push_back(3 * k + c);
  }
  return rows;
}

/// Collective: a vector in full, of which this rank has the part that begins at `first`.
Eigen::VectorXd in_full(const Comm& comm, std::int64_t total, std::size_t first, const std::vector<double>& own) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(total);
  std::ranges::copy(own, all.data() + first);
  comm.sum(std::span<double>(all.data(), static_cast<std::size_t>(total)));
  return all;
}

}  // namespace

WholeProblem::WholeProblem(const ContactProblem& problem, const Capacity& capacity) : own_(movable_rows(problem)) {
  const Comm& comm = problem.N->comm();
  const auto own_count = static_cast<std::int64_t>(own_.size());
  const std::int64_t total = comm.sum(own_count);
  const auto rows_in_all = static_cast<double>(total);
  refuse_beyond(
      comm, capacity.solver, fmt::format("solves the whole problem, {} rows that can move, on every rank", total),
      capacity.bytes(rows_in_all, count_entries(*problem.N)), capacity.share, "npgs, apgd, newton or gs-newton");
  first_own_ = static_cast<std::size_t>(comm.sum_below(own_count));
  number_below_ = comm.sum_below(std::int64_t{3} * problem.N->block_count());

  const parallel::Vector held = problem.make_vector(), offset = problem.make_vector();
  problem.K.project(held);
  {
    const WriteArray x(held);
    for (const int row : own_) x[row] = 0.0;
  }
  find_velocity(problem, held, offset);  // rows that cannot move are constants

  std::vector<double> own_number, own_r, own_lower, own_upper;
  const ReadArray w(offset);
  for (const int row : own_) {
    const problem::RowBounds bounds = problem.K[row / 3].rows();
    own_number.push_back(static_cast<double>(number_below_ + row));
    own_r.push_back(w[row]);
    own_lower.push_back(bounds.lower[row % 3]);
    own_upper.push_back(bounds.upper[row % 3]);
  }
  const auto spread = [&](const std::vector<double>& own) { return in_full(comm, total, first_own_, own); };
  for (const double number : spread(own_number)) numbers_.push_back(static_cast<int>(number));
  r = spread(own_r);
  lower = spread(own_lower);
  upper = spread(own_upper);
  gather_matrix(problem);
  scale_by_diagonal();
}

void WholeProblem::gather_matrix(const ContactProblem& problem) {
  const parallel::Matrix distributed = problem.N->assemble();
  IS all = nullptr;
  Mat* whole = nullptr;
  petsc(ISCreateGeneral(PETSC_COMM_SELF, rows(), numbers_.data(), PETSC_COPY_VALUES, &all));
  petsc(MatCreateSubMatrices(distributed, 1, &all, &all, MAT_INITIAL_MATRIX, &whole));
  petsc(ISDestroy(&all));

  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < rows(); ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    petsc(MatGetRow(whole[0], row, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) entries.emplace_back(row, columns[k], values[k]);
    petsc(MatRestoreRow(whole[0], row, &count, &columns, &values));
  }
  petsc(MatDestroySubMatrices(1, &whole));
  N.resize(rows(), rows());
  N.setFromTriplets(entries.begin(), entries.end());
}

void WholeProblem::scale_by_diagonal() {
  scale = N.diagonal().unaryExpr([](double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 1.0; });
  N = scale.asDiagonal() * N * scale.asDiagonal();
  r = scale.cwiseProduct(r);
  lower = lower.cwiseQuotient(scale);
  upper = upper.cwiseQuotient(scale);
  constexpr double rounding = 1e-12;
  const Eigen::SparseMatrix<double> transposed = N.transpose();
  symmetric = rows() == 0 || (N - transposed).eval().coeffs().cwiseAbs().maxCoeff() <= rounding;
}

Eigen::VectorXd WholeProblem::read(const Comm& comm, Vec x) const {
  const ReadArray in(x);
  std::vector<double> own;
  for (const int row : own_) own.push_back(in[row]);
  return in_full(comm, r.size(), first_own_, own).cwiseQuotient(scale);
}

void WholeProblem::write(const Eigen::VectorXd& z, Vec x) const {
  const WriteArray out(x);
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(first_own_ + k);
    out[own_[k]] = scale[place] * z[place];
  }
}

}  // namespace scree::solvers
