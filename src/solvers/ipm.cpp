#include "scree/solvers/ipm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

#include "barrier.hpp"
#include "gradient.hpp"
#include "mean_diagonals.hpp"
#include "scree/problem/newton_system.hpp"
#include "scree/solvers/npgs.hpp"

namespace scree::solvers {

using model::Mat3;
using model::Vec3;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::AdmissibleSet;
using problem::ContactProblem;

namespace {

/// One block in its own units: impulse = unit * z, velocity = beta^2 / unit * answer, row by row. In these a cone opens
/// by 1, the diagonal of N is about 1, and r about 1.
struct Block {
  Vec3 unit;
  std::variant<ConeBarrier, RowsBarrier> barrier;
};

/// The interior iterate and its Newton steps.
class InteriorPoint {
 public:
  InteriorPoint(const ContactProblem& problem, const IpmOptions& options)
      : problem_(problem),
        system_(problem::make_newton_system(problem, {options.subsystem, options.linear})),
        right_(problem.make_vector()),
        d_(problem.make_vector()) {
    const std::vector<double> m = mean_diagonals(*problem.N);
    beta_ = typical_impulse(m);
    for (int k = 0; k < problem.N->block_count(); ++k) blocks_.push_back(make_block(k, m[static_cast<std::size_t>(k)]));
    for (Block& block : blocks_) visit(block, [&](auto& barrier) { degree_ += barrier.degree(); });
    degree_ = problem.N->comm().sum(degree_);
  }

  void write(Vec x) const {
    const WriteArray out(x);
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      Vec3::Map(out.data() + 3 * k) =
          blocks_[k].unit.cwiseProduct(std::visit([](const auto& barrier) { return barrier.z(); }, blocks_[k].barrier));
  }

  /// Collective: a step from the iterate whose velocities are w. False if the system is singular or the step vanishes.
  bool step(Vec w, const IpmOptions& options) {
    const double mu = gap() / std::max(1.0, degree_);
    if (!factorise()) return false;
    if (!find_direction(w, 0.0)) return false;
    const double affine = reach(1.0);
    const double rest = gap(affine) / std::max(1.0, degree_);
    for (Block& block : blocks_) visit(block, [](auto& barrier) { barrier.correct(); });
    const double sigma = mu > 0.0 ? std::clamp(std::pow(rest / mu, 3), options.least_centring, 0.9) : 0.0;
    if (!find_direction(w, sigma * mu)) return false;
    const double t = reach(options.step);
    for (Block& block : blocks_) visit(block, [t](auto& barrier) { barrier.advance(t); });
    constexpr double vanishing = 1e-8;
    return t > vanishing;
  }

 private:
  template <typename Function>
  static void visit(Block& block, Function&& function) {
    std::visit(function, block.barrier);
  }

  /// |r| in units in which the diagonal of N is 1, per block (N s).
  [[nodiscard]] double typical_impulse(const std::vector<double>& m) const {
    const ReadArray r(problem_.r);
    double sums[2] = {0.0, static_cast<double>(m.size())};
    for (std::size_t k = 0; k < m.size(); ++k) sums[0] += Vec3(r.data() + 3 * k).squaredNorm() / m[k];
    problem_.N->comm().sum(sums);
    return sums[0] > 0.0 ? std::sqrt(sums[0] / sums[1]) : 1.0;
  }

  [[nodiscard]] Block make_block(int k, double m) const {
    const AdmissibleSet set = problem_.K[k];
    const double size = beta_ / std::sqrt(m);
    const bool cone = set.shape() == AdmissibleSet::Shape::disc;
    if (cone && set.size() > 0.0) {
      const bool shifted = problem_.K.shifted(k, Vec3(0.0, 1.0, 0.0))[0] > 0.0;  // Coulomb's law
      return {{size / set.size(), size, size}, ConeBarrier(shifted)};
    }
    problem::RowBounds rows{{0.0, 0.0, 0.0}, {HUGE_VAL, 0.0, 0.0}};  // of a cone without friction
    if (!cone) rows = set.rows();
    for (int c = 0; c < 3; ++c) rows.lower[c] /= size, rows.upper[c] /= size;
    return {Vec3::Constant(size), RowsBarrier(rows)};
  }

