#include "scree/model/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

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
  return {sums[1] > 0.0 ? 4.0 * std::cbrt(sums[0] / sums[1]) : 1.0};
}

namespace {

/// Integer coordinates of a lattice cell.
struct Cell {
  std::int32_t x, y, z;
  friend bool operator==(const Cell&, const Cell&) = default;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    const auto low = [](std::int32_t v) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)); };
    return scramble(low(cell.x) ^ scramble(low(cell.y) ^ scramble(low(cell.z))));
  }
};

/// The rank that answers for a cell.
int home_of(const Cell& cell, int ranks) {
  return static_cast<int>(CellHash{}(cell) % static_cast<std::uint64_t>(ranks));
}

std::int32_t cell_coordinate(double value, double edge) {
  // Far outside any sensible scene the lattice ends; bodies there share its last cell instead of overflowing.
  return static_cast<std::int32_t>(std::clamp(std::floor(value / edge), -1e9, 1e9));
}

Cell cell_of(const CellLattice& lattice, const Vec3& point) {
  return {cell_coordinate(point.x(), lattice.edge), cell_coordinate(point.y(), lattice.edge),
          cell_coordinate(point.z(), lattice.edge)};
}

struct CellRange {
  Cell lower, upper;
  [[nodiscard]] bool contains(const Cell& c) const {
    return c.x >= lower.x && c.x <= upper.x && c.y >= lower.y && c.y <= upper.y && c.z >= lower.z && c.z <= upper.z;
  }
};

CellRange cells_touched(const CellLattice& lattice, const Vec3& centre, double reach) {
  const Vec3 extent = Vec3::Constant(reach);
  return {cell_of(lattice, centre - extent), cell_of(lattice, centre + extent)};
}

template <typename Visit>
void for_each_cell(const CellRange& range, Visit&& visit) {
  for (std::int32_t x = range.lower.x; x <= range.upper.x; ++x)
    for (std::int32_t y = range.lower.y; y <= range.upper.y; ++y)
      for (std::int32_t z = range.lower.z; z <= range.upper.z; ++z) visit(Cell{x, y, z});
}

struct Census {
  Cell cell;
  std::int32_t bodies;
};

struct CellOwner {
  Cell cell;
  std::int32_t rank;
};

struct Majority {
  std::int32_t bodies = 0;
  std::int32_t rank = 0;
};

}  // namespace

