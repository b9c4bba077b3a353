// Joint rows and compliance in the operator, against the operator that is written down entry by entry.
#include <Eigen/Dense>
#include <random>
#include <unordered_map>
#include <vector>

#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"
#include "scree/problem/contact_problem.hpp"
#include "support/contact_scene.hpp"

using scree::collision::ContactSet;
using scree::collision::id_of;
using scree::model::Bodies;
using scree::model::Mat3;
using scree::model::Vec3;
using scree::parallel::Halo;
using scree::parallel::petsc;
using scree::parallel::ReadArray;
using scree::parallel::Vector;
using scree::parallel::WriteArray;
using scree::problem::BodyMotion;
using scree::problem::BodyOperator;
using scree::problem::ConstraintSet;
using scree::problem::ContactFrame;
using scree::problem::Coupling;
using scree::problem::Law;
using scree::problem::Motion;
using scree::problem::RowBlock;
using scree::problem::RowBounds;
using namespace scree::test;

namespace {

constexpr double rounding = 1e-12;
constexpr Coupling couplings[] = {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring};
const std::vector<scree::model::Wall> walls = {{"floor", scree::model::Plane{{0.0, 0.0, -1.5}, Vec3::UnitZ()}}};

/// A block of rows that every rank knows, between bodies by id; b = -1: the world.
struct GlobalBlock {
  int a, b;
  Mat3 linear, spin_a, spin_b;
  RowBounds bounds;
  Vec3 compliance;
  Vec3 offset;
};

/// Blocks between bodies of neighbouring numbers, which lie anywhere, and to the world: with free, one-sided, bounded
/// and absent rows, rigid and compliant.
std::vector<GlobalBlock> random_blocks(int bodies, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto matrix = [&] { return Mat3(Mat3::NullaryExpr([&] { return number(random); })); };
  std::vector<GlobalBlock> blocks;
  for (int k = 0; k < bodies; ++k) {
    GlobalBlock block{k, k % 5 == 4 ? -1 : (k + 1) % bodies, matrix(), 0.3 * matrix(), 0.3 * matrix(), {}, {}, {}};
    if (block.b < 0) block.spin_b.setZero();
    if (k % 3 == 0) block.linear.row(2).setZero(), block.spin_a.row(2).setZero(), block.spin_b.row(2).setZero();
    for (int c = 0; c < 3; ++c) {
      const int kind = (k + c) % 4;
      block.bounds.lower[c] = kind == 1 ? 0.0 : kind == 2 ? -20.0 : -HUGE_VAL;
      block.bounds.upper[c] = kind == 2 ? 20.0 : HUGE_VAL;
      block.compliance[c] = k % 2 == 0 ? 0.0 : 1e-3 * (1.0 + number(random));
      block.offset[c] = number(random);
    }
    if (k % 4 == 0)
      for (int c = 0; c < 3; ++c) block.bounds.lower[c] = -HUGE_VAL, block.bounds.upper[c] = HUGE_VAL;
    if (k % 3 == 0) block.bounds.lower[2] = block.bounds.upper[2] = block.offset[2] = 0.0;
    blocks.push_back(block);
  }
  return blocks;
}

/// Every body is mirrored on every rank that does not own it, so that any two can be joined anywhere.
struct Everybody {
  Bodies bodies;
  Halo halo;

  explicit Everybody(const Bed& bed, const std::vector<int>& owner) : bodies(owned_part(bed, owner)) {
    std::vector<Halo::Neighbour> plan;
    for (int rank = 0; rank < world().size(); ++rank)
      if (rank != world().rank()) plan.push_back({rank, {}, {}});
    for (Halo::Neighbour& neighbour : plan) {
      for (int k = 0; k < bodies.owned(); ++k) neighbour.sent.push_back(k);
      for (const auto& body : bed)
        if (owner[body.id] == neighbour.rank) {
          neighbour.ghosts.push_back(bodies.size());
          bodies.add_ghost(body);
        }
    }
    halo = {world(), plan};
  }
};

/// Contacts and joints with their operator. The blocks that this rank owns come after its contacts.
struct Setup {
  Bed bed;
  std::vector<int> owner;
  Everybody everybody;
  ContactSet contacts;
  std::vector<GlobalBlock> own_blocks;
  Coupling coupling;
  std::unique_ptr<BodyOperator> N;
  ConstraintSet set;

