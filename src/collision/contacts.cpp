#include "scree/collision/contacts.hpp"

#include <algorithm>
#include <cmath>

#include "scree/model/lanes.hpp"
#include "scree/parallel/memory.hpp"

namespace scree::collision {

using model::Bodies;
using model::Vec3;
using namespace lanes;

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

Vec3 point_of(const Bodies& bodies, const ContactSet& set, const ContactSet::Contact& contact) {
  if (contact.point >= 0) return set.points[static_cast<std::size_t>(contact.point)];
  const auto a = static_cast<std::size_t>(contact.a);
  return bodies.position[a] + (bodies.radius[a] + 0.5 * contact.gap) * contact.normal;
}

double approach_of_wall(const Bodies& bodies, const ContactSet& set, const ContactSet::Contact& contact,
                        const model::Wall& now, const model::Wall& after) {
  const auto a = static_cast<std::size_t>(contact.a);
  if (contact.point >= 0 && !is_endless(now))
    return -contact.normal.dot(shift_at(now, after, point_of(bodies, set, contact)));
  if (contact.point < 0) return contact.gap - gap_to_wall(after, bodies.position[a], bodies.radius[a]).gap;
  const Vec3 on_body = point_of(bodies, set, contact) - 0.5 * contact.gap * contact.normal;
  return contact.gap - gap_to_wall(after, on_body, 0.0).gap;
}

namespace {

/// Where bodies and walls will be after the step, as far as the narrow phase goes.
struct Flight {
  const Bodies& bodies;
  const std::vector<model::Wall>& walls;
  const std::vector<model::Wall>& walls_after;
  double margin;
  double step;
};

/// Adds the contacts between spheres, or of spheres with walls, among the pairs from `first` to `last`.
template <typename Filter>
void add_contacts_of_balls(const Flight& flight, const std::vector<Pair>& pairs, std::size_t first, std::size_t last,
                           const Filter& is_wanted, ContactSet& set) {
  const Bodies& bodies = flight.bodies;
  for (std::size_t k = first; k < last; ++k) {
    const auto [a, b] = pairs[k];
    if (!is_wanted(a, b)) continue;
    const Gap gap = gap_of(bodies, flight.walls, a, b);
    const ContactSet::Contact contact{a, b, static_cast<std::int32_t>(k), -1, gap.gap, gap.normal};
    const Vec3& of_a = bodies.velocity[static_cast<std::size_t>(a)];
    double approach = flight.step * gap.normal.dot(of_a);
    if (b >= 0) {
      approach = flight.step * gap.normal.dot(of_a - bodies.velocity[static_cast<std::size_t>(b)]);
    } else if (const model::Wall& after = flight.walls_after[static_cast<std::size_t>(-1 - b)];
               !after.motion.is_rest()) {
      approach += approach_of_wall(bodies, set, contact, flight.walls[static_cast<std::size_t>(-1 - b)], after);
    }
    if (gap.gap - std::max(0.0, approach) <= flight.margin) set.contacts.push_back(contact);
  }
}

/// What the narrow phase reads of a ball: one cache line.
struct alignas(64) Ball {
  double position[3];
  double radius;
  double velocity[3];
  double unused;
};
using Balls = parallel::LargeArray<Ball>;

Balls balls_of(const Bodies& bodies) {
  Balls balls(static_cast<std::size_t>(bodies.size()));
  for (std::size_t k = 0; k < balls.size(); ++k) {
    const Vec3 &at = bodies.position[k], &v = bodies.velocity[k];
    balls[k] = {{at.x(), at.y(), at.z()}, bodies.radius[k], {v.x(), v.y(), v.z()}, 0.0};
  }
  return balls;
}

/// The same for the pairs from k on, all of them between balls, one in each lane.
void add_group_of_balls(const Flight& flight, const Balls& balls, const std::vector<Pair>& pairs, std::size_t k,
                        ContactSet& set) {
  const auto pair = [&](int l) -> const Pair& { return pairs[k + static_cast<std::size_t>(l)]; };
  const auto a = [&](int l) -> const Ball& { return balls[static_cast<std::size_t>(pair(l).a)]; };
  const auto b = [&](int l) -> const Ball& { return balls[static_cast<std::size_t>(pair(l).b)]; };
  const auto [at_a] = load_columns<4>([&](int l) { return a(l).position; });
  const auto [at_b] = load_columns<4>([&](int l) { return b(l).position; });
  const auto [v_a] = load_columns<4>([&](int l) { return a(l).velocity; });
  const auto [v_b] = load_columns<4>([&](int l) { return b(l).velocity; });
  Lanes n[3] = {at_b[0] - at_a[0], at_b[1] - at_a[1], at_b[2] - at_a[2]};
  const Lanes distance = root(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  const auto is_apart = distance > 0.0;
  const Lanes inverse = 1.0 / (is_apart ? distance : Lanes{} + 1.0);
  for (Lanes& component : n) component *= inverse;
  n[2] = is_apart ? n[2] : Lanes{} + 1.0;
  const Lanes gap = distance - at_a[3] - at_b[3];
  const Lanes approach = flight.step * (n[0] * (v_a[0] - v_b[0]) + n[1] * (v_a[1] - v_b[1]) + n[2] * (v_a[2] - v_b[2]));
  const auto is_near = gap - larger(Lanes{}, approach) <= flight.margin;
  for (int l = 0; l < lane_count; ++l)
    if (is_near[l] != 0)
      set.contacts.push_back(
          {pair(l).a, pair(l).b, static_cast<std::int32_t>(k) + l, -1, gap[l], Vec3(n[0][l], n[1][l], n[2][l])});
}

/// The same where all bodies are balls, in lanes wherever no wall comes between them.
void add_contacts_of_many_balls(const Flight& flight, const Balls& balls, const std::vector<Pair>& pairs,
                                std::size_t first, std::size_t last, ContactSet& set) {
  constexpr std::size_t ahead = 4 * lane_count;
  const bool fetches = balls.size() > parallel::beyond_caches;
  const auto no_wall = [](const Pair& pair) { return pair.b >= 0; };
  const auto all = [](int, int) { return true; };
  for (std::size_t k = first; k < last;) {
    const std::size_t next = k + lane_count;
    for (std::size_t coming = k + ahead; fetches && coming < std::min(next + ahead, last); ++coming) {
      __builtin_prefetch(balls.data() + pairs[coming].a);
      __builtin_prefetch(balls.data() + std::max(0, pairs[coming].b));
    }
    const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(k);
    if (next <= last && std::all_of(begin, begin + lane_count, no_wall)) {
      add_group_of_balls(flight, balls, pairs, k, set);
      k = next;
    } else {
      add_contacts_of_balls(flight, pairs, k, k + 1, all, set);
      ++k;
    }
  }
}

/// Adds the contacts of bodies of all shapes, point by point.
class PointFinder {
 public:
  PointFinder(const Flight& flight, ShapeContacts& shapes, ContactSet& set)
      : flight_(flight), shapes_(shapes), set_(set) {}

  void add(int a, int b, std::size_t pair) {
    touches_.clear();
    const Placed body = placed(flight_.bodies, a);
    const double reach = flight_.margin + flight_.step * (largest_speed(a) + (b >= 0 ? largest_speed(b) : 0.0));
    if (b >= 0) {
      shapes_.find(body, placed(flight_.bodies, b), reach, touches_);
    } else {
      find_on_wall(body, b, reach);
    }
    for (const Touch& touch : touches_) add(touch, a, b, pair);
  }

 private:
  /// A wall that moves may come nearer by itself: points count as long as its own approach is not known.
  void find_on_wall(const Placed& body, int b, double reach) {
    const model::Wall& wall = wall_now(b);
    if (!walls_after(b).motion.is_rest())
      reach += is_endless(wall) ? HUGE_VAL : largest_shift(wall, walls_after(b), body.position, body.radius);
    shapes_.find(body, wall, reach, touches_);
  }

  void add(const Touch& touch, int a, int b, std::size_t pair) {
    const ContactSet::Contact contact{
        a, b, static_cast<std::int32_t>(pair), static_cast<std::int32_t>(set_.points.size()), touch.gap, touch.normal};
    set_.points.push_back(b < 0 && flight_.bodies.is_ball(a) ? on_ball(a, touch.normal) : touch.point);
    Vec3 speed = velocity_at(a, touch.point);
    if (b >= 0) speed -= velocity_at(b, touch.point);
    double approach = flight_.step * touch.normal.dot(speed);
    if (b < 0 && !walls_after(b).motion.is_rest())
      approach += approach_of_wall(flight_.bodies, set_, contact, wall_now(b), walls_after(b));
    if (touch.gap - std::max(0.0, approach) <= flight_.margin) {
      set_.contacts.push_back(contact);
    } else {
      set_.points.pop_back();
    }
  }

  /// Walls of any kind act on the surface of a ball, as planes do.
  [[nodiscard]] Vec3 on_ball(int body, const Vec3& normal) const {
    const auto k = static_cast<std::size_t>(body);
    return flight_.bodies.position[k] + flight_.bodies.radius[k] * normal;
  }
  [[nodiscard]] const model::Wall& wall_now(int b) const { return flight_.walls[static_cast<std::size_t>(-1 - b)]; }
  [[nodiscard]] const model::Wall& walls_after(int b) const {
    return flight_.walls_after[static_cast<std::size_t>(-1 - b)];
  }
  [[nodiscard]] Vec3 velocity_at(int body, const Vec3& point) const {
    const auto k = static_cast<std::size_t>(body);
    return flight_.bodies.velocity[k] + flight_.bodies.spin[k].cross(point - flight_.bodies.position[k]);
  }
  [[nodiscard]] double largest_speed(int body) const {
    const auto k = static_cast<std::size_t>(body);
    return flight_.bodies.velocity[k].norm() + flight_.bodies.radius[k] * flight_.bodies.spin[k].norm();
  }

  const Flight& flight_;
  ShapeContacts& shapes_;
  ContactSet& set_;
  std::vector<Touch> touches_;
};

}  // namespace

ContactSet find_contacts(const Bodies& bodies, const std::vector<model::Wall>& walls, const PairList& list,
                         double margin, double step, const std::vector<model::Wall>& walls_after,
                         ShapeContacts* shapes) {
  ContactSet set;
  set.contacts.reserve(list.pairs.size());
  const Flight flight{bodies, walls, walls_after, margin, step};
  const auto is_of_balls = [&](int a, int b) {
    if (!bodies.is_ball(a)) return false;
    return b >= 0 ? bodies.is_ball(b) : !has_many_points(walls[static_cast<std::size_t>(-1 - b)]);
  };
  const Balls balls = shapes == nullptr ? balls_of(bodies) : Balls{};
  std::size_t first = 0;
  for (std::size_t stage = 0; stage < stage_count; ++stage) {
    const auto last = static_cast<std::size_t>(list.stage_end[stage]);
    if (shapes == nullptr) {
      add_contacts_of_many_balls(flight, balls, list.pairs, first, last, set);
    } else {
      add_contacts_of_balls(flight, list.pairs, first, last, is_of_balls, set);
      PointFinder finder(flight, *shapes, set);
      for (std::size_t k = first; k < last; ++k)
        if (const auto [a, b] = list.pairs[k]; !is_of_balls(a, b)) finder.add(a, b, k);
    }
    first = last;
    set.stage_end[stage] = set.size();
  }
  return set;
}

}  // namespace scree::collision
