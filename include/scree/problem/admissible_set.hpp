#pragma once

#include <array>

#include "scree/model/geometry.hpp"

namespace scree::problem {

/// The bounds of the three rows of a block: free row -inf..inf, absent row 0..0, limit 0..inf, motor -f h..f h.
struct RowBounds {
  double lower[3];
  double upper[3];
};

/// Which faces of its set a point lies on. Rows: -1 at the lower bound, 1 at the upper, 0 between. Contacts of the
/// other shapes: {-1 where x_n = 0, number of a facet + 1 or 0, number of a second facet + 1 or 0}; a disc has one
/// facet.
using ActiveFace = std::array<int, 3>;

/// The admissible set of one block of three rows (seed 000, table 1), a value that is cheap to make. Every set there is
/// one of three shapes: intervals for each row; x_n >= 0 with the tangential part in a regular polygon; the same with a
/// disc. The radius of polygon and disc is a constant (box, prism, cylinder) or grows as mu x_n (the cones).
class AdmissibleSet {
 public:
  enum class Shape { rows, polygon, disc };

  /// Frictionless contacts (bound 0), boxes and joints.
  [[nodiscard]] static AdmissibleSet intervals(const RowBounds& rows);
  [[nodiscard]] static AdmissibleSet box(double bound);
  /// |x_t|, |x_o| <= mu x_n.
  [[nodiscard]] static AdmissibleSet pyramid(double mu);
  /// The tangential part is a mean of +-r t_k, k = 1 .. n/2, where t_k span the plane uniformly and t_1 = t: the
  /// regular n-gon *inscribed* in the disc of radius r, with a vertex in the direction of t.
  [[nodiscard]] static AdmissibleSet prism(double bound, int facets);
  [[nodiscard]] static AdmissibleSet polyhedral_cone(double mu, int facets);
  [[nodiscard]] static AdmissibleSet cylinder(double bound);
  [[nodiscard]] static AdmissibleSet cone(double mu);

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] bool grows() const { return grows_; }   ///< the section's radius is mu x_n
  [[nodiscard]] double size() const { return size_; }   ///< mu of a set that grows, else the radius (N s)
  [[nodiscard]] int facets() const { return facets_; }  ///< of a polygon
  [[nodiscard]] bool is_square() const { return square_; }
  [[nodiscard]] const RowBounds& rows() const { return rows_; }
  /// Radius of the section at height x_n, not below 0.
  [[nodiscard]] double radius_at(double normal) const;

  /// The nearest admissible point.
  [[nodiscard]] model::Vec3 project(const model::Vec3& x) const;

  /// The nearest admissible point in the metric diag(s_n, s_T, s_T).
  [[nodiscard]] model::Vec3 project_isotropic(const model::Vec3& x, double s_n, double s_T) const;

  /// By how much x violates the worst of its bounds (N s); not positive inside.
  [[nodiscard]] double excess(const model::Vec3& x) const;
  [[nodiscard]] bool contains(const model::Vec3& x, double slack = 0.0) const { return excess(x) <= slack; }

  /// The faces that x lies on, up to rounding.
  [[nodiscard]] ActiveFace active_face(const model::Vec3& x) const;

  /// The nearest to d of all directions that do not leave the set at its point x.
  [[nodiscard]] model::Vec3 project_on_tangent_cone(const model::Vec3& x, const model::Vec3& d) const;

  /// The projection onto the directions of the face that x lies in, which lead along it both ways; on the rim of a disc
  /// those of its tangent plane.
  [[nodiscard]] model::Mat3 project_on_face(const model::Vec3& x) const;

  /// b, along the rim of a disc: where the gradient g presses x against it, a function of that gradient changes along
  /// the rim by 1/2 (b.d)^2 more than along the tangent d. Zero for other points and sets.
  [[nodiscard]] model::Vec3 bend(const model::Vec3& x, const model::Vec3& g) const;

  /// The largest t for which x + t d stays in the set, x being in it. For sections that do not grow.
  [[nodiscard]] double reach(const model::Vec3& x, const model::Vec3& d) const;

  /// The derivative of `project` at x; where it has a kink, one of its one-sided derivatives.
  [[nodiscard]] model::Mat3 projection_derivative(const model::Vec3& x) const;

  /// The largest d_T.y over the y in the section of radius 1 (polygon and disc): what friction can dissipate.
  [[nodiscard]] double section_support(const model::Vec3& d) const;

  /// Outward unit normal of facet k of a polygon.
  [[nodiscard]] model::Vec3 facet_normal(int k) const;
  /// The vertex k of a polygon of radius 1, between facets k - 1 and k: (0, t, o).
  [[nodiscard]] model::Vec3 vertex(int k) const;

 private:
  /// A tangential vector seen from the facet that it points to.
  struct Seen {
    int facet;
    double across, along;  ///< components orthogonal (>= 0) and parallel to the facet
    double e[2];           ///< the facet's normal in the plane
  };
  [[nodiscard]] Seen see(double t, double o) const;
  [[nodiscard]] double facet_angle(int k) const;
  /// Outward unit normal of a disc's set at a point on its rim.
  [[nodiscard]] model::Vec3 rim_normal(const model::Vec3& x) const;
  [[nodiscard]] model::Vec3 project_on_disc(const model::Vec3& x, double s_n, double s_T) const;
  [[nodiscard]] model::Vec3 project_on_polygon(const model::Vec3& x, double s_n, double s_T) const;
  [[nodiscard]] model::Mat3 disc_derivative(const model::Vec3& x) const;

  Shape shape_ = Shape::rows;
  bool grows_ = false;
  bool square_ = false;  ///< a polygon of four facets across t and o
  int facets_ = 0;
  double size_ = 0.0;
  double inner_ = 1.0;  ///< distance of the facets from the axis at radius 1
  double half_ = 1.0;   ///< half the length of a facet at radius 1
  RowBounds rows_{};
};

}  // namespace scree::problem
