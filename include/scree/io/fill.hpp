#pragma once

#include <cstdint>
#include <vector>

#include "scree/model/body_recipe.hpp"
#include "scree/model/geometry.hpp"
#include "scree/model/region.hpp"
#include "scree/model/shape.hpp"

namespace scree::io {

using model::CylinderRegion;
using model::Region;

/// A region filled with bodies, on a lattice or at random.
struct Fill : model::BodyRecipe {
  enum class Lattice { cubic, hexagonal, random };

  Region region = {};
  std::int64_t count = 0;  ///< bodies; at most as many as fit
  Lattice lattice = Lattice::hexagonal;
  double spacing = 1.02;  ///< distance of neighbours in largest diameters
  double jitter = 0.01;   ///< largest random shift of a body in largest radii
};

/// The places for the bodies of a fill, by number: each follows from its number alone, so that ranks can make their
/// share of them without the others. They fill the region layer by layer from below; the sites of a top layer that is
/// not full are spread evenly over it.
class FillSites {
 public:
  /// `count` of the fill may exceed capacity(); then no site may be asked for.
  explicit FillSites(const Fill& fill);

  /// How many bodies fit.
  [[nodiscard]] std::int64_t capacity() const;
  [[nodiscard]] model::Vec3 operator[](std::int64_t site) const;

 private:
  struct Row {
    double x, y;          // of the first site
    std::int64_t before;  // sites of the layer in the rows before
  };
  struct Layer {
    std::vector<Row> rows;
    std::int64_t sites = 0;
  };
  [[nodiscard]] Layer make_layer(const Fill& fill, double margin, double offset_x, double offset_y) const;

  std::vector<Layer> kinds_;  // layers of the stack take turns among these
  std::int64_t layers_ = 0;
  std::int64_t count_ = 0;
  double spacing_ = 0.0;
  double bottom_ = 0.0;
  double rise_ = 0.0;  // height between layers
};

/// What bodies of all fills are made with.
struct FillContext {
  std::uint64_t seed;
  const std::vector<model::Shape>& shapes;
};

/// Body `index` of a fill about its site: the same for a given seed on any rank.
[[nodiscard]] model::Body make_fill_body(const Fill& fill, const model::Vec3& site, const FillContext& context,
                                         int fill_number, std::int64_t index, std::int64_t id);

}  // namespace scree::io
