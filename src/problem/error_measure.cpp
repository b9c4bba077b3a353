#include "scree/problem/error_measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "local_contact.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Vec3;
using parallel::ReadArray;

const std::vector<MeasureInfo>& measures() {
  static const std::vector<MeasureInfo> all = {
      {Measure::natural, "natural", "|x - P_K(x - w)| / max(|r|, |x|, |w|)"},
      {Measure::natural_q, "natural_q", "|x - P_K(x - w)| / |r|"},
      {Measure::natural_sum, "natural_sum", "sum of |x - P_K(x - w)| over all rows"},
      {Measure::fischer_burmeister, "fischer_burmeister", "sum of the Fischer-Burmeister functions of all rows"},
      {Measure::energy, "energy", "sum of the energy errors of all constraints (J)"},
      {Measure::projected_gradient, "projected_gradient", "largest component of the projected gradient (m/s)"},
      {Measure::gradient_step, "gradient_step", "|x - P_K(x - tau w)| / tau for small tau (m/s)"},
      {Measure::complementarity, "complementarity", "largest |x.w| of a contact (J)"},
  };
  return all;
}

std::string_view name_of(Measure measure) {
  return std::ranges::find(measures(), measure, &MeasureInfo::measure)->name;
}

bool is_natural(Measure measure) { return measure == Measure::natural || measure == Measure::natural_q; }

double value_of(const ErrorMeasures& errors, Measure measure) {
  switch (measure) {
    case Measure::natural:
      return errors.natural;
    case Measure::natural_q:
      return errors.natural_q;
    case Measure::natural_sum:
      return errors.natural_sum;
    case Measure::fischer_burmeister:
      return errors.fischer_burmeister;
    case Measure::energy:
      return errors.energy;
    case Measure::projected_gradient:
      return errors.projected_gradient;
    case Measure::gradient_step:
      return errors.gradient_step;
    case Measure::complementarity:
      break;
  }
  return errors.complementarity;
}

/// One block with all that is known of it.
struct ErrorMeter::Block {
  int index;
  AdmissibleSet set;
  Vec3 x;
  Vec3 w;  ///< w~ for Coulomb's law
};

namespace {

/// Without a scale only no error at all is small.
double relative(double error, double scale) {
  if (scale > 0.0) return error / scale;
  return error > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// a + b - sqrt(a^2 + b^2), for a up to infinity, without cancellation where both are positive.
double fischer_burmeister(double a, double b) {
  if (std::isinf(a)) return b;
  const double root = std::hypot(a, b);
  return a + b > 0.0 ? 2.0 * a * b / (a + b + root) : a + b - root;
}

/// One row with bounds (seed 001 eq. 5-6).
double fischer_burmeister_row(double x, double w, double lower, double upper) {
  const double above = fischer_burmeister(upper - x, std::max(0.0, -w));
  const double below = fischer_burmeister(x - lower, std::max(0.0, w));
  return std::max(std::abs(above), std::abs(below));
}

/// |z + y - sqrt(z^2 + y^2)| in the algebra of the second-order cone: zero if and only if z and y lie in it and are
/// orthogonal.
double fischer_burmeister_cone(const Vec3& z, const Vec3& y) {
  const double head = z.squaredNorm() + y.squaredNorm();
  const Eigen::Vector2d tail = 2.0 * (z.x() * z.tail<2>() + y.x() * y.tail<2>());
  const double length = tail.norm();
  const double plus = std::sqrt(head + length), minus = std::sqrt(std::max(0.0, head - length));
  Vec3 root(0.5 * (plus + minus), 0.0, 0.0);
  if (length > 0.0) root.tail<2>() = 0.5 * (plus - minus) / length * tail;
  return (z + y - root).norm();
}

/// The part of one block in the Fischer-Burmeister sum. Rows and squares: row by row, with the bounds as they are at
/// x_n. Discs that grow: the function of their cone for z = (mu x_n, x_T), y = (w_n / mu, w_T); constant ones: z = (r,
/// x_T), y = (|w_T|, w_T). The facets of other polygons have no multipliers in x: their tangential part is measured by
/// the natural map.
double fischer_burmeister_block(const AdmissibleSet& set, const Vec3& x, const Vec3& w) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (set.shape() == AdmissibleSet::Shape::rows) {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) sum += fischer_burmeister_row(x[c], w[c], set.rows().lower[c], set.rows().upper[c]);
    return sum;
  }
  if (set.shape() == AdmissibleSet::Shape::disc && set.grows() && set.size() > 0.0)
    return fischer_burmeister_cone({set.size() * x.x(), x.y(), x.z()}, {w.x() / set.size(), w.y(), w.z()});
  const double lift = set.grows() ? set.size() * set.section_support(-w) : 0.0;
  const double normal = fischer_burmeister_row(x.x(), w.x() - lift, 0.0, inf), radius = set.radius_at(x.x());
  if (set.shape() == AdmissibleSet::Shape::disc)
    return normal + fischer_burmeister_cone({radius, x.y(), x.z()}, {std::hypot(w.y(), w.z()), w.y(), w.z()});
  if (set.is_square())
    return normal + fischer_burmeister_row(x.y(), w.y(), -radius, radius) +
           fischer_burmeister_row(x.z(), w.z(), -radius, radius);
  return normal + (x - AdmissibleSet::prism(radius, set.facets()).project(x - w)).tail<2>().lpNorm<1>();
}

