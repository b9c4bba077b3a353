#pragma once

#include <vector>

#include "scree/dynamics/search.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/joint.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::dynamics {

/// A joint that this rank owns, with its bodies here.
struct PlacedJoint {
  model::Joint joint;
  int a;  ///< local index of the first body
  int b;  ///< local index of the second body, or -1: the world
};

/// Collective, after a search: moves each joint from wherever it is to the rank that owns it, which follows from the
/// owners of its two bodies as it does for contacts, and mirrors there the body that is missing, however far away. The
/// neighbourhood's halo then keeps these ghosts too, and pairs of bodies that a joint keeps from touching leave its
/// list. Joints come sorted by id. Throws StateError if a joint's body is nowhere.
[[nodiscard]] std::vector<PlacedJoint> place_joints(const parallel::Comm& comm, model::Bodies& bodies,
                                                    Neighbourhood& neighbourhood,
                                                    const std::vector<model::Joint>& joints);

/// The records of placed joints.
[[nodiscard]] std::vector<model::Joint> records_of(const std::vector<PlacedJoint>& joints);

}  // namespace scree::dynamics
