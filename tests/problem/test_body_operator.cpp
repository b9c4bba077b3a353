#include "scree/problem/body_operator.hpp"

#include <Eigen/Dense>
#include <random>
#include <string>
#include <vector>

#include "scree/problem/contact_frame.hpp"
#include "scree/problem/contact_problem.hpp"
#include "support/contact_scene.hpp"

using scree::collision::id_of;
using scree::model::Body;
using scree::model::Plane;
using scree::model::Vec3;
using scree::model::Wall;
using scree::parallel::petsc;
using scree::parallel::ReadArray;
using scree::parallel::Vector;
using scree::parallel::WriteArray;
using scree::problem::BodyMotion;
using scree::problem::BodyOperator;
using scree::problem::ConstraintSet;
using scree::problem::ContactFrame;
using scree::problem::Coupling;
using scree::problem::coupling_named;
using scree::problem::Iterate;
using scree::problem::Law;
using scree::problem::laws;
using scree::problem::Motion;
using namespace scree::test;

namespace {

const std::vector<Wall> walls = {{"floor", Plane{{0.0, 0.0, -1.5}, Vec3::UnitZ()}},
                                 {"slope", Plane{{-1.5, 0.0, 0.0}, Vec3(1.0, 0.5, 0.2).normalized()}}};
constexpr Coupling couplings[] = {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring};

/// A bed, its contacts and its operator.
struct Setup {
  Bed bed;
  ContactScene scene;
  Coupling coupling;
  BodyOperator N;

  Setup(const Bed& bodies, Placement placement, Coupling way, double reach = 0.1)
      : bed(bodies),
        scene(make_scene(bed, place(bed, placement), walls, reach)),
        coupling(way),
        N(world(), scene.halo, scene.bodies, {scene.contacts}, {way}) {}

  [[nodiscard]] Vector zero() const { return {world(), N.block_count()}; }
  [[nodiscard]] const auto& contact(int k) const { return scene.contacts.contacts[k]; }
};

template <typename Check>
void for_all_setups(const Bed& bed, Check&& check) {
  for (const Placement placement : placements)
    for (const Coupling coupling : couplings) {
      BOOST_TEST_CONTEXT(name_of(placement) << ", " << name_of(coupling)) { check(Setup(bed, placement, coupling)); }
    }
}

/// Three numbers that belong to a contact, whatever rank owns it and at whatever place.
Vec3 numbers_of(const Setup& setup, int k, unsigned seed) {
  const auto id = id_of(setup.scene.bodies, setup.contact(k).a, setup.contact(k).b);
  std::mt19937 random(seed + static_cast<unsigned>(id.first * 7919 + id.second * 104729));
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  return {number(random), number(random), number(random)};
}

Vector random_vector(const Setup& setup, unsigned seed) {
  Vector result = setup.zero();
  const WriteArray out(result);
  for (int k = 0; k < setup.N.block_count(); ++k) Eigen::Map<Vec3>(out.data() + 3 * k) = numbers_of(setup, k, seed);
  return result;
}

/// Offsets r that press most contacts together, of order one.
Vector pressing_offsets(const Setup& setup) {
  Vector r = random_vector(setup, 77);
  const WriteArray out(r);
  for (int k = 0; k < setup.N.block_count(); ++k) out[3 * k] -= 0.5;
  return r;
}

/// Friction coefficients and bounds that belong to the contact; every fourth contact has none.
ConstraintSet random_set(const Setup& setup, Law law) {
  ConstraintSet set{law, {}, {}};
  for (int k = 0; k < setup.N.block_count(); ++k) {
    const Vec3 numbers = numbers_of(setup, k, 5);
    set.friction.push_back(numbers.x() < -0.5 ? 0.0 : 0.4 * (numbers.x() + 0.5));
    set.bound.push_back(numbers.y() < -0.5 ? 0.0 : 50.0 * (numbers.y() + 0.5));
  }
  return set;
}

double dot(Vec a, Vec b) {
  double result = 0.0;
  petsc(VecDot(a, b, &result));
  return result;
}

double norm(Vec a) { return std::sqrt(dot(a, a)); }

/// All entries of a distributed vector, on every rank.
Eigen::VectorXd whole(Vec x) {
  const ReadArray local(x);
  const auto all = gather_everywhere(std::vector<double>(local.data(), local.data() + local.size()));
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

struct GlobalContact {
  std::int64_t a, b;
  double n[3];
};

/// The contacts of all ranks in the order of the distributed vectors.
std::vector<GlobalContact> all_contacts(const Setup& setup) {
  std::vector<GlobalContact> local;
  for (const auto& contact : setup.scene.contacts.contacts) {
    const auto id = id_of(setup.scene.bodies, contact.a, contact.b);
    local.push_back({id.first, id.second, {contact.normal.x(), contact.normal.y(), contact.normal.z()}});
  }
  return gather_everywhere(local);
}

/// D and M as they are defined: six velocities per body, three impulses per contact, lever arms R_a n and -R_b n.
struct Assembled {
  Eigen::MatrixXd D;
  Eigen::VectorXd inverse_mass;
  Eigen::MatrixXd N;

  explicit Assembled(const Setup& setup) {
    const auto contacts = all_contacts(setup);
    D = Eigen::MatrixXd::Zero(6 * static_cast<int>(setup.bed.size()), 3 * static_cast<int>(contacts.size()));
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const ContactFrame frame(contacts[k].n);
      const Vec3 normal(contacts[k].n);
      const Vec3 directions[3] = {normal, Vec3(frame.t), Vec3(frame.o)};
      for (int c = 0; c < 3; ++c) {
        const auto column = 3 * static_cast<int>(k) + c;
        add(column, setup.bed[contacts[k].a], normal, -directions[c]);
        if (contacts[k].b >= 0) add(column, setup.bed[contacts[k].b], -normal, directions[c]);
      }
    }
    inverse_mass.resize(D.rows());
    for (const Body& body : setup.bed)
      inverse_mass.segment<6>(6 * body.id) << Vec3::Constant(1.0 / body.mass), Vec3(body.inertia).cwiseInverse();
    N = D.transpose() * inverse_mass.asDiagonal() * D;
  }

 private:
  /// The momentum and spin that a unit impulse at R * `towards` gives a body.
  void add(int column, const Body& body, const Vec3& towards, const Vec3& impulse) {
    D.block<3, 1>(6 * body.id, column) += impulse;
    D.block<3, 1>(6 * body.id + 3, column) += (body.radius * towards).cross(impulse);
  }
};

const Bed& small_bed() {
  static const Bed bed = random_bed(11, 40, Sizes::mixed);
  return bed;
}

// Sums of a few dozen products, in another order than the assembled form.
constexpr double rounding = 1e-12;

}  // namespace

