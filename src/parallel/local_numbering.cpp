#include "scree/parallel/local_numbering.hpp"

#include <algorithm>

#include "scree/parallel/exchange.hpp"

namespace scree::parallel {

namespace {

std::vector<std::int64_t> foreign(const std::vector<std::int64_t>& used, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> ghosts;
  std::ranges::copy_if(used, std::back_inserter(ghosts), [&](std::int64_t k) { return k < first || k >= last; });
  std::ranges::sort(ghosts);
  const auto repeats = std::ranges::unique(ghosts);
  ghosts.erase(repeats.begin(), repeats.end());
  return ghosts;
}

/// Collective: asks the owners of the ghosts, which are sorted, for them.
Halo make_halo(const Comm& comm, const EvenSplit& split, int own, const std::vector<std::int64_t>& ghosts) {
  Mail requests;
  std::map<int, Halo::Neighbour> neighbours;
  const auto neighbour = [&](int rank) -> Halo::Neighbour& {
    return neighbours.try_emplace(rank, Halo::Neighbour{rank, {}, {}}).first->second;
  };
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    const int owner = split.part_of(ghosts[k]);
    append(requests[owner], ghosts[k]);
    neighbour(owner).ghosts.push_back(own + static_cast<int>(k));
  }
  for (const auto& [rank, request] : deliver(comm, requests))
    for (const std::int64_t number : records<std::int64_t>(request))
      neighbour(rank).sent.push_back(static_cast<int>(number - split.first(comm.rank())));
  std::vector<Halo::Neighbour> list;
  for (auto& [rank, peer] : neighbours) list.push_back(std::move(peer));
  return {comm, std::move(list)};
}

}  // namespace

LocalNumbering::LocalNumbering(const Comm& comm, const EvenSplit& split, const std::vector<std::int64_t>& used)
    : first_(split.first(comm.rank())),
      own_(static_cast<int>(split.count(comm.rank()))),
      ghosts_(foreign(used, first_, first_ + own_)),
      halo_(make_halo(comm, split, own_, ghosts_)) {}

int LocalNumbering::slot(std::int64_t number) const {
  if (number >= first_ && number < first_ + own_) return static_cast<int>(number - first_);
  return own_ + static_cast<int>(std::ranges::lower_bound(ghosts_, number) - ghosts_.begin());
}

}  // namespace scree::parallel
