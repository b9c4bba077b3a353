#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/collision/shape_contacts.hpp"
#include "scree/dynamics/balancer.hpp"
#include "scree/dynamics/flow.hpp"
#include "scree/dynamics/forces.hpp"
#include "scree/dynamics/joint_partners.hpp"
#include "scree/dynamics/joint_rows.hpp"
#include "scree/dynamics/search.hpp"
#include "scree/dynamics/stabilisation.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/joint.hpp"
#include "scree/model/material.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/phase_timer.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/constraint_set.hpp"
#include "scree/solvers/monitor.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::dynamics {

/// Where the friction bounds mu x~_n of the laws `box`, `prism` and `cylinder` come from.
enum class BoundSource {
  last_step,     ///< the contact's normal impulse of the step before (a new contact has none yet)
  frictionless,  ///< a frictionless solve of the same step
};

struct SolverChoice {
  std::string name = "auto";
  solvers::OptionValues options;
  solvers::StopRule stop{.tolerance = 1e-4, .max_iterations = 200, .all_measures = false};
  problem::Law law = problem::Law::cone;
  BoundSource bounds = BoundSource::frictionless;
  int facets = 8;             ///< of the polygons of the laws `prism` and `polyhedral`
  problem::SweepPlan sweeps;  ///< across ranks
};

struct StepOptions {
  double step = 5e-3;                    ///< h (s)
  model::Vec3 gravity{0.0, 0.0, -9.81};  ///< m/s^2
  double margin = 0.1;                   ///< contacts enter before they touch: gap up to this times the mean radius
  double skin = 0.3;                     ///< near pairs are kept until bodies moved this times the mean radius
  Drag drag;
  Stabilisation stabilisation;         ///< of contacts and joints
  double restitution_threshold = 0.1;  ///< slower approaches do not rebound (m/s)
  bool warm_start = true;              ///< start from the impulses of the last step
};

/// Where a simulation stands: with the bodies, all that a later run needs to go on.
struct Progress {
  std::int64_t step = 0;
  double mean_radius = 0.0;                        ///< the length that margins are measured by (m)
  std::vector<collision::ContactMemory> memories;  ///< of contacts; each rank gives some of all
  BalanceState balance;
  std::vector<model::Joint> joints = {};  ///< each rank gives some of all
  FlowState flow = {};                    ///< of sources and sinks
  bool in_place = false;                  ///< the bodies lie on the ranks as they did, so they need no new partition
};

/// The laws that contacts may have in a run with this one: pairs of materials may have their own, and bilateral
/// contacts are frictionless until they touch.
[[nodiscard]] problem::LawSet laws_of_run(problem::Law law, const model::SurfaceTable& surfaces);

/// All that a simulation starts from on this rank.
struct Setup {
  std::vector<model::Material> materials;
  std::vector<model::MaterialPair> material_pairs = {};
  std::vector<model::Wall> walls;
  model::Bodies bodies;                   ///< owned ones only, spread over the ranks in any way
  std::vector<model::Joint> joints = {};  ///< spread over the ranks in any way; a resumed run takes those of `resumed`
  std::vector<BodyForce> forces = {};     ///< all of them, on every rank
  FlowSetup flow = {};
  StepOptions step;
  SolverChoice solver;
  BalanceOptions balance;
  std::optional<Progress> resumed = std::nullopt;  ///< goes on from here, if given
};

/// The contact problem of a step before it is solved, with the bodies at their free velocities v*.
struct StepProblem {
  const model::Bodies& bodies;
  const parallel::Halo& halo;
  const collision::ContactSet& contacts;
  const problem::ContactProblem& problem;
  bool rigid;  ///< the operator has no compliance on this rank
};

/// Numbers of one step, equal on all ranks.
struct StepReport {
  std::int64_t step = 0;
  double time = 0.0;  ///< s
  std::int64_t bodies = 0;
  std::int64_t contacts = 0;
  std::int64_t joints = 0;
  int iterations = 0;
  int stages = 0;  ///< exchanges of velocities per sweep across ranks
  bool converged = false;
  std::string reason;                          ///< "converged", or why not and what to try
  std::vector<std::string> notes;              ///< what the solver decided and why
  double residual = 0.0;                       ///< natural
  double max_penetration = 0.0;                ///< m
  double max_joint_gap = 0.0;                  ///< by which a joint is apart, at the start of the step (m)
  double kinetic_energy = 0.0;                 ///< J
  model::Vec3 momentum = model::Vec3::Zero();  ///< linear, of all bodies (kg m/s)
  std::int64_t lost_bodies = 0;
  double seconds = 0.0;                      ///< wall clock of this step
  std::optional<RebalanceReport> rebalance;  ///< if there was one in this step
};

/// A distributed simulation. All member functions that are not const accessors are collective.
class Simulation {
 public:
  /// Partitions the bodies over the ranks and finds the first contacts. Throws InputError for impossible options.
  Simulation(const parallel::Comm& comm, Setup setup);

  /// sinks and sources -> predict -> rebalance -> ghosts -> broad phase -> narrow phase -> assemble -> warm start ->
  /// solve -> integrate. Throws StateError if bodies were lost or numbers are no longer finite.
  StepReport step();

  /// Calls `watch` (collective) with the problem of each step before it is solved.
  void watch_problems(std::function<void(std::int64_t step, const StepProblem&)> watch) { watch_ = std::move(watch); }

  /// What a checkpoint needs beside the bodies. The next step searches anew, as the first of a resumed run does: both
  /// go on alike, bit for bit on the same number of ranks.
  [[nodiscard]] Progress pause();

  /// The state as it is now, without a step; penetration and gaps of joints are measured anew.
  [[nodiscard]] StepReport report();

