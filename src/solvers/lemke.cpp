#include "scree/solvers/lemke.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gradient.hpp"
#include "whole_problem.hpp"

namespace scree::solvers {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double zero_pivot = 1e-8;  // against a diagonal of 1
constexpr double tie = 1e-13;

double bytes_needed(double rows, double entries) { return 40.0 * entries + 16.0 * rows * rows; }

/// One of the variables of w = N z + r + d t.
struct Variable {
  enum class Kind { z, w, t } kind;
  Index row;  ///< of z and w
};

/// Basic variables as affine functions of the nonbasic ones: basic = value + table (nonbasic - where they stand). A
/// nonbasic z stands at a bound, a nonbasic w or t at 0.
class Table {
 public:
  explicit Table(const WholeProblem& problem) : problem_(problem), at_(problem.rows()) {
    const Index n = problem_.rows();
    table_.resize(n, n + 1);
    table_.leftCols(n) = MatrixXd(problem_.N);
    for (Index k = 0; k < n; ++k) {
      const bool only_upper = !std::isfinite(problem_.lower[k]) && std::isfinite(problem_.upper[k]);
      at_[k] = std::isfinite(problem_.lower[k]) ? problem_.lower[k] : only_upper ? problem_.upper[k] : 0.0;
      is_upper_.push_back(only_upper);
      table_(k, n) = is_bilateral(k) ? 0.0 : only_upper ? -1.0 : 1.0;
      basic_.push_back({Variable::Kind::w, k});
      nonbasic_.push_back({Variable::Kind::z, k});
    }
    nonbasic_.push_back({Variable::Kind::t, n});
    value_ = problem_.N * at_ + problem_.r;
    make_free_rows_basic();
  }

  enum class State { going, solved, ray };
  [[nodiscard]] State state() const { return state_; }

  void step() {
    if (!column_) return start();
    const auto blocking = find_blocking(*column_, direction_);
    const double own = own_range(*column_);
    if (!blocking && !std::isfinite(own)) {
      state_ = State::ray;
    } else if (!blocking || own < ratio(*blocking, *column_, direction_)) {
      cross_range(own);
    } else {
      exchange(*blocking);
    }
  }

  /// z of the present basis; the rows that are free computed anew, for pivots gather rounding.
  [[nodiscard]] VectorXd point() const {
    VectorXd z = at_;
    std::vector<Index> free;
    for (std::size_t i = 0; i < basic_.size(); ++i)
      if (basic_[i].kind == Variable::Kind::z) {
        free.push_back(basic_[i].row);
        z[basic_[i].row] = state_ == State::solved ? 0.0 : value_[static_cast<Index>(i)];
      }
    if (state_ != State::solved || free.empty()) return z;
    const MatrixXd N = problem_.N;
    const Eigen::PartialPivLU<MatrixXd> factors{MatrixXd(N(free, free))};
    for (int pass = 0; pass < 2; ++pass) {  // the second refines
      const VectorXd rest = (N * z + problem_.r)(free), change = factors.solve(rest);
      z(free) -= change;
    }
    return z;
  }

 private:
  /// A limit of a basic variable on the side that it moves to: +1 where it must not fall below, -1 where not rise.
  struct Limit {
    double at;
    double side;
  };

  [[nodiscard]] bool is_bilateral(Index k) const {
    return !std::isfinite(problem_.lower[k]) && !std::isfinite(problem_.upper[k]);
  }

  /// z of bilateral rows enters for good. A row that no pivot is left for depends on the others: it has no say.
  void make_free_rows_basic() {
    for (Index pass = 0; pass < problem_.rows(); ++pass) {
      Index best = -1;
      for (Index k = 0; k < problem_.rows(); ++k)
        if (is_bilateral(k) && basic_[static_cast<std::size_t>(k)].kind == Variable::Kind::w &&
            (best < 0 || table_(k, k) > table_(best, best)))
          best = k;
      if (best < 0 || table_(best, best) <= zero_pivot) return;
      const double distance = -value_[best] / table_(best, best);
      move(best, distance);
      pivot(best, best);
    }
  }

