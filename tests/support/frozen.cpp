#include "support/frozen.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

#include "scree/collision/pairs.hpp"
#include "scree/model/decomposition.hpp"
#include "support/nearest.hpp"

namespace scree::test {

namespace {

int rank_in_slabs(const FrozenScene& scene, const model::Body& body, int ranks) {
  double lower = HUGE_VAL, upper = -HUGE_VAL;
  for (const model::Body& other : scene.bodies) {
    lower = std::min(lower, other.position[0]);
    upper = std::max(upper, other.position[0]);
  }
  const double share = (body.position[0] - lower) / (upper - lower + 1e-9);
  return std::min(ranks - 1, static_cast<int>(share * ranks));
}

/// The pairs whose contacts this rank owns, in the stages of a sweep.
collision::PairList own_pairs(const parallel::Comm& comm, const FrozenScene& scene, const model::Bodies& bodies,
                              const parallel::Halo& halo) {
  std::vector<int> rank(static_cast<std::size_t>(bodies.size()), comm.rank());
  std::vector<char> mirrored(static_cast<std::size_t>(bodies.size()), 0);
  for (const auto& neighbour : halo.neighbours()) {
    for (const int ghost : neighbour.ghosts) rank[static_cast<std::size_t>(ghost)] = neighbour.rank;
    for (const int item : neighbour.sent) mirrored[static_cast<std::size_t>(item)] = 1;
  }
  std::vector<collision::Pair> near = collision::find_near_pairs(bodies, scene.margin);
  std::erase_if(near, [&](const collision::Pair& pair) {
    const int p = rank[static_cast<std::size_t>(pair.a)], q = rank[static_cast<std::size_t>(pair.b)];
    return model::contact_owner(p, q) != comm.rank();
  });
  const auto at_walls = collision::find_near_walls(bodies, scene.walls, scene.margin);
  near.insert(near.end(), at_walls.begin(), at_walls.end());

  const auto stage_of = [&](const collision::Pair& pair) {
    if (pair.a >= bodies.owned() || pair.b >= bodies.owned()) return collision::Stage::interface;
    const bool shared = mirrored[static_cast<std::size_t>(pair.a)] != 0 ||
                        (pair.b >= 0 && mirrored[static_cast<std::size_t>(pair.b)] != 0);
    return shared ? collision::Stage::shared : collision::Stage::interior;
  };
  collision::PairList list;
  for (std::size_t stage = 0; stage < collision::stage_count; ++stage) {
    for (const auto& pair : near)
      if (static_cast<std::size_t>(stage_of(pair)) == stage) list.pairs.push_back(pair);
    list.stage_end[stage] = static_cast<int>(list.pairs.size());
  }
  return list;
}

double norm(const parallel::Comm& comm, const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(comm.sum(sum));
}

}  // namespace

int rank_of(const FrozenScene& scene, const model::Body& body, Placement placement, int ranks) {
  switch (placement) {
    case Placement::slabs:
      return rank_in_slabs(scene, body, ranks);
    case Placement::scattered:
      return static_cast<int>(body.id % ranks);
    case Placement::even_ranks:
      return 2 * rank_in_slabs(scene, body, (ranks + 1) / 2);
    case Placement::last_rank:
      break;
  }
  return ranks - 1;
}

parallel::Vector offsets(const FrozenScene& scene, const model::Bodies& bodies, const collision::ContactSet& contacts,
                         const problem::BodyOperator& N) {
  problem::Motion motion = N.motion_at_rest();
  problem::BodyMotion* const free = problem::BodyOperator::bodies_of(motion);
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    for (int c = 0; c < 3; ++c) {
      free[k].v[c] = bodies.velocity[k][c];
      free[k].u[c] = bodies.radius[k] * bodies.spin[k][c];
    }
  parallel::Vector offsets(N.comm(), N.block_count());
  N.relative_velocity(motion, offsets);
  const parallel::WriteArray r(offsets);
  for (int k = 0; k < contacts.size(); ++k)
    r[3 * k] += std::max(contacts.contacts[static_cast<std::size_t>(k)].gap / scene.step, -0.1);
  return offsets;
}

std::vector<double> entries(Vec vec) {
  const parallel::ReadArray array(vec);
  return {array.data(), array.data() + array.size()};
}

model::Body unit_sphere(std::int64_t id, const model::Vec3& position, double radius) {
  return model::make_sphere(id, position, radius, 2.0, 0);
}

FrozenScene bed(int nx, int ny, int nz, unsigned seed, double jostle) {
  FrozenScene scene;
  Dice dice(seed);
  std::int64_t id = 0;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x, ++id) {
        const model::Vec3 place = model::Vec3(x + 0.5, y + 0.5, 0.97 * z + 0.49) + jostle * dice.vector();
        scene.bodies.push_back(unit_sphere(id, place, 0.495 + 0.005 * dice()));
        const model::Vec3 velocity = 0.02 * dice.vector() - model::Vec3(0.0, 0.0, gravity * scene.step);
        const model::Vec3 spin = 0.02 * dice.vector();
        std::copy_n(velocity.data(), 3, scene.bodies.back().velocity);
        std::copy_n(spin.data(), 3, scene.bodies.back().spin);
      }
  scene.walls = model::container("box", {model::Vec3::Zero(), model::Vec3(nx, ny, nz)}, 0, true);
  return scene;
}

