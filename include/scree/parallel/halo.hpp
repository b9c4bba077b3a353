#pragma once

#include <memory>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// The communication plan of a ghost layer, apart from the data that it moves: who exchanges which items with whom.
/// Items are identified by local index. One message per neighbour and direction and exchange, sent through persistent
/// requests; sizes are known to both sides; no barrier. Copies of a plan share its requests, so one exchange at a time
/// can be under way.
class Halo {
 public:
  struct Neighbour {
    int rank;
    std::vector<int> sent;    ///< owned items of which the neighbour holds a ghost
    std::vector<int> ghosts;  ///< ghosts of items that the neighbour owns, in the order in which it sends them
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

  /// Collective among neighbours: the plan for those ghosts only whose flag is set; one flag per item, those of owned
  /// items do not matter.
  [[nodiscard]] Halo restricted(const std::vector<char>& needed) const;

  [[nodiscard]] const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  [[nodiscard]] int ghost_count() const { return ghosts_; }

 private:
  struct Channel;
  struct Channels;
  [[nodiscard]] Channel& channel(int record_size) const;

  const Comm* comm_ = nullptr;
  std::vector<Neighbour> neighbours_;
  int sent_ = 0;
  int ghosts_ = 0;
  std::shared_ptr<Channels> channels_;
};

}  // namespace scree::parallel
