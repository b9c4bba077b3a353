#include "scree/dynamics/push_apart.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "scree/parallel/exchange.hpp"

namespace scree::dynamics {

using model::Bodies;
using model::Vec3;
using parallel::append;
using parallel::Comm;
using parallel::Mail;

namespace {

Bodies owned_of(const Bodies& bodies) {
  Bodies owned = bodies;
  owned.drop_ghosts();
  return owned;
}

/// Nothing moves but for overlaps: a step of one second undoes all of them, as far as they depend on each other
/// linearly.
Setup resting(const Setup& setup, Bodies bodies) {
  Setup still = setup;
  for (model::Wall& wall : still.walls) wall.motion = {};
  for (model::MaterialPair& pair : still.material_pairs) pair.surface.law.reset();
  still.bodies = std::move(bodies);
  std::ranges::fill(still.bodies.velocity, Vec3::Zero());
  std::ranges::fill(still.bodies.spin, Vec3::Zero());
  still.forces.clear();
  still.flow = {};
  still.step.drag = {};
  still.step.step = 1.0;
  still.step.gravity.setZero();
  still.step.stabilisation = {.recovery_speed = HUGE_VAL};
  still.step.restitution_threshold = HUGE_VAL;
  still.solver = {.name = "npgs",
                  .options = {},
                  .stop = {.tolerance = 1e-4, .max_iterations = 500, .all_measures = false},
                  .law = problem::Law::frictionless,
                  .sweeps = setup.solver.sweeps};
  return still;
}

struct Place {
  std::int64_t id;
  double position[3];
  double attitude[4];
};

/// Collective: gives the bodies of `to` the places that those of `from`, which may be on other ranks, have.
void copy_places(const Comm& comm, const Bodies& from, Bodies& to) {
  // Each id has a home rank, where both meet.
  const auto home = [&](std::int64_t id) { return static_cast<int>(id % comm.size()); };
  Mail news, questions;
  for (std::size_t k = 0; k < static_cast<std::size_t>(from.owned()); ++k) {
    Place place{from.id[k], {}, {}};
    Vec3::Map(place.position) = from.position[k];
    Eigen::Map<Eigen::Vector4d>(place.attitude) = from.attitude[k].coeffs();
    append(news[home(place.id)], place);
  }
  for (const std::int64_t id : to.id) append(questions[home(id)], id);
  std::unordered_map<std::int64_t, Place> known;
  for (const auto& [rank, bytes] : deliver(comm, news))
    for (const Place& place : parallel::records<Place>(bytes)) known.emplace(place.id, place);
  Mail answers;
  for (const auto& [rank, bytes] : deliver(comm, questions))
    for (const auto id : parallel::records<std::int64_t>(bytes)) append(answers[rank], known.at(id));
  known.clear();
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const Place& place : parallel::records<Place>(bytes)) known.emplace(place.id, place);
  for (std::size_t k = 0; k < to.id.size(); ++k) {
    const Place& place = known.at(to.id[k]);
    to.position[k] = Vec3(place.position);
    to.attitude[k] = model::Quat(place.attitude);
  }
}

}  // namespace

std::optional<Overlap> deepest_overlap(const Comm& comm, const Setup& setup, double allowed) {
  const Simulation simulation(comm, resting(setup, setup.bodies));
  const Bodies& bodies = simulation.bodies();
  Overlap own{0.0, -1, -1};
  for (const auto& contact : simulation.contacts().contacts) {
    if (contact.b < 0 || -contact.gap <= own.depth) continue;
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    if (-contact.gap > allowed * std::min(bodies.radius[a], bodies.radius[b]))
      own = {-contact.gap, std::min(bodies.id[a], bodies.id[b]), std::max(bodies.id[a], bodies.id[b])};
  }
  const double depth = comm.max(own.depth);
  if (depth == 0.0) return std::nullopt;
  const std::int64_t first = comm.max(own.depth == depth ? own.first : -1);
  return Overlap{depth, first, comm.max(own.depth == depth && own.first == first ? own.second : -1)};
}

double push_apart(const Comm& comm, Setup& setup, double enough) {
  double radii = 0.0;
  for (const double radius : setup.bodies.radius) radii += radius;
  double sums[] = {radii, static_cast<double>(setup.bodies.owned())};
  comm.sum(sums);
  const double allowed = enough * sums[0] / std::max(sums[1], 1.0);
  Bodies bodies = setup.bodies;
  for (int round = 0;; ++round) {
    Simulation simulation(comm, resting(setup, std::move(bodies)));
    const double depth = simulation.report().max_penetration;
    if (depth > allowed && round < most_push_rounds) simulation.step();
    bodies = owned_of(simulation.bodies());
    if (depth > allowed && round < most_push_rounds) continue;
    if (round > 0) copy_places(comm, bodies, setup.bodies);
    return depth / allowed * enough;
  }
}

}  // namespace scree::dynamics
