#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/dynamics/search.hpp"
#include "scree/model/shape.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_problem.hpp"

namespace scree::bench {

/// Two kinds of partners, one of which may be a wall.
enum class Partner { sphere, box, capsule, cylinder, wall };

/// A block of bodies over a floor, this rank's part of it, with its pairs and contacts: what a step of a dense bed
/// gives.
class Workplace {
 public:
  /// Collective. Spheres in hexagonal layers with slightly random places, six contacts a body.
  static Workplace of_spheres(const parallel::Comm& comm, std::int64_t contacts);
  /// Bricks in layers, four points a face.
  static Workplace of_bricks(const parallel::Comm& comm, std::int64_t contacts);
  /// Pairs of such partners, each far from all others.
  static Workplace of_pairs(const parallel::Comm& comm, Partner first, Partner second, std::int64_t pairs);

  [[nodiscard]] collision::ContactSet find_contacts();
  /// Its bodies fall onto each other, aslant.
  [[nodiscard]] problem::ContactProblem make_problem(problem::Law law) const;
  [[nodiscard]] std::unique_ptr<problem::BodyOperator> make_operator() const;

  const parallel::Comm& comm;
  model::Bodies bodies;
  std::vector<model::Wall> walls;
  dynamics::Neighbourhood neighbourhood;
  collision::ContactSet contacts;
  double margin = 0.01;  ///< m
  /// On all ranks.
  std::int64_t total_bodies = 0, total_pairs = 0, total_contacts = 0;

 private:
  Workplace(const parallel::Comm& world, model::Bodies owned, std::vector<model::Wall> with);

  std::optional<collision::ShapeContacts> shapes_;
};

}  // namespace scree::bench
