#include "scree/dynamics/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::dynamics {

using model::Body;
using model::Draws;
using model::Vec3;

namespace {

constexpr std::size_t attempts = 16;            ///< places that a body tries in a step before it waits for the next
constexpr std::int64_t most_at_once = 1000;     ///< bodies that a source makes in a step at most
constexpr std::uint64_t body_stream = 1 << 20;  ///< keeps the random numbers of sources apart from those of fills
constexpr std::uint64_t place_stream = 1 << 21;

/// A product of rate and time that should be a whole number must not miss it by rounding.
constexpr double slack = 1e-9;

double elapsed(const Source& source, double time) { return std::max(0.0, std::min(time, source.end) - source.start); }

double mean_mass(const Source& source, const std::vector<model::Shape>& shapes) {
  Draws draws{0};
  return make_body(source.recipe, shapes, 0, Vec3::Zero(), mean_radius(source.recipe), draws).mass;
}

/// Shifts to the images of a body in periodic space, the one to itself included.
std::vector<Vec3> images_of(const model::Periodicity& space) {
  std::vector<Vec3> shifts{Vec3::Zero()};
  for (int axis = 0; axis < 3; ++axis) {
    if (!space.along(axis)) continue;
    const Vec3 period = space.length[axis] * Vec3::Unit(axis);
    for (std::size_t k = 0, known = shifts.size(); k < known; ++k) {
      shifts.push_back(shifts[k] + period);
      shifts.push_back(shifts[k] - period);
    }
  }
  return shifts;
}

/// Points in cells, to find those in a box.
class PointGrid {
 public:
  explicit PointGrid(double cell) : cell_(cell) {}

  void add(const Vec3& point, int number) {
    const Vec3 place = cell_of(point);
    cells_[key_of(place)].push_back(number);
    lower_ = lower_.cwiseMin(place);
    upper_ = upper_.cwiseMax(place);
  }

  /// Visits all points no further than `reach` from `centre` along each axis, and some others.
  template <typename Visit>
  void near(const Vec3& centre, double reach, Visit&& visit) const {
    const Vec3 low = cell_of(centre.array() - reach).cwiseMax(lower_);
    const Vec3 high = cell_of(centre.array() + reach).cwiseMin(upper_);
    for (double x = low.x(); x <= high.x(); ++x)
      for (double y = low.y(); y <= high.y(); ++y)
        for (double z = low.z(); z <= high.z(); ++z)
          if (const auto found = cells_.find(key_of({x, y, z})); found != cells_.end())
            for (const int number : found->second) visit(number);
  }

 private:
  [[nodiscard]] Vec3 cell_of(const Vec3& point) const { return (point / cell_).array().floor(); }
  [[nodiscard]] static std::uint64_t key_of(const Vec3& cell) {
    std::uint64_t key = 0;
    for (const double along : cell)
      key = (key << 21U) | (static_cast<std::uint64_t>(static_cast<std::int64_t>(along)) & 0x1FFFFFU);
    return key;
  }

  double cell_;
  std::unordered_map<std::uint64_t, std::vector<int>> cells_;
  Vec3 lower_ = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper_ = Vec3::Constant(-std::numeric_limits<double>::infinity());
};

Body moved_to(Body body, const Vec3& place) {
  Vec3::Map(body.position) = place;
  return body;
}

}  // namespace

/// A body that is due, and the places that it tries.
struct Flow::Entrant {
  std::size_t source;
  Body body;
  std::array<Vec3, attempts> places;
};

bool Sink::takes(const Vec3& centre) const {
  if (const auto* inside = std::get_if<Inside>(&where)) return inside->box.contains(centre);
  // What is not a number is lost, and must not vanish in a sink.
  if (const auto* outside = std::get_if<Outside>(&where)) return centre.allFinite() && !outside->box.contains(centre);
  const auto& plane = std::get<model::Plane>(where);
  return (centre - plane.point).dot(plane.normal) < 0.0;
}

Flow::Flow(FlowSetup setup, const std::vector<model::Shape>& shapes)
    : setup_(std::move(setup)),
      shapes_(shapes),
      state_{setup_.first_id, std::vector<FlowTally>(setup_.sources.size()),
             std::vector<FlowTally>(setup_.sinks.size())} {}

void Flow::resume(FlowState state) {
  if (state.sources.size() != setup_.sources.size() || state.sinks.size() != setup_.sinks.size())
    throw InputError(
        fmt::format("the checkpoint knows {} sources and {} sinks, the scene has {} and {}: take the scene it was made "
                    "from",
                    state.sources.size(), state.sinks.size(), setup_.sources.size(), setup_.sinks.size()));
  state_ = std::move(state);
}

