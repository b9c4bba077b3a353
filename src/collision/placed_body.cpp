#include "scree/collision/placed_body.hpp"

namespace scree::collision {

Placed placed(const model::Body& body, const std::vector<model::Shape>& shapes) {
  const bool is_sphere = body.shape == model::sphere;
  return {is_sphere ? nullptr : &shapes[static_cast<std::size_t>(body.shape)], body.radius, model::Vec3(body.position),
          model::Quat(body.attitude).toRotationMatrix()};
}

}  // namespace scree::collision
