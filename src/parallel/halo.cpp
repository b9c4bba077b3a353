#include "scree/parallel/halo.hpp"

#include <algorithm>
#include <utility>

namespace scree::parallel {

namespace {
constexpr int forward_tag = 21;
constexpr int reverse_tag = 22;

/// Appends what travels of record `item` to a message.
void pack(const double* data, Halo::Layout layout, int item, std::vector<double>& message) {
  const double* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
  for (int part = 0; part < layout.parts; ++part, record += layout.part_stride)
    message.insert(message.end(), record, record + layout.width);
}

/// Hands the doubles of record `item` and of the message to `combine`, in pairs; returns what follows in the message.
template <typename Combine>
const double* unpack(const double* message, double* data, Halo::Layout layout, int item, Combine&& combine) {
  double* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
  for (int part = 0; part < layout.parts; ++part, record += layout.part_stride)
    for (int k = 0; k < layout.width; ++k) combine(record[k], *message++);
  return message;
}

}  // namespace

Halo::Halo(const Comm& comm, std::vector<Neighbour> neighbours) : comm_(&comm), neighbours_(std::move(neighbours)) {
  std::erase_if(neighbours_, [](const Neighbour& n) { return n.sent.empty() && n.ghosts == 0; });
}

int Halo::ghost_count() const {
  int count = 0;
  for (const Neighbour& neighbour : neighbours_) count += neighbour.ghosts;
  return count;
}

void Halo::post(std::vector<double>& receive, std::vector<double>& send, int width, bool forward) const {
  requests_.clear();
  std::size_t received = 0;
  for (const Neighbour& neighbour : neighbours_) {
    const int count = width * (forward ? neighbour.ghosts : static_cast<int>(neighbour.sent.size()));
    if (count > 0)
      MPI_Irecv(receive.data() + received, count, MPI_DOUBLE, neighbour.rank, forward ? forward_tag : reverse_tag,
                comm_->handle(), &requests_.emplace_back());
    received += static_cast<std::size_t>(count);
  }
  std::size_t sent = 0;
  for (const Neighbour& neighbour : neighbours_) {
    const int count = width * (forward ? static_cast<int>(neighbour.sent.size()) : neighbour.ghosts);
    if (count > 0) {
      MPI_Isend(send.data() + sent, count, MPI_DOUBLE, neighbour.rank, forward ? forward_tag : reverse_tag,
                comm_->handle(), &requests_.emplace_back());
      ++comm_->traffic().messages;
      comm_->traffic().bytes += count * static_cast<std::int64_t>(sizeof(double));
    }
    sent += static_cast<std::size_t>(count);
  }
}

void Halo::wait() const { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

void Halo::begin_forward(const double* data, Layout layout) const {
  owned_buffer_.clear();
  for (const Neighbour& neighbour : neighbours_)
    for (const int item : neighbour.sent) pack(data, layout, item, owned_buffer_);
  ghost_buffer_.resize(static_cast<std::size_t>(ghost_count() * layout.size()));
  post(ghost_buffer_, owned_buffer_, layout.size(), true);
}

void Halo::end_forward(double* data, Layout layout) const {
  wait();
  const double* message = ghost_buffer_.data();
  for (const Neighbour& neighbour : neighbours_)
    for (int ghost = 0; ghost < neighbour.ghosts; ++ghost)
      message =
          unpack(message, data, layout, neighbour.first_ghost + ghost, [](double& to, double from) { to = from; });
}

void Halo::forward(double* data, Layout layout) const {
  begin_forward(data, layout);
  end_forward(data, layout);
}

void Halo::begin_reverse_add(const double* data, Layout layout) const {
  ghost_buffer_.clear();
  std::size_t returning = 0;
  for (const Neighbour& neighbour : neighbours_) {
    returning += neighbour.sent.size();
    for (int ghost = 0; ghost < neighbour.ghosts; ++ghost)
      pack(data, layout, neighbour.first_ghost + ghost, ghost_buffer_);
  }
  owned_buffer_.resize(returning * static_cast<std::size_t>(layout.size()));
  post(owned_buffer_, ghost_buffer_, layout.size(), false);
}

void Halo::end_reverse_add(double* data, Layout layout) const {
  wait();
  const double* message = owned_buffer_.data();
  for (const Neighbour& neighbour : neighbours_)
    for (const int item : neighbour.sent)
      message = unpack(message, data, layout, item, [](double& to, double from) { to += from; });
}

void Halo::reverse_add(double* data, Layout layout) const {
  begin_reverse_add(data, layout);
  end_reverse_add(data, layout);
}

}  // namespace scree::parallel
