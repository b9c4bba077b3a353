#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

// Arithmetic on several contacts or pairs at once, one in each lane of a vector. Templates over `Real` work on one
// (double) or on `lane_count` of them (Lanes) with the same text.

namespace scree::lanes {

#if defined(__AVX512F__)
inline constexpr int lane_count = 8;
#else
inline constexpr int lane_count = 4;
#endif
using Lanes = double __attribute__((vector_size(8 * lane_count)));

template <typename Real>
inline constexpr int lanes_of = static_cast<int>(sizeof(Real) / sizeof(double));

template <typename Real>
inline Real load(const double* from) {
  Real value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename Real>
inline void store(const Real& value, double* to) {
  std::memcpy(to, &value, sizeof value);
}

template <typename Real>
inline Real larger(const Real& a, const Real& b) {
  return a < b ? b : a;
}
template <typename Real>
inline Real smaller(const Real& a, const Real& b) {
  return b < a ? b : a;
}

inline double root(double value) { return std::sqrt(value); }
inline Lanes root(const Lanes& value) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xFF, value);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(value);
#else
  Lanes result;
  for (int l = 0; l < lane_count; ++l) result[l] = std::sqrt(value[l]);
  return result;
#endif
}

/// 1 or -1, by the sign bit.
inline double sign_of(double value) { return std::copysign(1.0, value); }
inline Lanes sign_of(const Lanes& value) {
  using Bits = long long __attribute__((vector_size(sizeof(Lanes))));
  const Lanes one = Lanes{} + 1.0, minus_zero = -Lanes{};
  return reinterpret_cast<Lanes>((reinterpret_cast<Bits>(value) & reinterpret_cast<Bits>(minus_zero)) |
                                 reinterpret_cast<Bits>(one));
}

inline double sum_of(double value) { return value; }
inline double sum_of(const Lanes& value) {
  double sum = 0.0;
  for (int l = 0; l < lane_count; ++l) sum += value[l];
  return sum;
}

/// Lane l of the result is lane at(l) of a, or lane at(l) - lane_count of b.
template <typename At, int... l>
inline Lanes shuffle(const Lanes& a, const Lanes& b, At, std::integer_sequence<int, l...>) {
  return __builtin_shufflevector(a, b, At{}(l)...);
}
template <typename At>
inline Lanes shuffle(const Lanes& a, const Lanes& b, At at) {
  return shuffle(a, b, at, std::make_integer_sequence<int, lane_count>{});
}

/// Numbers that belong together, a cache line or half of one, of each lane.
template <int count>
struct Columns {
  Lanes column[count];
};
using Pack = double __attribute__((vector_size(32)));

/// Turns rows into columns and back, in each square of four lanes.
template <int distance = 1>
inline void transpose(Columns<4>& square) {
  for (int k = 0; k < 4; ++k) {
    if (k & distance) continue;
    const Lanes upper = square.column[k], lower = square.column[k + distance];
    square.column[k] = shuffle(upper, lower, [](int l) { return l & distance ? lane_count + l - distance : l; });
    square.column[k + distance] =
        shuffle(upper, lower, [](int l) { return l & distance ? lane_count + l : l + distance; });
  }
  if constexpr (distance == 1) transpose<2>(square);
}

#if defined(__AVX512F__)
/// The first or second of every two pairs of lanes: those of a, then those of b. Unlike other ways to exchange lanes
/// these leave both operands as they are and need no table.
template <int which>
inline Lanes pairs_of(const Lanes& a, const Lanes& b) {
  return shuffle(a, b, [](int l) { return 4 * (l / 2) + l % 2 + 2 * which; });
}

