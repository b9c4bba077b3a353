#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "coarse_level.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/problem/factors.hpp"

namespace scree::solvers {

using model::Mat3;
using model::Vec3;
using parallel::Comm;
using parallel::Matrix;
using parallel::petsc;
using problem::Factors;

namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Neighbours = std::vector<std::set<int>>;

constexpr int none = -1;

Mat3 cross_matrix(const Vec3& v) { return Mat3{{0.0, -v.z(), v.y()}, {v.z(), 0.0, -v.x()}, {-v.y(), v.x(), 0.0}}; }

/// The bodies of each block of rows: this rank's by their place, all others as -1.
using BlockBodies = std::vector<std::set<int>>;
constexpr int foreign = -1;

BlockBodies find_bodies(const Factors& factors, std::int64_t first_dof) {
  BlockBodies bodies(static_cast<std::size_t>(factors.rows / 3));
  for (const auto& [row, dof, value] : factors.reads) {
    const bool own = dof >= first_dof && dof < first_dof + factors.dofs;
    bodies[static_cast<std::size_t>(row / 3)].insert(own ? static_cast<int>((dof - first_dof) / 6) : foreign);
  }
  return bodies;
}

/// Which of this rank's bodies press on each other: those with a row between them that is not at its bound.
Neighbours find_neighbours(const BlockBodies& blocks, std::size_t bodies, Vec free) {
  const parallel::ReadArray mask(free);
  Neighbours neighbours(bodies);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const double* const row = mask.data() + 3 * k;
    if (row[0] == 0.0 && row[1] == 0.0 && row[2] == 0.0) continue;
    for (const int a : blocks[k])
      for (const int b : blocks[k])
        if (a != b && a != foreign && b != foreign) neighbours[static_cast<std::size_t>(a)].insert(b);
  }
  return neighbours;
}

/// Groups of neighbours: a body with all its neighbours where none of them has a group yet; who is left joins one.
std::vector<int> aggregate(const Neighbours& neighbours) {
  std::vector<int> group(neighbours.size(), none);
  const auto grouped = [&](int body) { return group[static_cast<std::size_t>(body)] != none; };
  int groups = 0;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    if (group[k] != none || std::ranges::any_of(neighbours[k], grouped)) continue;
    for (const int other : neighbours[k]) group[static_cast<std::size_t>(other)] = groups;
    group[k] = groups++;
  }
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    if (group[k] != none) continue;
    const auto other = std::ranges::find_if(neighbours[k], grouped);
    group[k] = other != neighbours[k].end() ? group[static_cast<std::size_t>(*other)] : groups++;
  }
  return group;
}

int count_of(const std::vector<int>& group) { return group.empty() ? 0 : *std::ranges::max_element(group) + 1; }

/// The same graph between groups.
Neighbours contract(const Neighbours& neighbours, const std::vector<int>& group) {
  Neighbours result(static_cast<std::size_t>(count_of(group)));
  for (std::size_t k = 0; k < neighbours.size(); ++k)
    for (const int other : neighbours[k])
      if (group[k] != group[static_cast<std::size_t>(other)])
        result[static_cast<std::size_t>(group[k])].insert(group[static_cast<std::size_t>(other)]);
  return result;
}

/// Groups that move as rigid bodies: v_i = V + Omega x (c_i - c), and the inverse of each group's mass matrix. Bodies
/// of infinite mass stay where they are.
struct RigidGroups {
  std::vector<SparseEntry> motion, inverse_mass;  ///< B: motion of bodies from that of groups; (B^T M B)^-1

  RigidGroups(const std::vector<Factors::Body>& bodies, const std::vector<int>& group, std::int64_t first_dof,
              std::int64_t first_group_dof) {
    const auto groups = static_cast<std::size_t>(count_of(group));
    std::vector<Vec3> centre(groups, Vec3::Zero());
    std::vector<double> mass(groups, 0.0);
    std::vector<Mat6> inertia(groups, Mat6::Zero());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!std::isfinite(bodies[k].mass)) continue;
      mass[static_cast<std::size_t>(group[k])] += bodies[k].mass;
      centre[static_cast<std::size_t>(group[k])] += bodies[k].mass * bodies[k].centre;
    }
    for (std::size_t g = 0; g < groups; ++g)
      if (mass[g] > 0.0) centre[g] /= mass[g];
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!std::isfinite(bodies[k].mass)) continue;
      const auto g = static_cast<std::size_t>(group[k]);
      Eigen::Matrix<double, 6, 6> from_group = Mat6::Identity();  // (v, omega) of the body
      from_group.topRightCorner<3, 3>() = -cross_matrix(bodies[k].centre - centre[g]);
      Mat6 own = Mat6::Zero();
      own.diagonal().head<3>().setConstant(bodies[k].mass);
      own.bottomRightCorner<3, 3>() = bodies[k].inertia;
      inertia[g] += from_group.transpose() * own * from_group;
      from_group.bottomRows<3>() *= bodies[k].length;
      add(motion, first_dof + 6 * static_cast<std::int64_t>(k), first_group_dof + 6 * static_cast<std::int64_t>(g),
          from_group);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      const std::int64_t first = first_group_dof + 6 * static_cast<std::int64_t>(g);
      if (mass[g] > 0.0) add(inverse_mass, first, first, inertia[g].inverse());
    }
  }

 private:
  static void add(std::vector<SparseEntry>& entries, std::int64_t row, std::int64_t column, const Mat6& block) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (block(i, j) != 0.0) entries.push_back({row + i, column + j, block(i, j)});
  }
};

