#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/problem/sparse_matrix.hpp"

namespace scree::problem {

/// w = W x + q. Vectors hold this rank's part of an even split of the contacts.
struct LocalForm {
  SparseMatrix W;
  std::vector<double> q;
  std::vector<double> mu;
};

/// M v = H x + f and w = H^T v + b. Vectors hold this rank's part: f of an even split of the rows of M, b and mu of the
/// contacts.
struct GlobalForm {
  SparseMatrix M;
  SparseMatrix H;
  std::vector<double> f;
  std::vector<double> b;
  std::vector<double> mu;
};

/// A contact problem made from matrices, under Coulomb's law. Contacts keep their order.
struct SparseProblem {
  ContactProblem problem;
  std::string matrix = "W";  ///< the one that should be symmetric: W, given or formed, or M
  double asymmetry = 0.0;    ///< of it, relative to its largest entry
  /// Collective: this rank's part of v(x); empty for a problem in local form, which does not know it.
  std::function<std::vector<double>(Vec x)> velocities;
};

/// How contacts are spread over ranks: their rows, three each.
[[nodiscard]] inline parallel::EvenSplit split_contacts(const parallel::Comm& comm, std::int64_t rows) {
  return {rows, comm.size(), 3};
}
/// How the rows of M are spread over ranks.
[[nodiscard]] inline parallel::EvenSplit split_dofs(const parallel::Comm& comm, std::int64_t rows) {
  return {rows, comm.size()};
}

/// Collective. The operator keeps a reference to `comm`.
[[nodiscard]] SparseProblem make_problem(const parallel::Comm& comm, const LocalForm& form);

/// Collective. With a block diagonal M in body space: v = M^-1 H x, w = H^T v. Otherwise W = H^T M^-1 H is formed
/// through a factorisation. Throws InputError if M is singular or W would be too large.
[[nodiscard]] SparseProblem make_problem(const parallel::Comm& comm, const GlobalForm& form);

}  // namespace scree::problem
