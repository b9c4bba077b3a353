#include "scree/parallel/halo.hpp"

#include <mpi.h>

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace scree::parallel {

namespace {

constexpr int forward_tag = 21;
constexpr int reverse_tag = 22;

/// Calls `visit(double in the record, double in the message)` for all that travels of the items' records.
template <typename Data, typename Message, typename Visit>
void for_each_double(Data* data, Halo::Layout layout, const std::vector<int>& items, Message*& message, Visit&& visit) {
  const auto visit_all = [&](auto width) {
    for (const int item : items) {
      Data* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
      for (int part = 0; part < layout.parts; ++part, record += layout.part_stride)
        for (int k = 0; k < width; ++k) visit(record[k], *message++);
    }
  };
  if (layout.width == 3) {  // vectors, which are most of what travels: a loop that the compiler can unroll
    visit_all(std::integral_constant<int, 3>{});
  } else {
    visit_all(layout.width);
  }
}

void pack(const double* data, Halo::Layout layout, const std::vector<int>& items, double*& message) {
  for_each_double(data, layout, items, message, [](double from, double& to) { to = from; });
}

}  // namespace

/// The buffers and persistent requests for records of one size.
struct Halo::Channel {
  /// Both with one slot per item, neighbour by neighbour. Who sends need not wait for who receives: what is on its way
  /// has a buffer of its own until the next exchange.
  struct Direction {
    std::vector<double> out, in;
    std::vector<MPI_Request> sends, receives;

    Direction(std::size_t to_send, std::size_t to_receive) : out(to_send), in(to_receive) {}

    void make_room(const Comm& comm) {
      const WaitingTime waiting(comm);
      complete(sends);
    }
    void start(const Comm& comm) {
      for (auto* requests : {&receives, &sends}) MPI_Startall(static_cast<int>(requests->size()), requests->data());
      comm.traffic().messages += std::ssize(sends);
      comm.traffic().bytes += std::ssize(out) * static_cast<std::int64_t>(sizeof(double));
    }
    void finish(const Comm& comm) {
      const WaitingTime waiting(comm);
      complete(receives);
    }
    static void complete(std::vector<MPI_Request>& requests) {
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
  };

  int record_size;
  Direction forward, reverse;

  Channel(const Comm& comm, const std::vector<Neighbour>& neighbours, int size, int sent, int ghosts)
      : record_size(size),
        forward(doubles(sent, size), doubles(ghosts, size)),
        reverse(doubles(ghosts, size), doubles(sent, size)) {
    int owned = 0, ghost = 0;  // doubles before those of a neighbour
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
    for (Direction* direction : {&forward, &reverse}) {
      Direction::complete(direction->sends);
      for (auto* requests : {&direction->sends, &direction->receives})
        for (MPI_Request& request : *requests) MPI_Request_free(&request);
    }
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

 private:
  struct Part {
    int first, count;
  };

  static std::size_t doubles(int items, int size) {
    return static_cast<std::size_t>(items) * static_cast<std::size_t>(size);
  }

  static void prepare(const Comm& comm, int rank, int tag, Part out, Part in, Direction& direction) {
    if (in.count > 0)
      MPI_Recv_init(direction.in.data() + in.first, in.count, MPI_DOUBLE, rank, tag, comm.handle(),
                    &direction.receives.emplace_back());
    if (out.count > 0)
      MPI_Send_init(direction.out.data() + out.first, out.count, MPI_DOUBLE, rank, tag, comm.handle(),
                    &direction.sends.emplace_back());
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
  open.forward.make_room(*comm_);
  double* message = open.forward.out.data();
  for (const Neighbour& neighbour : neighbours_) pack(data, layout, neighbour.sent, message);
  open.forward.start(*comm_);
}

void Halo::end_forward(double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  open.forward.finish(*comm_);
  const double* message = open.forward.in.data();
  for (const Neighbour& neighbour : neighbours_)
    for_each_double(data, layout, neighbour.ghosts, message, [](double& to, double from) { to = from; });
}

void Halo::forward(double* data, Layout layout) const {
  begin_forward(data, layout);
  end_forward(data, layout);
}

void Halo::begin_reverse_add(const double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  open.reverse.make_room(*comm_);
  double* message = open.reverse.out.data();
  for (const Neighbour& neighbour : neighbours_) pack(data, layout, neighbour.ghosts, message);
  open.reverse.start(*comm_);
}

void Halo::end_reverse_add(double* data, Layout layout) const {
  if (neighbours_.empty()) return;
  Channel& open = channel(layout.size());
  open.reverse.finish(*comm_);
  const double* message = open.reverse.in.data();
  for (const Neighbour& neighbour : neighbours_)
    for_each_double(data, layout, neighbour.sent, message, [](double& to, double from) { to += from; });
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
  open.reverse.finish(*comm_);
  const double* answer = open.reverse.in.data();  // flag by flag: the ghosts of one item on two ranks are told apart
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
