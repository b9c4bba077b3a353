#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "scree/collision/shape_contacts.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::io {

namespace {

using model::Vec3;

/// Finds bodies of a small set that a body overlaps, but for those that a joint keeps from touching it.
class OverlapFinder {
 public:
  explicit OverlapFinder(const Scene& scene)
      : bodies_(scene.bodies),
        space_(scene.space),
        shapes_(*scene.shapes),
        walls_(scene.walls),
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
    std::size_t number;
    double depth;  ///< m
  };

  struct WallHit {
    const model::Wall& wall;
    double depth;  ///< m
  };

  /// The first wall of finite size that a body reaches into.
  [[nodiscard]] std::optional<WallHit> wall_hit_by(const model::Body& body) {
    for (const model::Wall& wall : walls_) {
      if (is_endless(wall)) continue;
      if (!is_near(wall, Vec3(body.position), body.radius, -allowed_overlap * body.radius)) continue;
      touches_.clear();
      contacts_.find(collision::placed(body, shapes_), wall, 0.0, touches_);
      if (const double depth = deepest(touches_); depth > allowed_overlap * body.radius) return WallHit{wall, depth};
    }
    return std::nullopt;
  }

  /// The first body that overlaps `body`, other than itself.
  [[nodiscard]] std::optional<Hit> hit_by(const model::Body& body) {
    if (bodies_.empty()) return std::nullopt;
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
      if (const double depth = depth_between(body, other); depth > allowed) return Hit{*near, depth};
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
  collision::ShapeContacts contacts_;
  std::vector<collision::Touch> touches_;
  std::vector<std::size_t> order_;
  std::set<std::pair<std::int64_t, std::int64_t>> joined_;
  double largest_ = 0.0;
};

}  // namespace

model::Bodies make_bodies(const parallel::Comm& comm, const Scene& scene) {
  model::Bodies bodies;
  parallel::all_or_none(comm, [&] {
    if (scene.body_count / comm.size() > std::numeric_limits<std::int32_t>::max() / 4) {
      throw InputError(fmt::format("{}: asks for {} bodies: use more ranks", scene.file, scene.body_count));
    }
    OverlapFinder listed(scene);
    constexpr const char* remedy = "move it, or set contact.push_apart";
    const auto check_walls = [&](const model::Body& body, const auto& name) {
      const auto hit = scene.push_apart ? std::nullopt : listed.wall_hit_by(body);
      if (hit)
        throw InputError(fmt::format("{}: {} starts {:.6g} m inside the wall '{}': {}", scene.file, name(), hit->depth,
                                     hit->wall.name, remedy));
    };
    std::int64_t first_id = 0;
    for (std::size_t f = 0; f < scene.fills.size(); ++f) {
      const Fill& fill = scene.fills[f];
      const FillSites sites(fill);
      const parallel::EvenSplit split{fill.count, comm.size()};
      for (std::int64_t k = split.first(comm.rank()); k < split.first(comm.rank() + 1); ++k) {
        const model::Body body =
            make_fill_body(fill, sites, {scene.seed, *scene.shapes}, static_cast<int>(f), k, first_id + k);
        const auto hit = scene.push_apart ? std::nullopt : listed.hit_by(body);
        if (hit) {
          throw InputError(fmt::format("{}: bodies[{}]: overlaps a body of fills[{}] (number {}) by {:.3g} m: {}",
                                       scene.file, hit->number, f, body.id, hit->depth, remedy));
        }
        check_walls(body, [&] { return fmt::format("fills[{}]: body number {}", f, body.id); });
        bodies.add_owned(body);
      }
      first_id += fill.count;
    }
    const parallel::EvenSplit split{std::ssize(scene.bodies), comm.size()};
    for (std::int64_t k = split.first(comm.rank()); k < split.first(comm.rank() + 1); ++k) {
      const model::Body& body = scene.bodies[static_cast<std::size_t>(k)];
      const auto hit = scene.push_apart ? std::nullopt : listed.hit_by(body);
      if (hit) {
        throw InputError(fmt::format("{}: bodies[{}]: overlaps bodies[{}] by {:.3g} m: {}", scene.file, k, hit->number,
                                     hit->depth, remedy));
      }
      check_walls(body, [&] { return fmt::format("bodies[{}]:", k); });
      bodies.add_owned(body);
    }
  });
  return bodies;
}

}  // namespace scree::io
