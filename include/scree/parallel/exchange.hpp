#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

using Bytes = std::vector<std::byte>;

/// Messages by rank: to whom on the way out, from whom on the way in.
using Mail = std::map<int, Bytes>;

/// Messages on their way to other ranks: the end of its life waits until all have left.
class Outbox {
 public:
  explicit Outbox(const Comm& comm) : comm_(comm) {}
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void send(int rank, int tag, Bytes bytes);

 private:
  const Comm& comm_;
  std::deque<Bytes> letters_;
  std::vector<MPI_Request> requests_;
};

/// Waits for a message of any size.
[[nodiscard]] Bytes receive(const Comm& comm, int rank, int tag);

/// Collective among neighbours: each rank sends one message (possibly empty) to each of its neighbours and receives
/// one from each. Neighbourhood is symmetric. Sizes are found by probing, so there is no size message.
[[nodiscard]] Mail exchange_with_neighbours(const Comm& comm, std::span<const int> neighbours, const Mail& outgoing);

/// Collective: delivers mail to arbitrary ranks that do not expect it (sparse exchange by non-blocking consensus:
/// O(log ranks) rounds, no all-to-all). A rank may write to itself.
[[nodiscard]] Mail deliver(const Comm& comm, const Mail& outgoing);

template <typename Record>
void append(Bytes& bytes, const Record& record) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const auto* first = reinterpret_cast<const std::byte*>(&record);
  bytes.insert(bytes.end(), first, first + sizeof(Record));
}

/// The records that were appended one after another to a message.
template <typename Record>
[[nodiscard]] std::vector<Record> records(const Bytes& bytes) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::vector<Record> result(bytes.size() / sizeof(Record));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(Record));
  return result;
}

namespace detail {
/// Collective: `count` records of `size` bytes of each rank, rank by rank. Memory for all ranks' numbers of records.
[[nodiscard]] Bytes gather_everywhere(const Comm& comm, const void* records, std::size_t count, std::size_t size);
}  // namespace detail

/// Collective: the records of all ranks, rank by rank, on every rank. For methods that solve small problems as a whole;
/// nothing for the path of every time step.
template <typename Record>
[[nodiscard]] std::vector<Record> gather_everywhere(const Comm& comm, const std::vector<Record>& own) {
  static_assert(std::is_trivially_copyable_v<Record>);
  return records<Record>(detail::gather_everywhere(comm, own.data(), own.size(), sizeof(Record)));
}

}  // namespace scree::parallel