  /// P + N in the units of the problem, from (stiffness + U N U / beta^2) dz, U = diag(unit).
  bool factorise() {
    const auto is_outside = [](const Block& block) {
      return !std::visit([](const auto& barrier) { return barrier.is_inside(); }, block.barrier);
    };
    if (problem_.N->comm().any(std::ranges::any_of(blocks_, is_outside))) return false;
    P_.clear();
    Q_.clear();
    for (Block& block : blocks_) {
      const Vec3 inverse = beta_ * block.unit.cwiseInverse();
      visit(block, [&](auto& barrier) {
        barrier.scale();
        P_.emplace_back(inverse.asDiagonal() * barrier.stiffness() * inverse.asDiagonal());
      });
      Q_.emplace_back(Mat3::Identity());
      if (const auto* rows = std::get_if<RowsBarrier>(&block.barrier))
        for (int c = 0; c < 3; ++c)
          if (!rows->moves(c)) Q_.back()(c, c) = 0.0;
    }
    return system_->factorise(P_, Q_);
  }

  /// The Newton direction towards z o x = target and answer = N z + q.
  [[nodiscard]] bool find_direction(Vec w, double target) {
    {
      const ReadArray velocity(w);
      const WriteArray right(right_);
      for (std::size_t k = 0; k < blocks_.size(); ++k) {
        const Vec3 to_speed = beta_ * beta_ * blocks_[k].unit.cwiseInverse();
        visit(blocks_[k], [&](auto& barrier) {
          const Vec3 missing = to_speed.cwiseProduct(barrier.answer() + barrier.gain(target));
          Vec3::Map(right.data() + 3 * k) = Q_[k] * (missing - Vec3(velocity.data() + 3 * k));
        });
      }
    }
    const bool solved = system_->solve(right_, d_);
    const ReadArray d(d_);
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      visit(blocks_[k],
            [&](auto& barrier) { barrier.head_for(Vec3(d.data() + 3 * k).cwiseQuotient(blocks_[k].unit)); });
    return solved;
  }

  [[nodiscard]] double gap(double t = 0.0) const {
    double sum = 0.0;
    for (const Block& block : blocks_)
      sum += std::visit([t](const auto& barrier) { return barrier.gap(t); }, block.barrier);
    return problem_.N->comm().sum(sum);
  }
  /// A share of the way to the boundary, 1 at most.
  [[nodiscard]] double reach(double share) const {
    double t = 1.0;
    for (const Block& block : blocks_)
      t = std::min(t, share * std::visit([](const auto& barrier) { return barrier.reach(); }, block.barrier));
    return problem_.N->comm().min(t);
  }

  const ContactProblem& problem_;
  std::unique_ptr<problem::NewtonSystem> system_;
  Vector right_, d_;
  double beta_ = 1.0;    ///< sqrt(N s m/s): impulse and velocity 1 of a block with diagonal 1
  double degree_ = 0.0;  ///< of all barriers
  std::vector<Block> blocks_;
  std::vector<Mat3> P_, Q_;
};

}  // namespace

void ipm(const ContactProblem& problem, Vec x, Monitor& monitor, const IpmOptions& options) {
  const Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  if (!monitor.wants_more(x, w)) return monitor.finish(x);
  InteriorPoint point(problem, options);
  double least = HUGE_VAL;
  int idle = 0;
  bool more = true, moving = true;
  do {
    point.write(x);
    problem.K.project(x);  // rounding may leave it outside
    find_velocity(problem, x, w);
    more = monitor.wants_more(x, w);
    const double error = monitor.trend().back().error;
    idle = error < least ? 0 : idle + 1;
    least = std::min(least, error);
    moving = more && point.step(w, options);
  } while (moving && idle < options.patience);
  monitor.finish(x);
  if (!more) return;
  monitor.note(
      fmt::format("ipm gets no further after {} iterations: npgs goes on from its best iterate", monitor.iterations()));
  npgs(problem, x, monitor, {});
}

}  // namespace scree::solvers
