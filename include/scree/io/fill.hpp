#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"
#include "scree/model/shape.hpp"

namespace scree::io {

/// An upright circular cylinder.
struct CylinderRegion {
  model::Vec3 bottom;  ///< centre of the lower face (m)
  double radius;       ///< m
  double height;       ///< m
};

using Region = std::variant<model::Box, CylinderRegion>;

/// How radii are spread between the smallest and the largest.
struct Sizes {
  enum class Kind { uniform, log_normal, table };
  struct Class {
    double radius;  ///< m
    double share;   ///< of the number of bodies; all shares together may be any number
  };

  Kind kind = Kind::uniform;
  double median = 0.0;              ///< log_normal (m)
  double deviation = 0.0;           ///< log_normal: standard deviation of the logarithm of radii
  std::vector<Class> classes = {};  ///< table
};

/// A region filled with bodies on a lattice.
struct Fill {
  enum class Lattice { cubic, hexagonal };

  Region region;
  double radius_min = 0.0;                    ///< m
  double radius_max = 0.0;                    ///< m
  Sizes sizes = {};                           ///< of radii between the two
  std::optional<double> mass = std::nullopt;  ///< kg of every body, instead of the density of the material
  double density = 1000.0;                    ///< kg/m^3
  std::int64_t count = 0;                     ///< bodies; at most as many as fit
  Lattice lattice = Lattice::hexagonal;
  double spacing = 1.02;                       ///< distance of neighbours in largest diameters
  double jitter = 0.01;                        ///< largest random shift of a body in largest radii
  model::Vec3 velocity = model::Vec3::Zero();  ///< m/s
  int material = 0;
  int shape = model::sphere;  ///< of all bodies; radii are then that of the shape
  bool turned = true;         ///< bodies with a shape are turned at random
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

/// Body `index` of a fill: the same for a given seed on any rank.
[[nodiscard]] model::Body make_fill_body(const Fill& fill, const FillSites& sites, const FillContext& context,
                                         int fill_number, std::int64_t index, std::int64_t id);

}  // namespace scree::io
