#include "scree/problem/sparse_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "scree/parallel/error.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/mass_matrix.hpp"
#include "scree/problem/sparse_operator.hpp"

namespace scree::problem {

using parallel::Comm;
using parallel::EvenSplit;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;

namespace {

Vector vector_of(const Comm& comm, const std::vector<double>& rows) {
  Vector vec(comm, static_cast<int>(rows.size() / 3));
  const WriteArray out(vec);
  std::ranges::copy(rows, out.data());
  return vec;
}

ConstraintSet coulomb_set(const std::vector<double>& mu) {
  ConstraintSet set;
  set.law = Law::coulomb;
  set.friction = mu;
  return set;
}

std::vector<SparseEntry> transposed(const std::vector<SparseEntry>& entries) {
  std::vector<SparseEntry> result;
  for (const SparseEntry& entry : entries) result.push_back({entry.column, entry.row, entry.value});
  return result;
}

/// Collective: the problem of W.
ContactProblem problem_of(const Comm& comm, const SparseMatrix& W, Vector r, const std::vector<double>& mu) {
  const EvenSplit contacts = split_contacts(comm, W.rows);
  std::vector<SparseEntry> identity;
  for (std::int64_t k = contacts.first(comm.rank()); k < contacts.first(comm.rank() + 1); ++k)
    identity.push_back({k, k, 1.0});
  return {
      std::make_unique<SparseOperator>(comm, contacts, contacts, identity, columns_of_rank(comm, contacts, W.entries)),
      std::move(r), coulomb_set(mu)};
}

/// Collective: M^-1 B, by columns that belong to this rank in `contacts`. `inverse` has the columns of this rank's
/// rows.
std::vector<SparseEntry> multiply(const Comm& comm, const EvenSplit& rows, const EvenSplit& contacts,
                                  const std::vector<SparseEntry>& inverse, const std::vector<SparseEntry>& B) {
  std::vector<SparseEntry> sorted = inverse;
  std::ranges::stable_sort(sorted, {}, &SparseEntry::column);
  std::vector<SparseEntry> products;
  for (const SparseEntry& b : rows_of_rank(comm, rows, B))
    for (const SparseEntry& m : std::ranges::equal_range(sorted, b.row, {}, &SparseEntry::column))
      products.push_back({m.row, b.column, m.value * b.value});
  return columns_of_rank(comm, contacts, products);
}

/// Collective: M^-1 f, this rank's part.
std::vector<double> multiply(const Comm& comm, const EvenSplit& rows, const std::vector<SparseEntry>& inverse,
                             const std::vector<double>& f) {
  const std::int64_t first = rows.first(comm.rank());
  std::vector<SparseEntry> products;
  for (const SparseEntry& m : inverse)
    products.push_back({m.row, m.column, m.value * f[static_cast<std::size_t>(m.column - first)]});
  std::vector<double> result(f.size(), 0.0);
  for (const SparseEntry& product : rows_of_rank(comm, rows, products))
    result[static_cast<std::size_t>(product.row - first)] += product.value;
  return result;
}

/// w <- H^T v + b and p <- H x, with the parts of v and p that belong to this rank.
class Coupling {
 public:
  Coupling(const Comm& comm, const EvenSplit& dofs, const EvenSplit& contacts, const std::vector<SparseEntry>& H)
      : operator_(comm, contacts, dofs, transposed(H), H), motion_(operator_.motion_at_rest()) {}

  void contact_velocity(const std::vector<double>& v, Vec b, Vec w) {
    std::ranges::copy(v, motion_.begin());
    operator_.contact_velocity(nullptr, motion_, b, w);
  }
  [[nodiscard]] std::vector<double> momentum(Vec x) {
    operator_.set_motion(x, motion_);
    return {motion_.begin(), motion_.begin() + operator_.own_motion()};
  }