Matrix product(Mat A, Mat B) {
  Mat result = nullptr;
  petsc(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &result));
  return Matrix(result);
}

/// Collective: numbers of this rank's rows among those between two groups or a group and the world, -1 for rows inside
/// of a group.
std::vector<std::int64_t> number_rows(const Comm& comm, const BlockBodies& blocks, const std::vector<int>& group) {
  std::vector<std::int64_t> number(3 * blocks.size(), -1);
  std::int64_t next = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    std::set<int> groups;
    for (const int body : blocks[k]) groups.insert(body == foreign ? foreign : group[static_cast<std::size_t>(body)]);
    if (blocks[k].size() > 1 && groups.size() == 1) continue;
    for (std::size_t c = 0; c < 3; ++c) number[3 * k + c] = 3 * next + static_cast<std::int64_t>(c);
    ++next;
  }
  const std::int64_t below = 3 * comm.sum_below(next);
  for (std::int64_t& row : number)
    if (row >= 0) row += below;
  return number;
}

std::vector<SparseEntry> renumbered(const std::vector<SparseEntry>& entries, const std::vector<std::int64_t>& number,
                                    std::int64_t first_row) {
  std::vector<SparseEntry> result;
  for (const auto& [row, column, value] : entries)
    if (const std::int64_t to = number[static_cast<std::size_t>(row - first_row)]; to >= 0)
      result.push_back({to, column, value});
  return result;
}

std::vector<SparseEntry> transposed(const std::vector<SparseEntry>& entries) {
  std::vector<SparseEntry> result;
  for (const auto& [row, column, value] : entries) result.push_back({column, row, value});
  return result;
}

}  // namespace

std::vector<CoarseLevel> coarsen_velocities(const problem::ContactProblem& problem, Vec free,
                                            const MultigridOptions& options) {
  const Comm& comm = problem.N->comm();
  const Factors factors = problem.N->factors();
  std::int64_t rows = comm.sum(std::int64_t{factors.rows});
  if (rows > 3 * options.coarsest && comm.any(factors.bodies.empty() && factors.dofs > 0))
    throw InputError(
        "solver 'multigrid' with transfer 'velocities' needs to know where bodies are, which problems from files do "
        "not "
        "tell; take transfer 'impulses', npgs or pivot");
  const std::int64_t first_dof = comm.sum_below(factors.dofs), first_row = comm.sum_below(factors.rows);
  const Matrix D = reads_of(comm, factors);
  const BlockBodies blocks = find_bodies(factors, first_dof);
  Neighbours neighbours = find_neighbours(blocks, factors.bodies.size(), free);
  std::vector<int> group(factors.bodies.size());
  for (std::size_t k = 0; k < group.size(); ++k) group[k] = static_cast<int>(k);

  std::vector<CoarseLevel> levels;
  std::vector<std::int64_t> finer;  // numbers of this rank's rows on the level above
  for (std::int64_t row = 0; row < factors.rows; ++row) finer.push_back(first_row + row);
  int own_finer = factors.rows;
  while (static_cast<int>(levels.size()) + 1 < options.levels && rows > 3 * options.coarsest) {
    const std::vector<int> joined = aggregate(neighbours);
    for (int& g : group) g = joined[static_cast<std::size_t>(g)];
    neighbours = contract(neighbours, joined);
    const int own_groups = count_of(joined);
    const std::int64_t dofs = 6 * comm.sum(std::int64_t{own_groups});
    const RigidGroups rigid(factors.bodies, group, first_dof, 6 * comm.sum_below(own_groups));
    const Matrix B = matrix_of(comm, factors.dofs, 6 * own_groups, rigid.motion);
    const Matrix inverse_mass = matrix_of(comm, 6 * own_groups, 6 * own_groups, rigid.inverse_mass);
    const Matrix reads = product(D, B), writes = product(reads, inverse_mass);

    const std::vector<std::int64_t> number = number_rows(comm, blocks, group);
    const std::int64_t coarse_rows =
        comm.sum(static_cast<std::int64_t>(std::ranges::count_if(number, [](std::int64_t n) { return n >= 0; })));
    constexpr double hardly_less = 0.95;
    if (coarse_rows == 0 || static_cast<double>(coarse_rows) > hardly_less * static_cast<double>(rows)) break;

    std::vector<SparseEntry> places;
    for (std::size_t k = 0; k < number.size(); ++k)
      if (number[k] >= 0) places.push_back({number[k], finer[k], 1.0});
    const int own_coarse = static_cast<int>(parallel::EvenSplit{coarse_rows, comm.size(), 3}.count(comm.rank()));
    Matrix inject = matrix_of(comm, own_coarse, own_finer, places);
    Mat prolong = nullptr;
    petsc(MatTranspose(inject, MAT_INITIAL_MATRIX, &prolong));
    levels.push_back({coarse_problem(comm, coarse_rows, dofs, renumbered(entries_of(reads), number, first_row),
                                     transposed(renumbered(entries_of(writes), number, first_row))),
                      Matrix(prolong), std::move(inject)});
    finer = number;
    own_finer = own_coarse;
    rows = coarse_rows;
  }
  return levels;
}

}  // namespace scree::solvers