  [[nodiscard]] std::optional<Limit> limit_of(const Variable& variable, double rate) const {
    const Index k = variable.row;
    if (variable.kind == Variable::Kind::t) return rate < 0.0 ? std::optional(Limit{0.0, 1.0}) : std::nullopt;
    if (is_bilateral(k)) return {};
    if (variable.kind == Variable::Kind::z) {
      const Limit limit = rate < 0.0 ? Limit{problem_.lower[k], 1.0} : Limit{problem_.upper[k], -1.0};
      return std::isfinite(limit.at) ? std::optional(limit) : std::nullopt;
    }
    const double side = is_upper_[static_cast<std::size_t>(k)] ? -1.0 : 1.0;
    return rate * side < 0.0 ? std::optional(Limit{0.0, side}) : std::nullopt;
  }

  [[nodiscard]] double ratio(Index i, Index column, double direction) const {
    const double rate = direction * table_(i, column);
    const Limit limit = *limit_of(basic_[static_cast<std::size_t>(i)], rate);
    return std::max(0.0, limit.side * (value_[i] - limit.at)) / std::abs(rate);
  }

  /// How basic variable i depends on a change of r_k: w_k - r_k is what the table knows.
  [[nodiscard]] double dependence(Index i, Index k) const {
    const Variable& own = basic_[static_cast<std::size_t>(i)];
    if (own.kind == Variable::Kind::w && own.row == k) return 1.0;
    for (std::size_t column = 0; column < nonbasic_.size(); ++column)
      if (nonbasic_[column].kind == Variable::Kind::w && nonbasic_[column].row == k)
        return -table_(i, static_cast<Index>(column));
    return 0.0;
  }

  /// Whether i blocks before j: by ratio, at a tie as if r_k were raised by e^k for a very small e.
  [[nodiscard]] bool comes_before(Index i, Index j, Index column, double direction) const {
    const double own = ratio(i, column, direction), other = ratio(j, column, direction);
    if (std::abs(own - other) > tie * std::max({1.0, own, other})) return own < other;
    if (basic_[static_cast<std::size_t>(i)].kind == Variable::Kind::t) return true;
    if (basic_[static_cast<std::size_t>(j)].kind == Variable::Kind::t) return false;
    const auto slope = [&](Index row, Index k) {
      const double rate = direction * table_(row, column);
      return limit_of(basic_[static_cast<std::size_t>(row)], rate)->side * dependence(row, k) / std::abs(rate);
    };
    for (Index k = 0; k < problem_.rows(); ++k)
      if (const double difference = slope(i, k) - slope(j, k); std::abs(difference) > tie) return difference < 0.0;
    return false;
  }

  [[nodiscard]] std::optional<Index> find_blocking(Index column, double direction) const {
    std::optional<Index> first;
    for (Index i = 0; i < value_.size(); ++i) {
      const double rate = direction * table_(i, column);
      if (std::abs(rate) <= zero_pivot || !limit_of(basic_[static_cast<std::size_t>(i)], rate)) continue;
      if (!first || comes_before(i, *first, column, direction)) first = i;
    }
    return first;
  }

  /// How far the entering variable may go by itself: z to its other bound.
  [[nodiscard]] double own_range(Index column) const {
    const Variable& variable = nonbasic_[static_cast<std::size_t>(column)];
    if (variable.kind != Variable::Kind::z) return std::numeric_limits<double>::infinity();
    return problem_.upper[variable.row] - problem_.lower[variable.row];
  }

