#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace scree::bench {

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double best_seconds(const parallel::Comm& comm, double budget, const std::function<void()>& work,
                    const std::function<double()>& clock) {
  double best = std::numeric_limits<double>::infinity();
  const double begin = wall_clock();
  for (int k = 0; k < 2 || comm.max(wall_clock() - begin) < budget; ++k) {  // the maximum lets all start together
    const double start = clock();
    work();
    best = std::min(best, comm.max(clock() - start));
  }
  return best;
}

double triad_bandwidth(const parallel::Comm& comm) {
  constexpr std::size_t length = 8'000'000;
  std::vector<double> a(length, 0.0), b(length, 1.0), c(length, 2.0);
  double scale = 0.5;
  const double seconds = best_seconds(comm, 0.3, [&] {
    for (std::size_t k = 0; k < length; ++k) a[k] = b[k] + scale * c[k];
    scale = a[length / 2];  // keeps the loop from being optimised away
  });
  return 3.0 * sizeof(double) * static_cast<double>(length) * comm.size() / seconds / 1e9;
}

double gather_rate(const parallel::Comm& comm) {
  struct alignas(64) Line {
    double value = 1.0;
  };
  constexpr std::size_t length = 1'000'000;
  const std::vector<Line> lines(length);
  std::vector<std::uint32_t> place(length);
  std::iota(place.begin(), place.end(), 0U);
  std::ranges::shuffle(place, std::mt19937(1));
  volatile double sink = 0.0;  // keeps the loop from being optimised away
  const double seconds = best_seconds(comm, 0.3, [&] {
    double sum = 0.0;
    for (const std::uint32_t k : place) sum += lines[k].value;
    sink = sum;
  });
  return static_cast<double>(length) * comm.size() / seconds;
}

}  // namespace scree::bench
