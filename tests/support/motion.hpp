#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "support/frozen.hpp"
#include "support/support.hpp"

// Small simulations whose outcome is known, and the state of all bodies on every rank.

namespace scree::test {

/// Collective: the records of all ranks, rank by rank, on every rank.
template <typename Record>
std::vector<Record> gathered(const parallel::Comm& comm, const std::vector<Record>& own) {
  const int bytes = static_cast<int>(own.size() * sizeof(Record));
  std::vector<int> counts(static_cast<std::size_t>(comm.size())), offsets;
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  int total = 0;
  for (const int count : counts) offsets.push_back(std::exchange(total, total + count));
  std::vector<Record> all(static_cast<std::size_t>(total) / sizeof(Record));
  MPI_Allgatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), offsets.data(), MPI_BYTE, comm.handle());
  return all;
}

/// Collective: all bodies of the simulation in the order of their ids.
inline std::vector<model::Body> all_bodies(const parallel::Comm& comm, const dynamics::Simulation& simulation) {
  std::vector<model::Body> own;
  for (int k = 0; k < simulation.bodies().owned(); ++k) own.push_back(simulation.bodies().get(k));
  std::vector<model::Body> all = gathered(comm, own);
  std::ranges::sort(all, {}, &model::Body::id);
  return all;
}

inline model::Vec3 velocity_of(const model::Body& body) { return model::Vec3(body.velocity); }
inline model::Vec3 position_of(const model::Body& body) { return model::Vec3(body.position); }
inline model::Vec3 spin_of(const model::Body& body) { return model::Vec3(body.spin); }

inline void set_velocity(model::Body& body, const model::Vec3& velocity) {
  std::copy_n(velocity.data(), 3, body.velocity);
}
inline void set_spin(model::Body& body, const model::Vec3& spin) { std::copy_n(spin.data(), 3, body.spin); }

/// The floor z = 0.
inline model::Wall floor_wall() { return {"floor", model::Plane{model::Vec3::Zero(), model::Vec3::UnitZ()}, 0}; }

/// Layers of 3 x 3 and 2 x 2 spheres in turns, each sphere in a pocket of the layer below or between it and the walls
/// of a box 3 m wide: a stable rest even without friction. Each layer starts a few millimetres above its place.
inline std::vector<model::Body> nested_layers(int layers) {
  std::vector<model::Body> bodies;
  for (int layer = 0; layer < layers; ++layer) {
    const int width = layer % 2 == 0 ? 3 : 2;
    const double first = layer % 2 == 0 ? 0.5 : 1.0, height = 0.5 + std::sqrt(0.5) * layer + 2e-3 * (layer + 1);
    for (int k = 0; k < width * width; ++k)
      bodies.push_back(unit_sphere(static_cast<std::int64_t>(bodies.size()),
                                   {first + k % width, first + static_cast<double>(k / width), height}));
  }
  return bodies;
}

inline std::vector<model::Wall> nesting_box() {
  return model::container("box", {model::Vec3::Zero(), model::Vec3(3.0, 3.0, 5.0)}, 0, true);
}

/// Bodies of one material dealt out to the ranks by turns, with a solver that solves each step tightly.
inline dynamics::Setup make_setup(const parallel::Comm& comm, const std::vector<model::Body>& bodies,
                                  std::vector<model::Wall> walls, double friction, double restitution = 0.0) {
  dynamics::Setup setup;
  setup.materials = {{.name = "stone", .density = 2000.0, .friction = friction, .restitution = restitution}};
  setup.walls = std::move(walls);
  for (const model::Body& body : bodies)
    if (body.id % comm.size() == comm.rank()) setup.bodies.add_owned(body);
  setup.solver.stop = {.tolerance = 1e-12, .max_iterations = 2000, .check_every = 1};
  return setup;
}

/// Collective: the impulse of the last step on all walls (N s).
inline model::Vec3 impulse_on_walls(const dynamics::Simulation& simulation) {
  model::Vec3 sum = model::Vec3::Zero();
  for (const auto& contact : simulation.contacts().contacts)
    if (contact.b < 0) sum += simulation.impulse_of(contact);
  world().sum({sum.data(), 3});
  return sum;
}

}  // namespace scree::test
