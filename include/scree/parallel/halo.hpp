#pragma once

#include <mpi.h>

#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// The communication plan of a ghost layer, apart from the data that it moves: who exchanges which items with whom.
/// Items are identified by local index: owned items first, then ghosts, the ghosts of one neighbour side by side.
/// One message per neighbour and direction and exchange; sizes are known to both sides; no barrier.
class Halo {
 public:
  struct Neighbour {
    int rank;
    std::vector<int> sent;  ///< owned items of which the neighbour holds a ghost
    int first_ghost;        ///< ghosts that the neighbour owns: [first_ghost, first_ghost + ghosts)
    int ghosts;
  };

  /// A plan without neighbours.
  Halo() = default;
  /// Collective among neighbours: both sides of each pair must describe the same items in the same order.
  Halo(const Comm& comm, std::vector<Neighbour> neighbours);

  /// Describes records that lie `stride` doubles apart: of each, `parts` runs of `width` doubles travel, which start
  /// `part_stride` doubles apart.
  struct Layout {
    int width;
    int stride;
    int parts = 1;
    int part_stride = 0;

    [[nodiscard]] int size() const { return width * parts; }
  };

  /// Copies owned records to the ghosts that mirror them. Between begin and end the caller may work on other records.
  void begin_forward(const double* data, Layout layout) const;
  void end_forward(double* data, Layout layout) const;
  void forward(double* data, Layout layout) const;

  /// Adds ghost records to the owned records that they mirror, in an order that does not depend on arrival.
  void begin_reverse_add(const double* data, Layout layout) const;
  void end_reverse_add(double* data, Layout layout) const;
  void reverse_add(double* data, Layout layout) const;

  [[nodiscard]] const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  [[nodiscard]] int ghost_count() const;

 private:
  void post(std::vector<double>& receive, std::vector<double>& send, int width, bool forward) const;
  void wait() const;

  const Comm* comm_ = nullptr;
  std::vector<Neighbour> neighbours_;
  // Room for one exchange at a time; the plan itself does not change.
  mutable std::vector<double> ghost_buffer_;  // one slot per ghost, neighbour by neighbour
  mutable std::vector<double> owned_buffer_;  // one slot per sent item, neighbour by neighbour
  mutable std::vector<MPI_Request> requests_;
};

}  // namespace scree::parallel