std::vector<int> owners_by_majority(const Comm& comm, const CellLattice& lattice, const Bodies& bodies) {
  const auto owned = static_cast<std::size_t>(bodies.owned());
  if (comm.size() == 1) return std::vector<int>(owned, 0);
  std::unordered_map<Cell, std::int32_t, CellHash> count;
  for (std::size_t k = 0; k < owned; ++k) ++count[cell_of(lattice, bodies.position[k])];

  Mail census;
  for (const auto& [cell, number] : count) append(census[home_of(cell, comm.size())], Census{cell, number});
  const Mail reports = deliver(comm, census);

  std::unordered_map<Cell, Majority, CellHash> majority;
  for (const auto& [rank, bytes] : reports)  // ascending ranks: the lowest of equals wins
    for (const Census& report : parallel::records<Census>(bytes)) {
      Majority& leader = majority[report.cell];
      if (report.bodies > leader.bodies) leader = {report.bodies, rank};
    }
  Mail answers;
  for (const auto& [rank, bytes] : reports)
    for (const Census& report : parallel::records<Census>(bytes))
      append(answers[rank], CellOwner{report.cell, majority[report.cell].rank});

  std::unordered_map<Cell, std::int32_t, CellHash> owner;
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const CellOwner& answer : parallel::records<CellOwner>(bytes)) owner[answer.cell] = answer.rank;

  std::vector<int> target(owned);
  for (std::size_t k = 0; k < owned; ++k) target[k] = owner.at(cell_of(lattice, bodies.position[k]));
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

  bodies.reorder(staying);
  Mail arrived;
  for (const auto& [rank, bytes] : deliver(comm, letters)) {
    std::int64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
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

struct SharedCell {
  Cell cell;
  std::int32_t rank;  ///< another rank whose bodies reach into the cell
};

using RanksByCell = std::unordered_map<Cell, std::vector<std::int32_t>, CellHash>;

/// Collective: for each cell that bodies of this rank reach into, the other ranks whose bodies do so too.
RanksByCell find_shared_cells(const Comm& comm, const CellLattice& lattice, const Bodies& bodies, double margin) {
  std::unordered_map<Cell, bool, CellHash> touched;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    for_each_cell(cells_touched(lattice, bodies.position[k], bodies.radius[k] + margin),
                  [&](const Cell& cell) { touched.emplace(cell, true); });
  Mail registrations;
  for (const auto& [cell, unused] : touched) append(registrations[home_of(cell, comm.size())], cell);
  const Mail registered = deliver(comm, registrations);

  RanksByCell visitors;
  for (const auto& [rank, bytes] : registered)
    for (const Cell& cell : parallel::records<Cell>(bytes)) visitors[cell].push_back(rank);
  Mail answers;
  for (const auto& [cell, ranks] : visitors) {
    if (ranks.size() < 2) continue;
    for (const auto to : ranks)
      for (const auto other : ranks)
        if (to != other) append(answers[to], SharedCell{cell, other});
  }
  RanksByCell shared;
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const SharedCell& answer : parallel::records<SharedCell>(bytes)) shared[answer.cell].push_back(answer.rank);
  return shared;
}

/// The other ranks to which a body must be known.
void collect_ranks(const RanksByCell& shared, const CellRange& reach, std::vector<std::int32_t>& ranks) {
  ranks.clear();
  const auto add = [&](const std::vector<std::int32_t>& more) { ranks.insert(ranks.end(), more.begin(), more.end()); };
  const double volume = (reach.upper.x - reach.lower.x + 1.0) * (reach.upper.y - reach.lower.y + 1.0) *
                        (reach.upper.z - reach.lower.z + 1.0);
  if (volume > static_cast<double>(shared.size())) {  // a large body: fewer shared cells than cells it covers
    for (const auto& [cell, others] : shared)
      if (reach.contains(cell)) add(others);
  } else {
    for_each_cell(reach, [&](const Cell& cell) {
      if (const auto found = shared.find(cell); found != shared.end()) add(found->second);
    });
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

}  // namespace

Halo build_ghost_layer(const Comm& comm, const CellLattice& lattice, Bodies& bodies, double margin) {
  bodies.drop_ghosts();
  if (comm.size() == 1) return {comm, {}};
  const RanksByCell shared = find_shared_cells(comm, lattice, bodies, margin);

  std::map<int, std::vector<int>> sent;
  for (const auto& [cell, ranks] : shared)
    for (const auto rank : ranks) sent[rank];  // a neighbour even if none of my bodies reaches its cells
  std::vector<std::int32_t> ranks;
  for (int k = 0; k < bodies.owned(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    collect_ranks(shared, cells_touched(lattice, bodies.position[i], bodies.radius[i] + margin), ranks);
    for (const auto rank : ranks) sent[rank].push_back(k);
  }

  Mail mirrored;
  std::vector<int> neighbours;
  for (const auto& [rank, items] : sent) {
    neighbours.push_back(rank);
    for (const int item : items) append(mirrored[rank], bodies.get(item));
  }
  std::vector<Halo::Neighbour> plan;
  for (const auto& [rank, bytes] : exchange_with_neighbours(comm, neighbours, mirrored)) {
    Halo::Neighbour& neighbour = plan.emplace_back(Halo::Neighbour{rank, std::move(sent[rank]), {}});
    for (const Body& ghost : parallel::records<Body>(bytes)) {
      neighbour.ghosts.push_back(bodies.size());
      bodies.add_ghost(ghost);
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
