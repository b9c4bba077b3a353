#include "support/sparse_forms.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "support/gather.hpp"

namespace scree::test {

Eigen::MatrixXd DenseGlobal::N() const { return H.transpose() * M.partialPivLu().solve(H); }

Eigen::VectorXd DenseGlobal::r() const { return H.transpose() * M.partialPivLu().solve(f) + b; }

double RandomMatrices::operator()(double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random_);
}

Eigen::VectorXd RandomMatrices::vector(Eigen::Index size, double from, double to) {
  Eigen::VectorXd result(size);
  for (double& entry : result) entry = (*this)(from, to);
  return result;
}

Eigen::MatrixXd RandomMatrices::positive(Eigen::Index size) {
  Eigen::MatrixXd root(size, size);
  for (Eigen::Index j = 0; j < size; ++j) root.col(j) = vector(size);
  return root * root.transpose() + 0.5 * Eigen::MatrixXd::Identity(size, size);
}

DenseGlobal RandomMatrices::chain(int bodies, int contacts) {
  DenseGlobal problem;
  const Eigen::Index dofs = 6 * bodies, rows = 3 * contacts;
  problem.M = Eigen::MatrixXd::Zero(dofs, dofs);
  for (Eigen::Index k = 0; k < bodies; ++k) problem.M.block(6 * k, 6 * k, 6, 6) = positive(6);
  problem.H = Eigen::MatrixXd::Zero(dofs, rows);
  for (Eigen::Index j = 0; j < contacts; ++j) {
    const Eigen::Index body = j * bodies / contacts;
    for (Eigen::Index c = 0; c < 3; ++c) {
      problem.H.col(3 * j + c).segment(6 * body, 6) = vector(6);
      if (body + 1 < bodies && j % 3 != 0) problem.H.col(3 * j + c).segment(6 * body + 6, 6) = vector(6);
    }
  }
  problem.f = vector(dofs);
  problem.b = vector(rows);
  problem.mu = vector(contacts, 0.1, 0.8);
  return problem;
}

DenseLocal RandomMatrices::dense(int contacts) {
  return {positive(3 * contacts), vector(3 * contacts), vector(contacts, 0.1, 0.8)};
}

DenseLocal local_of(const DenseGlobal& problem) { return {problem.N(), problem.r(), problem.mu}; }

problem::SparseMatrix deal_out(const Eigen::MatrixXd& dense) {
  problem::SparseMatrix result{dense.rows(), dense.cols(), {}};
  std::int64_t count = 0;
  for (Eigen::Index i = 0; i < dense.rows(); ++i)
    for (Eigen::Index j = 0; j < dense.cols(); ++j)
      if (dense(i, j) != 0.0 && count++ % world().size() == world().rank())
        result.entries.push_back({i, j, dense(i, j)});
  return result;
}

std::vector<double> own_part(const Eigen::VectorXd& whole, std::int64_t width) {
  const parallel::EvenSplit split{whole.size(), world().size(), width};
  const double* first = whole.data() + split.first(world().rank());
  return {first, first + split.count(world().rank())};
}

problem::SparseProblem make_sparse(const DenseLocal& dense) {
  return make_problem(world(), problem::LocalForm{deal_out(dense.W), own_part(dense.q, 3), own_part(dense.mu, 1)});
}

problem::SparseProblem make_sparse(const DenseGlobal& dense) {
  return make_problem(world(), problem::GlobalForm{deal_out(dense.M), deal_out(dense.H), own_part(dense.f, 1),
                                                   own_part(dense.b, 3), own_part(dense.mu, 1)});
}

void set_part(Vec vec, const Eigen::VectorXd& whole) {
  const parallel::WriteArray out(vec);
  std::ranges::copy(own_part(whole, 3), out.data());
}

Eigen::VectorXd whole_of(const std::vector<double>& own) {
  const std::vector<double> all = gather_everywhere(own);
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

Eigen::VectorXd whole_of(Vec vec) {
  const parallel::ReadArray own(vec);
  return whole_of(std::vector<double>(own.data(), own.data() + own.size()));
}

Eigen::VectorXd velocities_of(const problem::ContactProblem& problem, const Eigen::VectorXd& x) {
  const parallel::Vector impulses = problem.make_vector(), w = problem.make_vector();
  set_part(impulses, x);
  problem.N->apply(impulses, w);
  parallel::petsc(VecAXPY(w, 1.0, problem.r));
  return whole_of(w);
}

double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  BOOST_REQUIRE_EQUAL(a.size(), b.size());
  return a.size() == 0 ? 0.0 : (a - b).norm() / std::max(b.norm(), 1e-300);
}

}  // namespace scree::test
