#pragma once

#include "scree/parallel/halo.hpp"
#include "scree/problem/body_operator.hpp"

// How the motion of bodies lies in memory and travels between ranks.

namespace scree::problem {

inline constexpr int doubles_per_body = sizeof(BodyMotion) / sizeof(double);
// v and u travel, the masses between them stay.
inline constexpr parallel::Halo::Layout motion_layout{3, doubles_per_body, 2, doubles_per_body / 2};

inline void add(BodyMotion& motion, const model::Vec3& v, const model::Vec3& u) {
  Eigen::Map<model::Vec3>(motion.v) += v;
  Eigen::Map<model::Vec3>(motion.u) += u;
}

}  // namespace scree::problem
