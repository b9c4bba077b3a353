#pragma once

#include <petscvec.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/model/bodies.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"
#include "scree/problem/constraint_set.hpp"

namespace scree::problem {

/// What a sweep reads and writes of a body: one cache line. Spins are carried as surface speeds u = radius * omega, so
/// that a contact of spheres needs no radius: its relative velocity is v_B - v_A - (u_A + u_B) x n.
struct alignas(64) BodyMotion {
  double v[3];             ///< m/s
  double inverse_mass;     ///< 1/kg
  double u[3];             ///< m/s
  double inverse_inertia;  ///< radius^2 / moment of inertia (1/kg)
};

/// The velocities M^-1 D x that impulses x give the bodies: owned ones, then ghosts, then the slots that the operator
/// keeps for itself.
using MotionField = std::vector<BodyMotion>;

/// How sweeps of several ranks act on bodies that more than one of them touches in the same stage. Each rank sees its
/// share of the mass of such a body; the sum of all corrections then is exact in momentum and never overshoots.
enum class Coupling {
  interface_splitting,  ///< contacts between own bodies first, with full masses; then interface contacts with shares
  full_splitting,       ///< all contacts of shared bodies in one stage with shares
};
struct CouplingInfo {
  Coupling coupling;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<CouplingInfo>& couplings();
[[nodiscard]] std::string_view name_of(Coupling coupling);
[[nodiscard]] std::optional<Coupling> coupling_named(std::string_view name);

/// N = D^T M^-1 D for contacts of spheres, matrix-free and distributed. Impulses are Vecs with three entries
/// (n, t, o) per contact, in the order of the contacts; each contact has one owner, so impulses have no ghosts.
/// `apply`, `contact_velocity`, `set_motion` and `sweep` are collective.
class ContactOperator {
 public:
  /// Collective. The halo must be the one that keeps the ghosts of `bodies`.
  ContactOperator(const parallel::Comm& comm, const parallel::Halo& halo, const model::Bodies& bodies,
                  const collision::ContactSet& contacts, Coupling coupling = Coupling::interface_splitting);

  [[nodiscard]] const parallel::Comm& comm() const { return comm_; }
  [[nodiscard]] int contact_count() const { return static_cast<int>(contacts_.size()); }
  [[nodiscard]] int owned_bodies() const { return owned_; }

  /// y <- N x.
  void apply(Vec x, Vec y) const;

  /// d <- diag(N).
  void diagonal(Vec d) const;

  /// A field of this operator's bodies, at rest.
  [[nodiscard]] MotionField motion_at_rest() const { return rest_; }

  /// motion <- M^-1 D x, on owned bodies.
  void set_motion(Vec x, MotionField& motion) const;

  /// w <- D^T motion + r: the contact velocities that belong to the owned bodies' motion. Refreshes ghosts.
  void contact_velocity(MotionField& motion, Vec r, Vec w) const;

  /// 1/2 |motion|_M^2 of the bodies that this rank owns (J).
  [[nodiscard]] double local_energy(const MotionField& motion) const;

  /// One Gauss-Seidel sweep over all contacts: each in turn gets the impulse that solves its own problem exactly, given
  /// the present motion, which follows: motion = M^-1 D x holds before and after for owned bodies.
  void sweep(Vec r, const ConstraintSet& set, Vec x, MotionField& motion) const;

  /// Products and sweeps so far.
  [[nodiscard]] std::int64_t applications() const { return applications_; }
  [[nodiscard]] std::int64_t sweeps() const { return sweeps_; }

 private:
  struct Contact {
    int a;  ///< slots in the motion field
    int b;
    double n[3];
    double inverse_normal;      ///< 1 / N_nn, of the masses that the contact sees in a sweep (kg)
    double inverse_tangential;  ///< 1 / N_tt = 1 / N_oo (kg)
  };
  struct Range {
    int first = 0;
    int last = 0;
  };

  [[nodiscard]] std::vector<double> count_holders();
  void add_twins(const std::vector<double>& holders);
  void set_masses(const model::Bodies& bodies, const std::vector<double>& holders);

  void relax(Range range, const double* r, const ConstraintSet& set, double* x, BodyMotion* motion) const;
  void relax_split(const double* r, const ConstraintSet& set, double* x, MotionField& motion) const;
  void copy_to_twins(MotionField& motion) const;

  template <typename Function>
  void for_each_split_contact(Function&& function);

  const parallel::Comm& comm_;
  parallel::Halo halo_;
  int owned_;
  int local_;  ///< owned and ghosts
  std::vector<Contact> contacts_;
  Range leading_;               ///< contacts of own bodies that other ranks mirror; their velocities are sent next
  Range interior_;              ///< contacts that are relaxed while velocities travel
  std::array<Range, 2> split_;  ///< contacts that see shares of masses
  std::vector<int> twin_of_;    ///< owned bodies that other ranks touch in the split stage too have a second slot
  std::vector<double> share_;   ///< 1 / holders: of ghosts, then of twins
  MotionField rest_;            ///< slots: owned, ghosts, twins, and one that stands for all walls
  mutable MotionField scratch_;
  mutable std::vector<BodyMotion> received_;  ///< ghosts as they came, before this rank's corrections
  mutable std::int64_t applications_ = 0;
  mutable std::int64_t sweeps_ = 0;
};

}  // namespace scree::problem
