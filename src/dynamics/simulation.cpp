#include "scree/dynamics/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "scree/collision/point_memory.hpp"
#include "scree/dynamics/rotation.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/problem/contact_frame.hpp"
#include "scree/problem/spin_scale.hpp"
#include "scree/solvers/diagnosis.hpp"

namespace scree::dynamics {

using collision::ContactSet;
using collision::PairList;
using model::Vec3;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::BodyConstraints;
using problem::BodyMotion;
using problem::BodyOperator;
using problem::ContactFrame;
using problem::ContactProblem;
using problem::Law;
using problem::Motion;
using problem::SpinScale;

namespace {

/// Bodies nearer than this are neighbours for the partition, in mean radii: so also a bed that is still loose makes
/// compact subdomains.
constexpr double nearness = 1.0;

/// Surfaces that are no further apart than this touch, in mean radii: bilateral contacts hold from then on.
constexpr double touching = 0.01;

/// The table of shapes, which may be empty.
const std::vector<model::Shape>& known_shapes(model::Bodies& bodies) {
  if (!bodies.shapes) bodies.shapes = std::make_shared<const std::vector<model::Shape>>();
  return *bodies.shapes;
}

/// Small processes keep what they freed: to touch pages anew takes longer than they are worth.
void return_memory_if_large() {
  constexpr std::int64_t large = std::int64_t{256} << 20;  // bytes
  if (parallel::peak_memory() >= large) parallel::return_free_memory();
}

bool all_balls(const model::Bodies& bodies) {
  for (int k = 0; k < bodies.owned(); ++k)
    if (!bodies.is_ball(k)) return false;
  return true;
}

}  // namespace

problem::LawSet laws_of_run(problem::Law law, const model::SurfaceTable& surfaces) {
  problem::LawSet laws = surfaces.own_laws();
  laws.insert(law);
  if (laws.contains(Law::bilateral)) laws.insert(Law::frictionless);
  return laws;
}

Simulation::Simulation(const parallel::Comm& comm, Setup setup)
    : comm_(comm),
      surfaces_(setup.materials, setup.material_pairs),
      scene_walls_(std::move(setup.walls)),
      bodies_(std::move(setup.bodies)),
      options_(setup.step),
      solver_(std::move(setup.solver)),
      laws_(laws_of_run(solver_.law, surfaces_)),
      solve_(solvers::make_solver(solver_.name, solver_.options, laws_)),
      balancer_(setup.balance, setup.resumed && setup.resumed->in_place ? setup.resumed->balance : BalanceState{}),
      forces_(setup.forces),
      flow_(std::move(setup.flow), known_shapes(bodies_)),
      timer_(comm) {
  const auto scope = timer_.measure("partition");
  const auto& sources = flow_.sources();
  const bool shapes_come =
      std::ranges::any_of(sources, [](const Source& s) { return s.recipe.shape != model::sphere; });
  const bool many_points = std::ranges::any_of(scene_walls_, model::has_many_points);
  if (comm_.any(!all_balls(bodies_)) || shapes_come || many_points) shapes_.emplace();
  expected_bodies_ = comm_.sum(static_cast<std::int64_t>(bodies_.owned()));
  measure_radii();
  std::vector<collision::ContactMemory> memories;
  if (setup.resumed) {
    mean_radius_ = setup.resumed->mean_radius;
    report_.step = setup.resumed->step;
    report_.time = static_cast<double>(report_.step) * options_.step;
    memories = std::move(setup.resumed->memories);
    flow_.resume(std::move(setup.resumed->flow));
    setup.joints = std::move(setup.resumed->joints);
  }
  move_walls();
  limit_reach();
  expected_joints_ = comm_.sum(std::ssize(setup.joints));
  const double reach = (options_.margin + options_.skin) * mean_radius_;
  if (expected_bodies_ > 0 && (!setup.resumed || !setup.resumed->in_place))
    distribute(comm_, bodies_, walls_, nearness * mean_radius_, balancer_.partitioner());
  parallel::return_free_memory();
  send_to_first_bodies(comm_, bodies_, memories);
  search_anew({reach, reach}, std::move(memories), setup.joints);
  moved_ = reach;  // the first step searches anew, with the reach that its speeds ask for
  contacts_ = contacts_within(0.0, 0.0);
  point_impulses_ = recall_points(bodies_, contacts_, neighbourhood_.pairs.points);
  summarise();
}

StepReport Simulation::step() {
  const auto start = std::chrono::steady_clock::now();
  contacts_ = {};
  exchange_bodies();
  predict();
  update_neighbourhood();
  {
    const auto scope = timer_.measure("narrow phase");
    find_coming_contacts();
  }
  report_.rebalance = rebalance_if_due();
  build_joints();
  const Vector x = starting_impulses();
  parallel::LargeArray<Vec3>().swap(neighbourhood_.pairs.impulses);  // x has them, and the problem needs the room
  ContactProblem problem = assemble(x);
  return_memory_if_large();  // the solver takes more than anything else
  if (watch_) watch_(report_.step + 1, {bodies_, neighbourhood_.halo, contacts_, problem, is_rigid_});
  // The solver needs the room, and to find contacts of spheres again takes less time than a sweep.
  if (!shapes_) contacts_ = {};
  solve(problem, x);
  problem.r = {};  // only N is needed from here on
  if (!shapes_) {
    const auto scope = timer_.measure("narrow phase");
    find_coming_contacts();
  }
  keep_impulses(x);
  integrate(problem, x);

  ++report_.step;
  report_.time = static_cast<double>(report_.step) * options_.step;
  move_walls();
  summarise();
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report_.lost_bodies > 0)
    throw StateError(
        fmt::format("step {} (time {:.6g} s): {} of {} bodies were lost through walls or have non-finite "
                    "states; a smaller time step or more iterations may help",
                    report_.step, report_.time, report_.lost_bodies, expected_bodies_));
  return report_;
}

