#include "scree/parallel/halo.hpp"

#include <mpi.h>

#include <cstdint>
#include <utility>

namespace scree::parallel {

namespace {

constexpr int forward_tag = 21;
constexpr int reverse_tag = 22;

/// Calls `visit(double in the record, double in the message)` for all that travels of record `item`.
template <typename Data, typename Message, typename Visit>
Message* for_each_double(Data* data, Halo::Layout layout, int item, Message* message, Visit&& visit) {
  Data* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
  for (int part = 0; part < layout.parts; ++part, record += layout.part_stride)
    for (int k = 0; k < layout.width; ++k) visit(record[k], *message++);
  return message;
}

void pack(const double* data, Halo::Layout layout, const std::vector<int>& items, double*& message) {
  for (const int item : items)
    message = for_each_double(data, layout, item, message, [](double from, double& to) { to = from; });
}

}  // namespace

/// The buffers and persistent requests for records of one size.
struct Halo::Channel {
  struct Direction {
    std::vector<MPI_Request> requests;
    std::int64_t messages = 0;  ///< that this rank sends in one exchange
    std::int64_t bytes = 0;
  };

  int record_size;
  std::vector<double> ghost_buffer;  // one slot per ghost, neighbour by neighbour
  std::vector<double> owned_buffer;  // one slot per sent item, neighbour by neighbour
  Direction forward, reverse;

  Channel(const Comm& comm, const std::vector<Neighbour>& neighbours, int size, int sent, int ghosts)
      : record_size(size),
        ghost_buffer(static_cast<std::size_t>(ghosts) * static_cast<std::size_t>(size)),
        owned_buffer(static_cast<std::size_t>(sent) * static_cast<std::size_t>(size)) {
    double* owned = owned_buffer.data();
    double* ghost = ghost_buffer.data();
    for (const Neighbour& neighbour : neighbours) {
      const int owned_count = size * static_cast<int>(neighbour.sent.size());
      const int ghost_count = size * static_cast<int>(neighbour.ghosts.size());
      prepare(comm, neighbour.rank, forward_tag, {owned, owned_count}, {ghost, ghost_count}, forward);
      prepare(comm, neighbour.rank, reverse_tag, {ghost, ghost_count}, {owned, owned_count}, reverse);
      owned += owned_count;
      ghost += ghost_count;
    }
  }

  ~Channel() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    for (Direction* direction : {&forward, &reverse})
      for (MPI_Request& request : direction->requests) MPI_Request_free(&request);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void start(const Comm& comm, Direction& direction) {
    MPI_Startall(static_cast<int>(direction.requests.size()), direction.requests.data());
    comm.traffic().messages += direction.messages;
    comm.traffic().bytes += direction.bytes;
  }

  void wait(const Comm& comm, Direction& direction) {
    const WaitingTime waiting(comm);
    MPI_Waitall(static_cast<int>(direction.requests.size()), direction.requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  struct Part {
    double* first;
    int count;
  };

  static void prepare(const Comm& comm, int rank, int tag, Part out, Part in, Direction& direction) {
    if (in.count > 0)
      MPI_Recv_init(in.first, in.count, MPI_DOUBLE, rank, tag, comm.handle(), &direction.requests.emplace_back());
    if (out.count == 0) return;
    MPI_Send_init(out.first, out.count, MPI_DOUBLE, rank, tag, comm.handle(), &direction.requests.emplace_back());
    ++direction.messages;
    direction.bytes += out.count * static_cast<std::int64_t>(sizeof(double));
  }
};

struct Halo::Channels {
  std::vector<std::unique_ptr<Channel>> all;
};

Halo::Halo(const Comm& comm, std::vector<Neighbour> neighbours)
    : comm_(&comm), neighbours_(std::move(neighbours)), channels_(std::make_shared<Channels>()) {
  std::erase_if(neighbours_, [](const Neighbour& n) { return n.sent.empty() && n.ghosts.empty(); });
  for (const Neighbour& neighbour : neighbours_) {
    sent_ += static_cast<int>(neighbour.sent.size());
    ghosts_ += static_cast<int>(neighbour.ghosts.size());
  }
}

Halo::Channel& Halo::channel(int record_size) const {
  for (const auto& known : channels_->all)
    if (known->record_size == record_size) return *known;
  return *channels_->all.emplace_back(std::make_unique<Channel>(*comm_, neighbours_, record_size, sent_, ghosts_));
}

void Halo::begin_forward(const double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  double* message = open.owned_buffer.data();
  for (const Neighbour& neighbour : neighbours_) pack(data, layout, neighbour.sent, message);
  open.start(*comm_, open.forward);
}

void Halo::end_forward(double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  open.wait(*comm_, open.forward);
  const double* message = open.ghost_buffer.data();
  for (const Neighbour& neighbour : neighbours_)
    for (const int ghost : neighbour.ghosts)
      message = for_each_double(data, layout, ghost, message, [](double& to, double from) { to = from; });
}

void Halo::forward(double* data, Layout layout) const {
  begin_forward(data, layout);
  end_forward(data, layout);
}

void Halo::begin_reverse_add(const double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  double* message = open.ghost_buffer.data();
  for (const Neighbour& neighbour : neighbours_) pack(data, layout, neighbour.ghosts, message);
  open.start(*comm_, open.reverse);
}

void Halo::end_reverse_add(double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  open.wait(*comm_, open.reverse);
  const double* message = open.owned_buffer.data();
  for (const Neighbour& neighbour : neighbours_)
    for (const int item : neighbour.sent)
      message = for_each_double(data, layout, item, message, [](double& to, double from) { to += from; });
}

void Halo::reverse_add(double* data, Layout layout) const {
  begin_reverse_add(data, layout);
  end_reverse_add(data, layout);
}

Halo Halo::restricted(const std::vector<char>& needed) const {
  if (neighbours_.empty()) return *this;
  std::vector<double> flags(needed.begin(), needed.end());
  begin_reverse_add(flags.data(), {1, 1});
  Channel& open = channel(1);
  open.wait(*comm_, open.reverse);
  const double* answer = open.owned_buffer.data();  // flag by flag: the ghosts of one item on two ranks are told apart
  std::vector<Neighbour> plan;
  for (const Neighbour& neighbour : neighbours_) {
    Neighbour& rest = plan.emplace_back(Neighbour{neighbour.rank, {}, {}});
    for (const int item : neighbour.sent)
      if (*answer++ != 0.0) rest.sent.push_back(item);
    for (const int ghost : neighbour.ghosts)
      if (needed[static_cast<std::size_t>(ghost)] != 0) rest.ghosts.push_back(ghost);
  }
  return {*comm_, std::move(plan)};
}

}  // namespace scree::parallel
