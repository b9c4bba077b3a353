#pragma once

#include <petscvec.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/model/bodies.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"
#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// What a sweep reads and writes of a body: one cache line. Spins are carried as surface speeds u = radius * omega, so
/// that a contact of spheres needs no radius: its relative velocity is v_B - v_A - (u_A + u_B) x n.
struct alignas(64) BodyMotion {
  double v[3];             ///< m/s
  double inverse_mass;     ///< 1/kg
  double u[3];             ///< m/s
  double inverse_inertia;  ///< radius^2 / moment of inertia (1/kg)
};

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

/// N = D^T M^-1 D for contacts of spheres, matrix-free.
class BodyOperator : public ContactOperator {
 public:
  /// Collective. The halo must be the one that keeps the ghosts of `bodies`.
  BodyOperator(const parallel::Comm& comm, const parallel::Halo& halo, const model::Bodies& bodies,
               const collision::ContactSet& contacts, Coupling coupling = Coupling::interface_splitting);

  [[nodiscard]] int block_count() const override { return static_cast<int>(contacts_.size()); }

  /// The bodies of a motion field: owned ones, then ghosts, then slots that the operator keeps for itself.
  [[nodiscard]] static BodyMotion* bodies_of(Motion& motion);
  [[nodiscard]] static const BodyMotion* bodies_of(const Motion& motion);

  [[nodiscard]] std::vector<model::Mat3> diagonal_blocks() const override;
  [[nodiscard]] Motion motion_at_rest() const override { return rest_; }
  [[nodiscard]] std::ptrdiff_t own_motion() const override;
  void contact_velocity(Vec x, Motion& motion, Vec r, Vec w) const override;
  /// w <- D^T motion, for any motion of the owned bodies.
  void relative_velocity(Motion& motion, Vec w) const;
  [[nodiscard]] double local_energy(Vec x, const Motion& motion) const override;

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

  void find_motion(Vec x, Motion& motion) const override;
  void relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion) const override;

  [[nodiscard]] std::vector<double> count_holders();
  void add_twins(const std::vector<double>& holders);
  void set_masses(const model::Bodies& bodies, const std::vector<double>& holders);

  void relax(Range range, const double* r, const ConstraintSet& set, double* x, BodyMotion* motion) const;
  void relax_split(const double* r, const ConstraintSet& set, double* x, BodyMotion* motion) const;
  void copy_to_twins(BodyMotion* motion) const;

  template <typename Function>
  void for_each_split_contact(Function&& function);

  parallel::Halo halo_;
  int owned_;
  int local_;  ///< owned and ghosts
  std::vector<Contact> contacts_;
  Range leading_;               ///< contacts of own bodies that other ranks mirror; their velocities are sent next
  Range interior_;              ///< contacts that are relaxed while velocities travel
  std::array<Range, 2> split_;  ///< contacts that see shares of masses
  std::vector<int> twin_of_;    ///< owned bodies that other ranks touch in the split stage too have a second slot
  std::vector<double> share_;   ///< 1 / holders: of ghosts, then of twins
  Motion rest_;                 ///< slots: owned, ghosts, twins, and one that stands for all walls
  mutable std::vector<BodyMotion> received_;  ///< ghosts as they came, before this rank's corrections
};

}  // namespace scree::problem