BOOST_AUTO_TEST_CASE(frames_are_right_handed_and_orthonormal) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<Vec3> directions;
  for (int axis = 0; axis < 3; ++axis) directions.insert(directions.end(), {Vec3::Unit(axis), -Vec3::Unit(axis)});
  for (int k = 0; k < 10000; ++k)
    directions.push_back(Vec3(normal(random), normal(random), 1e-3 * normal(random)).normalized());
  for (const Vec3& n : directions) {
    const ContactFrame frame(n.data());
    const Vec3 t(frame.t), o(frame.o), x(0.3, -0.7, 1.1);
    BOOST_TEST((n.cross(t) - o).norm() <= 4e-16 * 4);
    BOOST_TEST(std::abs(t.norm() - 1.0) <= 4e-16 * 4);
    BOOST_TEST(std::abs(n.dot(t)) <= 4e-16 * 4);
    BOOST_TEST((frame.to_world(x.data()) - (x.x() * n + x.y() * t + x.z() * o)).norm() <= 1e-15);
    BOOST_TEST((frame.to_contact(frame.to_world(x.data())) - x).norm() <= 4e-15);
  }
}

BOOST_AUTO_TEST_CASE(the_operator_equals_its_assembled_form) {
  for_all_setups(small_bed(), [](const Setup& setup) {
    const Assembled assembled(setup);
    BOOST_TEST(assembled.N.rows() > 100);
    for (unsigned seed = 0; seed < 3; ++seed) {
      const Vector x = random_vector(setup, seed), y = setup.zero();
      setup.N.apply(x, y);
      const Eigen::VectorXd expected = assembled.N * whole(x);
      BOOST_TEST((whole(y) - expected).norm() <= rounding * expected.norm());
    }
    const Vector d = setup.zero();
    setup.N.diagonal(d);
    const Eigen::VectorXd expected = assembled.N.diagonal();
    BOOST_TEST((whole(d) - expected).cwiseAbs().cwiseQuotient(expected).maxCoeff() <= rounding);
  });
}