void Simulation::limit_reach() {
  double largest_radius = 0.0;
  for (const Source& source : flow_.sources()) largest_radius = std::max(largest_radius, source.recipe.radius_max);
  for (const double radius : bodies_.radius) largest_radius = std::max(largest_radius, radius);
  largest_radius = comm_.max(largest_radius);
  const double period = bodies_.space.shortest();
  largest_reach_ = 0.5 * (period - model::shortest_period(largest_radius, 0.0));
  const double reach = (options_.margin + options_.skin) * mean_radius_;
  if (largest_reach_ < reach)
    throw InputError(
        fmt::format("a period of {:.6g} m is too short for bodies with radii up to {:.6g} m: make it at "
                    "least {:.6g} m",
                    period, largest_radius, model::shortest_period(largest_radius, reach)));
}

/// Puts the walls where they are at the time of the report, and one step later.
void Simulation::move_walls() {
  walls_.clear();
  walls_after_.clear();
  for (const model::Wall& wall : scene_walls_) {
    walls_.push_back(at_time(wall, report_.time));
    walls_after_.push_back(at_time(wall, report_.time + options_.step));
  }
}

/// v* = v + h M^-1 f, drag and gyroscopic torques included.
void Simulation::predict() {
  const auto scope = timer_.measure("predict");
  const double h = options_.step;
  double largest = 0.0, wall_speed = 0.0;
  std::vector<const model::Wall*> moving;
  for (const model::Wall& wall : scene_walls_)
    if (!wall.motion.is_rest()) moving.push_back(&wall);
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_.owned()); ++k) {
    bodies_.velocity[k] += h * options_.gravity;
    forces_.apply(bodies_, k, h);
    options_.drag.apply(bodies_, k, h);
    const Vec3& inertia = bodies_.inertia[k];
    if (inertia.x() != inertia.y() || inertia.y() != inertia.z()) {
      const model::Quat& attitude = bodies_.attitude[k];
      bodies_.spin[k] = attitude * free_spin(attitude.conjugate() * bodies_.spin[k], inertia, h);
    }
    largest = std::max(largest, bodies_.velocity[k].squaredNorm());
    for (const model::Wall* const wall : moving)
      wall_speed = std::max(wall_speed, largest_approach(*wall, bodies_.position[k], report_.time));
  }
  double bounds[] = {std::sqrt(largest), wall_speed};
  comm_.max(bounds);
  largest_speed_ = bounds[0];
  wall_speed_ = bounds[1];
}

