#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <span>
#include <string>

namespace scree::parallel {

/// What travelled between ranks so far, seen from this rank.
struct Traffic {
  std::int64_t messages = 0;  ///< point-to-point, sent
  std::int64_t bytes = 0;     ///< in them
  std::int64_t reductions = 0;
  double waiting = 0.0;  ///< seconds spent in exchanges and reductions until other ranks answered

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    reductions += other.reductions;
    waiting += other.waiting;
    return *this;
  }
};

/// To be called before MPI starts: messages between ranks on one machine are copied at once if they are as short as
/// those of most sweeps, for to agree on a way first takes longer. OpenMPI only; what the environment says already
/// stays.
void copy_short_messages();

/// Owns a duplicate of an MPI communicator, so that Scree's messages never meet those of other libraries.
class Comm {
 public:
  explicit Comm(MPI_Comm parent);  ///< Collective: duplicates `parent`.
  ~Comm();
  Comm(Comm&& other) noexcept;
  Comm& operator=(Comm&& other) noexcept;

  /// Collective: the ranks that name the same colour (not negative) among themselves, in the same order.
  [[nodiscard]] Comm split(int colour) const;

  [[nodiscard]] MPI_Comm handle() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  // Collective reductions; every rank receives the result.
  [[nodiscard]] double sum(double value) const;
  [[nodiscard]] double max(double value) const;
  [[nodiscard]] double min(double value) const;
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;
  [[nodiscard]] std::int64_t max(std::int64_t value) const;
  [[nodiscard]] std::int64_t min(std::int64_t value) const;
  [[nodiscard]] bool any(bool value) const;
  void sum(std::span<double> values) const;
  void sum(std::span<std::int64_t> values) const;
  void max(std::span<double> values) const;
  void unite(std::span<std::uint64_t> bits) const;  ///< a bit is set if it is on any rank

  /// Collective: sum of `value` over all ranks below this one.
  [[nodiscard]] std::int64_t sum_below(std::int64_t value) const;

  /// Collective: all ranks get the text of rank `root`.
  void broadcast(std::string& text, int root = 0) const;

  /// Collective: if some rank passes an exception, all ranks throw one of its kind (InputError, StateError or
  /// std::runtime_error) with the message of the lowest such rank; so a failure on one rank hangs nobody.
  void rethrow_anywhere(const std::exception_ptr& local) const;

  [[nodiscard]] Traffic& traffic() const { return traffic_; }

  /// Numbers the sparse deliveries on this communicator, so that successive ones do not mix.
  [[nodiscard]] std::int64_t next_delivery() const { return deliveries_++; }

 private:
  Comm() = default;
  void look_up_rank();

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm petsc_comm_ = MPI_COMM_NULL;  // PETSc's own duplicate of it, kept for as long as this lives
  int rank_ = 0;
  int size_ = 1;
  mutable Traffic traffic_;
  mutable std::int64_t deliveries_ = 0;
};

/// Counts as waiting the time from its making to the end of its life.
class WaitingTime {
 public:
  explicit WaitingTime(const Comm& comm) : traffic_(comm.traffic()), start_(MPI_Wtime()) {}
  ~WaitingTime() { traffic_.waiting += MPI_Wtime() - start_; }
  WaitingTime(const WaitingTime&) = delete;
  WaitingTime& operator=(const WaitingTime&) = delete;

 private:
  Traffic& traffic_;
  double start_;
};

/// Collective: runs `work` on every rank and fails on all ranks alike if it throws on any.
template <typename Work>
void all_or_none(const Comm& comm, Work&& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  comm.rethrow_anywhere(error);
}

}  // namespace scree::parallel
