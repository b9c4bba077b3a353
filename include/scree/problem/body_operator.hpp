#pragma once

#include <petscvec.h>

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/model/bodies.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"
#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// What a sweep reads and writes of a body: one cache line. Spins are carried as speeds u (SpinScale), so that a
/// contact of spheres needs no radius, its relative velocity is v_B - v_A - (u_A + u_B) x n, and no body needs a
/// tensor.
struct alignas(64) BodyMotion {
  double v[3];             ///< m/s
  double inverse_mass;     ///< 1/kg
  double u[3];             ///< m/s
  double inverse_inertia;  ///< radius^2 / first principal moment of inertia (1/kg)
};

/// The place of a body in a motion, kept as what its address is made of: the doubles before it. Processors scale an
/// index by eight on their way, but not by the size of a body.
class Slot {
 public:
  Slot(int number) : doubles_(doubles * number) {}
  operator int() const { return doubles_ / doubles; }
  [[nodiscard]] const double* in(const BodyMotion* bodies) const {
    return reinterpret_cast<const double*>(bodies) + doubles_;
  }
  [[nodiscard]] double* in(BodyMotion* bodies) const { return reinterpret_cast<double*>(bodies) + doubles_; }

 private:
  static constexpr int doubles = sizeof(BodyMotion) / sizeof(double);
  int doubles_;
};

/// How sweeps of several ranks act on bodies that more than one of them touches. Momentum is exact in all ways.
enum class Coupling {
  interface_splitting,  ///< contacts between own bodies first; then interface contacts, with shares of the masses
  full_splitting,       ///< all contacts of shared bodies in one stage, with shares of the masses
  colouring,            ///< interface contacts colour by colour: no two ranks touch a body in the same colour
};
struct CouplingInfo {
  Coupling coupling;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<CouplingInfo>& couplings();
[[nodiscard]] std::string_view name_of(Coupling coupling);
[[nodiscard]] std::optional<Coupling> coupling_named(std::string_view name);

/// How sweeps are carried out on several ranks.
struct SweepPlan {
  Coupling coupling = Coupling::interface_splitting;
  int local_sweeps = 1;  ///< passes over a rank's contacts between two exchanges
};

/// Three rows between two bodies that are no contact of spheres: part of a joint.
/// w = linear (v_b - v_a) + spin_a omega_a + spin_b omega_b; a row of zeros is absent.
struct RowBlock {
  int a;  ///< local body index
  int b;  ///< local body index, or -1: the world
  model::Mat3 linear;
  model::Mat3 spin_a;  ///< m
  model::Mat3 spin_b;  ///< m
};

/// What binds the bodies of a step.
struct BodyConstraints {
  const collision::ContactSet& contacts;
  std::vector<RowBlock> joints = {};
  /// C, the diagonal compliance, three rows per contact and then per joint block (1/kg); both tangential rows of a
  /// contact have the same. Empty: everything is rigid.
  std::vector<double> compliance = {};
};

/// N = D^T M^-1 D + C for contacts and for joints, matrix-free. Impulses of contacts come first, then those of joint
/// blocks.
class BodyOperator : public ContactOperator {
 public:
  /// Collective. The halo must be the one that keeps the ghosts of `bodies`, whose arrays must stay where they are as
  /// long as the operator: it looks up masses there, and places for `factors`.
  BodyOperator(const parallel::Comm& comm, const parallel::Halo& halo, const model::Bodies& bodies,
               BodyConstraints constraints, SweepPlan plan = {});

  [[nodiscard]] int block_count() const override { return contact_count() + static_cast<int>(joints_.size()); }
  /// Blocks of spheres are solved in closed form.
  [[nodiscard]] double sweep_cost() const override { return 150.0 * block_count(); }
  [[nodiscard]] int contact_count() const { return static_cast<int>(contacts_.size()); }
  /// Exchanges of velocities per sweep: one, or as many as there are colours on any rank.
  [[nodiscard]] int stage_count() const { return static_cast<int>(stages_.size()); }

  /// The bodies of a motion: owned ones, then ghosts, then slots that the operator keeps for itself.
  [[nodiscard]] static BodyMotion* bodies_of(Motion& motion);
  [[nodiscard]] static const BodyMotion* bodies_of(const Motion& motion);