/// Searches anew when a body may have come near another one unnoticed, before or during the coming step.
void Simulation::update_neighbourhood() {
  const auto scope = timer_.measure("neighbours");
  const double coming = options_.step * largest_speed_;
  const double walls_coming = options_.step * wall_speed_;
  const double margin = options_.margin * mean_radius_;
  const Reach known = neighbourhood_.reach;
  if (margin + 2.0 * (moved_ + coming) > known.bodies ||
      margin + moved_ + coming + walls_moved_ + walls_coming > known.walls) {
    // Two bodies that cross several others in one step are beyond what the step can resolve, and must not make all
    // others look far. Walls hold at any speed.
    constexpr double farthest = 4.0;         // mean radii
    constexpr double steps_of_walls = 16.0;  // far enough that moving walls alone rarely ask for a search
    const double skin = options_.skin * mean_radius_;
    const double ahead = margin + std::max(skin, std::min(2.0 * coming, farthest * mean_radius_));
    const Reach reach{std::min(ahead, largest_reach_),
                      margin + std::max(skin, 2.0 * coming) + steps_of_walls * walls_coming};
    std::vector<collision::ContactMemory> memories = recall(bodies_, neighbourhood_.pairs);
    neighbourhood_ = {};  // what is old makes room for what is new
    parallel::return_kept_pages();
    search_anew(reach, std::move(memories), records_of(joints_));
    moved_ = 0.0;
    walls_moved_ = 0.0;
    ++searches_;
  } else {
    refresh_ghosts();
  }
}

void Simulation::refresh_ghosts() {
  bodies_.refresh_ghosts(neighbourhood_.halo);
  if (expected_joints_ > 0 || shapes_) bodies_.refresh_ghost_attitudes(neighbourhood_.halo);
}

ContactSet Simulation::contacts_within(double margin, double step) {
  return find_contacts(bodies_, walls_, neighbourhood_.pairs, margin, step, step > 0.0 ? walls_after_ : walls_,
                       shapes_ ? &*shapes_ : nullptr);
}

/// The contacts of the step that is being made, and what is known of their impulses.
void Simulation::find_coming_contacts() {
  contacts_ = contacts_within(options_.margin * mean_radius_, options_.step);
  point_impulses_ = recall_points(bodies_, contacts_, neighbourhood_.pairs.points);
}

/// Asks the balancer about the contacts of this step, which are known and not yet solved for.
std::optional<RebalanceReport> Simulation::rebalance_if_due() {
  if (comm_.size() == 1 || !balancer_.looks_after(report_.step)) return std::nullopt;
  const auto scope = timer_.measure("rebalance");
  const PartitionQuality present = partition_quality();
  if (!balancer_.decide(present)) return std::nullopt;
  RebalanceReport result;
  result.before = present;
  const auto start = std::chrono::steady_clock::now();
  parallel::return_kept_pages();
  const std::vector<double> work = work_of_bodies(bodies_, neighbourhood_.halo, contacts_);
  auto memories = recall(bodies_, neighbourhood_.pairs);
  const double graph_reach = nearness * mean_radius_;
  result.moved_bodies = comm_.sum(redistribute(comm_, bodies_, work, graph_reach, balancer_.partitioner(), memories));
  search_anew(neighbourhood_.reach, std::move(memories), records_of(joints_));
  moved_ = 0.0;
  walls_moved_ = 0.0;
  find_coming_contacts();
  result.after = partition_quality();
  result.ghosts = ghost_spread();
  result.seconds = comm_.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return result;
}