BOOST_AUTO_TEST_CASE(the_motion_is_that_of_the_definition) {
  for_all_setups(small_bed(), [](const Setup& setup) {
    const Assembled assembled(setup);
    const Vector x = random_vector(setup, 3);
    Motion motion = setup.N.motion_at_rest();
    setup.N.set_motion(x, motion);
    const Eigen::VectorXd expected = assembled.inverse_mass.asDiagonal() * (assembled.D * whole(x));
    const auto& bodies = setup.scene.bodies;
    for (int k = 0; k < bodies.owned(); ++k) {
      const Vec3 v = expected.segment<3>(6 * bodies.id[k]);
      const Vec3 u = bodies.radius[k] * expected.segment<3>(6 * bodies.id[k] + 3);
      const double size = 1e-3 * expected.cwiseAbs().minCoeff() + v.norm() + u.norm();
      const BodyMotion& found = BodyOperator::bodies_of(motion)[k];
      BOOST_TEST((Vec3(found.v) - v).norm() <= rounding * size);
      BOOST_TEST((Vec3(found.u) - u).norm() <= rounding * size);
    }
  });
}

BOOST_AUTO_TEST_CASE(the_operator_is_symmetric_and_positive) {
  for_all_setups(random_bed(12, 300, Sizes::uniform), [](const Setup& setup) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Vector x = random_vector(setup, 2 * seed), y = random_vector(setup, 2 * seed + 1);
      const Vector Nx = setup.zero(), Ny = setup.zero();
      setup.N.apply(x, Nx);
      setup.N.apply(y, Ny);
      BOOST_TEST(std::abs(dot(Nx, y) - dot(x, Ny)) <= 1e-14 * norm(Nx) * norm(y));
      BOOST_TEST(dot(x, Nx) >= 0.0);
    }
  });
}

BOOST_AUTO_TEST_CASE(energy_and_contact_velocity_belong_to_the_motion) {
  for_all_setups(random_bed(13, 300, Sizes::mixed), [](const Setup& setup) {
    const Vector x = random_vector(setup, 1), r = random_vector(setup, 2), Nx = setup.zero(), w = setup.zero();
    setup.N.apply(x, Nx);
    Motion motion = setup.N.motion_at_rest();
    setup.N.set_motion(x, motion);
    BOOST_TEST(2.0 * world().sum(setup.N.local_energy(x, motion)) == dot(x, Nx),
               boost::test_tools::tolerance(rounding));

    setup.N.contact_velocity(x, motion, r, w);
    petsc(VecAXPY(w, -1.0, Nx));
    petsc(VecAXPY(w, -1.0, r));
    BOOST_TEST(norm(w) <= rounding * norm(Nx));
    setup.N.relative_velocity(motion, w);
    petsc(VecAXPY(w, -1.0, Nx));
    BOOST_TEST(norm(w) <= rounding * norm(Nx));
  });
}

