#include "scree/parallel/bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scree/parallel/exchange.hpp"

namespace scree::parallel {

namespace {

/// A point far from home.
struct Traveller {
  double position[3];
  std::int64_t weight;
  std::int32_t home;   ///< rank that asks for its part
  std::int32_t index;  ///< of the point there
};

struct Answer {
  std::int32_t index;
  std::int32_t part;
};

struct PartRange {
  int first;
  int count;
};

/// Weights become whole numbers, whose sums are exact: every rank finds the same cut in whatever order it adds.
std::vector<Traveller> set_out(const Comm& comm, const WeightedPoints& points) {
  constexpr double resolution = 1LL << 40;
  double total = 0.0;
  for (const double weight : points.weights) total += weight;
  total = comm.sum(total);
  const double scale = total > 0.0 ? resolution / total : 0.0;
  std::vector<Traveller> travellers(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    Traveller& traveller = travellers[k];
    std::copy_n(points.coordinates.data() + 3 * k, 3, traveller.position);
    traveller.weight = 1 + std::llround(scale * points.weights[k]);
    traveller.home = comm.rank();
    traveller.index = static_cast<std::int32_t>(k);
  }
  return travellers;
}

struct Cut {
  std::uint64_t key;   ///< points with smaller keys weigh at most the target, those with this key as well weigh more
  std::int64_t below;  ///< weight of the points with smaller keys
};

/// Collective: finds the key digit by digit from histograms of the weights.
Cut find_cut(const Comm& comm, std::span<const std::uint64_t> keys, std::span<const Traveller> points,
             std::int64_t target) {
  constexpr int digit_bits = 8;
  constexpr std::uint64_t bins = 1U << digit_bits;
  Cut cut{0, 0};
  std::uint64_t known = 0;  // the digits of the key that are found already
  for (int shift = 64 - digit_bits; shift >= 0; shift -= digit_bits) {
    std::array<std::int64_t, bins> weight{};
    for (std::size_t k = 0; k < keys.size(); ++k)
      if ((keys[k] & known) == cut.key) weight[(keys[k] >> shift) % bins] += points[k].weight;
    comm.sum(weight);
    std::uint64_t bin = 0;
    for (; bin + 1 < bins && cut.below + weight[bin] <= target; ++bin) cut.below += weight[bin];
    cut.key |= bin << shift;
    known |= (bins - 1) << shift;
  }
  return cut;
}

struct Halves {
  std::vector<Traveller> lower, upper;
};

/// Collective: the lower half weighs the share lower/all of the whole, as nearly as the points allow.
Halves halve(const Comm& comm, std::span<const Traveller> points, int lower, int all, const Ruler& ruler) {
  std::vector<double> coordinates;
  std::int64_t total = 0;
  for (const Traveller& point : points) {
    coordinates.insert(coordinates.end(), point.position, point.position + 3);
    total += point.weight;
  }
  const std::vector<std::uint64_t> keys = ruler(comm, coordinates);
  const std::int64_t target = comm.sum(total) / all * lower;
  const Cut cut = find_cut(comm, keys, points, target);

  std::int64_t tied = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) tied += keys[k] == cut.key ? points[k].weight : 0;
  std::int64_t before = cut.below + comm.sum_below(tied);
  Halves halves;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    bool is_lower = keys[k] < cut.key;
    if (keys[k] == cut.key) {
      is_lower = before + points[k].weight / 2 < target;  // it lies in the half that holds its middle
      before += points[k].weight;
    }
    (is_lower ? halves.lower : halves.upper).push_back(points[k]);
  }
  return halves;
}

/// Collective: spreads points evenly over the ranks first_rank .. first_rank + ranks - 1.
void address(const Comm& comm, const std::vector<Traveller>& points, int first_rank, int ranks, Mail& mail) {
  const auto local = static_cast<std::int64_t>(points.size());
  const std::int64_t all = comm.sum(local);
  std::int64_t number = comm.sum_below(local);
  for (const Traveller& point : points) append(mail[first_rank + static_cast<int>(number++ * ranks / all)], point);
}

/// Collective. `answers` gets the part of every point that ends here.
void divide(const Comm& comm, const std::vector<Traveller>& points, PartRange parts, const Ruler& ruler,
            Mail& answers) {
  if (parts.count == 1) {
    for (const Traveller& point : points) append(answers[point.home], Answer{point.index, parts.first});
    return;
  }
  const PartRange lower{parts.first, parts.count / 2};
  const PartRange upper{lower.first + lower.count, parts.count - lower.count};
  const Halves halves = halve(comm, points, lower.count, parts.count, ruler);
  if (comm.size() == 1) {
    divide(comm, halves.lower, lower, ruler, answers);
    divide(comm, halves.upper, upper, ruler, answers);
    return;
  }
  const int lower_ranks = std::clamp(comm.size() * lower.count / parts.count, 1, comm.size() - 1);
  const bool in_lower = comm.rank() < lower_ranks;
  Mail mail;
  address(comm, halves.lower, 0, lower_ranks, mail);
  address(comm, halves.upper, lower_ranks, comm.size() - lower_ranks, mail);
  std::vector<Traveller> arrived;
  for (const auto& [rank, bytes] : deliver(comm, mail)) {
    const auto group = records<Traveller>(bytes);
    arrived.insert(arrived.end(), group.begin(), group.end());
  }
  const Comm half = comm.split(in_lower ? 0 : 1);
  divide(half, arrived, in_lower ? lower : upper, ruler, answers);
  comm.traffic() += half.traffic();
}

}  // namespace

std::vector<int> partition_by_bisection(const Comm& comm, const WeightedPoints& points, int parts, const Ruler& ruler) {
  Mail answers;
  divide(comm, set_out(comm, points), {0, parts}, ruler, answers);
  std::vector<int> part(points.size());
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const Answer& answer : records<Answer>(bytes)) part[static_cast<std::size_t>(answer.index)] = answer.part;
  return part;
}

}  // namespace scree::parallel
