#pragma once

#include <petscvec.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/problem/constraint_set.hpp"
#include "scree/problem/factors.hpp"
#include "scree/problem/relaxation.hpp"

namespace scree::problem {

/// What impulses x cause: the velocities M^-1 D x of bodies, or W x where only W is known. Linear in x, and kept up to
/// date by sweeps, so that a contact finds its velocity without a product. The leading `own_motion()` doubles are this
/// rank's part of it; what follows are copies that the operator keeps for itself.
using Motion = parallel::LargeArray<double>;

/// Impulses with the motion that they cause.
struct Iterate {
  Vec x;
  Motion motion;
};
/// This rank's part of what a sweep from an extrapolation y = x + beta (x - previous) to x_new did.
struct StepSums {
  double turn;       ///< (y - x_new).(x_new - x): positive when the sweep turned back against the step
  double objective;  ///< 1/2 x_new.N x_new + r.x_new (J)
  double change;     ///< |x_new - y|^2: what the sweep still had to do
};

/// N, distributed. Impulses are Vecs with three entries (n, t, o) per contact or joint block, in the order of the
/// blocks; each block has one owner, so impulses have no ghosts. All functions that take a Vec or a Motion that is not
/// const are collective.
class ContactOperator {
 public:
  explicit ContactOperator(const parallel::Comm& comm) : comm_(comm) {}
  virtual ~ContactOperator() = default;
  ContactOperator(const ContactOperator&) = delete;
  ContactOperator& operator=(const ContactOperator&) = delete;

  [[nodiscard]] const parallel::Comm& comm() const { return comm_; }
  /// Contacts and joint blocks of this rank.
  [[nodiscard]] virtual int block_count() const = 0;

  /// y <- N x.
  void apply(Vec x, Vec y) const;

  /// The diagonal block N_kk of each contact of this rank.
  [[nodiscard]] virtual std::vector<model::Mat3> diagonal_blocks() const = 0;
  /// d <- diag(N).
  void diagonal(Vec d) const;

  /// N in sparse form. Collective.
  [[nodiscard]] virtual Factors factors() const = 0;
  /// N as a distributed matrix, for preconditioners and direct solvers. Collective.
  [[nodiscard]] parallel::Matrix assemble() const { return multiply(comm_, factors()); }

  [[nodiscard]] virtual Motion motion_at_rest() const = 0;
  [[nodiscard]] virtual std::ptrdiff_t own_motion() const = 0;

  /// motion <- that of x.
  void set_motion(Vec x, Motion& motion) const;

  /// w <- N x + r, given the motion of x; without r if there is none.
  void contact_velocity(Vec x, Motion& motion, Vec r, Vec w) const;
  /// Brings what a motion holds of other ranks' parts up to date.
  virtual void refresh(Motion& motion) const = 0;
  /// w <- N x for the blocks from `first` on and before `last`, given all impulses of this rank and their motion,
  /// refreshed: so many velocities as stay in a cache, for those who need each of them once.
  virtual void block_velocities(int first, int last, const double* x, const Motion& motion, double* w) const = 0;

  /// This rank's part of 1/2 x.N x (J), given the motion of x.
  [[nodiscard]] virtual double local_energy(Vec x, const Motion& motion) const = 0;

  /// One Gauss-Seidel sweep over all contacts: each in turn gets the impulse that solves its own problem, exactly or as
  /// `how` has it, given the present motion, which follows.
  void sweep(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how = {}) const;

  /// previous <- the extrapolation x + beta (x - previous), swept, forward or also backward; if beta is 0, x swept,
  /// whatever `previous` was. Does in one pass over impulses and motions, where an operator can, what else takes three.
  StepSums sweep_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                       bool symmetric) const;

  /// Roughly what a sweep over this rank's blocks costs, in multiplications that would take as long; so that methods
  /// which can do otherwise know when.
  [[nodiscard]] virtual double sweep_cost() const { return 2000.0 * block_count(); }

  /// Products and passes of sweeps over the contacts so far.
  [[nodiscard]] std::int64_t applications() const { return applications_; }
  [[nodiscard]] std::int64_t sweeps() const { return sweeps_; }

 protected:
  virtual StepSums relax_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                               bool symmetric) const;

 private:
  virtual void find_motion(Vec x, Motion& motion) const = 0;
  virtual void relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const = 0;
  /// How often a sweep relaxes each contact.
  [[nodiscard]] virtual int passes_per_sweep() const { return 1; }

  const parallel::Comm& comm_;
  mutable Motion scratch_;
  mutable std::vector<double> extrapolated_;
  mutable std::int64_t applications_ = 0;
  mutable std::int64_t sweeps_ = 0;
};

}  // namespace scree::problem