namespace {

/// Largest difference of owned velocities and surface speeds, against the largest of them, over all ranks.
double relative_difference(const Setup& setup, const Motion& a, const Motion& b) {
  double difference = 0.0, size = 0.0;
  for (std::ptrdiff_t k = 0; k < setup.N.own_motion(); ++k) {
    if (k % 4 == 3) continue;  // a mass
    difference = std::max(difference, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
  }
  return world().max(difference) / world().max(size);
}

Vec3 total(const Vec3& local) {
  Vec3 sum = local;
  world().sum(std::span<double>(sum.data(), 3));
  return sum;
}

Vec3 momentum_of(const Setup& setup, const Motion& motion) {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < setup.scene.bodies.owned(); ++k)
    sum += setup.scene.bodies.mass[k] * Vec3(BodyOperator::bodies_of(motion)[k].v);
  return total(sum);
}

/// What the walls give to the bodies, and the sum of the sizes of all impulses as a measure of rounding.
std::pair<Vec3, double> impulse_from_walls(const Setup& setup, Vec x) {
  const ReadArray in(x);
  Vec3 sum = Vec3::Zero();
  double size = 0.0;
  for (int k = 0; k < setup.N.block_count(); ++k) {
    const Vec3 impulse = ContactFrame(setup.contact(k).normal.data()).to_world(in.data() + 3 * k);
    if (setup.contact(k).b < 0) sum -= impulse;
    size += impulse.norm();
  }
  return {total(sum), world().sum(size)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(sweeps_keep_motion_and_impulses_together_and_momentum_exact) {
  for_all_setups(random_bed(14, 250, Sizes::mixed), [](const Setup& setup) {
    const Vector r = pressing_offsets(setup);
    for (const auto& info : laws()) {
      const ConstraintSet set = random_set(setup, info.law);
      const Vector x = random_vector(setup, 9);  // a warm start
      set.project(x);
      Motion motion = setup.N.motion_at_rest(), expected = motion;
      setup.N.set_motion(x, motion);
      for (int sweep = 0; sweep < 5; ++sweep) {
        setup.N.sweep(r, set, x, motion, {.local = {}, .backward = sweep % 2 == 1});
        setup.N.set_motion(x, expected);
        BOOST_TEST(relative_difference(setup, motion, expected) <= rounding, info.name << ", sweep " << sweep);
        const auto [given, size] = impulse_from_walls(setup, x);
        BOOST_TEST((momentum_of(setup, motion) - given).norm() <= rounding * size, info.name << ", sweep " << sweep);
        BOOST_TEST(given.norm() > 1e-3 * size);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(sweeps_stay_in_the_set) {
  for_all_setups(random_bed(15, 250, Sizes::uniform), [](const Setup& setup) {
    const Vector r = pressing_offsets(setup);
    for (const auto& info : laws()) {
      const ConstraintSet set = random_set(setup, info.law);
      const Vector x = setup.zero(), nearest = setup.zero();
      Motion motion = setup.N.motion_at_rest();
      for (int sweep = 0; sweep < 3; ++sweep) setup.N.sweep(r, set, x, motion);
      petsc(VecCopy(x, nearest));
      set.project(nearest);
      BOOST_TEST(norm(x) > 0.0);
      petsc(VecAXPY(nearest, -1.0, x));
      BOOST_TEST(norm(nearest) <= 1e-15 * norm(x), info.name);
    }
  });
}

namespace {

/// A textbook sweep on the assembled matrix for sets that are products of intervals: one row after another.
void textbook_sweep(const Eigen::MatrixXd& N, const Eigen::VectorXd& r, const ConstraintSet& set, bool backward,
                    Eigen::VectorXd& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Eigen::Index row = backward ? x.size() - 1 - i : i;
    const bool is_normal = row % 3 == 0;
    if (!is_normal && set.law == Law::frictionless) continue;
    const double bound = set.bound[row / 3];
    const double w = N.row(row).dot(x) + r[row];
    const double free = x[row] - w / N(row, row);
    x[row] = is_normal ? std::max(0.0, free) : std::clamp(free, -bound, bound);
  }
}

/// min 1/2 x.N_kk x + ... over the friction cone: x in K, w in the dual cone, x.w = 0, with w = N x + r at contact k.
void check_solves_own_problem(const Vec3& x, const Vec3& w, double mu, double impulse, double velocity) {
  BOOST_TEST(x.x() >= 0.0);
  BOOST_TEST(x.tail<2>().norm() <= mu * x.x() + rounding * impulse);
  BOOST_TEST(mu * w.tail<2>().norm() <= w.x() + rounding * velocity);
  BOOST_TEST(std::abs(x.dot(w)) <= rounding * impulse * velocity);
}

}  // namespace

BOOST_AUTO_TEST_CASE(on_one_rank_a_sweep_is_the_textbook_gauss_seidel) {
  const Setup setup(small_bed(), Placement::one_rank, Coupling::interface_splitting);
  const Assembled assembled(setup);
  const Vector r = pressing_offsets(setup);
  for (const Law law : {Law::frictionless, Law::box}) {
    const ConstraintSet local = random_set(setup, law);
    const ConstraintSet set{law, gather_everywhere(local.friction.all()), gather_everywhere(local.bound)};
    const Vector x = setup.zero();
    Motion motion = setup.N.motion_at_rest();
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(assembled.N.rows());
    const Eigen::VectorXd offsets = whole(r);
    for (int sweep = 0; sweep < 5; ++sweep) {
      const bool backward = sweep % 3 == 1;
      setup.N.sweep(r, local, x, motion, {.local = {}, .backward = backward});
      textbook_sweep(assembled.N, offsets, set, backward, expected);
      BOOST_TEST((whole(x) - expected).norm() <= rounding * expected.norm(), name_of(law) << ", sweep " << sweep);
    }
  }
}

BOOST_AUTO_TEST_CASE(on_one_rank_each_contact_of_a_cone_sweep_solves_its_own_problem) {
  const Setup setup(small_bed(), Placement::one_rank, Coupling::interface_splitting);
  const Assembled assembled(setup);
  const Vector r = pressing_offsets(setup), x = setup.zero();
  const ConstraintSet local = random_set(setup, Law::cone);
  const auto friction = gather_everywhere(local.friction.all());
  const Eigen::VectorXd offsets = whole(r);
  Motion motion = setup.N.motion_at_rest();
  for (int sweep = 0; sweep < 3; ++sweep) {
    Eigen::VectorXd present = whole(x);
    setup.N.sweep(r, local, x, motion);
    const Eigen::VectorXd next = whole(x);
    for (std::size_t k = 0; k < friction.size(); ++k) {  // impulses as they were when contact k had its turn
      const auto row = 3 * static_cast<Eigen::Index>(k);
      present.segment<3>(row) = next.segment<3>(row);
      const Vec3 w = assembled.N.middleRows<3>(row) * present + offsets.segment<3>(row);
      const double velocity = (assembled.N.middleRows<3>(row).cwiseAbs() * present.cwiseAbs()).norm() + 1.0;
      check_solves_own_problem(next.segment<3>(row), w, friction[k], present.cwiseAbs().maxCoeff(), velocity);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_contact_without_friction_never_pulls) {
  // A sphere that leaves the floor straight up, so that its tangential velocity is exactly zero.
  const Bed bed = {scree::model::make_sphere(0, {2.0, 0.0, -1.0}, 0.5, 1000.0, 0)};
  const Setup setup(bed, Placement::one_rank, Coupling::interface_splitting);
  const Vector r = setup.zero(), x = setup.zero();
  const ConstraintSet set{Law::cone, std::vector<double>(setup.N.block_count(), 0.0), {}};
  {
    const WriteArray offsets(r);
    for (int k = 0; k < setup.N.block_count(); ++k) offsets[3 * k] = 1.0;
  }
  Motion motion = setup.N.motion_at_rest();
  setup.N.sweep(r, set, x, motion);
  BOOST_TEST(norm(x) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_sweep_ahead_is_a_sweep_from_the_extrapolation_and_sums_up_what_it_did) {
  constexpr double beta = 0.7;
  for_all_setups(random_bed(19, 250, Sizes::mixed), [](const Setup& setup) {
    const Vector r = pressing_offsets(setup), x = random_vector(setup, 1), previous = random_vector(setup, 2);
    const Vector ahead = setup.zero(), swept = setup.zero(), found = setup.zero();
    petsc(VecWAXPY(ahead, -beta / (1.0 + beta), previous, x));
    petsc(VecScale(ahead, 1.0 + beta));
    for (const bool symmetric : {false, true})
      for (const Law law : {Law::cone, Law::frictionless, Law::prism}) {
        const ConstraintSet set = random_set(setup, law);
        petsc(VecCopy(ahead, swept));
        Motion expected = setup.N.motion_at_rest();
        Iterate now{x, expected}, next{found, expected};
        setup.N.set_motion(ahead, expected);
        setup.N.sweep(r, set, swept, expected);
        if (symmetric) setup.N.sweep(r, set, swept, expected, {.local = {}, .backward = true});
        petsc(VecCopy(previous, found));
        setup.N.set_motion(x, now.motion);
        setup.N.set_motion(previous, next.motion);
        auto [turn, objective, change] = setup.N.sweep_ahead(r, set, now, beta, next, symmetric);
        petsc(VecAXPY(found, -1.0, swept));
        BOOST_TEST(norm(found) <= rounding * norm(swept));
        BOOST_TEST(relative_difference(setup, next.motion, expected) <= rounding);

        const Vector back = setup.zero(), forth = setup.zero();
        petsc(VecWAXPY(back, -1.0, swept, ahead));
        petsc(VecWAXPY(forth, -1.0, x, swept));
        BOOST_TEST(std::abs(world().sum(turn) - dot(back, forth)) <= rounding * norm(back) * norm(forth));
        const double energy = world().sum(setup.N.local_energy(swept, expected));
        BOOST_TEST(std::abs(world().sum(objective) - energy - dot(r, swept)) <=
                   rounding * (energy + norm(r) * norm(swept)));
        BOOST_TEST(world().sum(change) == dot(back, back), boost::test_tools::tolerance(rounding));
      }
  });
}

BOOST_AUTO_TEST_CASE(sweeps_never_raise_the_objective) {
  const Bed bed = random_bed(16, 900, Sizes::mixed);
  for_all_setups(bed, [](const Setup& setup) {
    BOOST_TEST(world().sum(static_cast<std::int64_t>(setup.N.block_count())) > 1000);
    const Vector r = pressing_offsets(setup);
    for (const auto& info : laws()) {
      if (!is_convex(info.law)) continue;
      const ConstraintSet set = random_set(setup, info.law);
      const Vector x = setup.zero();
      Motion motion = setup.N.motion_at_rest();
      double before = 0.0;
      for (int sweep = 0; sweep < 50; ++sweep) {
        setup.N.sweep(r, set, x, motion);
        const double energy = world().sum(setup.N.local_energy(x, motion));
        const double objective = energy + dot(r, x);
        BOOST_TEST(objective <= before + 1e-13 * energy, info.name << ", sweep " << sweep);
        before = objective;
      }
      BOOST_TEST(before < 0.0, info.name);
    }
  });
}

namespace {

/// What one exchange in both directions costs this rank.
struct Budget {
  std::int64_t messages = 0, bytes = 0;

  explicit Budget(const scree::parallel::Halo& halo) {
    std::int64_t items = 0;
    for (const auto& neighbour : halo.neighbours()) {
      messages += (neighbour.sent.empty() ? 0 : 1) + (neighbour.ghosts.empty() ? 0 : 1);
      items += static_cast<std::int64_t>(neighbour.sent.size() + neighbour.ghosts.size());
    }
    bytes = items * 6 * static_cast<std::int64_t>(sizeof(double));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_sweep_costs_one_message_per_neighbour_and_direction) {
  for_all_setups(random_bed(17, 300, Sizes::uniform), [](const Setup& setup) {
    const Budget budget(setup.scene.halo);
    const Vector r = pressing_offsets(setup), x = setup.zero();
    const ConstraintSet set = random_set(setup, Law::cone);
    Motion motion = setup.N.motion_at_rest();
    const auto before = world().traffic();
    setup.N.sweep(r, set, x, motion);
    const auto after = world().traffic();
    if (setup.coupling == Coupling::colouring) {
      BOOST_TEST(after.messages - before.messages <= budget.messages * setup.N.stage_count());
    } else {
      BOOST_TEST(setup.N.stage_count() == 1);
      BOOST_TEST(after.messages - before.messages == budget.messages);
      BOOST_TEST(after.bytes - before.bytes == budget.bytes);
    }
    BOOST_TEST(after.reductions == before.reductions);
    BOOST_TEST(setup.N.sweeps() == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_product_costs_one_message_per_neighbour_and_direction) {
  for_all_setups(random_bed(17, 300, Sizes::uniform), [](const Setup& setup) {
    const Budget budget(setup.scene.halo);
    const Vector x = random_vector(setup, 5), y = setup.zero();
    const auto before = world().traffic();
    setup.N.apply(x, y);
    const auto after = world().traffic();
    BOOST_TEST(after.messages - before.messages == budget.messages);
    BOOST_TEST(after.bytes - before.bytes == budget.bytes);
    BOOST_TEST(after.reductions == before.reductions);
  });
}

BOOST_AUTO_TEST_CASE(nothing_to_do_is_no_problem) {
  for (const int count : {0, 1, 2})
    for_all_setups(random_bed(18, count, Sizes::equal), [](const Setup& setup) {
      const Vector x = setup.zero(), y = setup.zero();
      setup.N.apply(x, y);
      Motion motion = setup.N.motion_at_rest();
      for (const auto& info : laws()) setup.N.sweep(y, random_set(setup, info.law), x, motion);
      BOOST_TEST(norm(x) == 0.0);
      BOOST_TEST(norm(y) == 0.0);
      BOOST_TEST(world().sum(setup.N.local_energy(x, motion)) == 0.0);
    });
}

BOOST_AUTO_TEST_CASE(couplings_have_names) {
  for (const Coupling coupling : couplings) BOOST_TEST((coupling_named(name_of(coupling)) == coupling));
  BOOST_TEST(!coupling_named("hope").has_value());
}