double Flow::expected_bodies(const Source& source, const std::vector<model::Shape>& shapes) {
  constexpr double very_many = 1e15;
  const double mass = source.by_mass ? mean_mass(source, shapes) : 1.0;
  return std::min({very_many, static_cast<double>(source.total), source.rate / mass * (source.end - source.start)});
}

std::int64_t Flow::waiting(std::size_t number, double time) const {
  const Source& source = setup_.sources[number];
  const FlowTally& tally = state_.sources[number];
  const double asked = source.rate * elapsed(source, time);
  const double bodies =
      source.by_mass ? (asked - tally.mass) / mean_mass(source, shapes_) : asked - static_cast<double>(tally.bodies);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(bodies + slack), 0, source.total - tally.bodies);
}

Flow::Departures Flow::take(const parallel::Comm& comm, const model::Bodies& bodies) {
  Departures departures{0, std::vector<char>(static_cast<std::size_t>(bodies.owned()), 0)};
  if (setup_.sinks.empty()) return departures;
  std::vector<double> gone(2 * setup_.sinks.size(), 0.0);
  for (std::size_t k = 0; k < departures.leaves.size(); ++k)
    for (std::size_t sink = 0; sink < setup_.sinks.size(); ++sink) {
      if (!setup_.sinks[sink].takes(bodies.position[k])) continue;
      departures.leaves[k] = 1;
      gone[2 * sink] += 1.0;
      gone[2 * sink + 1] += bodies.mass[k];
      break;
    }
  comm.sum(gone);
  for (std::size_t sink = 0; sink < setup_.sinks.size(); ++sink) {
    const std::int64_t count = std::llround(gone[2 * sink]);
    departures.total += count;
    state_.sinks[sink].bodies += count;
    state_.sinks[sink].mass += gone[2 * sink + 1];
  }
  return departures;
}

Flow::Entrant Flow::next_of(std::size_t number, std::int64_t which, std::int64_t step) const {
  const Source& source = setup_.sources[number];
  const auto index = static_cast<std::uint64_t>(which);
  Draws draws{setup_.seed, body_stream + number, index};
  const double radius = random_radius(source.recipe, draws);
  Entrant entrant{number, make_body(source.recipe, shapes_, 0, Vec3::Zero(), radius, draws), {}};
  Draws places{setup_.seed, place_stream + number, index, static_cast<std::uint64_t>(step)};
  for (Vec3& place : entrant.places) place = random_centre(source.region, entrant.body.radius, places);
  return entrant;
}

/// The bodies that all sources should have made by now and have not yet, those of a source in their order.
std::vector<Flow::Entrant> Flow::due(std::int64_t step, double time) const {
  std::vector<Entrant> entrants;
  for (std::size_t k = 0; k < setup_.sources.size(); ++k) {
    const Source& source = setup_.sources[k];
    const double asked = source.rate * elapsed(source, time) * (1.0 + slack);
    FlowTally made = state_.sources[k];
    const std::int64_t last = std::min(source.total, made.bodies + most_at_once);
    while (made.bodies < last) {
      if (!source.by_mass && static_cast<double>(made.bodies + 1) > asked) break;
      Entrant next = next_of(k, made.bodies, step);
      made.mass += next.body.mass;
      ++made.bodies;
      if (source.by_mass && made.mass > asked) break;
      entrants.push_back(std::move(next));
    }
  }
  return entrants;
}

bool Flow::overlap(const Body& a, const Body& b) {
  const double distance = (Vec3::Map(a.position) - Vec3::Map(b.position)).norm();
  if (distance >= a.radius + b.radius) return false;
  if (a.shape == model::sphere && b.shape == model::sphere) return true;
  touches_.clear();
  contacts_.find(collision::placed(a, shapes_), collision::placed(b, shapes_), 0.0, touches_);
  return std::ranges::any_of(touches_, [](const collision::Touch& touch) { return touch.gap < 0.0; });
}