  [[nodiscard]] std::vector<model::Mat3> diagonal_blocks() const override;
  [[nodiscard]] Factors factors() const override;
  [[nodiscard]] Motion motion_at_rest() const override;
  [[nodiscard]] std::ptrdiff_t own_motion() const override;
  void refresh(Motion& motion) const override;
  void block_velocities(int first, int last, const double* x, const Motion& motion, double* w) const override;
  [[nodiscard]] double local_energy(Vec x, const Motion& motion) const override;

  /// w <- D^T motion, for any motion of the owned bodies.
  void relative_velocity(Motion& motion, Vec w) const;

 private:
  struct Contact {
    Slot a;
    Slot b;
    double n[3];
  };
  /// What a contact has beside its normal if it is not one of spheres: w = frame (v_b - v_a) + spin_a u_a + spin_b u_b.
  struct Lever {
    model::Mat3 spin_a;  ///< on the speeds u: without unit
    model::Mat3 spin_b;
    double normal, tangential;  ///< of a diagonal block that takes the place of N_kk in a sweep (1/kg)
    int contact;
  };
  struct Joint {
    int a;  ///< slots in the motion
    int b;
    model::Mat3 linear;
    model::Mat3 spin_a;  ///< on surface speeds u: without unit
    model::Mat3 spin_b;
    model::Mat3 own;      ///< N_kk, of the masses that the joint sees in a sweep (1/kg)
    model::Mat3 inverse;  ///< of N_kk (kg), if it has one
    bool is_regular;      ///< it has
  };
  struct Range {
    int first = 0;
    int last = 0;
  };
  /// Contacts one after another: up to `grouped`, as many at once as a processor has lanes share no body; up to
  /// `doubled`, twice as many.
  struct Run {
    int first;
    int doubled;
    int grouped;
    int last;
    int met = 0;   ///< how many of its batch's bodies are met before its end
    int left = 0;  ///< and left at its end
  };
  /// Blocks that are relaxed one after another.
  struct Batch {
    Range contacts;               ///< of spheres, side by side,
    std::vector<Run> runs;        ///< the same ones, once the slots of bodies are known,
    std::vector<int> met;         ///< bodies that no block before them touches, in the order of the runs,
    std::vector<int> left;        ///< and those that no block touches after them
    std::vector<int> listed;      ///< contacts anywhere
    std::vector<int> levers;      ///< of contacts of other bodies,
    std::vector<Run> lever_runs;  ///< and runs of these
    std::vector<int> joints;
  };
  /// A part of a sweep that begins with fresh velocities of ghosts and ends with their corrections sent back.
  struct Stage {
    parallel::Halo halo;  ///< of the ghosts that the batch touches
    Batch batch;
    std::vector<int> ghosts;  ///< slots
  };
  struct Ahead;
  struct SweepData;

  void find_motion(Vec x, Motion& motion) const override;
  void relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const override;
  StepSums relax_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                       bool symmetric) const override;
  void relative_velocities(int first, int last, const BodyMotion* bodies, double* w) const;
  [[nodiscard]] int passes_per_sweep() const override { return plan_.local_sweeps; }

  void add_levers(const model::Bodies& bodies, const collision::ContactSet& contacts);
  void sort_into_batches(const collision::ContactSet& contacts, const parallel::Halo& halo);
  [[nodiscard]] static std::pair<Batch, Batch> halved(Batch batch);
  void build_stages(const model::Bodies& bodies);
  [[nodiscard]] std::vector<double> share_out();
  void add_twins(const std::vector<double>& shares);
  void set_own_problems();
  void group_contacts(Batch& batch) const;
  void order_levers(Batch& batch) const;
  void follow_bodies();
  [[nodiscard]] std::vector<char> bodies_apart();
  template <typename ContactAt>
  [[nodiscard]] std::vector<Run> find_runs(int first, int last, const ContactAt& contact_at) const;

  /// As in BodyMotion.
  struct Inverse {
    double mass = 0.0;
    double inertia = 0.0;
  };
  /// Slots: owned bodies, ghosts, twins, and one that stands for all walls.
  [[nodiscard]] int slot_count() const { return local_ + static_cast<int>(twin_of_.size()) + 1; }
  /// What a slot stands for: a body's index, or -1 for the world; its whole mass, and the share that blocks see.
  [[nodiscard]] int body_at(int slot) const;
  [[nodiscard]] Inverse unshared(int slot) const;
  [[nodiscard]] Inverse shared(int slot) const;

