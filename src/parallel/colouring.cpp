#include "scree/parallel/colouring.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "scree/parallel/exchange.hpp"

namespace scree::parallel {

namespace {

constexpr int colours_tag = 23;

class ColourSet {
 public:
  [[nodiscard]] bool has(int colour) const {
    const auto word = static_cast<std::size_t>(colour / 64);
    return word < words_.size() && (words_[word] >> (colour % 64) & 1U) != 0;
  }
  void add(int colour) {
    const auto word = static_cast<std::size_t>(colour / 64);
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= std::uint64_t{1} << (colour % 64);
  }
  template <typename Function>
  void for_each(Function&& function) const {
    for (int colour = 0; colour < 64 * static_cast<int>(words_.size()); ++colour)
      if (has(colour)) function(colour);
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// What ranks tell each other: this colour is taken on this item.
struct Taken {
  std::int64_t id;
  std::int64_t colour;
};

/// Higher goes first. Drawn from the rank by a hash, so that neighbours in space are not neighbours in time.
std::pair<std::uint64_t, int> priority(int rank) {
  std::uint64_t z = (static_cast<std::uint64_t>(rank) + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  return {z ^ (z >> 27U), rank};
}

std::vector<char> used_items(const SharedItems& items, const std::vector<Task>& tasks) {
  std::vector<char> used(items.id.size(), 0);
  for (const Task& task : tasks)
    for (const int item : {task.first, task.second})
      if (item >= 0) used[static_cast<std::size_t>(item)] = 1;
  return used;
}

/// The items that this rank shares with each other rank that uses them too. Collective among neighbours: only the owner
/// of an item knows all its users, and tells them of each other.
std::map<int, std::set<std::int64_t>> find_rivals(const Comm& comm, const SharedItems& items,
                                                  const std::vector<char>& used) {
  const Halo halo = items.halo.restricted(used);
  std::unordered_map<int, std::vector<int>> users;  // of owned items
  std::vector<int> neighbours;
  for (const auto& neighbour : halo.neighbours()) {
    neighbours.push_back(neighbour.rank);
    for (const int item : neighbour.sent) users[item].push_back(neighbour.rank);
  }
  for (auto& [item, ranks] : users)
    if (used[static_cast<std::size_t>(item)] != 0) ranks.push_back(comm.rank());

  struct Use {
    std::int64_t id;
    std::int64_t rank;
  };
  std::map<int, std::set<std::int64_t>> rivals;
  Mail news;
  for (const auto& neighbour : halo.neighbours())
    for (const int item : neighbour.sent)
      for (const int rank : users[item])
        if (rank != neighbour.rank) append(news[neighbour.rank], Use{items.id[static_cast<std::size_t>(item)], rank});
  for (const auto& [item, ranks] : users)
    if (used[static_cast<std::size_t>(item)] != 0)
      for (const int rank : ranks)
        if (rank != comm.rank()) rivals[rank].insert(items.id[static_cast<std::size_t>(item)]);
  for (const auto& [from, bytes] : exchange_with_neighbours(comm, neighbours, news))
    for (const Use& use : records<Use>(bytes))
      if (use.rank != comm.rank()) rivals[static_cast<int>(use.rank)].insert(use.id);
  return rivals;
}

/// The colours of one rank's tasks, each the lowest that is free on both items.
class Greedy {
 public:
  Greedy(const SharedItems& items, const std::vector<char>& used) : ids_(items.id), taken_here_(items.id.size()) {
    for (std::size_t item = 0; item < used.size(); ++item)
      if (used[item] != 0) copies_[ids_[item]].push_back(static_cast<int>(item));
  }

  void block(const Taken& taken) { taken_elsewhere_[taken.id].add(static_cast<int>(taken.colour)); }

  int colour(const Task& task) {
    int colour = 0;
    while (!is_free(task.first, colour) || !is_free(task.second, colour)) ++colour;
    for (const int item : {task.first, task.second})
      if (item >= 0) taken_here_[static_cast<std::size_t>(item)].add(colour);
    return colour;
  }

  [[nodiscard]] Bytes message_about(const std::set<std::int64_t>& ids) const {
    Bytes bytes;
    for (const std::int64_t id : ids)
      for (const int item : copies_.at(id))
        taken_here_[static_cast<std::size_t>(item)].for_each([&](int colour) { append(bytes, Taken{id, colour}); });
    return bytes;
  }

 private:
  [[nodiscard]] bool is_free(int item, int colour) const {
    if (item < 0) return true;
    const std::int64_t id = ids_[static_cast<std::size_t>(item)];
    const auto elsewhere = taken_elsewhere_.find(id);
    if (elsewhere != taken_elsewhere_.end() && elsewhere->second.has(colour)) return false;
    return std::ranges::none_of(copies_.at(id), [&](int copy) {
      return copy != item && taken_here_[static_cast<std::size_t>(copy)].has(colour);
    });
  }

  const std::vector<std::int64_t>& ids_;
  std::unordered_map<std::int64_t, std::vector<int>> copies_;
  std::unordered_map<std::int64_t, ColourSet> taken_elsewhere_;
  std::vector<ColourSet> taken_here_;
};

}  // namespace

std::vector<int> colour_tasks(const Comm& comm, const SharedItems& items, const std::vector<Task>& tasks) {
  const std::vector<char> used = used_items(items, tasks);
  const auto rivals = find_rivals(comm, items, used);

  Greedy greedy(items, used);
  for (const auto& [rank, shared] : rivals)
    if (priority(rank) > priority(comm.rank()))
      for (const Taken& taken : records<Taken>(receive(comm, rank, colours_tag))) greedy.block(taken);
  std::vector<int> colours;
  colours.reserve(tasks.size());
  for (const Task& task : tasks) colours.push_back(greedy.colour(task));

  Outbox outbox(comm);
  for (const auto& [rank, shared] : rivals)
    if (priority(rank) < priority(comm.rank())) outbox.send(rank, colours_tag, greedy.message_about(shared));
  return colours;
}

}  // namespace scree::parallel