  Setup(const Bed& bodies, Placement placement, Coupling way, bool compliant)
      : bed(bodies), owner(place(bed, placement)), everybody(bed, owner), coupling(way) {
    find_contacts_of_bed();
    std::unordered_map<std::int64_t, int> index;
    for (int k = 0; k < everybody.bodies.size(); ++k) index[everybody.bodies.id[k]] = k;
    std::vector<RowBlock> rows;
    std::vector<double> compliance(3 * contacts.contacts.size(), compliant ? 2e-4 : 0.0);
    for (const GlobalBlock& block : random_blocks(static_cast<int>(bed.size()), 3)) {
      const int rank = block.b < 0 ? owner[block.a] : scree::model::contact_owner(owner[block.a], owner[block.b]);
      if (rank != world().rank()) continue;
      own_blocks.push_back(block);
      rows.push_back(
          {index.at(block.a), block.b < 0 ? -1 : index.at(block.b), block.linear, block.spin_a, block.spin_b});
      set.joints.push_back(block.bounds);
      for (int c = 0; c < 3; ++c) compliance.push_back(block.compliance[c]);
      if (!compliant) own_blocks.back().compliance.setZero();
    }
    if (!compliant) compliance.clear();
    set.law = Law::cone;
    set.friction = std::vector<double>(contacts.contacts.size(), 0.4);
    N = std::make_unique<BodyOperator>(world(), everybody.halo, everybody.bodies,
                                       scree::problem::BodyConstraints{contacts, rows, compliance},
                                       scree::problem::SweepPlan{way});
  }

  [[nodiscard]] Vector zero() const { return {world(), N->block_count()}; }

 private:
  /// All contacts have at least one ghost or mirrored body, so none is interior.
  void find_contacts_of_bed() {
    const Bodies& bodies = everybody.bodies;
    scree::collision::PairList list;
    auto near = scree::collision::find_near_pairs(bodies, 0.1);
    std::erase_if(near, [&](const auto& pair) {
      return scree::model::contact_owner(owner[bodies.id[pair.a]], owner[bodies.id[pair.b]]) != world().rank();
    });
    for (const auto& pair : scree::collision::find_near_walls(bodies, walls, 0.1)) near.push_back(pair);
    for (const bool interface : {false, true}) {
      for (const auto& pair : near)
        if ((std::max(pair.a, pair.b) >= bodies.owned()) == interface) list.pairs.push_back(pair);
      const int end = static_cast<int>(list.pairs.size());
      if (!interface) list.stage_end[0] = list.stage_end[1] = end;
      list.stage_end[2] = end;
    }
    contacts = find_contacts(bodies, walls, list, 0.1, 0.0);
  }
};

template <typename Check>
void for_all_setups(Check&& check) {
  const Bed bed = random_bed(21, 40, Sizes::uniform);
  for (const Placement placement : placements)
    for (const Coupling coupling : couplings)
      for (const bool compliant : {false, true}) {
        BOOST_TEST_CONTEXT(name_of(placement) << ", " << name_of(coupling) << (compliant ? ", compliant" : ", rigid")) {
          check(Setup(bed, placement, coupling, compliant));
        }
      }
}

/// Rows of any kind as they appear in D^T, with their compliance.
struct GlobalRow {
  double entries[4][3];  ///< linear and spin of a, of b
  std::int64_t a, b;
  double compliance;
};

std::vector<GlobalRow> all_rows(const Setup& setup) {
  std::vector<GlobalRow> rows;
  const auto add = [&](std::int64_t a, std::int64_t b, const Vec3& linear, const Vec3& spin_a, const Vec3& spin_b,
                       double compliance) {
    GlobalRow row{{}, a, b, compliance};
    const Vec3 parts[4] = {-linear, spin_a, linear, spin_b};
    for (int p = 0; p < 4; ++p) Vec3::Map(row.entries[p]) = parts[p];
    rows.push_back(row);
  };
  for (const auto& contact : setup.contacts.contacts) {
    const ContactFrame frame(contact.normal.data());
    const auto id = id_of(setup.everybody.bodies, contact.a, contact.b);
    const double radius_a = setup.bed[id.first].radius, radius_b = id.second < 0 ? 0.0 : setup.bed[id.second].radius;
    for (const Vec3& direction : {contact.normal, Vec3(frame.t), Vec3(frame.o)}) {
      const Vec3 turn = contact.normal.cross(direction);
      add(id.first, id.second, direction, -radius_a * turn, -radius_b * turn, 0.0);
    }
  }
  for (const GlobalBlock& block : setup.own_blocks)
    for (int c = 0; c < 3; ++c)
      add(block.a, block.b, block.linear.row(c), block.spin_a.row(c), block.spin_b.row(c), block.compliance[c]);
  return gather_everywhere(rows);
}

struct Assembled {
  Eigen::MatrixXd D, N;
  Eigen::VectorXd inverse_mass;