inline void transpose(Columns<8>& square) {
  auto& c = square.column;
  for (int k = 0; k < 8; k += 2) {
    const Lanes upper = c[k], lower = c[k + 1];
    c[k] = shuffle(upper, lower, [](int l) { return l % 2 == 0 ? l : lane_count + l - 1; });
    c[k + 1] = shuffle(upper, lower, [](int l) { return l % 2 == 0 ? l + 1 : lane_count + l; });
  }
  for (int k = 0; k < 2; ++k) {
    const Lanes a = pairs_of<0>(c[k], c[k + 2]), b = pairs_of<1>(c[k], c[k + 2]);
    const Lanes d = pairs_of<0>(c[k + 4], c[k + 6]), e = pairs_of<1>(c[k + 4], c[k + 6]);
    c[k] = pairs_of<0>(a, d), c[k + 4] = pairs_of<1>(a, d);
    c[k + 2] = pairs_of<0>(b, e), c[k + 6] = pairs_of<1>(b, e);
  }
}
#else
/// Two squares, one below the other as rows, side by side as columns.
inline void transpose(Columns<8>& both) {
  auto& c = both.column;
  Columns<4> first{{c[0], c[1], c[2], c[3]}}, second{{c[4], c[5], c[6], c[7]}};
  transpose(first);
  transpose(second);
  std::copy_n(first.column, 4, c);
  std::copy_n(second.column, 4, c + 4);
}
#endif

