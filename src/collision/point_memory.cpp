#include "scree/collision/point_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace scree::collision {

using model::Bodies;
using model::Vec3;

namespace {

constexpr int bits = 21;
constexpr std::int64_t steps = std::int64_t{1} << bits;
constexpr double widest = 2.0;  // radii: points lie at most half a gap outside

Vec3 place_of(const Bodies& bodies, const ContactSet& set, const ContactSet::Contact& contact) {
  const auto a = static_cast<std::size_t>(contact.a);
  return bodies.attitude[a].conjugate() * (set.points[static_cast<std::size_t>(contact.point)] - bodies.position[a]);
}

}  // namespace

std::int64_t pack_place(const Vec3& place, double radius) {
  std::uint64_t packed = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double scaled = 0.5 * (1.0 + place[axis] / (widest * radius)) * static_cast<double>(steps);
    packed = packed << bits | static_cast<std::uint64_t>(std::clamp(scaled, 0.0, static_cast<double>(steps - 1)));
  }
  return static_cast<std::int64_t>(packed);
}

Vec3 unpack_place(std::int64_t packed, double radius) {
  Vec3 place;
  for (int axis = 2; axis >= 0; --axis, packed >>= bits)
    place[axis] = widest * radius * (2.0 * (static_cast<double>(packed & (steps - 1)) + 0.5) / steps - 1.0);
  return place;
}

std::vector<ContactMemory> remember_points(const Bodies& bodies, const ContactSet& set,
                                           const std::vector<Vec3>& impulses) {
  std::vector<ContactMemory> memories;
  if (set.points.empty()) return memories;
  memories.reserve(set.points.size());
  for (const ContactSet::Contact& contact : set.contacts) {
    if (contact.point < 0) continue;
    const Vec3& impulse = impulses[static_cast<std::size_t>(contact.point)];
    if (impulse.isZero(0.0)) continue;
    const double radius = bodies.radius[static_cast<std::size_t>(contact.a)];
    memories.push_back({id_of(bodies, contact.a, contact.b),
                        pack_place(place_of(bodies, set, contact), radius),
                        {impulse.x(), impulse.y(), impulse.z()}});
  }
  std::ranges::stable_sort(memories, {}, &ContactMemory::contact);
  return memories;
}

namespace {

/// The contacts of one pair, side by side in a set, and what is remembered of it: nearest first.
void match(const Bodies& bodies, const ContactSet& set, std::span<const ContactSet::Contact> contacts,
           std::span<const ContactMemory> memories, std::vector<Vec3>& impulses) {
  const ContactSet::Contact& any = contacts.front();
  const double radius = bodies.radius[static_cast<std::size_t>(any.a)];
  const double smaller = any.b < 0 ? radius : std::min(radius, bodies.radius[static_cast<std::size_t>(any.b)]);
  constexpr double farthest = 0.25;  // smaller radii: no point wanders further in a step
  struct Candidate {
    double distance;
    std::size_t contact, memory;
  };
  std::vector<Candidate> candidates;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    for (std::size_t m = 0; m < memories.size(); ++m) {
      const double distance = (place_of(bodies, set, contacts[c]) - unpack_place(memories[m].place, radius)).norm();
      if (distance <= farthest * smaller) candidates.push_back({distance, c, m});
    }
  std::ranges::sort(candidates, {}, &Candidate::distance);
  std::vector<char> taken(contacts.size() + memories.size(), 0);
  for (const Candidate& candidate : candidates) {
    char &contact = taken[candidate.contact], &memory = taken[contacts.size() + candidate.memory];
    if (contact != 0 || memory != 0) continue;
    contact = memory = 1;
    impulses[static_cast<std::size_t>(contacts[candidate.contact].point)] = Vec3(memories[candidate.memory].impulse);
  }
}

}  // namespace

std::vector<Vec3> recall_points(const Bodies& bodies, const ContactSet& set,
                                const std::vector<ContactMemory>& memories) {
  std::vector<Vec3> impulses(set.points.size(), Vec3::Zero());
  if (memories.empty()) return impulses;
  for (auto first = set.contacts.begin(); first != set.contacts.end();) {
    const auto last =
        std::find_if(first, set.contacts.end(), [&](const auto& contact) { return contact.pair != first->pair; });
    if (first->point >= 0) {
      const auto known =
          std::ranges::equal_range(memories, id_of(bodies, first->a, first->b), {}, &ContactMemory::contact);
      if (!known.empty()) match(bodies, set, {first, last}, {known.begin(), known.end()}, impulses);
    }
    first = last;
  }
  return impulses;
}

}  // namespace scree::collision