  Assembled(const Setup& setup, double contact_compliance) {
    const auto rows = all_rows(setup);
    D = Eigen::MatrixXd::Zero(6 * static_cast<int>(setup.bed.size()), static_cast<int>(rows.size()));
    Eigen::VectorXd compliance(D.cols());
    const auto contact_rows = gather_everywhere(contact_flags(setup));
    for (int k = 0; k < D.cols(); ++k) {
      for (int p = 0; p < 4; ++p) {
        const std::int64_t body = p < 2 ? rows[k].a : rows[k].b;
        if (body >= 0) D.block<3, 1>(6 * body + 3 * (p % 2), k) += Vec3(rows[k].entries[p]);
      }
      compliance[k] = contact_rows[k] != 0 ? contact_compliance : rows[k].compliance;
    }
    inverse_mass.resize(D.rows());
    for (const auto& body : setup.bed)
      inverse_mass.segment<6>(6 * body.id) << Vec3::Constant(1.0 / body.mass), Vec3(body.inertia).cwiseInverse();
    N = D.transpose() * inverse_mass.asDiagonal() * D;
    N.diagonal() += compliance;
  }

 private:
  static std::vector<char> contact_flags(const Setup& setup) {
    std::vector<char> flags(3 * setup.contacts.contacts.size(), 1);
    flags.resize(flags.size() + 3 * setup.own_blocks.size(), 0);
    return flags;
  }
};

bool is_compliant(const Setup& setup) {
  bool some = false;
  for (const GlobalBlock& block : setup.own_blocks) some = some || !block.compliance.isZero(0.0);
  return world().any(some);
}

Assembled assemble(const Setup& setup) { return {setup, is_compliant(setup) ? 2e-4 : 0.0}; }

Eigen::VectorXd whole(Vec x) {
  const ReadArray local(x);
  const auto all = gather_everywhere(std::vector<double>(local.data(), local.data() + local.size()));
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

Vector random_vector(const Setup& setup, unsigned seed) {
  std::mt19937 random(seed + 100U * static_cast<unsigned>(world().rank()));
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Vector x = setup.zero();
  const WriteArray out(x);
  for (int k = 0; k < out.size(); ++k) out[k] = number(random);
  return x;
}

/// Presses contacts together and pulls at joints; absent rows have no offset.
Vector offsets(const Setup& setup) {
  Vector r = setup.zero();
  const WriteArray out(r);
  const int contacts = setup.contacts.size();
  for (int k = 0; k < contacts; ++k) out[3 * k] = -0.5;
  for (std::size_t k = 0; k < setup.own_blocks.size(); ++k)
    Vec3::Map(out.data() + 3 * (contacts + static_cast<int>(k))) = setup.own_blocks[k].offset;
  return r;
}

double norm(Vec x) {
  double value = 0.0;
  petsc(VecNorm(x, NORM_2, &value));
  return value;
}

}  // namespace

BOOST_AUTO_TEST_CASE(joint_rows_and_compliance_equal_the_assembled_operator) {
  for_all_setups([](const Setup& setup) {
    const Assembled assembled = assemble(setup);
    const scree::parallel::Matrix matrix = setup.N->assemble();
    BOOST_TEST(world().sum(static_cast<std::int64_t>(setup.own_blocks.size())) == 40);
    for (unsigned seed = 0; seed < 3; ++seed) {
      const Vector x = random_vector(setup, seed), y = setup.zero();
      setup.N->apply(x, y);
      const Eigen::VectorXd expected = assembled.N * whole(x);
      BOOST_TEST((whole(y) - expected).norm() <= rounding * expected.norm());
      matrix.apply(x, y);
      BOOST_TEST((whole(y) - expected).norm() <= rounding * expected.norm());
      Motion motion = setup.N->motion_at_rest();
      setup.N->set_motion(x, motion);
      const double energy = 2.0 * world().sum(setup.N->local_energy(x, motion));
      BOOST_TEST(std::abs(energy - whole(x).dot(expected)) <= rounding * energy);
    }
  });
}

BOOST_AUTO_TEST_CASE(diagonal_blocks_are_those_of_the_assembled_operator) {
  for_all_setups([](const Setup& setup) {
    const Assembled assembled = assemble(setup);
    const auto first = world().sum_below(static_cast<std::int64_t>(setup.N->block_count()));
    const auto blocks = setup.N->diagonal_blocks();
    double error = 0.0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const auto row = 3 * (first + static_cast<std::int64_t>(k));
      error = std::max(error, (blocks[k] - assembled.N.block<3, 3>(row, row)).norm() / blocks[k].norm());
    }
    BOOST_TEST(world().max(error) <= rounding);
  });
}