void Simulation::search_anew(Reach reach, std::vector<collision::ContactMemory> memories,
                             const std::vector<model::Joint>& joints) {
  neighbourhood_ = search(comm_, bodies_, walls_, reach, std::move(memories));
  return_memory_if_large();
  if (expected_joints_ == 0) return;
  joints_ = place_joints(comm_, bodies_, neighbourhood_, joints);
  if (const auto left = comm_.sum(std::ssize(joints_)); left != expected_joints_)
    throw StateError(fmt::format("{} of {} joints were lost", expected_joints_ - left, expected_joints_));
}

const model::Surface& Simulation::surface_of(const ContactSet::Contact& contact) const {
  const auto material = [&](int partner) {
    return partner >= 0 ? bodies_.material[static_cast<std::size_t>(partner)]
                        : walls_[static_cast<std::size_t>(-1 - partner)].material;
  };
  return surfaces_.between(material(contact.a), material(contact.b));
}

/// A bilateral contact holds once it touches; until then it has no friction.
Law Simulation::law_of(const ContactSet::Contact& contact, const model::Surface& surface) const {
  const Law law = surface.law.value_or(solver_.law);
  return law == Law::bilateral && contact.gap > touching * mean_radius_ ? Law::frictionless : law;
}

/// What the stabilisation gives to the normal row of a contact; `speed` is its rate before the step (m/s).
RowCorrection Simulation::correction_of(const ContactSet::Contact& contact, const model::Surface& surface, Law law,
                                        double speed) const {
  const RowState row{.error = contact.gap,
                     .speed = speed,
                     .compliance = options_.stabilisation.compliance + surface.compliance,
                     .damping = surface.damping};
  if (law != Law::bilateral) return keep_apart(options_.stabilisation, options_.step, row);
  RowCorrection correction = hold(options_.stabilisation, options_.step, row);
  const double fastest = options_.stabilisation.recovery_speed;
  if (row.compliance == 0.0) correction.offset = std::clamp(correction.offset, -fastest, fastest);
  return correction;
}

/// Mean velocity of a wall's surface at a contact in the coming step. Along the normal it is the speed at which the
/// wall meets a body that stands still, so that gaps come out exactly where the wall turns or shakes, too.
Vec3 Simulation::wall_velocity(const ContactSet::Contact& contact) const {
  const auto k = static_cast<std::size_t>(-1 - contact.b);
  const Vec3 surface =
      scene_walls_[k].motion.velocity_at(point_of(bodies_, contacts_, contact), report_.time + 0.5 * options_.step);
  const double approach = approach_of_wall(bodies_, contacts_, contact, walls_[k], walls_after_[k]) / options_.step;
  return surface - (surface.dot(contact.normal) + approach) * contact.normal;
}

void Simulation::build_joints() {
  const auto scope = timer_.measure("assemble");
  joint_rows_ = build_joint_rows(bodies_, joints_, options_.stabilisation, options_.step, options_.gravity);
  measure_joints();
}

/// N, r and K of contacts and joints, whose impulses are laid out as x.
ContactProblem Simulation::assemble(Vec x) {
  const auto scope = timer_.measure("assemble");
  std::vector<double> compliance = row_compliance();
  is_rigid_ = compliance.empty();
  auto N = std::make_unique<BodyOperator>(comm_, neighbourhood_.halo, bodies_,
                                          BodyConstraints{contacts_, joint_rows_.blocks, std::move(compliance)},
                                          solver_.sweeps);
  Motion motion = N->motion_at_rest();
  BodyMotion* const free = BodyOperator::bodies_of(motion);
  for (int body = 0; body < bodies_.owned(); ++body) {
    const auto k = static_cast<std::size_t>(body);
    Vec3::Map(free[k].v) = bodies_.velocity[k];
    Vec3::Map(free[k].u) = SpinScale(bodies_, body).speed_of(bodies_.spin[k]);
  }
  Vector offsets = Vector::unset_like(x);  // a layout of its own would cost a reduction
  N->relative_velocity(motion, offsets);
  report_.stages = N->stage_count();
  ContactProblem problem{
      std::move(N), std::move(offsets), {solver_.law, {}, {}, solver_.facets, {}, laws_.without(solver_.law)}};
  add_contact_offsets(problem);
  problem.K.joints = joint_rows_.bounds;
  const WriteArray r(problem.r);
  double* const joint_part = r.data() + 3 * contacts_.size();
  for (std::size_t k = 0; k < joint_rows_.offset.size(); ++k) joint_part[k] += joint_rows_.offset[k];
  return problem;
}

