#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "scree/collision/shape_contacts.hpp"
#include "scree/io/periodic.hpp"
#include "scree/io/random_fill.hpp"
#include "scree/io/scene.hpp"
#include "scree/io/scene_shapes.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/parallel/exchange.hpp"

namespace scree::io {

namespace {

using model::Vec3;

constexpr const char* remedy = "move it, or set contact.push_apart";

/// Finds bodies of a small set that a body overlaps, but for those that a joint keeps from touching it, and walls of
/// finite size that it reaches into. Finds nothing if bodies are to be pushed apart.
class OverlapFinder {
 public:
  explicit OverlapFinder(const Scene& scene)
      : bodies_(scene.bodies),
        space_(scene.space),
        shapes_(*scene.shapes),
        walls_(scene.walls),
        push_apart_(scene.push_apart),
        order_(scene.bodies.size()) {
    for (const model::Joint& joint : scene.joints)
      if (joint.collides == 0) joined_.insert(std::minmax({joint.first, joint.second}));
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      order_[k] = k;
      largest_ = std::max(largest_, bodies_[k].radius);
    }
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return left_of(bodies_[a].position[0], b); });
  }

  struct Hit {
    std::int64_t id;
    double depth;  ///< m
  };

  /// Throws InputError if a body reaches into a wall of finite size; `place` names it.
  void check_walls(const model::Body& body, const auto& place) {
    if (const auto hit = wall_hit_by(body))
      throw InputError(
          fmt::format("{} starts {:.6g} m inside the wall '{}': {}", place(), hit->depth, hit->wall.name, remedy));
  }

  /// The first body that overlaps `body`, other than itself.
  [[nodiscard]] std::optional<Hit> hit_by(const model::Body& body) {
    if (push_apart_ || bodies_.empty()) return std::nullopt;
    const auto images = [&](int axis) { return space_.along(axis) ? 1 : 0; };
    for (int x = -images(0); x <= images(0); ++x)
      for (int y = -images(1); y <= images(1); ++y)
        for (int z = -images(2); z <= images(2); ++z) {
          model::Body image = body;
          Vec3::Map(image.position) += space_.shift_of({x, y, z});
          if (const auto hit = hit_by_image(image)) return hit;
        }
    return std::nullopt;
  }

 private:
  struct WallHit {
    const model::Wall& wall;
    double depth;  ///< m
  };

  [[nodiscard]] std::optional<WallHit> wall_hit_by(const model::Body& body) {
    for (const model::Wall& wall : walls_) {
      if (push_apart_ || is_endless(wall)) continue;
      if (!is_near(wall, Vec3(body.position), body.radius, -allowed_overlap * body.radius)) continue;
      touches_.clear();
      contacts_.find(collision::placed(body, shapes_), wall, 0.0, touches_);
      if (const double depth = deepest(touches_); depth > allowed_overlap * body.radius) return WallHit{wall, depth};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Hit> hit_by_image(const model::Body& body) {
    const double reach = body.radius + largest_;
    auto near = std::lower_bound(order_.begin(), order_.end(), body.position[0] - reach,
                                 [&](std::size_t k, double x) { return bodies_[k].position[0] < x; });
    for (; near != order_.end() && bodies_[*near].position[0] <= body.position[0] + reach; ++near) {
      const model::Body& other = bodies_[*near];
      const double distance = (Vec3::Map(other.position) - Vec3::Map(body.position)).norm();
      const double allowed = allowed_overlap * std::min(other.radius, body.radius);
      const bool may_touch = other.id != body.id && !joined_.contains(std::minmax({other.id, body.id}));
      if (!may_touch || distance >= other.radius + body.radius - allowed) continue;
      if (const double depth = depth_between(body, other); depth > allowed) return Hit{other.id, depth};
    }
    return std::nullopt;
  }

  [[nodiscard]] double depth_between(const model::Body& a, const model::Body& b) {
    touches_.clear();
    contacts_.find(collision::placed(a, shapes_), collision::placed(b, shapes_), 0.0, touches_);
    return deepest(touches_);
  }

  [[nodiscard]] static double deepest(const std::vector<collision::Touch>& touches) {
    double depth = 0.0;
    for (const collision::Touch& touch : touches) depth = std::max(depth, -touch.gap);
    return depth;
  }

  bool left_of(double x, std::size_t other) const { return x < bodies_[other].position[0]; }

  const std::vector<model::Body>& bodies_;
  const model::Periodicity& space_;
  const std::vector<model::Shape>& shapes_;
  const std::vector<model::Wall>& walls_;
  const bool push_apart_;
  collision::ShapeContacts contacts_;
  std::vector<collision::Touch> touches_;
  std::vector<std::size_t> order_;
  std::set<std::pair<std::int64_t, std::int64_t>> joined_;
  double largest_ = 0.0;
};

}  // namespace