BOOST_AUTO_TEST_CASE(sweeps_over_joints_keep_motion_momentum_and_bounds) {
  for_all_setups([](const Setup& setup) {
    const Vector r = offsets(setup), x = random_vector(setup, 7), inside = setup.zero();
    setup.set.project(x);
    Motion motion = setup.N->motion_at_rest(), expected = motion;
    setup.N->set_motion(x, motion);
    for (int sweep = 0; sweep < 4; ++sweep) {
      setup.N->sweep(r, setup.set, x, motion);
      setup.N->set_motion(x, expected);
      double difference = 0.0, size = 0.0;
      for (std::ptrdiff_t k = 0; k < setup.N->own_motion(); ++k) {
        if (k % 4 == 3) continue;  // a mass
        difference = std::max(difference, std::abs(motion[k] - expected[k]));
        size = std::max(size, std::abs(expected[k]));
      }
      BOOST_TEST(world().max(difference) <= rounding * world().max(size));
      petsc(VecCopy(x, inside));
      setup.set.project(inside);
      petsc(VecAXPY(inside, -1.0, x));
      BOOST_TEST(norm(inside) <= 1e-15 * norm(x));
    }
  });
}

BOOST_AUTO_TEST_CASE(sweeps_over_joints_never_raise_the_objective_and_solve_the_problem) {
  for_all_setups([](const Setup& setup) {
    const Vector r = offsets(setup), x = setup.zero(), w = setup.zero(), p = setup.zero();
    Motion motion = setup.N->motion_at_rest();
    double before = 0.0, work = 0.0;
    for (int sweep = 0; sweep < 400; ++sweep) {
      setup.N->sweep(r, setup.set, x, motion);
      if (sweep >= 50) continue;
      petsc(VecDot(r, x, &work));
      const double energy = world().sum(setup.N->local_energy(x, motion));
      BOOST_TEST(energy + work <= before + 1e-12 * energy, "sweep " << sweep);
      before = energy + work;
    }
    setup.N->contact_velocity(x, motion, r, w);
    petsc(VecWAXPY(p, -1.0, w, x));
    setup.set.project(p);
    petsc(VecAXPY(p, -1.0, x));
    BOOST_TEST(norm(p) <= 1e-3 * norm(x));
  });
}