/// C of the rows of contacts, which depends on whether a gap is open, and of joints; empty if everything is rigid.
std::vector<double> Simulation::row_compliance() const {
  const std::vector<double>& of_joints = joint_rows_.compliance;
  const bool rigid_joints = std::ranges::all_of(of_joints, [](double entry) { return entry == 0.0; });
  if (options_.stabilisation.compliance == 0.0 && surfaces_.is_rigid() && rigid_joints) return {};
  std::vector<double> compliance(3 * contacts_.contacts.size(), 0.0);
  for (std::size_t k = 0; k < contacts_.contacts.size(); ++k) {
    const ContactSet::Contact& contact = contacts_.contacts[k];
    const model::Surface& surface = surface_of(contact);
    compliance[3 * k] = correction_of(contact, surface, law_of(contact, surface), 0.0).compliance;
  }
  compliance.insert(compliance.end(), of_joints.begin(), of_joints.end());
  return compliance;
}

/// While the places of ghosts are those of their owners.
void Simulation::measure_joints() {
  joint_gap_ = 0.0;
  for (const PlacedJoint& placed : joints_) joint_gap_ = std::max(joint_gap_, gap_of(bodies_, placed));
}

/// r = D^T v* + s: s keeps gaps from closing further than they are open, undoes overlaps and makes impacts rebound.
void Simulation::add_contact_offsets(ContactProblem& problem) const {
  const WriteArray r(problem.r);
  problem.K.friction.reserve(contacts_.contacts.size());
  for (int k = 0; k < contacts_.size(); ++k) {
    const auto& contact = contacts_.contacts[static_cast<std::size_t>(k)];
    const model::Surface& surface = surface_of(contact);
    const Law law = law_of(contact, surface);
    problem.K.friction.push_back(surface.friction);
    if (!problem.K.exceptions.empty())
      problem.K.own_law.push_back(law == solver_.law ? std::nullopt : std::optional(law));
    if (contact.b < 0 && !scene_walls_[static_cast<std::size_t>(-1 - contact.b)].motion.is_rest())
      Vec3::Map(r.data() + 3 * k) += ContactFrame(contact.normal.data()).to_contact(wall_velocity(contact));
    // Before the step: gravity, which pulls alike on both bodies of a pair, has not yet pressed on a wall.
    const double pressed = contact.b < 0 ? options_.step * contact.normal.dot(options_.gravity) : 0.0;
    const double approach = r[3 * k] + pressed;
    double offset = correction_of(contact, surface, law, approach).offset;
    const bool hits = law != Law::bilateral && contact.gap + options_.step * r[3 * k] < 0.0;
    if (hits && approach < -options_.restitution_threshold) offset = std::min(offset, surface.restitution * approach);
    r[3 * k] += offset;
  }
}