namespace {

/// Collective: this rank's bodies of a fill.
std::vector<model::Body> bodies_of_fill(const parallel::Comm& comm, const Scene& scene, std::size_t number,
                                        std::int64_t first_id) {
  const Fill& fill = scene.fills[number];
  std::vector<model::Body> bodies;
  const auto add = [&](const Vec3& site, std::int64_t index) {
    bodies.push_back(
        make_fill_body(fill, site, {scene.seed, *scene.shapes}, static_cast<int>(number), index, first_id + index));
  };
  if (fill.lattice == Fill::Lattice::random) {
    const std::string origin = fmt::format("{}: fills[{}].count", scene.file, number);
    const std::vector<Vec3> places = random_sites(comm, fill, scene.seed, static_cast<int>(number), origin);
    const std::int64_t first = comm.sum_below(std::ssize(places));
    for (std::size_t k = 0; k < places.size(); ++k) add(places[k], first + static_cast<std::int64_t>(k));
    return bodies;
  }
  const FillSites sites(fill);
  const parallel::EvenSplit split{fill.count, comm.size()};
  for (std::int64_t k = split.first(comm.rank()); k < split.first(comm.rank() + 1); ++k) add(sites[k], k);
  return bodies;
}

/// Collective: this rank's bodies of a file.
std::vector<model::Body> bodies_of_file(const parallel::Comm& comm, const Scene& scene, std::size_t number,
                                        std::int64_t first_id, OverlapFinder& listed) {
  const FileFill& fill = scene.files[number];
  const int fill_number = static_cast<int>(scene.fills.size() + number);
  const auto rows = read_bodies(comm, fill, {scene.seed, fill_number, first_id, scene.materials, *scene.shapes});
  std::vector<model::Body> bodies;
  parallel::all_or_none(comm, [&] {
    for (const auto& [body, line] : rows) {
      const std::string place = place_in(fill.file, line);
      if (const auto wrong = misfit(scene.space, Vec3(body.position)))
        throw InputError(fmt::format("{}: {}", place, *wrong));
      for (const model::Wall& wall : scene.walls) {
        if (scene.push_apart || !is_endless(wall)) continue;
        if (const double depth = depth_in_wall(body, *scene.shapes, wall); depth > allowed_overlap * body.radius)
          throw InputError(
              fmt::format("{}: starts {:.6g} m inside the wall '{}': {}", place, depth, wall.name, remedy));
      }
      listed.check_walls(body, [&] { return place + ":"; });
      if (const auto hit = listed.hit_by(body))
        throw InputError(
            fmt::format("{}: overlaps body number {} by {:.3g} m: {}", place, hit->id, hit->depth, remedy));
      bodies.push_back(body);
    }
  });
  return bodies;
}

/// Collective: an id that two bodies have, if there is one. Each id has a home rank, where all that have it meet.
void check_ids(const parallel::Comm& comm, const Scene& scene, const model::Bodies& bodies) {
  parallel::Mail mail;
  for (const std::int64_t id : bodies.id) parallel::append(mail[static_cast<int>(id % comm.size())], id);
  std::set<std::int64_t> known;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t twice = none;
  for (const auto& [rank, bytes] : deliver(comm, mail))
    for (const auto id : parallel::records<std::int64_t>(bytes))
      if (!known.insert(id).second) twice = std::min(twice, id);
  twice = comm.min(twice);
  if (twice != none)
    throw InputError(fmt::format("{}: two bodies have the id {}: change the column 'id', or leave it out",
                                 scene.files.front().file.string(), twice));
}

}  // namespace

model::Bodies make_bodies(const parallel::Comm& comm, const Scene& scene) {
  if (scene.body_count / comm.size() > std::numeric_limits<std::int32_t>::max() / 4)
    throw InputError(fmt::format("{}: asks for {} bodies: use more ranks", scene.file, scene.body_count));
  model::Bodies bodies;
  OverlapFinder listed(scene);
  std::int64_t first_id = 0;
  for (std::size_t f = 0; f < scene.fills.size(); ++f) {
    const std::vector<model::Body> own = bodies_of_fill(comm, scene, f, first_id);
    parallel::all_or_none(comm, [&] {
      for (const model::Body& body : own) {
        if (const auto hit = listed.hit_by(body)) {
          throw InputError(fmt::format("{}: bodies: number {} overlaps number {} of fills[{}] by {:.3g} m: {}",
                                       scene.file, hit->id, body.id, f, hit->depth, remedy));
        }
        listed.check_walls(body, [&] { return fmt::format("{}: fills[{}]: body number {}", scene.file, f, body.id); });
        bodies.add_owned(body);
      }
    });
    first_id += scene.fills[f].count;
  }
  parallel::all_or_none(comm, [&] {
    const parallel::EvenSplit split{std::ssize(scene.bodies), comm.size()};
    for (std::int64_t k = split.first(comm.rank()); k < split.first(comm.rank() + 1); ++k) {
      const model::Body& body = scene.bodies[static_cast<std::size_t>(k)];
      if (const auto hit = listed.hit_by(body)) {
        throw InputError(fmt::format("{}: bodies: number {} overlaps number {} by {:.3g} m: {}", scene.file, body.id,
                                     hit->id, hit->depth, remedy));
      }
      listed.check_walls(body, [&] { return fmt::format("{}: bodies: number {}", scene.file, body.id); });
      bodies.add_owned(body);
    }
  });
  first_id += std::ssize(scene.bodies);
  for (std::size_t f = 0; f < scene.files.size(); ++f) {
    for (const model::Body& body : bodies_of_file(comm, scene, f, first_id, listed)) bodies.add_owned(body);
    first_id += scene.files[f].count;
  }
  if (!scene.files.empty()) check_ids(comm, scene, bodies);
  return bodies;
}

}  // namespace scree::io
