#pragma once

#include <petscvec.h>

#include <memory>
#include <string>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/problem/contact_problem.hpp"

namespace scree::problem {

/// The linear systems of Newton's method on a contact problem, (P + Q N) d = b with block diagonal P and Q.
class NewtonSystem {
 public:
  NewtonSystem() = default;
  virtual ~NewtonSystem() = default;
  NewtonSystem(const NewtonSystem&) = delete;
  NewtonSystem& operator=(const NewtonSystem&) = delete;

  /// Collective: false if the matrix is singular, as far as rounding shows. P, Q: this rank's.
  [[nodiscard]] virtual bool factorise(const std::vector<model::Mat3>& P, const std::vector<model::Mat3>& Q) = 0;

  /// Collective, after `factorise`. False if an iterative method did not converge.
  [[nodiscard]] virtual bool solve(Vec b, Vec d) = 0;

  /// Whether the last solve was so much work that a matrix further from the identity should not be tried.
  [[nodiscard]] virtual bool laboured() const { return false; }

  /// Multiplications that a Newton step costs on this rank, about, if all contacts are active.
  [[nodiscard]] virtual double operations() const = 0;
};

/// Collective: throws InputError on all ranks if a rank's factors take more than its share of the memory that is left
/// on its machine. `bytes`: this rank's; `blocks`: of the whole matrix.
void require_memory(const parallel::Comm& comm, double bytes, std::int64_t blocks);

/// Where and how these systems are solved.
struct SubsystemOptions {
  /// "contacts": factors of N on every rank; "bodies": distributed, in the space of bodies; "auto": the former for few
  /// contacts and where bodies are not known.
  std::string space = "auto";
  /// In the space of bodies: "schwarz", factors of each rank's part; "gamg", multigrid; "mumps", distributed factors.
  std::string linear = "schwarz";
  double forcing = 1e-3;  ///< |(P + Q N) d - b| that Krylov methods in the space of bodies may leave, of |b|, about
};

/// Collective. Throws InputError if the factors do not fit into the memory that is left, or if bodies are asked for and
/// not known.
[[nodiscard]] std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem,
                                                               const SubsystemOptions& options);

}  // namespace scree::problem
