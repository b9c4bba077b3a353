#include "scree/parallel/exchange.hpp"

#include <limits>
#include <utility>

namespace scree::parallel {

namespace {

constexpr int neighbour_tag = 11;
// Two tags in turn: a rank may already be in the next delivery while a slower one still probes for the last.
constexpr int delivery_tags[2] = {12, 13};

/// A number of bytes as MPI takes it: if it is more than an int can tell, as one item of a type made for it.
class Extent {
 public:
  explicit Extent(std::size_t bytes) {
    if (bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr std::size_t piece = 1U << 30U;
    const int lengths[2] = {static_cast<int>(bytes / piece), static_cast<int>(bytes % piece)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes - bytes % piece)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    MPI_Type_contiguous(static_cast<int>(piece), MPI_BYTE, &types[0]);
    MPI_Type_create_struct(2, lengths, places, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&types[0]);
  }
  ~Extent() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);  // messages under way keep it
  }
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_BYTE;
};

Bytes receive_probed(MPI_Message message, MPI_Status status) {
  MPI_Count count = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &count);
  Bytes bytes(static_cast<std::size_t>(count));
  const Extent extent(bytes.size());
  MPI_Mrecv(bytes.data(), extent.count(), extent.type(), &message, MPI_STATUS_IGNORE);
  return bytes;
}

void count_message(const Comm& comm, const Bytes& bytes) {
  ++comm.traffic().messages;
  comm.traffic().bytes += static_cast<std::int64_t>(bytes.size());
}

}  // namespace

Outbox::~Outbox() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

void Outbox::send(int rank, int tag, Bytes bytes) {
  const Bytes& letter = letters_.emplace_back(std::move(bytes));
  const Extent extent(letter.size());
  MPI_Isend(letter.data(), extent.count(), extent.type(), rank, tag, comm_.handle(), &requests_.emplace_back());
  count_message(comm_, letter);
}

Bytes receive(const Comm& comm, int rank, int tag) {
  const WaitingTime waiting(comm);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Mprobe(rank, tag, comm.handle(), &message, &status);
  return receive_probed(message, status);
}

Mail exchange_with_neighbours(const Comm& comm, std::span<const int> neighbours, const Mail& outgoing) {
  Outbox outbox(comm);
  for (const int neighbour : neighbours) {
    const auto letter = outgoing.find(neighbour);
    outbox.send(neighbour, neighbour_tag, letter == outgoing.end() ? Bytes() : letter->second);
  }
  Mail incoming;
  for (const int neighbour : neighbours) incoming.emplace(neighbour, receive(comm, neighbour, neighbour_tag));
  return incoming;
}

Mail deliver(const Comm& comm, const Mail& outgoing) {
  Mail incoming;
  std::vector<MPI_Request> sends;
  const int tag = delivery_tags[comm.next_delivery() % 2];
  for (const auto& [rank, bytes] : outgoing) {
    if (rank == comm.rank()) {
      incoming.emplace(rank, bytes);
      continue;
    }
    const Extent extent(bytes.size());
    MPI_Issend(bytes.data(), extent.count(), extent.type(), rank, tag, comm.handle(), &sends.emplace_back());
    count_message(comm, bytes);
  }

  // A synchronous send completes when it is received. A rank whose letters have all arrived enters the barrier; when
  // the barrier completes, so have the letters of everybody.
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool in_barrier = false;
  for (int done = 0; !done;) {
    int waiting = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, tag, comm.handle(), &waiting, &message, &status);
    if (waiting) incoming.emplace(status.MPI_SOURCE, receive_probed(message, status));

    if (in_barrier) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      int sent = 0;
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE);
      if (sent) {
        MPI_Ibarrier(comm.handle(), &barrier);
        in_barrier = true;
      }
    }
  }
  return incoming;
}

Bytes detail::gather_everywhere(const Comm& comm, const void* records, std::size_t count, std::size_t size) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const WaitingTime waiting(comm);
  std::vector<int> counts(ranks), starts(ranks, 0);
  const int own = static_cast<int>(count);
  MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  for (std::size_t rank = 1; rank < ranks; ++rank) starts[rank] = starts[rank - 1] + counts[rank - 1];
  Bytes all(static_cast<std::size_t>(starts.back() + counts.back()) * size);
  MPI_Datatype record = MPI_DATATYPE_NULL;  // counted in records, so that more than 2 GB can be gathered
  MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &record);
  MPI_Type_commit(&record);
  MPI_Allgatherv(records, own, record, all.data(), counts.data(), starts.data(), record, comm.handle());
  MPI_Type_free(&record);
  return all;
}

}  // namespace scree::parallel