  /// N_kk of a block, without compliance, for bodies of these masses.
  [[nodiscard]] static model::Mat3 own_block(const Joint& joint, const Inverse& a, const Inverse& b);
  [[nodiscard]] static model::Mat3 own_block(const Lever& lever, const Inverse& a, const Inverse& b);
  [[nodiscard]] model::Vec3 compliance_of(int block) const;
  /// 1/2 x.C x.
  [[nodiscard]] double compliant_energy(const double* x) const;
  [[nodiscard]] const double* compliance() const { return compliance_.empty() ? nullptr : compliance_.data(); }
  [[nodiscard]] static model::Vec3 velocity_of(const Joint& joint, const BodyMotion* bodies);
  [[nodiscard]] model::Vec3 velocity_of(const Lever& lever, const BodyMotion* bodies) const;

  void relax_forward(SweepData& data, Motion& motion) const;
  void relax_backward(SweepData& data, Motion& motion) const;
  template <typename Stages>
  void relax_stages(const Stages& stages, const Batch& on_the_way, const Batch& on_the_way_back, SweepData& data,
                    Motion& motion) const;
  void relax(const Batch& batch, SweepData& data) const;
  template <typename Local>
  void relax_with(const Local& local, const Batch& batch, SweepData& data) const;
  template <typename Impulses, typename Local>
  void relax_from(Impulses& impulses, const Local& local, const Batch& batch, SweepData& data) const;
  template <int most, typename RelaxHere>
  void relax_runs(const Batch& batch, const SweepData& data, const RelaxHere& relax_here) const;
  template <typename Impulses>
  void relax_lever(Impulses& impulses, const LocalSolver& solve, const Lever& lever, SweepData& data) const;
  template <typename Impulses>
  void relax_joint(Impulses& impulses, int joint, SweepData& data) const;
  void relax_stage(const Stage& stage, SweepData& data) const;
  void copy_to_twins(BodyMotion* bodies) const;

  /// Calls `function` with each contact of spheres.
  template <typename Function>
  void for_each_contact_of_spheres(Function&& function) const;
  /// Calls `visit` with each group of contacts of spheres (for_each_group).
  template <typename Visit>
  void visit_groups(Visit&& visit) const;
  /// Calls `function` with each contact of the batch: those of spheres, then the others.
  template <typename Function>
  void for_each_contact(const Batch& batch, Function&& function);
  template <typename Function>
  void for_each_end(const Batch& batch, Function&& function);

  SweepPlan plan_;
  parallel::Halo halo_;  ///< of the ghosts that contacts or joints touch
  int owned_;
  int local_;                             ///< owned and ghosts
  std::span<const model::Vec3> centre_;   ///< of local bodies (m)
  std::span<const double> radius_;        ///< m
  std::span<const double> mass_;          ///< kg
  std::span<const model::Vec3> inertia_;  ///< principal moments (kg m^2)
  parallel::LargeArray<Contact> contacts_;
  parallel::LargeArray<Lever> levers_;  ///< in the order of their contacts
  std::vector<Joint> joints_;
  std::vector<double> compliance_;
  // Half of each kind comes before the stages and half after them: load runs through both faster than one way round.
  Batch leading_;   ///< of own bodies that other ranks mirror; their velocities are sent next
  Batch early_;     ///< of bodies that no other rank knows, relaxed while velocities travel
  Batch late_;      ///< the rest of those, relaxed while corrections travel back
  Batch trailing_;  ///< the rest of those of mirrored bodies, relaxed once corrections are there
  std::vector<Stage> stages_;
  std::vector<int> apart_;     ///< owned bodies that no batch meets or leaves on its way
  std::vector<int> twin_of_;   ///< owned bodies whose mass is shared in the split stage have a second slot for it
  std::vector<double> share_;  ///< of a body's mass: of ghosts, then of twins
  mutable std::vector<BodyMotion> received_;  ///< ghosts as they came, before this rank's corrections
};

}  // namespace scree::problem