/// f = x.w, with what the bounds allow to be dissipated added: zero at a solution, for every law.
double complementarity_of(const AdmissibleSet& set, const Vec3& x, const Vec3& w) {
  double f = x.dot(w);
  if (set.shape() == AdmissibleSet::Shape::rows) {
    for (int c = 0; c < 3; ++c) {
      const double bound = w[c] > 0.0 ? set.rows().lower[c] : set.rows().upper[c];
      if (std::isfinite(bound)) f -= bound * w[c];
    }
  } else if (!set.grows()) {
    f += set.size() * set.section_support(-w);
  }
  return f;
}

template <typename Real>
Real square(const Three<Real>& a) {
  return a.n * a.n + a.t * a.t + a.o * a.o;
}

/// Three rows of each of some blocks.
struct BlockRows {
  int first;  ///< block
  int last;
  const double* x;
  const double* w;
  const double* r;
};

/// What the natural measures are made of: squares of x - P_K(x - w), r, x and w.
class NaturalSums {
 public:
  static constexpr std::size_t count = 4;

  /// Adds the part of some blocks: contacts in lanes where they have one law.
  void add(const ConstraintSet& set, const BlockRows& rows) {
    const auto& [first, last, x, w, r] = rows;
    const int contacts = set.exceptions.empty() ? std::clamp(set.contact_count(), first, last) : first;
    with_projection(set, [&](const auto& projection) {
      for_each_lane(contacts - first,
                    [&]<typename Real>(int k) { add_contacts<Real>(projection, set, rows, k, sums_of<Real>()); });
    });
    for (int k = contacts; k < last; ++k) {
      const int row = 3 * (k - first);
      const Vec3 speed(w + row);
      add(set[k], Vec3(x + row), set.shifted(k, speed), speed, r + row, sums_);
    }
  }
  [[nodiscard]] std::array<double, count> sums() const {
    std::array<double, count> all;
    for (std::size_t c = 0; c < count; ++c) all[c] = sums_[c] + sum_of(lanes_[c]);
    return all;
  }

  static void add(const AdmissibleSet& set, const Vec3& x, const Vec3& shifted, const Vec3& w, const double* r,
                  double* sums) {
    sums[0] += (x - set.project(x - shifted)).squaredNorm();
    sums[1] += Eigen::Map<const Vec3>(r).squaredNorm();
    sums[2] += x.squaredNorm();
    sums[3] += w.squaredNorm();
  }
  static void finish(const double* sums, ErrorMeasures& errors) {
    errors.natural = relative(std::sqrt(sums[0]), std::sqrt(std::max({sums[1], sums[2], sums[3]})));
    errors.natural_q = relative(std::sqrt(sums[0]), std::sqrt(sums[1]));
  }

 private:
  /// Contacts from `k` on, counted from the first of `rows`, with the projection that all of them share.
  template <typename Real, typename Projection>
  [[gnu::flatten]] static void add_contacts(const Projection& projection, const ConstraintSet& set,
                                            const BlockRows& rows, int k, Real* sums) {
    const auto x = load_three<Real>(rows.x + 3 * k), w = load_three<Real>(rows.w + 3 * k);
    Three<Real> c{x.n - w.n, x.t - w.t, x.o - w.o};
    const int block = rows.first + k;
    if (set.law == Law::coulomb)  // w~
      c.n -= coefficient<Real>(set.friction.view(), block) * root(w.t * w.t + w.o * w.o);
    const Three<Real> y = project(projection, block, c);
    sums[0] += square<Real>({x.n - y.n, x.t - y.t, x.o - y.o});
    sums[1] += square(load_three<Real>(rows.r + 3 * k));
    sums[2] += square(x);
    sums[3] += square(w);
  }
  template <typename Real>
  [[nodiscard]] Real* sums_of() {
    if constexpr (lanes_of<Real> == 1) {
      return sums_;
    } else {
      return lanes_;
    }
  }

  double sums_[count] = {};
  Lanes lanes_[count] = {};
};

}  // namespace

template <typename Function>
void ErrorMeter::for_each_block(Vec x, Vec w, Function&& function) const {
  const ReadArray impulses(x), velocities(w);
  for (int k = 0; k < impulses.size() / 3; ++k) {
    const Vec3 speed(velocities.data() + 3 * k);
    function(Block{k, problem_.K[k], Vec3(impulses.data() + 3 * k), problem_.K.shifted(k, speed)}, speed);
  }
}

void ErrorMeter::know_diagonal() {
  if (tau_ > 0.0) return;
  const parallel::Vector vector = problem_.make_vector();
  problem_.N->diagonal(vector);
  const ReadArray entries(vector);
  diagonal_.assign(entries.data(), entries.data() + entries.size());
  const double largest = problem_.N->comm().max(diagonal_.empty() ? 0.0 : *std::ranges::max_element(diagonal_));
  tau_ = largest > 0.0 ? 1e-3 / largest : 1.0;
}

