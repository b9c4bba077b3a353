#include "newton_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capacity.hpp"
#include "gradient.hpp"
#include "scree/parallel/error.hpp"

namespace scree::solvers {

using model::Mat3;
using model::Vec3;
using parallel::Matrix;
using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::ContactProblem;

namespace {

/// Collective: bounds make a symmetric subsystem; sets that are no intervals do not.
bool has_bounds_only(const ContactProblem& problem) {
  bool other = false;
  for (int k = 0; k < problem.N->block_count(); ++k)
    other = other || problem.K[k].shape() != problem::AdmissibleSet::Shape::rows;
  return !problem.N->comm().any(other);
}

void check(const ContactProblem& problem, const NewtonOptions& options, bool symmetric) {
  if (!symmetric && options.subsystem != "gmres" && options.subsystem != "mumps")
    throw InputError(
        fmt::format("option 'subsystem' of Newton's method: '{}' is for symmetric systems, which only the "
                    "laws frictionless and box make; take gmres or mumps",
                    options.subsystem));
  const bool everywhere = options.subsystem == "cholmod", direct = everywhere || options.subsystem == "mumps";
  const parallel::Comm& comm = problem.N->comm();
  const auto rows = static_cast<double>(comm.sum(std::int64_t{symmetric ? 1 : 3} * problem.N->block_count()));
  const double entries = count_entries(*problem.N), ranks = everywhere ? 1.0 : comm.size();
  const double bytes = direct ? (symmetric ? 1.0 : 2.0) * bytes_of_factors(rows, entries) : 40.0 * entries;
  refuse_beyond(comm, "newton", fmt::format("assembles N{}", direct ? " and factorises parts of it" : ""),
                bytes / ranks, options.memory, direct ? "subsystem gmres, or npgs or apgd" : "npgs or apgd");
}

}  // namespace

NewtonSteps::NewtonSteps(const ContactProblem& problem, const NewtonOptions& options)
    : problem_(problem),
      options_(options),
      normal_map_(options.equation == "normal-map"),
      symmetric_(has_bounds_only(problem)),
      a_(diagonal_scaling(problem, "averaged")) {
  check(problem, options, symmetric_);
  N_ = problem.N->assemble();
}

void NewtonSteps::map_law(Vec y, Vec value) const {
  const ReadArray at(y);
  const WriteArray out(value);
  for (int k = 0; k < at.size() / 3; ++k)
    Vec3::Map(out.data() + 3 * k) = law_map(problem_.K, k, Vec3::Map(at.data() + 3 * k)).value;
}

NewtonSteps::Evaluated NewtonSteps::evaluate(Vec z) const {
  Evaluated result{problem_.make_vector(), problem_.make_vector(), 0.0};
  const Vector value = problem_.make_vector(), scaled = problem_.make_vector();
  if (normal_map_) {
    petsc(VecCopy(z, result.point));
    map_law(result.point, value);
    find_velocity(problem_, value, scaled);
  } else {
    find_velocity(problem_, z, result.point);
    petsc(VecPointwiseDivide(result.point, result.point, a_));
    petsc(VecAYPX(result.point, -1.0, z));
    map_law(result.point, value);
  }
  petsc(VecWAXPY(result.F, -1.0, value, z));
  petsc(VecPointwiseMult(result.F, result.F, a_));
  petsc(VecAXPY(result.F, 1.0, scaled));  // w of the normal map
  petsc(VecPointwiseDivide(scaled, result.F, a_));
  result.merit = 0.5 * dot(result.F, scaled);
  return result;
}

void NewtonSteps::accept(Vec z, Evaluated&& evaluated) {
  petsc(VecCopy(z, z_));
  at_ = std::move(evaluated);
  merit_ = at_.merit;
  if (normal_map_) {
    map_law(at_.point, x);
  } else {
    petsc(VecCopy(z, x));
    problem_.K.project(x);
  }
  find_velocity(problem_, x, w);
}

void NewtonSteps::start_from(Vec impulses) {
  fruitless_ = 0;
  shift_ = options_.shift;
  const Vector z = problem_.make_vector();
  petsc(VecCopy(impulses, z));
  if (normal_map_) {  // y = x - w/a
    const Vector rate = problem_.make_vector();
    find_velocity(problem_, impulses, rate);
    petsc(VecPointwiseDivide(rate, rate, a_));
    petsc(VecAXPY(z, -1.0, rate));
  }
  accept(z, evaluate(z));
}

void NewtonSteps::linearise() {
  const auto bounds =
      options_.bounds == "adapted" ? problem::BoundsInDerivative::constant : problem::BoundsInDerivative::variable;
  const ReadArray y(at_.point);
  C_.clear();
  moving_.clear();
  for (int k = 0; k < y.size() / 3; ++k) {
    C_.push_back(law_map(problem_.K, k, Vec3::Map(y.data() + 3 * k), bounds).derivative);
    for (int c = 0; c < 3; ++c)
      if (!C_.back().row(c).isZero(0.0) || !C_.back().col(c).isZero(0.0)) moving_.push_back(3 * k + c);
  }
}

/// v <- C v.
void NewtonSteps::multiply_derivatives(Vec v) const {
  const WriteArray entries(v);
  for (std::size_t k = 0; k < C_.size(); ++k) {
    Eigen::Map<Vec3> block(entries.data() + 3 * k);
    block = C_[k] * block.eval();
  }
}

/// J of min-max: a (I - C) + C N; of the normal map: a (I - C) + N C.
void NewtonSteps::apply_jacobian(Vec v, Vec Jv) const {
  const Vector Cv = problem_.make_vector(), rest = problem_.make_vector();
  petsc(VecCopy(v, Cv));
  multiply_derivatives(Cv);
  petsc(VecWAXPY(rest, -1.0, Cv, v));
  petsc(VecPointwiseMult(rest, rest, a_));
  problem_.N->apply(normal_map_ ? Cv.get() : v, Jv);
  if (!normal_map_) multiply_derivatives(Jv);
  petsc(VecAXPY(Jv, 1.0, rest));
}

/// The rows and columns of J that move, with the shift. Since C is zero outside of them, this is a (I - C) + C N (or
/// N C) of the parts; for bounds C is the identity there, and N's part is left.
Matrix NewtonSteps::subsystem() const {
  PetscInt first = 0;
  petsc(MatGetOwnershipRange(N_, &first, nullptr));
  std::vector<PetscInt> rows;
  for (const int row : moving_) rows.push_back(first + row);
  Matrix part = cut_out(N_, rows);
  PetscInt first_moving = 0;
  petsc(MatGetOwnershipRange(part, &first_moving, nullptr));
  std::vector<PetscInt> number(3 * C_.size(), -1);  // of moving rows in the part
  for (std::size_t k = 0; k < moving_.size(); ++k)
    number[static_cast<std::size_t>(moving_[k])] = first_moving + static_cast<PetscInt>(k);

  const auto block_diagonal = [&](auto&& entry) {
    Mat mat = nullptr;
    const auto own = static_cast<PetscInt>(moving_.size());
    petsc(MatCreateAIJ(problem_.N->comm().handle(), own, own, PETSC_DETERMINE, PETSC_DETERMINE, 3, nullptr, 0, nullptr,
                       &mat));
    Matrix result(mat);
    for (const int row : moving_)
      for (int column = row / 3 * 3; column < row / 3 * 3 + 3; ++column)
        if (number[static_cast<std::size_t>(column)] >= 0)
          petsc(MatSetValue(mat, number[static_cast<std::size_t>(row)], number[static_cast<std::size_t>(column)],
                            entry(row, column), INSERT_VALUES));
    petsc(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
    petsc(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
    return result;
  };
  const ReadArray a(a_);
  const auto derivative = [&](int row, int column) {
    return C_[static_cast<std::size_t>(row / 3)](row % 3, column % 3);
  };
  if (!symmetric_) {
    const Matrix C = block_diagonal(derivative);
    Mat product = nullptr;
    petsc(MatMatMult(normal_map_ ? part : C, normal_map_ ? C : part, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    part = Matrix(product);
  }
  const Matrix rest = block_diagonal(
      [&](int row, int column) { return a[row] * ((row == column ? 1.0 + shift_ : 0.0) - derivative(row, column)); });
  petsc(MatAXPY(part, 1.0, rest, DIFFERENT_NONZERO_PATTERN));
  return part;
}

/// J d = -F in the order of its triangular parts: rows that do not move first (they know no others in min-max), then
/// the subsystem, then again those that do not move (in the normal map they know the subsystem).
void NewtonSteps::find_direction() {
  linearise();
  const Vector Jd = problem_.make_vector();
  const auto hold = [&](Vec known) {  // d <- -(F + known)/a on rows that do not move, which keep the others
    const ReadArray F(at_.F), a(a_), others(known);
    const WriteArray d(d_);
    std::size_t next = 0;
    for (int k = 0; k < d.size(); ++k) {
      if (next < moving_.size() && moving_[next] == k) {
        ++next;
      } else {
        d[k] = -(F[k] + others[k]) / a[k];
      }
    }
  };
  petsc(VecSet(d_, 0.0));
  petsc(VecSet(Jd, 0.0));
  hold(Jd);
  apply_jacobian(d_, Jd);
  std::vector<double> right;
  {
    const ReadArray F(at_.F), known(Jd);
    for (const int row : moving_) right.push_back(-F[row] - known[row]);
  }
  const LinearSystem system(subsystem(), symmetric_,
                            {options_.subsystem, options_.linear_tolerance, LinearOptions{}.max_iterations});
  const std::vector<double> found = system.solve(right);
  petsc(VecSet(d_, 0.0));
  if (found.size() == moving_.size()) {
    const WriteArray d(d_);
    for (std::size_t k = 0; k < moving_.size(); ++k) d[moving_[k]] = found[k];
  }
  apply_jacobian(d_, Jd);
  hold(Jd);
}

void NewtonSteps::iterate() {
  find_direction();
  constexpr double sufficient = 1e-4;
  const Vector trial = problem_.make_vector();
  double t = 1.0;
  petsc(VecWAXPY(trial, t, d_, z_));
  Evaluated next = evaluate(trial);
  while (!(next.merit <= (1.0 - 2.0 * sufficient * t) * merit_) && t > options_.minimum_step) {
    t = std::max(0.5 * t, options_.minimum_step);
    petsc(VecWAXPY(trial, t, d_, z_));
    next = evaluate(trial);
  }
  // Redundant rows leave directions that hardly resist: a larger shift shortens steps along them.
  constexpr double growth = 100.0, fall = 0.1, largest = 0.1;
  const bool gained = next.merit <= (1.0 - 2.0 * sufficient * t) * merit_;
  fruitless_ = gained ? 0 : fruitless_ + 1;
  if (!gained) shift_ = std::min(growth * std::max(shift_, 1e-12), largest);
  if (gained && t == 1.0) shift_ = std::max(fall * shift_, options_.shift);
  accept(trial, std::move(next));
}

}  // namespace scree::solvers
