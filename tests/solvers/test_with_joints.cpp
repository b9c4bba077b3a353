// Every solver of the registry on contacts and joints in one problem.
// timeout: 200
#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "scree/model/decomposition.hpp"
#include "scree/solvers/registry.hpp"
#include "support/frozen.hpp"
#include "support/solver_cases.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Mat3;
using model::Vec3;
using problem::Law;
using problem::RowBlock;
using problem::RowBounds;
namespace data = boost::unit_test::data;

namespace {

constexpr double tolerance = 1e-5;

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// What a rank owns of the joints of a bed, whose bodies stand in columns: balls between bodies above each other, half
/// way; for every third body a block to the world: a limit to its speed along x, a motor along y and an absent row.
struct Joints {
  std::vector<RowBlock> blocks;
  std::vector<RowBounds> bounds;
  std::vector<Vec3> offsets;  ///< m/s

  Joints(const parallel::Comm& comm, const FrozenScene& scene, const model::Bodies& bodies, int layer) {
    std::unordered_map<std::int64_t, int> index;
    for (int k = 0; k < bodies.size(); ++k) index.emplace(bodies.id[static_cast<std::size_t>(k)], k);
    const auto owner = [&](std::int64_t id) {
      return rank_of(scene, scene.bodies[static_cast<std::size_t>(id)], Placement::slabs, comm.size());
    };
    for (std::int64_t id = 0; id < std::ssize(scene.bodies); ++id) {
      const std::int64_t above = id + layer;
      if (above < std::ssize(scene.bodies) && id % 2 == 0 &&
          model::contact_owner(owner(id), owner(above)) == comm.rank()) {
        const model::Body& lower = scene.bodies[static_cast<std::size_t>(id)];
        const model::Body& upper = scene.bodies[static_cast<std::size_t>(above)];
        const Vec3 arm = 0.5 * (Vec3(upper.position) - Vec3(lower.position));
        offsets.emplace_back(Vec3::Zero());
        blocks.push_back({index.at(id), index.at(above), Mat3::Identity(), cross_matrix(arm), cross_matrix(arm)});
        bounds.push_back({{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}});
      }
      if (id % 3 == 0 && owner(id) == comm.rank()) {
        Mat3 linear = Mat3::Zero();
        linear(0, 0) = linear(1, 1) = 1.0;
        blocks.push_back({index.at(id), -1, linear, Mat3::Zero(), Mat3::Zero()});
        bounds.push_back({{0.0, -1e-3, 0.0}, {HUGE_VAL, 1e-3, 0.0}});
        offsets.emplace_back(0.3, 0.05, 0.0);
      }
    }
  }
};

/// Joined bodies do not touch each other.
void drop_joined_contacts(Frozen& frozen, int layer) {
  Frozen all = std::move(frozen);
  frozen.contacts = {};
  frozen.ids.clear();
  problem::ConstraintSet& set = frozen.problem.K;
  set = all.problem.K;
  set.friction.clear();
  set.bound.clear();
  std::size_t k = 0;
  for (std::size_t stage = 0; stage < collision::stage_count; ++stage) {
    for (; k < static_cast<std::size_t>(all.contacts.stage_end[stage]); ++k) {
      if (all.ids[k].first % 2 == 0 && all.ids[k].second == all.ids[k].first + layer) continue;
      frozen.contacts.contacts.push_back(all.contacts.contacts[k]);
      frozen.ids.push_back(all.ids[k]);
      set.friction.push_back(all.problem.K.friction[k]);
      set.bound.push_back(all.problem.K.bound[k]);
    }
    frozen.contacts.stage_end[stage] = frozen.contacts.size();
  }
}

/// Collective: the bed with joints, in slabs.
Frozen freeze_with_joints(const parallel::Comm& comm, const FrozenScene& scene, Law law, int layer) {
  Frozen plain = freeze(comm, scene, Placement::slabs, law);
  model::Bodies bodies;
  for (int k = 0; k < plain.bodies.owned(); ++k) bodies.add_owned(plain.bodies.get(k));
  drop_joined_contacts(plain, layer);
  const auto lattice = model::CellLattice::for_bodies(comm, bodies);
  const parallel::Halo halo = build_ghost_layer(comm, lattice, bodies, 0.5 * scene.margin);
  const Joints joints(comm, scene, bodies, layer);
  auto N = std::make_unique<problem::BodyOperator>(comm, halo, bodies,
                                                   problem::BodyConstraints{plain.contacts, joints.blocks});
  parallel::Vector r = offsets(scene, bodies, plain.contacts, *N);
  {
    const parallel::WriteArray out(r);
    for (std::size_t k = 0; k < joints.offsets.size(); ++k)
      Vec3::Map(out.data() + 3 * (plain.ids.size() + k)) += joints.offsets[k];
  }
  plain.problem.K.joints = joints.bounds;
  return {std::move(bodies),
          std::move(plain.contacts),
          std::move(plain.ids),
          {std::move(N), std::move(r), std::move(plain.problem.K)}};
}

}  // namespace

BOOST_DATA_TEST_CASE(solves_contacts_and_joints_together, data::make(all_solver_cases()), the_case) {
  const Frozen frozen = freeze_with_joints(world(), bed(4, 3, 3, 7), the_case.law, 12);
  BOOST_TEST(world().sum(std::ssize(frozen.problem.K.joints)) == 12 + 12);
  solvers::Monitor monitor(frozen.problem, {.tolerance = tolerance, .max_iterations = 5000, .check_every = 5});
  const parallel::Vector x = frozen.problem.make_vector();
  solvers::make_solver(the_case.solver, {}, the_case.law)(frozen.problem, x, monitor);
  BOOST_TEST(monitor.converged(), "residual " << monitor.errors().natural);

  // Judged by the projection alone.
  const parallel::Vector w = frozen.problem.make_vector();
  frozen.problem.N->apply(x, w);
  parallel::petsc(VecAXPY(w, 1.0, frozen.problem.r));
  const parallel::ReadArray speed(w), impulse(x);
  double held = 0.0;
  for (std::size_t k = 0; k < frozen.problem.K.joints.size(); ++k) {
    const int block = static_cast<int>(frozen.ids.size() + k);
    const Vec3 at(impulse.data() + 3 * block), rate(speed.data() + 3 * block);
    const RowBounds& bounds = frozen.problem.K.joints[k];
    for (int c = 0; c < 3; ++c) {
      BOOST_TEST(at[c] >= bounds.lower[c]);
      BOOST_TEST(at[c] <= bounds.upper[c]);
      if (bounds.lower[c] == -HUGE_VAL) held = std::max(held, std::abs(rate[c]));
    }
  }
  BOOST_TEST(world().max(held) <= 1e-3);
}