/// The impulses of the last step where the contact already existed, else zero; those of joints.
Vector Simulation::starting_impulses() const {
  Vector x = Vector::unset(comm_, contacts_.size() + static_cast<int>(joint_rows_.blocks.size()));
  const WriteArray out(x);
  if (!options_.warm_start) {
    std::fill_n(out.data(), out.size(), 0.0);
    return x;
  }
  for (int k = 0; k < contacts_.size(); ++k) {
    const auto& contact = contacts_.contacts[static_cast<std::size_t>(k)];
    Eigen::Map<Vec3>(out.data() + 3 * k) = ContactFrame(contact.normal.data()).to_contact(impulse_of(contact));
  }
  double* const joint_part = out.data() + 3 * contacts_.size();
  std::fill_n(joint_part, 3 * joint_rows_.blocks.size(), 0.0);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const int first = joint_rows_.first_row[k], last = joint_rows_.first_row[k + 1];
    std::copy_n(joints_[k].joint.impulse, last - first, joint_part + first);
  }
  return x;
}

void Simulation::set_friction_bounds(ContactProblem& problem, Vec x) {
  const Vector normal = problem.make_vector();
  parallel::petsc(VecCopy(x, normal));
  if (solver_.bounds == BoundSource::frictionless) {
    problem.K.bound.assign(problem.K.friction.size(), 0.0);
    solvers::Monitor monitor(problem, solver_.stop);
    solve_(problem, normal, monitor);
  }
  const ReadArray impulse(normal);
  problem.K.bound.resize(problem.K.friction.size());
  for (std::size_t k = 0; k < problem.K.bound.size(); ++k)
    problem.K.bound[k] = problem.K.friction[k] * std::max(0.0, impulse[3 * static_cast<int>(k)]);
}

void Simulation::solve(ContactProblem& problem, Vec x) {
  const auto scope = timer_.measure("solve");
  if (has_fixed_bounds(problem.K.all_laws())) set_friction_bounds(problem, x);
  solvers::Monitor monitor(problem, solver_.stop);
  solve_(problem, x, monitor);
  report_.iterations = monitor.iterations();
  report_.converged = monitor.converged();
  report_.reason = solvers::diagnose(monitor).reason;
  report_.notes = monitor.notes();
  report_.residual = monitor.errors().natural;
  total_iterations_ += monitor.iterations();
  local_updates_ += (problem.N->sweeps() + problem.N->applications()) * std::ssize(problem.K.friction);
}

/// v = v* + M^-1 D x; positions and attitudes follow.
void Simulation::integrate(const ContactProblem& problem, Vec x) {
  const auto scope = timer_.measure("integrate");
  Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  const BodyMotion* const change = BodyOperator::bodies_of(motion);
  const double h = options_.step;
  double largest = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_.owned()); ++k) {
    bodies_.velocity[k] += Vec3(change[k].v);
    bodies_.spin[k] += SpinScale(bodies_, static_cast<int>(k)).spin_of(Vec3(change[k].u));
    bodies_.position[k] += h * bodies_.velocity[k];
    bodies_.attitude[k] = turned(bodies_.attitude[k], bodies_.spin[k], h);
    largest = std::max(largest, bodies_.velocity[k].squaredNorm());
  }
  moved_ += h * std::sqrt(comm_.max(largest));
  walls_moved_ += h * wall_speed_;
}

/// For the warm start of the next step, and for whoever asks. Places of points are those before the step, as the points
/// are; bodies have moved since, so this comes first.
void Simulation::keep_impulses(Vec x) {
  PairList& list = neighbourhood_.pairs;
  list.impulses.assign(list.pairs.size(), Vec3::Zero());
  const ReadArray impulse(x);
  for (int k = 0; k < contacts_.size(); ++k) {
    const auto& contact = contacts_.contacts[static_cast<std::size_t>(k)];
    const Vec3 in_world = ContactFrame(contact.normal.data()).to_world(impulse.data() + 3 * k);
    if (contact.point >= 0) {
      point_impulses_[static_cast<std::size_t>(contact.point)] = in_world;
    } else {
      list.impulses[static_cast<std::size_t>(contact.pair)] = in_world;
    }
  }
  list.points = remember_points(bodies_, contacts_, point_impulses_);
  const double* const joint_part = impulse.data() + 3 * contacts_.size();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const int first = joint_rows_.first_row[k], last = joint_rows_.first_row[k + 1];
    std::copy_n(joint_part + first, last - first, joints_[k].joint.impulse);
  }
}

