#include "scree/parallel/halo.hpp"

#include <algorithm>
#include <utility>

namespace scree::parallel {

namespace {
constexpr int forward_tag = 21;
constexpr int reverse_tag = 22;
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
    for (const int item : neighbour.sent) {
      const double* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
      owned_buffer_.insert(owned_buffer_.end(), record, record + layout.width);
    }
  ghost_buffer_.resize(static_cast<std::size_t>(ghost_count() * layout.width));
  post(ghost_buffer_, owned_buffer_, layout.width, true);
}

void Halo::end_forward(double* data, Layout layout) const {
  wait();
  const double* source = ghost_buffer_.data();
  for (const Neighbour& neighbour : neighbours_)
    for (int ghost = 0; ghost < neighbour.ghosts; ++ghost, source += layout.width)
      std::copy_n(source, layout.width,
                  data + static_cast<std::ptrdiff_t>(neighbour.first_ghost + ghost) * layout.stride);
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
    for (int ghost = 0; ghost < neighbour.ghosts; ++ghost) {
      const double* record = data + static_cast<std::ptrdiff_t>(neighbour.first_ghost + ghost) * layout.stride;
      ghost_buffer_.insert(ghost_buffer_.end(), record, record + layout.width);
    }
  }
  owned_buffer_.resize(returning * static_cast<std::size_t>(layout.width));
  post(owned_buffer_, ghost_buffer_, layout.width, false);
}

void Halo::end_reverse_add(double* data, Layout layout) const {
  wait();
  const double* source = owned_buffer_.data();
  for (const Neighbour& neighbour : neighbours_)
    for (const int item : neighbour.sent) {
      double* record = data + static_cast<std::ptrdiff_t>(item) * layout.stride;
      for (int k = 0; k < layout.width; ++k) record[k] += *source++;
    }
}

void Halo::reverse_add(double* data, Layout layout) const {
  begin_reverse_add(data, layout);
  end_reverse_add(data, layout);
}

}  // namespace scree::parallel
