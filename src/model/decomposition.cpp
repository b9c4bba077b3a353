#include "scree/model/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "cells.hpp"

namespace scree::model {

using parallel::append;
using parallel::Comm;
using parallel::Halo;
using parallel::Mail;

CellLattice CellLattice::for_bodies(const Comm& comm, const Bodies& bodies) {
  double sums[2] = {0.0, static_cast<double>(bodies.owned())};
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    sums[0] += bodies.radius[k] * bodies.radius[k] * bodies.radius[k];
  comm.sum(sums);
  return {sums[1] > 0.0 ? 4.0 * std::cbrt(sums[0] / sums[1]) : 1.0, bodies.space};
}

namespace {

struct Census {
  Cell cell;
  std::int32_t bodies;
};

struct CellOwner {
  Cell cell;
  std::int32_t rank;
};

/// Who has bodies in a cell.
struct Inhabitants {
  std::int32_t bodies = 0;
  std::int32_t most = 0;    ///< bodies of the rank that has most
  std::int32_t leader = 0;  ///< that rank
};

/// A group so small has strayed. Larger ones would let borders move by themselves: whoever has more bodies at a border
/// would get ever more.
bool is_stray(std::int32_t group, const Inhabitants& all) { return 10 * group < all.bodies; }

}  // namespace

std::vector<int> owners_without_strays(const Comm& comm, const CellLattice& lattice, const Bodies& bodies) {
  const auto owned = static_cast<std::size_t>(bodies.owned());
  std::vector<int> target(owned, comm.rank());
  if (comm.size() == 1) return target;
  const Cells cells(lattice);
  CellMap<std::int32_t> count;
  for (std::size_t k = 0; k < owned; ++k) ++count[cells.of(bodies.position[k])];

  Mail census;
  for (const auto& [cell, number] : count) append(census[home_of(cell, comm.size())], Census{cell, number});
  const Mail reports = deliver(comm, census);

  CellMap<Inhabitants> inhabitants;
  for (const auto& [rank, bytes] : reports)  // ascending ranks: the lowest of equals leads
    for (const Census& report : parallel::records<Census>(bytes)) {
      Inhabitants& all = inhabitants[report.cell];
      all.bodies += report.bodies;
      if (report.bodies <= all.most) continue;
      all.most = report.bodies;
      all.leader = rank;
    }
  Mail answers;
  for (const auto& [rank, bytes] : reports)
    for (const Census& report : parallel::records<Census>(bytes))
      if (const Inhabitants& all = inhabitants[report.cell]; is_stray(report.bodies, all))
        append(answers[rank], CellOwner{report.cell, all.leader});

  CellMap<std::int32_t> leader;  // of the cells where bodies of this rank have strayed
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const CellOwner& answer : parallel::records<CellOwner>(bytes)) leader[answer.cell] = answer.rank;
  for (std::size_t k = 0; k < owned && !leader.empty(); ++k)
    if (const std::int32_t* const found = leader.find(cells.of(bodies.position[k]))) target[k] = *found;
  return target;
}

Mail migrate(const Comm& comm, Bodies& bodies, const std::vector<int>& target, const Mail& luggage) {
  Mail letters;
  std::vector<int> staying;
  std::unordered_map<int, std::int64_t> leaving;
  for (int k = 0; k < bodies.owned(); ++k) {
    const int rank = target[static_cast<std::size_t>(k)];
    if (rank == comm.rank()) {
      staying.push_back(k);
    } else {
      ++leaving[rank];
    }
  }
  for (const auto& [rank, bytes] : luggage) leaving[rank];  // luggage may go where no body goes
  for (const auto& [rank, number] : leaving) append(letters[rank], number);
  for (int k = 0; k < bodies.owned(); ++k)
    if (const int rank = target[static_cast<std::size_t>(k)]; rank != comm.rank()) append(letters[rank], bodies.get(k));
  for (const auto& [rank, bytes] : luggage) letters[rank].insert(letters[rank].end(), bytes.begin(), bytes.end());

  bodies.drop_ghosts();
  if (std::ssize(staying) < bodies.owned()) bodies.reorder(staying);
  const Mail delivered = deliver(comm, letters);
  letters.clear();
  const auto count_in = [](const parallel::Bytes& letter) {
    std::int64_t number = 0;
    std::memcpy(&number, letter.data(), sizeof number);
    return number;
  };
  std::size_t total = staying.size();
  for (const auto& [rank, bytes] : delivered) total += static_cast<std::size_t>(count_in(bytes));
  bodies.reserve(total);
  Mail arrived;
  for (const auto& [rank, bytes] : delivered) {
    const std::int64_t number = count_in(bytes);
    const auto* next = bytes.data() + sizeof number;
    for (std::int64_t k = 0; k < number; ++k, next += sizeof(Body)) {
      Body body;
      std::memcpy(&body, next, sizeof body);
      bodies.add_owned(body);
    }
    arrived.emplace(rank, parallel::Bytes(next, bytes.data() + bytes.size()));
  }
  return arrived;
}