/// Seed 001 eq. 16-20 say, row by row: 1/2 a_ii (x - P(x - w / a_ii))^2, P being the projection on [l_i, u_i]. In this
/// form it extends to sets that are not products of rows: the projection in the metric of the diagonal, with one entry
/// for both tangential directions, whose choice then does not matter.
double ErrorMeter::energy_of(const Block& block) const {
  Vec3 a(diagonal_.data() + 3 * block.index);
  if (block.set.shape() != AdmissibleSet::Shape::rows) a[1] = a[2] = 0.5 * (a[1] + a[2]);
  double energy = 0.0;
  const Vec3 inverse = a.unaryExpr([](double entry) { return entry > 0.0 ? 1.0 / entry : 0.0; });
  const Vec3 step = block.x - project_in_metric(block.set, block.x - inverse.cwiseProduct(block.w), a);
  for (int c = 0; c < 3; ++c) energy += 0.5 * a[c] * step[c] * step[c];
  return energy;
}

std::vector<double> ErrorMeter::energies(Vec x, Vec w) {
  know_diagonal();
  std::vector<double> result;
  for_each_block(x, w, [&](const Block& block, const Vec3&) { result.push_back(energy_of(block)); });
  return result;
}

ErrorMeasures ErrorMeter::one(Vec x, Vec w, Measure measure) {
  if (!is_natural(measure)) return all(x, w);
  NaturalSums parts;
  const ReadArray r(problem_.r), impulses(x), velocities(w);
  parts.add(problem_.K, {0, impulses.size() / 3, impulses.data(), velocities.data(), r.data()});
  return naturals(parts.sums());
}

ErrorMeasures ErrorMeter::natural(Vec x, Motion& motion) {
  constexpr int some = 256;  // whose rows stay in the fastest cache
  problem_.N->refresh(motion);
  NaturalSums parts;
  const ReadArray r(problem_.r), impulses(x);
  double w[3 * some];
  const int blocks = impulses.size() / 3;
  for (int first = 0; first < blocks; first += some) {
    const int last = std::min(first + some, blocks), row = 3 * first;
    problem_.N->block_velocities(first, last, impulses.data(), motion, w);
    for (int k = row; k < 3 * last; ++k) w[k - row] += r[k];
    parts.add(problem_.K, {first, last, impulses.data() + row, w, r.data() + row});
  }
  return naturals(parts.sums());
}

ErrorMeasures ErrorMeter::naturals(std::array<double, 4> sums) const {
  problem_.N->comm().sum(sums);
  ErrorMeasures errors;
  NaturalSums::finish(sums.data(), errors);
  return errors;
}

ErrorMeasures ErrorMeter::all(Vec x, Vec w) {
  know_diagonal();
  enum : std::size_t { natural = NaturalSums::count, fischer_burmeister, energy, gradient, f, f_squared, blocks, sums };
  enum : std::size_t { largest_energy, projected_gradient, largest_f, maxima };
  double sum[sums] = {}, most[maxima] = {};
  const ReadArray r(problem_.r);
  for_each_block(x, w, [&](const Block& block, const Vec3& speed) {
    const auto& [index, set, at, shifted] = block;
    const double joules = energy_of(block), work = complementarity_of(set, at, shifted);
    NaturalSums::add(set, at, shifted, speed, r.data() + 3 * index, sum);
    sum[natural] += (at - set.project(at - shifted)).lpNorm<1>();
    sum[fischer_burmeister] += fischer_burmeister_block(set, at, shifted);
    sum[energy] += joules;
    sum[gradient] += (at - set.project(at - tau_ * shifted)).squaredNorm();
    sum[f] += work;
    sum[f_squared] += work * work;
    sum[blocks] += 1.0;
    most[largest_energy] = std::max(most[largest_energy], joules);
    most[largest_f] = std::max(most[largest_f], std::abs(work));
    const Vec3 descent = set.project_on_tangent_cone(at, -shifted);
    most[projected_gradient] = std::max(most[projected_gradient], descent.lpNorm<Eigen::Infinity>());
  });
  problem_.N->comm().sum(sum);
  problem_.N->comm().max(most);

  ErrorMeasures errors;
  NaturalSums::finish(sum, errors);
  const double number = std::max(1.0, sum[blocks]), mean = sum[f] / number;
  errors.natural_sum = sum[natural];
  errors.fischer_burmeister = sum[fischer_burmeister];
  errors.energy = sum[energy];
  errors.largest_energy = most[largest_energy];
  errors.projected_gradient = most[projected_gradient];
  errors.gradient_step = std::sqrt(sum[gradient]) / tau_;
  errors.complementarity = most[largest_f];
  errors.mean_complementarity = mean;
  errors.complementarity_deviation = std::sqrt(std::max(0.0, sum[f_squared] / number - mean * mean));
  return errors;
}

ErrorMeasures measure_errors(const ContactProblem& problem, Vec x, Vec w) { return ErrorMeter(problem).all(x, w); }

}  // namespace scree::problem