  /// t enters where the most violated row leaves.
  void start() {
    const Index t = problem_.rows();
    std::optional<Index> worst;
    const auto violation = [&](Index i) { return -table_(i, t) * value_[i]; };  // d is 1 or -1 in rows of w
    for (Index i = 0; i < value_.size(); ++i) {
      const Variable& variable = basic_[static_cast<std::size_t>(i)];
      if (variable.kind == Variable::Kind::w && !is_bilateral(variable.row) && violation(i) > 0.0 &&
          (!worst || violation(i) > violation(*worst)))
        worst = i;
    }
    if (!worst) {
      state_ = State::solved;
      return;
    }
    column_ = t;
    direction_ = 1.0;
    exchange(*worst);
  }

  /// The entering variable moves by `distance`; all basic ones follow.
  void move(Index column, double distance) {
    value_ += distance * table_.col(column);
    moved_ = distance;
  }

  void cross_range(double range) {
    move(*column_, direction_ * range);
    const Index k = nonbasic_[static_cast<std::size_t>(*column_)].row;
    set_bound(k, direction_ > 0.0);
    enter_complement_of({Variable::Kind::z, k});
  }

  void exchange(Index i) {
    const Variable leaving = basic_[static_cast<std::size_t>(i)];
    double limit = 0.0;
    if (leaving.kind == Variable::Kind::z) {
      const bool upper = direction_ * table_(i, *column_) > 0.0;
      limit = upper ? problem_.upper[leaving.row] : problem_.lower[leaving.row];
      set_bound(leaving.row, upper);
    }
    move(*column_, (limit - value_[i]) / table_(i, *column_));
    pivot(i, *column_);
    if (leaving.kind == Variable::Kind::t) {
      state_ = State::solved;
    } else {
      enter_complement_of(leaving);
    }
  }

  void set_bound(Index k, bool upper) {
    at_[k] = upper ? problem_.upper[k] : problem_.lower[k];
    is_upper_[static_cast<std::size_t>(k)] = upper;
  }

  void enter_complement_of(const Variable& left) {
    const auto kind = left.kind == Variable::Kind::z ? Variable::Kind::w : Variable::Kind::z;
    for (std::size_t column = 0; column < nonbasic_.size(); ++column)
      if (nonbasic_[column].kind == kind && nonbasic_[column].row == left.row) column_ = static_cast<Index>(column);
    direction_ = is_upper_[static_cast<std::size_t>(left.row)] ? -1.0 : 1.0;
  }

  /// Basic variable i and the nonbasic one of a column, which has moved, change places.
  void pivot(Index i, Index column) {
    Variable& enters = nonbasic_[static_cast<std::size_t>(column)];
    const double stood = enters.kind == Variable::Kind::z ? at_[enters.row] : 0.0;
    value_[i] = stood + moved_;
    std::swap(basic_[static_cast<std::size_t>(i)], enters);
    const double element = table_(i, column);
    Eigen::RowVectorXd row = -table_.row(i) / element;
    row[column] = 1.0 / element;
    const VectorXd factor = table_.col(column);
    table_.col(column).setZero();
    table_ += factor * row;
    table_.row(i) = row;
  }

  const WholeProblem& problem_;
  MatrixXd table_;
  VectorXd value_, at_;
  std::vector<bool> is_upper_;  ///< which bound z stands at, or left last
  std::vector<Variable> basic_, nonbasic_;
  std::optional<Index> column_;  ///< of the variable that enters
  double direction_ = 1.0;       ///< it rises or falls
  double moved_ = 0.0;
  State state_ = State::going;
};

std::string verdict(Table::State state) {
  if (state == Table::State::ray)
    return "no impulses between the bounds satisfy all conditions: Lemke's method ended in a ray; look for bodies that "
           "are squeezed between walls, or joints that contradict each other";
  return "the basis is complementary and exact to rounding, which leaves more than the tolerance: ask for less";
}

}  // namespace

void lemke(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const LemkeOptions& options) {
  const WholeProblem whole(problem, {"lemke", options.memory, bytes_needed});
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  Table table(whole);
  while (monitor.wants_more(x, w)) {
    if (table.state() != Table::State::going) {
      monitor.give_up(verdict(table.state()));
      break;
    }
    table.step();
    whole.write(table.point(), x);
    problem.K.project(x);
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