namespace {

/// Where bodies that reach into a cell must be known: on another rank, or on the same one as images.
struct Destination {
  std::int32_t rank;
  std::int32_t image[3];  ///< that meets the bodies there
  friend auto operator<=>(const Destination&, const Destination&) = default;
};

struct SharedCell {
  Cell cell;
  Destination destination;
};

using Destinations = CellMap<std::vector<Destination>>;

struct Touch {};

/// The cells that bodies of this rank reach into.
CellMap<Touch> touched_cells(const Cells& cells, const Bodies& bodies, double margin) {
  CellMap<Touch> touched;
  // Bodies that follow each other are neighbours: most of their cells have just been seen.
  constexpr Cell nowhere{std::numeric_limits<std::int32_t>::max(), 0, 0};
  std::array<Cell, 512> recent;
  recent.fill(nowhere);
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    for_each_cell(cells.touched_by(bodies.position[k], bodies.radius[k] + margin), [&](const Cell& cell) {
      const auto low = [](std::int32_t coordinate) { return static_cast<std::size_t>(coordinate) % 8; };
      Cell& seen = recent[low(cell.x) + 8 * low(cell.y) + 64 * low(cell.z)];
      if (seen != cell) touched[seen = cell];
    });
  return touched;
}

/// A rank with bodies in a cell of the first period, or in one that repeats it.
struct Visitor {
  std::int32_t rank;
  Cell cell;
  Image image;
};

/// Where the bodies of one visitor must be known because of another one; nothing if they are further apart than
/// neighbouring periods, which only cells touch that are as wide as a period.
std::optional<Destination> destination_of(const Visitor& visitor, const Visitor& other) {
  const Image image = other.image - visitor.image;
  if (image.cwiseAbs().maxCoeff() > 1) return std::nullopt;
  return Destination{other.rank, {image.x(), image.y(), image.z()}};
}

/// Collective: for each cell that bodies of this rank reach into, where else bodies reach into it too.
Destinations find_shared_cells(const Comm& comm, const Cells& cells, const Bodies& bodies, double margin) {
  Mail registrations;
  for (const auto& [cell, touch] : touched_cells(cells, bodies, margin))
    append(registrations[home_of(cells.wrapped(cell).cell, comm.size())], cell);

  const Mail visits = deliver(comm, registrations);
  const auto for_each_visit = [&](auto&& visit) {
    for (const auto& [rank, bytes] : visits)
      for (const Cell& cell : parallel::records<Cell>(bytes)) visit(rank, cell, cells.wrapped(cell));
  };
  CellMap<std::int32_t> count;
  for_each_visit([&](int, const Cell&, const WrappedCell& home) { ++count[home.cell]; });
  CellMap<std::vector<Visitor>> visitors;  // of cells with several; most have one
  for_each_visit([&](int rank, const Cell& cell, const WrappedCell& home) {
    if (*count.find(home.cell) > 1) visitors[home.cell].push_back({rank, cell, home.image});
  });
  Mail answers;
  for (const auto& [cell, all] : visitors)
    for (const Visitor& visitor : all)
      for (const Visitor& other : all)
        if (const auto destination = destination_of(visitor, other); destination && &visitor != &other)
          append(answers[visitor.rank], SharedCell{visitor.cell, *destination});
  Destinations shared;
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const SharedCell& answer : parallel::records<SharedCell>(bytes))
      shared[answer.cell].push_back(answer.destination);
  return shared;
}

