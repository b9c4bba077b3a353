#include "workplace.hpp"

#include <cmath>
#include <random>
#include <string>

namespace scree::bench {

using model::Quat;
using model::Vec3;

namespace {

constexpr double radius = 0.1;  // m
constexpr double density = 1500.0;

std::vector<model::Wall> floor_at(double height) {
  return {{"floor", model::Plane{Vec3(0.0, 0.0, height), Vec3::UnitZ()}, 0}};
}

/// Places of a cube of so many bodies, and this rank's part of them.
struct Cube {
  const parallel::Comm& comm;
  std::int64_t count;
  std::int64_t side = static_cast<std::int64_t>(std::ceil(std::cbrt(static_cast<double>(count))));

  template <typename Add>
  void for_each(Add&& add) const {
    for (std::int64_t id = count * comm.rank() / comm.size(); id < count * (comm.rank() + 1) / comm.size(); ++id)
      add(id, id % side, id / side % side, id / (side * side));
  }
};

/// The same number for the same seed everywhere.
double jitter(std::int64_t seed) {
  std::minstd_rand random(static_cast<unsigned>(seed) + 1);
  random.discard(3);
  return static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max()) * 2.0 - 1.0;
}
Vec3 jitter_of(std::int64_t id) { return {jitter(3 * id), jitter(3 * id + 1), jitter(3 * id + 2)}; }

std::shared_ptr<const std::vector<model::Shape>> all_shapes() {
  auto shapes = std::make_shared<std::vector<model::Shape>>();
  shapes->push_back(model::make_shape("box", model::Cuboid{Vec3(0.2, 0.1, 0.05)}));
  shapes->push_back(model::make_shape("capsule", model::Capsule{0.06, 0.07}));
  shapes->push_back(model::make_shape("cylinder", model::Cylinder{0.08, 0.07}));
  return shapes;
}

}  // namespace

Workplace::Workplace(const parallel::Comm& world, model::Bodies owned, std::vector<model::Wall> with)
    : comm(world), bodies(std::move(owned)), walls(std::move(with)) {
  if (bodies.shapes) shapes_.emplace();
  dynamics::distribute(comm, bodies, walls, margin);
  neighbourhood = dynamics::search(comm, bodies, walls, {margin, margin}, {});
  contacts = find_contacts();
  total_bodies = comm.sum(static_cast<std::int64_t>(bodies.owned()));
  total_pairs = comm.sum(std::ssize(neighbourhood.pairs.pairs));
  total_contacts = comm.sum(static_cast<std::int64_t>(contacts.size()));
}

Workplace Workplace::of_spheres(const parallel::Comm& comm, std::int64_t contacts) {
  model::Bodies block;
  Cube{comm, std::max<std::int64_t>(1, contacts / 6)}.for_each(
      [&](std::int64_t id, std::int64_t place, std::int64_t row, std::int64_t layer) {
        const double shift = static_cast<double>(layer % 2);
        const Vec3 centre(2.0 * static_cast<double>(place) + static_cast<double>(row % 2) + shift,
                          std::sqrt(3.0) * (static_cast<double>(row) + shift / 3.0),
                          std::sqrt(8.0 / 3.0) * static_cast<double>(layer));
        block.add_owned(model::make_sphere(id, radius * (centre + 0.02 * jitter_of(id)), radius, density, 0));
      });
  return {comm, std::move(block), floor_at(-radius)};
}

Workplace Workplace::of_bricks(const parallel::Comm& comm, std::int64_t contacts) {
  model::Bodies block;
  block.shapes = all_shapes();
  Cube{comm, std::max<std::int64_t>(1, contacts / 12)}.for_each([&](std::int64_t id, std::int64_t x, std::int64_t y,
                                                                    std::int64_t z) {
    const Vec3 centre(0.402 * static_cast<double>(x), 0.202 * static_cast<double>(y), 0.101 * static_cast<double>(z));
    block.add_owned(
        model::make_body(id, centre + 0.0005 * jitter_of(id), Quat::Identity(), *block.shapes, 0, density, 0));
  });
  return {comm, std::move(block), floor_at(-0.05)};
}

Workplace Workplace::of_pairs(const parallel::Comm& comm, Partner first, Partner second, std::int64_t pairs) {
  model::Bodies block;
  block.shapes = all_shapes();
  const auto add = [&](std::int64_t id, Partner kind, const Vec3& centre) {
    const Quat turn(Eigen::AngleAxisd(0.02 * jitter(7 * id), Vec3::UnitX()));
    const int number = static_cast<int>(kind) - static_cast<int>(Partner::box);
    block.add_owned(kind == Partner::sphere ? model::make_sphere(id, centre, radius, density, 0)
                                            : model::make_body(id, centre, turn, *block.shapes, number, density, 0));
  };
  const auto half_width = [](Partner kind) {  // along y
    return kind == Partner::sphere || kind == Partner::box ? 0.1 : kind == Partner::capsule ? 0.06 : 0.08;
  };
  const auto half_height = [](Partner kind) {
    return kind == Partner::sphere ? 0.1 : kind == Partner::box ? 0.05 : 0.13;
  };
  const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(pairs))));
  for (std::int64_t k = pairs * comm.rank() / comm.size(); k < pairs * (comm.rank() + 1) / comm.size(); ++k) {
    const Vec3 place(static_cast<double>(k % side), static_cast<double>(k / side), half_height(first));
    add(2 * k, first, place);
    if (second != Partner::wall)
      add(2 * k + 1, second, place + Vec3(0.0, half_width(first) + half_width(second) + 0.002, 0.0));
  }
  return {comm, std::move(block), floor_at(second == Partner::wall ? 0.0 : -1.0)};
}

collision::ContactSet Workplace::find_contacts() {
  return collision::find_contacts(bodies, walls, neighbourhood.pairs, margin, 0.0, shapes_ ? &*shapes_ : nullptr);
}

std::unique_ptr<problem::BodyOperator> Workplace::make_operator() const {
  return std::make_unique<problem::BodyOperator>(comm, neighbourhood.halo, bodies, problem::BodyConstraints{contacts});
}

problem::ContactProblem Workplace::make_problem(problem::Law law) const {
  const auto count = static_cast<std::size_t>(contacts.size());
  auto N = make_operator();
  problem::Motion motion = N->motion_at_rest();
  problem::BodyMotion* const fall = problem::BodyOperator::bodies_of(motion);
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k) {
    fall[k].v[2] = -0.05 - 0.01 * std::sin(static_cast<double>(bodies.id[k]));
    fall[k].v[0] = 0.02 * std::cos(static_cast<double>(bodies.id[k]));
  }
  parallel::Vector r(comm, contacts.size());
  N->relative_velocity(motion, r);
  return {std::move(N), std::move(r), {law, std::vector<double>(count, 0.3), std::vector<double>(count, 0.05)}};
}

}  // namespace scree::bench