  [[nodiscard]] std::int64_t steps_made() const { return report_.step; }
  [[nodiscard]] const model::Bodies& bodies() const { return bodies_; }
  /// Where they are now.
  [[nodiscard]] const std::vector<model::Wall>& walls() const { return walls_; }
  /// Contacts that this rank owns, of the last step, and the impulse of each in the world frame, acting on b (N s).
  [[nodiscard]] const collision::ContactSet& contacts() const { return contacts_; }
  [[nodiscard]] const model::Vec3& impulse_of(const collision::ContactSet::Contact& contact) const {
    return contact.point >= 0 ? point_impulses_[static_cast<std::size_t>(contact.point)]
                              : neighbourhood_.pairs.impulses[static_cast<std::size_t>(contact.pair)];
  }
  /// Joints that this rank owns, with their impulses and angles of the last step.
  [[nodiscard]] const std::vector<PlacedJoint>& joints() const { return joints_; }
  /// Sources and sinks, and what went through them.
  [[nodiscard]] const Flow& flow() const { return flow_; }
  /// How many contacts with an impulse each owned body had in the last step, those owned by other ranks included.
  [[nodiscard]] std::vector<int> contact_counts() const;

  [[nodiscard]] Spread owned_spread() const;
  [[nodiscard]] Spread ghost_spread() const;
  /// Of the contacts of the last step; collective.
  [[nodiscard]] PartitionQuality partition_quality() const { return judge_partition(comm_, bodies_, contacts_); }

  [[nodiscard]] parallel::PhaseTimer& timer() { return timer_; }
  /// Contact updates (one contact in one sweep) on all ranks so far; collective.
  [[nodiscard]] std::int64_t contact_updates() const;
  [[nodiscard]] std::int64_t total_iterations() const { return total_iterations_; }
  /// Near-pair searches so far: a step without one reuses the pairs of the last.
  [[nodiscard]] std::int64_t searches() const { return searches_; }
  [[nodiscard]] const StepOptions& options() const { return options_; }
  [[nodiscard]] const SolverChoice& solver() const { return solver_; }

 private:
  void measure_radii();
  void exchange_bodies();
  void keep_memories_only();
  void remove_bodies(const std::vector<char>& leaves);
  void predict();
  void move_walls();
  void limit_reach();
  void update_neighbourhood();
  void refresh_ghosts();
  [[nodiscard]] collision::ContactSet contacts_within(double margin, double step);
  void find_coming_contacts();
  void keep_impulses(Vec x);
  [[nodiscard]] std::optional<RebalanceReport> rebalance_if_due();
  void search_anew(Reach reach, std::vector<collision::ContactMemory> memories,
                   const std::vector<model::Joint>& joints);
  void build_joints();
  [[nodiscard]] problem::ContactProblem assemble(Vec x);
  [[nodiscard]] std::vector<double> row_compliance() const;
  void measure_joints();
  void add_contact_offsets(problem::ContactProblem& problem) const;
  void set_friction_bounds(problem::ContactProblem& problem, Vec x);
  [[nodiscard]] parallel::Vector starting_impulses() const;
  void solve(problem::ContactProblem& problem, Vec x);
  void integrate(const problem::ContactProblem& problem, Vec x);
  void summarise();
  [[nodiscard]] const model::Surface& surface_of(const collision::ContactSet::Contact& contact) const;
  [[nodiscard]] problem::Law law_of(const collision::ContactSet::Contact& contact, const model::Surface& surface) const;
  [[nodiscard]] RowCorrection correction_of(const collision::ContactSet::Contact& contact,
                                            const model::Surface& surface, problem::Law law, double speed) const;
  [[nodiscard]] model::Vec3 wall_velocity(const collision::ContactSet::Contact& contact) const;

  const parallel::Comm& comm_;
  model::SurfaceTable surfaces_;
  std::vector<model::Wall> scene_walls_;  ///< at time 0
  std::vector<model::Wall> walls_;        ///< now
  std::vector<model::Wall> walls_after_;  ///< at the end of the coming step
  model::Bodies bodies_;
  StepOptions options_;
  SolverChoice solver_;
  problem::LawSet laws_;  ///< that contacts may have
  solvers::SolveFunction solve_;
  Balancer balancer_;
  ForceTable forces_;
  Flow flow_;
  std::function<void(std::int64_t, const StepProblem&)> watch_;
  double mean_radius_ = 1.0;    ///< m
  double largest_reach_ = 0.0;  ///< of a search: further ones would meet bodies twice in periodic space (m)
  Neighbourhood neighbourhood_;
  /// If bodies that are no balls are or may come, on any rank, or if walls have many points.
  std::optional<collision::ShapeContacts> shapes_;
  double largest_speed_ = 0.0;  ///< of all bodies after the prediction (m/s)
  double moved_ = 0.0;          ///< bound on any body's path since the last search (m)
  double wall_speed_ = 0.0;     ///< bound on how fast any wall comes nearer to any body (m/s)
  double walls_moved_ = 0.0;    ///< bound on how much nearer walls came since the last search (m)
  collision::ContactSet contacts_;
  std::vector<model::Vec3> point_impulses_;  ///< of the points of contacts_: the last ones that are known (N s)
  std::vector<PlacedJoint> joints_;
  JointRows joint_rows_;    ///< of the last step
  double joint_gap_ = 0.0;  ///< largest of this rank's joints (m)
  bool is_rigid_ = true;    ///< nothing on this rank has compliance in the last step
  StepReport report_;
  parallel::PhaseTimer timer_;
  std::int64_t expected_bodies_ = 0;  ///< those of the start and of sources, without those in sinks
  std::int64_t expected_joints_ = 0;
  std::int64_t local_updates_ = 0;
  std::int64_t total_iterations_ = 0;
  std::int64_t searches_ = 0;
};

}  // namespace scree::dynamics
