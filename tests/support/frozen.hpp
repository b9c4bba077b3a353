#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_problem.hpp"
#include "support/nearest.hpp"

// Contact problems that stand still: the same scene, known to every rank, becomes the same problem on any number of
// ranks, however its bodies are dealt out.

namespace scree::test {

/// Numbers in [-1, 1], the same everywhere for the same seed.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double operator()() { return 2.0 * static_cast<double>(random_()) / static_cast<double>(std::mt19937::max()) - 1.0; }
  model::Vec3 vector() {
    const double x = (*this)(), y = (*this)();
    return {x, y, (*this)()};
  }

 private:
  std::mt19937 random_;
};

/// Bodies with their free velocities v*, and all that turns them into a problem.
struct FrozenScene {
  std::vector<model::Body> bodies;  ///< ids count from 0
  std::vector<model::Wall> walls;
  double friction = 0.3;
  double margin = 0.05;  ///< surfaces nearer than this make a contact (m)
  double step = 5e-3;    ///< h (s)
};

inline constexpr double gravity = 9.81;  ///< m/s^2

/// A sphere of radius 0.5 m and about 1 kg.
model::Body unit_sphere(std::int64_t id, const model::Vec3& position, double radius = 0.5);

/// nx x ny x nz spheres of unequal size in a box, pressed together by their weight for one step, each shifted from its
/// place by up to `jostle` (m) in every direction. Layers overlap a little; side by side there is just room, so that
/// the walls cannot squeeze anybody and a solution exists.
FrozenScene bed(int nx, int ny, int nz, unsigned seed, double jostle = 0.04);

/// Equal spheres of 1 kg exactly on top of each other on the floor, pulled by gravity for one step. The exact solution:
/// each contact carries the weight above it.
FrozenScene column(int height);

/// Spheres that touch nothing.
FrozenScene loose(int count);

/// How bodies are dealt out to the ranks.
enum class Placement {
  slabs,       ///< along x, side by side
  scattered,   ///< neighbours in space on different ranks: nearly all contacts are shared
  even_ranks,  ///< in slabs on every other rank, the others are empty
  last_rank,   ///< all on one
};
inline constexpr Placement all_placements[] = {Placement::slabs, Placement::scattered, Placement::even_ranks,
                                               Placement::last_rank};

std::string name_of(Placement placement);

/// The rank that a body of the scene is dealt to.
int rank_of(const FrozenScene& scene, const model::Body& body, Placement placement, int ranks);

/// This rank's part of a scene, and its problem.
struct Frozen {
  model::Bodies bodies;
  collision::ContactSet contacts;
  std::vector<collision::ContactId> ids;  ///< of the contacts
  problem::ContactProblem problem;
};

/// Collective: r = D^T v* + gap / h, overlaps undone by 0.1 m/s at most.
parallel::Vector offsets(const FrozenScene& scene, const model::Bodies& bodies, const collision::ContactSet& contacts,
                         const problem::BodyOperator& N);

/// Collective: the scene as a problem on these ranks. Fixed friction bounds are mu times twice the weight of
/// the contact's first body; every seventh is zero.
Frozen freeze(const parallel::Comm& comm, const FrozenScene& scene, Placement placement, problem::Law law,
              problem::SweepPlan plan = {});

/// An iterate with what follows from it by one product.
struct Judged {
  std::vector<double> x, w, e;  ///< impulses, velocities N x + r, natural map x - P_K(x - w~); this rank's
  problem::Motion motion;       ///< M^-1 D x of owned bodies
  double natural;               ///< |e| / max(|r|, |x|, |w|)
  double outside;               ///< distance of x to K, relative to |x|
  double natural_q = 0.0;       ///< |e| / |r|
};

/// This rank's entries of a vector.
std::vector<double> entries(Vec vec);

/// Collective: judges x by N.apply and the projections above alone.
Judged judge(const problem::ContactProblem& problem, Vec x);

/// How far the velocities of two iterates of the same scene are apart, and how far they may be.
struct Distance {
  double velocities;  ///< |v_1 - v_2|_M
  double allowed;     ///< sqrt(|e_1 - e_2| (|x_1 - x_2| + |w_1 - w_2|)): holds for every pair of points of a convex law
  double scale;       ///< |v_2|_M
};

/// Collective on the ranks of `frozen`: compares with a solution that this rank has in full, bodies in order of ids.
///
/// The bound: e = x - p, p = P_K(x - w) means (e - w).(q - p) <= 0 for every q in K. Taken for both iterates, each with
/// the other's p, and added: dw.dx <= dw.de + de.dx - |de|^2; and dw.dx = |dv|_M^2.
Distance compare(const Frozen& frozen, const Judged& here, const Frozen& whole, const Judged& there);

}  // namespace scree::test