/// `row(l)` is where the four or eight numbers of lane l stand.
template <int count, typename Row>
inline Columns<count> load_columns(const Row& row) {
  Columns<count> square;
  if constexpr (count < lane_count) {
    for (int k = 0; k < 4; ++k)
      square.column[k] = __builtin_shufflevector(load<Pack>(row(k)), load<Pack>(row(k + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
  } else {
    for (int k = 0; k < count; ++k) square.column[k] = load<Lanes>(row(k % lane_count) + k / lane_count * lane_count);
  }
  transpose(square);
  return square;
}

template <typename Row>
inline void store_columns(Columns<4> square, const Row& row) {
  transpose(square);
  for (int k = 0; k < 4; ++k) {
    if constexpr (lane_count == 4) {
      store(square.column[k], row(k));
    } else {
      store(__builtin_shufflevector(square.column[k], square.column[k], 0, 1, 2, 3), row(k));
      store(__builtin_shufflevector(square.column[k], square.column[k], 4, 5, 6, 7), row(k + 4));
    }
  }
}

/// Adds eight numbers to each row, one row after the other: two may be the same.
template <typename Row>
inline void add_to_rows(Columns<8> change, const Row& row) {
  transpose(change);
  for (int k = 0; k < 8; ++k) {
    double* const to = row(k % lane_count) + k / lane_count * lane_count;
    store(Lanes(load<Lanes>(to) + change.column[k]), to);
  }
}

/// Three rows of a contact, or of several.
template <typename Real>
struct Three {
  Real n, t, o;
};

/// The same numbers as they lie in memory where contacts stand side by side, three doubles each: enough for what all
/// rows have in common.
template <typename Real>
struct Rows {
  Real part[3];
};

template <typename Real>
inline Rows<Real> load_rows(const double* from) {
  constexpr int lanes = lanes_of<Real>;
  return {{load<Real>(from), load<Real>(from + lanes), load<Real>(from + 2 * lanes)}};
}
template <typename Real>
inline void store_rows(const Rows<Real>& rows, double* to) {
  for (int place = 0; place < 3; ++place) store(rows.part[place], to + place * lanes_of<Real>);
}

template <typename Real>
inline Three<Real> three_of(const Rows<Real>& rows) {
  const auto& [a, b, c] = rows.part;
  if constexpr (lanes_of<Real> == 1) {
    return {a, b, c};
  } else {
    constexpr int in_c = 2 * lane_count;
    const auto component = [&]<int place>(std::integral_constant<int, place>) {
      const Lanes most = shuffle(a, b, [](int l) { return 3 * l + place < in_c ? 3 * l + place : 0; });
      return shuffle(most, c, [](int l) { return 3 * l + place < in_c ? l : 3 * l + place - lane_count; });
    };
    return {component(std::integral_constant<int, 0>{}), component(std::integral_constant<int, 1>{}),
            component(std::integral_constant<int, 2>{})};
  }
}
template <typename Real>
inline Rows<Real> rows_of(const Three<Real>& three) {
  if constexpr (lanes_of<Real> == 1) {
    return {{three.n, three.t, three.o}};
  } else {
    const auto part = [&]<int place>(std::integral_constant<int, place>) {
      constexpr int first = place * lane_count;
      const Lanes two = shuffle(three.n, three.t, [](int l) {
        return (first + l) % 3 < 2 ? (first + l) % 3 * lane_count + (first + l) / 3 : 0;
      });
      return shuffle(two, three.o, [](int l) { return (first + l) % 3 < 2 ? l : lane_count + (first + l) / 3; });
    };
    return {{part(std::integral_constant<int, 0>{}), part(std::integral_constant<int, 1>{}),
             part(std::integral_constant<int, 2>{})}};
  }
}

template <typename Real>
inline Three<Real> load_three(const double* from) {
  return three_of(load_rows<Real>(from));
}
template <typename Real>
inline void store_three(const Three<Real>& three, double* to) {
  store_rows(rows_of(three), to);
}

/// Which contact is in which lane: those from k on (int), or any.
using LaneIndex = std::array<int, lane_count>;

inline int lane_of(int k, int lane) { return k + lane; }
inline int lane_of(const LaneIndex& k, int lane) { return k[static_cast<std::size_t>(lane)]; }

/// One number a contact.
template <typename Real>
inline Real load_one(const double* from, int k) {
  return load<Real>(from + k);
}
template <typename Real>
inline Real load_one(const double* from, const LaneIndex& k) {
  Real value;
  for (int l = 0; l < lane_count; ++l) value[l] = from[lane_of(k, l)];
  return value;
}

/// Three numbers a contact. Contacts that do not stand side by side have no rows but these.
template <typename Real>
inline Rows<Real> load_rows(const double* from, int k) {
  return load_rows<Real>(from + 3 * k);
}
template <typename Real>
inline Rows<Real> load_rows(const double* from, const LaneIndex& k) {
  Rows<Real> rows;
  for (int l = 0; l < lane_count; ++l)
    for (int c = 0; c < 3; ++c) rows.part[c][l] = from[3 * lane_of(k, l) + c];
  return rows;
}
template <typename Real>
inline void store_rows(const Rows<Real>& rows, double* to, int k) {
  store_rows(rows, to + 3 * k);
}
template <typename Real>
inline void store_rows(const Rows<Real>& rows, double* to, const LaneIndex& k) {
  for (int l = 0; l < lane_count; ++l)
    for (int c = 0; c < 3; ++c) to[3 * lane_of(k, l) + c] = rows.part[c][l];
}
template <typename Real>
inline Three<Real> three_of(const Rows<Real>& rows, int) {
  return three_of(rows);
}
template <typename Real>
inline Three<Real> three_of(const Rows<Real>& rows, const LaneIndex&) {
  return {rows.part[0], rows.part[1], rows.part[2]};
}
template <typename Real>
inline Rows<Real> rows_of(const Three<Real>& three, int) {
  return rows_of(three);
}
template <typename Real>
inline Rows<Real> rows_of(const Three<Real>& three, const LaneIndex&) {
  return {{three.n, three.t, three.o}};
}
template <typename Real, typename Index>
inline Three<Real> load_three(const double* from, const Index& k) {
  return three_of(load_rows<Real>(from, k), k);
}

/// visit<Lanes>(k) or, for what is left, visit<double>(k): all numbers below `count`.
template <typename Visit>
inline void for_each_lane(int count, Visit&& visit) {
  int k = 0;
  for (; k + lane_count <= count; k += lane_count) visit.template operator()<Lanes>(k);
  for (; k < count; ++k) visit.template operator()<double>(k);
}

}  // namespace scree::lanes