/// Collective: the numbers of the report that follow from the bodies and contacts as they are.
void Simulation::summarise() {
  const auto scope = timer_.measure("report");
  enum : std::size_t { energy, momentum, contacts = momentum + 3, bodies, lost, count };
  std::array<double, count> sums{};
  sums[contacts] = contacts_.size();
  sums[bodies] = bodies_.owned();
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_.owned()); ++k) {
    const Vec3 spin = bodies_.attitude[k].conjugate() * bodies_.spin[k];
    const double kinetic = 0.5 * bodies_.mass[k] * bodies_.velocity[k].squaredNorm() +
                           0.5 * spin.dot(bodies_.inertia[k].cwiseProduct(spin));
    if (!std::isfinite(kinetic) || !bodies_.position[k].allFinite()) {
      sums[lost] += 1.0;
      continue;
    }
    sums[energy] += kinetic;
    for (int c = 0; c < 3; ++c)
      sums[momentum + static_cast<std::size_t>(c)] += bodies_.mass[k] * bodies_.velocity[k][c];
  }
  double penetration = 0.0;
  std::set<int> behind_walls;
  for (const auto& contact : contacts_.contacts) {
    penetration = std::max(penetration, -contact.gap);
    const bool wholly_behind = contact.gap < -2.0 * bodies_.radius[static_cast<std::size_t>(contact.a)];
    if (contact.b < 0 && wholly_behind) behind_walls.insert(contact.a);
  }
  sums[lost] += static_cast<double>(behind_walls.size());
  comm_.sum(sums);
  std::array<double, 2> largest{penetration, joint_gap_};
  comm_.max(largest);
  report_.max_penetration = largest[0];
  report_.max_joint_gap = largest[1];
  report_.joints = expected_joints_;
  report_.kinetic_energy = sums[energy];
  report_.momentum = Vec3(sums.data() + momentum);
  report_.contacts = std::llround(sums[contacts]);
  report_.bodies = std::llround(sums[bodies]);
  report_.lost_bodies = std::llround(sums[lost]) + std::max<std::int64_t>(0, expected_bodies_ - report_.bodies);
}

Progress Simulation::pause() {
  parallel::return_kept_pages();
  moved_ = neighbourhood_.reach.bodies;
  return {report_.step,  mean_radius_, recall(bodies_, neighbourhood_.pairs), balancer_.state(), records_of(joints_),
          flow_.state(), true};
}

StepReport Simulation::report() {
  refresh_ghosts();
  const ContactSet present = contacts_within(0.0, 0.0);
  double penetration = 0.0;
  for (const auto& contact : present.contacts) penetration = std::max(penetration, -contact.gap);
  report_.max_penetration = comm_.max(penetration);
  if (expected_joints_ > 0) {
    measure_joints();
    report_.max_joint_gap = comm_.max(joint_gap_);
  }
  return report_;
}

std::vector<int> Simulation::contact_counts() const {
  std::vector<double> count(static_cast<std::size_t>(bodies_.size()), 0.0);
  for (const ContactSet::Contact& contact : contacts_.contacts) {
    if (impulse_of(contact).isZero(0.0)) continue;
    for (const int body : {contact.a, contact.b})
      if (body >= 0) count[static_cast<std::size_t>(body)] += 1.0;
  }
  neighbourhood_.halo.reverse_add(count.data(), {1, 1});
  return {count.begin(), count.begin() + bodies_.owned()};
}

Spread Simulation::owned_spread() const { return spread_of(comm_, bodies_.owned()); }
Spread Simulation::ghost_spread() const { return spread_of(comm_, bodies_.ghosts()); }
std::int64_t Simulation::contact_updates() const { return comm_.sum(local_updates_); }

}  // namespace scree::dynamics
