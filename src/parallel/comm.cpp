#include "scree/parallel/comm.hpp"

#include <petscsys.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::parallel {

namespace {

template <typename T>
T reduce(const Comm& comm, T value, MPI_Datatype type, MPI_Op op) {
  ++comm.traffic().reductions;
  if (comm.size() == 1) return value;
  const WaitingTime waiting(comm);
  T result{};
  MPI_Allreduce(&value, &result, 1, type, op, comm.handle());
  return result;
}

}  // namespace

void copy_short_messages() {
  constexpr const char* most = "65536";  // bytes
  for (const char* setting : {"OMPI_MCA_btl_vader_eager_limit", "OMPI_MCA_btl_sm_eager_limit"})
    setenv(setting, most, 0);
}

Comm::Comm(MPI_Comm parent) {
  MPI_Comm_dup(parent, &comm_);
  look_up_rank();
  // PETSc works on a duplicate that it drops with the last of its objects: without this, a new one in every step.
  if (PetscInitializeCalled && !PetscFinalizeCalled) PetscCommDuplicate(comm_, &petsc_comm_, nullptr);
}

void Comm::look_up_rank() {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Comm Comm::split(int colour) const {
  Comm part;
  MPI_Comm_split(comm_, colour, rank_, &part.comm_);
  part.look_up_rank();
  return part;
}

Comm::~Comm() {
  if (petsc_comm_ != MPI_COMM_NULL && !PetscFinalizeCalled) PetscCommDestroy(&petsc_comm_);
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Comm::Comm(Comm&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      petsc_comm_(std::exchange(other.petsc_comm_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      traffic_(other.traffic_),
      deliveries_(other.deliveries_) {}

Comm& Comm::operator=(Comm&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(petsc_comm_, other.petsc_comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(traffic_, other.traffic_);
  std::swap(deliveries_, other.deliveries_);
  return *this;
}

double Comm::sum(double value) const { return reduce(*this, value, MPI_DOUBLE, MPI_SUM); }
double Comm::max(double value) const { return reduce(*this, value, MPI_DOUBLE, MPI_MAX); }
double Comm::min(double value) const { return reduce(*this, value, MPI_DOUBLE, MPI_MIN); }
std::int64_t Comm::sum(std::int64_t value) const { return reduce(*this, value, MPI_INT64_T, MPI_SUM); }
std::int64_t Comm::max(std::int64_t value) const { return reduce(*this, value, MPI_INT64_T, MPI_MAX); }
std::int64_t Comm::min(std::int64_t value) const { return reduce(*this, value, MPI_INT64_T, MPI_MIN); }
bool Comm::any(bool value) const { return max(static_cast<std::int64_t>(value)) != 0; }

void Comm::sum(std::span<double> values) const {
  ++traffic_.reductions;
  if (size_ == 1) return;
  const WaitingTime waiting(*this);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_);
}

void Comm::sum(std::span<std::int64_t> values) const {
  ++traffic_.reductions;
  if (size_ == 1) return;
  const WaitingTime waiting(*this);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, comm_);
}

void Comm::max(std::span<double> values) const {
  ++traffic_.reductions;
  if (size_ == 1) return;
  const WaitingTime waiting(*this);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm_);
}

void Comm::unite(std::span<std::uint64_t> bits) const {
  const WaitingTime waiting(*this);
  ++traffic_.reductions;
  MPI_Allreduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, MPI_BOR, comm_);
}

std::int64_t Comm::sum_below(std::int64_t value) const {
  ++traffic_.reductions;
  std::int64_t below = 0;  // MPI_Exscan leaves rank 0 untouched
  if (size_ == 1) return below;
  MPI_Exscan(&value, &below, 1, MPI_INT64_T, MPI_SUM, comm_);
  return below;
}

void Comm::broadcast(std::string& text, int root) const {
  auto length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, root, comm_);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm_);
}

namespace {

enum class Kind : int { input, state, other };

struct Failure {
  Kind kind = Kind::other;
  std::string message;
};

Failure describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    return {Kind::input, e.what()};
  } catch (const StateError& e) {
    return {Kind::state, e.what()};
  } catch (const std::exception& e) {
    return {Kind::other, e.what()};
  } catch (...) {
    return {Kind::other, "unknown error"};
  }
}

}  // namespace

void Comm::rethrow_anywhere(const std::exception_ptr& local) const {
  const auto spokesman = static_cast<int>(min(static_cast<std::int64_t>(local ? rank_ : size_)));
  if (spokesman == size_) return;

  Failure failure;
  if (spokesman == rank_) failure = describe(local);
  auto kind = static_cast<int>(failure.kind);
  MPI_Bcast(&kind, 1, MPI_INT, spokesman, comm_);
  broadcast(failure.message, spokesman);

  switch (static_cast<Kind>(kind)) {
    case Kind::input:
      throw InputError(failure.message);
    case Kind::state:
      throw StateError(failure.message);
    case Kind::other:
      break;
  }
  throw std::runtime_error(failure.message);
}

}  // namespace scree::parallel