/// Where else a body must be known.
void collect_destinations(const Destinations& shared, const CellRange& reach, std::vector<Destination>& destinations) {
  destinations.clear();
  const auto add = [&](const std::vector<Destination>& more) {
    destinations.insert(destinations.end(), more.begin(), more.end());
  };
  const double volume = (reach.upper.x - reach.lower.x + 1.0) * (reach.upper.y - reach.lower.y + 1.0) *
                        (reach.upper.z - reach.lower.z + 1.0);
  if (volume > static_cast<double>(shared.size())) {  // a large body: fewer shared cells than cells it covers
    for (const auto& [cell, others] : shared)
      if (reach.contains(cell)) add(others);
  } else {
    for_each_cell(reach, [&](const Cell& cell) {
      if (const auto* const found = shared.find(cell)) add(*found);
    });
  }
  std::ranges::sort(destinations);
  destinations.erase(std::unique(destinations.begin(), destinations.end()), destinations.end());
}

/// A body on its way to become a ghost.
struct MirroredBody {
  Body body;
  double shift[3];
};

}  // namespace

Halo build_ghost_layer(const Comm& comm, const CellLattice& lattice, Bodies& bodies, double margin) {
  bodies.drop_ghosts();
  if (comm.size() == 1 && !lattice.space.any()) return {comm, {}};
  const Cells cells(lattice);
  const Destinations shared = find_shared_cells(comm, cells, bodies, margin);

  std::map<int, std::vector<int>> sent;
  Mail mirrored;
  for (const auto& [cell, destinations] : shared)
    for (const auto& destination : destinations) sent[destination.rank];  // a neighbour even if nothing is sent to it
  std::optional<CellRange> border;                                        // that holds all shared cells
  for (const auto& [cell, destinations] : shared) {
    if (!border) border = CellRange{cell, cell};
    border->include(cell);
  }
  std::vector<Destination> destinations;
  for (int k = 0; border && k < bodies.owned(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const CellRange reach = cells.touched_by(bodies.position[i], bodies.radius[i] + margin);
    if (!reach.meets(*border)) continue;
    collect_destinations(shared, reach, destinations);
    for (const Destination& destination : destinations) {
      MirroredBody copy{bodies.get(k), {}};
      Eigen::Map<Vec3>(copy.shift) = lattice.space.shift_of(Image(destination.image));
      sent[destination.rank].push_back(k);
      append(mirrored[destination.rank], copy);
    }
  }

  std::vector<int> neighbours;
  for (const auto& [rank, items] : sent) neighbours.push_back(rank);
  std::vector<Halo::Neighbour> plan;
  const Mail received = exchange_with_neighbours(comm, neighbours, mirrored);
  std::size_t ghosts = 0;
  for (const auto& [rank, bytes] : received) ghosts += bytes.size() / sizeof(MirroredBody);
  bodies.reserve(static_cast<std::size_t>(bodies.owned()) + ghosts);
  for (const auto& [rank, bytes] : received) {
    Halo::Neighbour& neighbour = plan.emplace_back(Halo::Neighbour{rank, std::move(sent[rank]), {}});
    for (const MirroredBody& ghost : parallel::records<MirroredBody>(bytes)) {
      neighbour.ghosts.push_back(bodies.size());
      bodies.add_ghost(ghost.body, Vec3(ghost.shift));
    }
  }
  return {comm, std::move(plan)};
}

Halo prune_ghosts(const Comm& comm, const Halo& halo, Bodies& bodies, const std::vector<char>& needed,
                  std::vector<int>& new_index) {
  std::vector<Halo::Neighbour> plan = halo.restricted(needed).neighbours();
  std::vector<int> kept;
  for (int ghost = bodies.owned(); ghost < bodies.size(); ++ghost)
    if (needed[static_cast<std::size_t>(ghost)] != 0) kept.push_back(ghost);
  new_index.assign(needed.size(), -1);
  for (std::size_t k = 0; k < kept.size(); ++k)
    new_index[static_cast<std::size_t>(kept[k])] = bodies.owned() + static_cast<int>(k);
  for (Halo::Neighbour& neighbour : plan)
    for (int& ghost : neighbour.ghosts) ghost = new_index[static_cast<std::size_t>(ghost)];
  bodies.keep_ghosts(kept);
  return {comm, std::move(plan)};
}

}  // namespace scree::model
