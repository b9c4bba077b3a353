#include "scree/dynamics/forces.hpp"

namespace scree::dynamics {

ForceTable::ForceTable(const std::vector<BodyForce>& forces) {
  for (const BodyForce& force : forces) forces_.emplace(force.id, force);
}

void ForceTable::add(model::Bodies& bodies, std::size_t body, double h) const {
  const auto found = forces_.find(bodies.id[body]);
  if (found == forces_.end()) return;
  bodies.velocity[body] += h / bodies.mass[body] * found->second.force;
  const model::Quat& attitude = bodies.attitude[body];
  const model::Vec3 torque = attitude.conjugate() * found->second.torque;
  bodies.spin[body] += attitude * model::Vec3(h * torque.cwiseQuotient(bodies.inertia[body]));
}

}  // namespace scree::dynamics