 private:
  SparseOperator operator_;
  Motion motion_;
};

void add(std::vector<double>& sum, const std::vector<double>& term) {
  std::ranges::transform(sum, term, sum.begin(), std::plus<>());
}

/// Collective: v = M^-1 H x is the motion.
SparseProblem in_body_space(const Comm& comm, const GlobalForm& form, const std::vector<SparseEntry>& inverse) {
  const EvenSplit dofs = split_dofs(comm, form.M.rows), contacts = split_contacts(comm, form.H.columns);
  const auto H = columns_of_rank(comm, contacts, form.H.entries);
  auto N =
      std::make_unique<SparseOperator>(comm, contacts, dofs, transposed(H), multiply(comm, dofs, contacts, inverse, H),
                                       rows_of_rank(comm, dofs, form.M.entries));
  const std::vector<double> v_free = multiply(comm, dofs, inverse, form.f);
  Motion motion = N->motion_at_rest();
  std::ranges::copy(v_free, motion.begin());
  Vector b = vector_of(comm, form.b), r = Vector::like(b);
  N->contact_velocity(nullptr, motion, b, r);  // r = H^T M^-1 f + b

  const auto velocities = [bodies = N.get(), v_free](Vec x) {
    Motion v = bodies->motion_at_rest();
    bodies->set_motion(x, v);
    std::vector<double> own = v_free;
    add(own, {v.begin(), v.begin() + bodies->own_motion()});
    return own;
  };
  return {{std::move(N), std::move(r), coulomb_set(form.mu)}, "M", asymmetry(comm, form.M), velocities};
}

/// x <- the unit vector of local entry k; 0 on ranks where it is not local.
void set_unit(Vec x, std::int64_t k) {
  const WriteArray out(x);
  std::fill_n(out.data(), out.size(), 0.0);
  if (k >= 0 && k < out.size()) out[static_cast<int>(k)] = 1.0;
}

/// Collective: this rank's rows of W = H^T M^-1 H. Columns are solved for by the batch.
std::vector<SparseEntry> condense(const Comm& comm, const EvenSplit& contacts, std::size_t own_dofs,
                                  const MassFactor& M, Coupling& coupling) {
  constexpr std::int64_t batch = 64;
  const std::int64_t first = contacts.first(comm.rank());
  const Vector x(comm, static_cast<int>(contacts.count(comm.rank()) / 3)), w = Vector::like(x);
  std::vector<SparseEntry> entries;
  for (std::int64_t begin = 0; begin < contacts.total; begin += batch) {
    const std::int64_t end = std::min(begin + batch, contacts.total);
    std::vector<double> H;
    for (std::int64_t column = begin; column < end; ++column) {
      set_unit(x, column - first);
      const std::vector<double> momentum = coupling.momentum(x);
      H.insert(H.end(), momentum.begin(), momentum.end());
    }
    const std::vector<double> V = M.solve(std::move(H), static_cast<int>(end - begin));
    for (std::int64_t column = begin; column < end; ++column) {
      const double* v = V.data() + static_cast<std::size_t>(column - begin) * own_dofs;
      coupling.contact_velocity({v, v + own_dofs}, nullptr, w);
      const ReadArray part(w);
      for (int k = 0; k < part.size(); ++k)
        if (part[k] != 0.0) entries.push_back({first + k, column, part[k]});
    }
  }
  return entries;
}

void require_memory(const Comm& comm, std::int64_t rows) {
  constexpr double most_bytes = 4e9;  // per rank, of W and of the mail that carries it
  const double bytes = 3.0 * sizeof(SparseEntry) * static_cast<double>(rows) * static_cast<double>(rows);
  if (bytes > most_bytes * comm.size())
    throw InputError(fmt::format(
        "M is not block diagonal, and the dense matrix of {} contacts takes {:.0f} GB: use at least {:.0f} ranks",
        rows / 3, bytes / 1e9, std::ceil(bytes / most_bytes)));
}

/// Collective: M couples many degrees of freedom, so that each impulse moves nearly all of them. W, which has a row per
/// impulse, then is smaller than the motion's matrices would be.
SparseProblem condensed(const Comm& comm, const GlobalForm& form) {
  const EvenSplit dofs = split_dofs(comm, form.M.rows), contacts = split_contacts(comm, form.H.columns);
  require_memory(comm, contacts.total);
  const auto M = std::make_shared<MassFactor>(comm, dofs, form.M);
  const auto coupling =
      std::make_shared<Coupling>(comm, dofs, contacts, columns_of_rank(comm, contacts, form.H.entries));
  Vector b = vector_of(comm, form.b), r = Vector::like(b);
  coupling->contact_velocity(M->solve(form.f), b, r);
  const auto velocities = [M, coupling, f = form.f](Vec x) {
    std::vector<double> momentum = coupling->momentum(x);
    add(momentum, f);
    return M->solve(momentum);
  };
  const SparseMatrix W{contacts.total, contacts.total, condense(comm, contacts, form.f.size(), *M, *coupling)};
  return {problem_of(comm, W, std::move(r), form.mu), "W", asymmetry(comm, W), velocities};
}

}  // namespace

SparseProblem make_problem(const Comm& comm, const LocalForm& form) {
  return {problem_of(comm, form.W, vector_of(comm, form.q), form.mu), "W", asymmetry(comm, form.W), {}};
}

SparseProblem make_problem(const Comm& comm, const GlobalForm& form) {
  const auto inverse = inverse_of_blocks(comm, split_dofs(comm, form.M.rows), form.M);
  return inverse ? in_body_space(comm, form, *inverse) : condensed(comm, form);
}

}  // namespace scree::problem
