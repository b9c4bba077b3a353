#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/model/periodicity.hpp"
#include "scree/parallel/halo.hpp"

namespace scree::model {

struct Shape;

inline constexpr int sphere = -1;  ///< stands in place of the number of a shape

/// One body with all that belongs to it: what travels when it changes its rank or is mirrored.
struct Body {
  std::int64_t id;     ///< unique in the whole run
  double position[3];  ///< centre of mass (m)
  double attitude[4];  ///< unit quaternion x, y, z, w from body to world frame
  double velocity[3];  ///< m/s
  double spin[3];      ///< angular velocity in the world frame (rad/s)
  double inertia[3];   ///< principal moments in the body frame (kg m^2)
  double mass;         ///< kg
  double radius;       ///< of the sphere about the centre of mass that contains it (m)
  std::int64_t material;
  std::int64_t shape;  ///< number in the table of shapes, or `sphere`
};

/// A homogeneous sphere at rest.
[[nodiscard]] Body make_sphere(std::int64_t id, const Vec3& position, double radius, double density, int material);

/// The bodies that this rank knows, as a structure of arrays: owned ones first, then ghosts.
class Bodies {
 public:
  std::vector<std::int64_t> id;
  std::vector<Vec3> position;
  std::vector<Quat> attitude;
  std::vector<Vec3> velocity;
  std::vector<Vec3> spin;
  std::vector<Vec3> inertia;
  std::vector<double> mass;
  std::vector<double> radius;
  std::vector<int> material;
  std::vector<int> shape;
  Periodicity space;                                 ///< in which they are
  std::shared_ptr<const std::vector<Shape>> shapes;  ///< that bodies have, the same on all ranks; none: all are spheres

  /// A sphere that turns about all axes alike: contacts between such bodies need no lever arms.
  [[nodiscard]] bool is_ball(int index) const {
    const auto k = static_cast<std::size_t>(index);
    return shape[k] == sphere && inertia[k].x() == inertia[k].y() && inertia[k].y() == inertia[k].z();
  }
  [[nodiscard]] const Shape& shape_of(int index) const;

  [[nodiscard]] int size() const { return static_cast<int>(id.size()); }
  [[nodiscard]] int owned() const { return owned_; }
  [[nodiscard]] int ghosts() const { return size() - owned_; }

  [[nodiscard]] Body get(int index) const;
  void add_owned(const Body& body);  ///< only while there are no ghosts
  /// The ghost stands `shift` (m) beside the body that it mirrors.
  void add_ghost(const Body& body, const Vec3& shift = Vec3::Zero());
  void drop_ghosts();
  /// Makes room for that many bodies in all, so that adding them takes no more memory than they do.
  void reserve(std::size_t count);

  /// Keeps the owned bodies `order[0], order[1], ...` in that order and drops all others and the ghosts.
  void reorder(const std::vector<int>& order);

  /// Keeps the ghosts at local indices `kept` (ascending) and drops the others.
  void keep_ghosts(const std::vector<int>& kept);

  /// Brings the owned bodies back into the first period of space.
  void wrap();

  /// Collective among neighbours: position and velocities of the owned bodies replace those of their ghosts.
  void refresh_ghosts(const parallel::Halo& halo);
  /// The same for attitudes: joints and shapes need them, contacts of spheres do not.
  void refresh_ghost_attitudes(const parallel::Halo& halo);

 private:
  void append(const Body& body);

  int owned_ = 0;
  std::vector<Vec3> ghost_shift_;
};

}  // namespace scree::model