/// Marks the places where owned bodies are in the way.
void Flow::veto(const model::Bodies& bodies, const std::vector<Entrant>& entrants, std::vector<std::uint64_t>& taken) {
  double largest = 0.0;
  for (const Entrant& entrant : entrants) largest = std::max(largest, entrant.body.radius);
  PointGrid grid(2.0 * largest);
  for (std::size_t e = 0; e < entrants.size(); ++e)
    for (std::size_t a = 0; a < attempts; ++a) grid.add(entrants[e].places[a], static_cast<int>(e * attempts + a));
  const std::vector<Vec3> images = images_of(bodies.space);
  for (int k = 0; k < bodies.owned(); ++k) {
    const Vec3& centre = bodies.position[static_cast<std::size_t>(k)];
    const double radius = bodies.radius[static_cast<std::size_t>(k)];
    if (!centre.allFinite()) continue;
    for (const Vec3& shift : images)
      grid.near(centre + shift, radius + largest, [&](int number) {
        const auto at = static_cast<std::size_t>(number);
        const Entrant& entrant = entrants[at / attempts];
        const Body there = moved_to(entrant.body, entrant.places[at % attempts]);
        if (overlap(moved_to(bodies.get(k), centre + shift), there)) taken[at / 64] |= std::uint64_t{1} << (at % 64);
      });
  }
}

/// The rank that has most bodies about each source, or else the nearest one.
std::vector<int> Flow::hosts(const parallel::Comm& comm, const model::Bodies& bodies) const {
  std::vector<double> score;
  for (const Source& source : setup_.sources) {
    const model::Box bounds = bounds_of(source.region);
    const double about = 4.0 * source.recipe.radius_max;
    double count = 0.0, nearest = 1e300;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k) {
      const Vec3& centre = bodies.position[k];
      const double distance = (centre - centre.cwiseMax(bounds.lower).cwiseMin(bounds.upper)).norm();
      count += distance < about ? 1.0 : 0.0;
      nearest = std::min(nearest, distance);
    }
    score.push_back(count > 0.0 ? count : -nearest);
  }
  std::vector<double> best = score;
  comm.max(best);
  std::vector<double> lowest_rank(score.size());
  for (std::size_t k = 0; k < score.size(); ++k) lowest_rank[k] = score[k] == best[k] ? -comm.rank() : -comm.size();
  comm.max(lowest_rank);
  std::vector<int> host;
  for (const double rank : lowest_rank) host.push_back(static_cast<int>(-rank));
  return host;
}

/// Gives each entrant in turn the first of its places that is free, of walls and of those before it, too. Where one
/// finds none the others of its source wait, for small bodies must not overtake large ones.
std::vector<Flow::Admitted> Flow::admit(const std::vector<Entrant>& entrants, const std::vector<std::uint64_t>& taken,
                                        const std::vector<model::Wall>& walls, const model::Periodicity& space) {
  const std::vector<Vec3> images = images_of(space);
  std::vector<Admitted> made;
  std::vector<char> is_stuck(setup_.sources.size(), 0);
  for (std::size_t e = 0; e < entrants.size(); ++e) {
    const Entrant& entrant = entrants[e];
    if (is_stuck[entrant.source] != 0) continue;
    const auto is_free = [&](const Vec3& place) {
      const std::size_t at = e * attempts + static_cast<std::size_t>(&place - entrant.places.data());
      const double radius = entrant.body.radius;
      if ((taken[at / 64] >> (at % 64) & 1U) != 0) return false;
      for (const model::Wall& wall : walls)
        if (gap_to_wall(wall, place, radius).gap < 0.0) return false;
      for (const Admitted& other : made)
        for (const Vec3& shift : images)
          if ((place + shift - Vec3::Map(other.body.position)).norm() < radius + other.body.radius) return false;
      return true;
    };
    const auto place = std::ranges::find_if(entrant.places, is_free);
    if (place == entrant.places.end()) {
      is_stuck[entrant.source] = 1;
      continue;
    }
    made.push_back({entrant.source, moved_to(entrant.body, *place)});
    made.back().body.id = state_.next_id++;
    ++state_.sources[entrant.source].bodies;
    state_.sources[entrant.source].mass += entrant.body.mass;
  }
  return made;
}

Flow::Arrivals Flow::give(const parallel::Comm& comm, const model::Bodies& bodies,
                          const std::vector<model::Wall>& walls, std::int64_t step, double time) {
  Arrivals arrivals{0, {}};
  const std::vector<Entrant> entrants = due(step, time);  // the same on all ranks
  if (entrants.empty()) return arrivals;
  std::vector<std::uint64_t> taken((entrants.size() * attempts + 63) / 64, 0);
  veto(bodies, entrants, taken);
  comm.unite(taken);
  const std::vector<Admitted> made = admit(entrants, taken, walls, bodies.space);
  arrivals.total = std::ssize(made);
  if (made.empty()) return arrivals;
  const std::vector<int> host = hosts(comm, bodies);
  for (const Admitted& one : made)
    if (host[one.source] == comm.rank()) arrivals.here.push_back(one.body);
  return arrivals;
}

}  // namespace scree::dynamics
