#include "scree/collision/contacts.hpp"

#include <algorithm>

namespace scree::collision {

using model::Bodies;
using model::Vec3;

namespace {

struct Gap {
  double gap;
  Vec3 normal;
};

Gap gap_between_spheres(const Bodies& bodies, std::size_t a, std::size_t b) {
  const Vec3 offset = bodies.position[b] - bodies.position[a];
  const double distance = offset.norm();
  // Concentric spheres have no nearest points: any direction separates them.
  const Vec3 normal = distance > 0.0 ? Vec3(offset / distance) : Vec3::UnitZ();
  return {distance - bodies.radius[a] - bodies.radius[b], normal};
}

Gap gap_of(const Bodies& bodies, const std::vector<model::Wall>& walls, int a, int b) {
  const auto i = static_cast<std::size_t>(a);
  if (b >= 0) return gap_between_spheres(bodies, i, static_cast<std::size_t>(b));
  const auto wall = gap_to_wall(walls[static_cast<std::size_t>(-1 - b)], bodies.position[i], bodies.radius[i]);
  return {wall.gap, wall.normal};
}

}  // namespace

ContactId id_of(const Bodies& bodies, int a, int b) {
  return {bodies.id[static_cast<std::size_t>(a)], b < 0 ? b : bodies.id[static_cast<std::size_t>(b)]};
}

Vec3 point_of(const Bodies& bodies, const ContactSet::Contact& contact) {
  const auto a = static_cast<std::size_t>(contact.a);
  return bodies.position[a] + (bodies.radius[a] + 0.5 * contact.gap) * contact.normal;
}

namespace {

/// How much nearer the surfaces of a and b come in free flight, negative when they part (m).
double approach(const Bodies& bodies, const Gap& gap, int a, int b, double step,
                const std::vector<model::Wall>& walls_after) {
  const auto i = static_cast<std::size_t>(a);
  const Vec3& of_a = bodies.velocity[i];
  if (b >= 0) return step * gap.normal.dot(of_a - bodies.velocity[static_cast<std::size_t>(b)]);
  const model::Wall& wall = walls_after[static_cast<std::size_t>(-1 - b)];
  const double of_wall = wall.motion.is_rest() ? 0.0 : gap.gap - gap_of(bodies, walls_after, a, b).gap;
  return step * gap.normal.dot(of_a) + of_wall;
}

}  // namespace

ContactSet find_contacts(const Bodies& bodies, const std::vector<model::Wall>& walls, const PairList& list,
                         double margin, double step, const std::vector<model::Wall>& walls_after) {
  ContactSet set;
  set.contacts.reserve(list.pairs.size());
  std::size_t k = 0;
  for (std::size_t stage = 0; stage < stage_count; ++stage) {
    for (; k < static_cast<std::size_t>(list.stage_end[stage]); ++k) {
      const auto [a, b, impulse] = list.pairs[k];
      const Gap gap = gap_of(bodies, walls, a, b);
      if (gap.gap - std::max(0.0, approach(bodies, gap, a, b, step, walls_after)) <= margin)
        set.contacts.push_back({a, b, static_cast<std::int32_t>(k), gap.gap, gap.normal});
    }
    set.stage_end[stage] = set.size();
  }
  return set;
}

}  // namespace scree::collision