FrozenScene column(int height) {
  FrozenScene scene;
  for (int k = 0; k < height; ++k) {
    model::Body body = unit_sphere(k, {0.3, 0.2, k + 0.5});
    body.mass = 1.0;
    std::ranges::fill(body.inertia, 0.4 * 0.25);
    body.velocity[2] = -gravity * scene.step;
    scene.bodies.push_back(body);
  }
  scene.walls = {{"floor", model::Plane{model::Vec3::Zero(), model::Vec3::UnitZ()}, 0}};
  return scene;
}

FrozenScene loose(int count) {
  FrozenScene scene;
  for (int k = 0; k < count; ++k) scene.bodies.push_back(unit_sphere(k, {3.0 * k, 0.0, 0.0}));
  return scene;
}

std::string name_of(Placement placement) {
  switch (placement) {
    case Placement::slabs:
      return "slabs";
    case Placement::scattered:
      return "scattered";
    case Placement::even_ranks:
      return "even ranks";
    case Placement::last_rank:
      break;
  }
  return "last rank";
}

Frozen freeze(const parallel::Comm& comm, const FrozenScene& scene, Placement placement, problem::Law law,
              problem::SweepPlan plan) {
  model::Bodies bodies;
  for (const model::Body& body : scene.bodies)
    if (rank_of(scene, body, placement, comm.size()) == comm.rank()) bodies.add_owned(body);
  const auto lattice = model::CellLattice::for_bodies(comm, bodies);
  const parallel::Halo halo = build_ghost_layer(comm, lattice, bodies, 0.5 * scene.margin);
  const auto pairs = own_pairs(comm, scene, bodies, halo);
  auto contacts = collision::find_contacts(bodies, scene.walls, pairs, scene.margin, 0.0);

  std::vector<collision::ContactId> ids;
  problem::ConstraintSet set{law, {}, {}};
  for (const auto& contact : contacts.contacts) {
    ids.push_back(collision::id_of(bodies, contact.a, contact.b));
    const double weight = bodies.mass[static_cast<std::size_t>(contact.a)] * gravity * scene.step;
    set.friction.push_back(scene.friction);
    set.bound.push_back(ids.back().first % 7 == 6 ? 0.0 : scene.friction * 2.0 * weight);
  }
  auto N = std::make_unique<problem::BodyOperator>(comm, halo, bodies, problem::BodyConstraints{contacts}, plan);
  parallel::Vector r = offsets(scene, bodies, contacts, *N);
  return {std::move(bodies), std::move(contacts), std::move(ids), {std::move(N), std::move(r), std::move(set)}};
}

Judged judge(const problem::ContactProblem& problem, Vec x) {
  const parallel::Vector w = problem.make_vector();
  problem.N->apply(x, w);
  parallel::petsc(VecAXPY(w, 1.0, problem.r));
  Judged result{entries(x), entries(w), {}, problem.N->motion_at_rest(), 0.0, 0.0, 0.0};
  problem.N->set_motion(x, result.motion);

  std::vector<double> outside;
  for (int k = 0; k < problem.N->block_count(); ++k) {
    const Eigen::Map<const model::Vec3> at(result.x.data() + 3 * k), speed(result.w.data() + 3 * k);
    model::Vec3 shifted = speed;  // w~ = w + mu |w_T| n
    if (k < problem.K.contact_count() && problem.K.law_of(k) == problem::Law::coulomb)
      shifted.x() += problem.K.friction[static_cast<std::size_t>(k)] * speed.tail<2>().norm();
    const model::Vec3 e = at - nearest_admissible(problem.K, k, at - shifted);
    const model::Vec3 off = at - nearest_admissible(problem.K, k, at);
    result.e.insert(result.e.end(), e.data(), e.data() + 3);
    outside.insert(outside.end(), off.data(), off.data() + 3);
  }
  const parallel::Comm& comm = problem.N->comm();
  const double size_x = norm(comm, result.x);
  const double size_r = norm(comm, entries(problem.r));
  const double scale = std::max({size_r, size_x, norm(comm, result.w), 1e-300});
  result.natural = norm(comm, result.e) / scale;
  result.natural_q = norm(comm, result.e) / std::max(size_r, 1e-300);
  result.outside = norm(comm, outside) / std::max(size_x, 1e-300);
  return result;
}

Distance compare(const Frozen& frozen, const Judged& here, const Frozen& whole, const Judged& there) {
  std::unordered_map<collision::ContactId, std::size_t, collision::ContactIdHash> index;
  for (std::size_t k = 0; k < whole.ids.size(); ++k) index.emplace(whole.ids[k], k);
  double sums[5] = {};  // |dx|^2, |dw|^2, |de|^2, |dv|^2, |v|^2
  for (std::size_t k = 0; k < frozen.ids.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = 3 * k + c, j = 3 * index.at(frozen.ids[k]) + c;
      sums[0] += (here.x[i] - there.x[j]) * (here.x[i] - there.x[j]);
      sums[1] += (here.w[i] - there.w[j]) * (here.w[i] - there.w[j]);
      sums[2] += (here.e[i] - there.e[j]) * (here.e[i] - there.e[j]);
    }
  for (std::size_t k = 0; k < static_cast<std::size_t>(frozen.bodies.owned()); ++k) {
    const problem::BodyMotion& a = problem::BodyOperator::bodies_of(here.motion)[k];
    const problem::BodyMotion& b = problem::BodyOperator::bodies_of(there.motion)[frozen.bodies.id[k]];
    for (int c = 0; c < 3; ++c) {
      sums[3] += (a.v[c] - b.v[c]) * (a.v[c] - b.v[c]) / b.inverse_mass;
      sums[3] += (a.u[c] - b.u[c]) * (a.u[c] - b.u[c]) / b.inverse_inertia;
      sums[4] += b.v[c] * b.v[c] / b.inverse_mass + b.u[c] * b.u[c] / b.inverse_inertia;
    }
  }
  frozen.problem.N->comm().sum(sums);
  const double bound = std::sqrt(std::sqrt(sums[2]) * (std::sqrt(sums[0]) + std::sqrt(sums[1])));
  return {std::sqrt(sums[3]), bound, std::sqrt(sums[4])};
}

}  // namespace scree::test
