#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "local_contact.hpp"
#include "scree/model/lanes.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"

// The loops in which nearly all time is spent. Contacts that share no body are relaxed together, one in each lane: the
// cache lines of their bodies are loaded whole and transposed, which costs less than to gather them number by number.

namespace scree::problem {

// --- The bodies at one end of contacts, lane by lane ---

template <typename Real>
struct Linear {
  Real v[3], inverse_mass;
};
template <typename Real>
struct Angular {
  Real u[3], inverse_inertia;
};

/// `slot(l)` is the body of lane l.
template <typename Real, typename Slot>
inline Linear<Real> load_linear(const BodyMotion* motion, const Slot& slot) {
  if constexpr (lanes_of<Real> == 1) {
    const BodyMotion& body = motion[slot(0)];
    return {{body.v[0], body.v[1], body.v[2]}, body.inverse_mass};
  } else {
    const auto [c] = load_columns([&](int l) { return motion[slot(l)].v; });
    return {{c[0], c[1], c[2]}, c[3]};
  }
}
template <typename Real, typename Slot>
inline Angular<Real> load_angular(const BodyMotion* motion, const Slot& slot) {
  if constexpr (lanes_of<Real> == 1) {
    const BodyMotion& body = motion[slot(0)];
    return {{body.u[0], body.u[1], body.u[2]}, body.inverse_inertia};
  } else {
    const auto [c] = load_columns([&](int l) { return motion[slot(l)].u; });
    return {{c[0], c[1], c[2]}, c[3]};
  }
}

/// Masses are written back as they are.
template <typename Real, typename Slot>
inline void store_linear(const Linear<Real>& body, BodyMotion* motion, const Slot& slot) {
  if constexpr (lanes_of<Real> == 1) {
    std::copy_n(body.v, 3, motion[slot(0)].v);
  } else {
    store_columns({body.v[0], body.v[1], body.v[2], body.inverse_mass}, [&](int l) { return motion[slot(l)].v; });
  }
}
template <typename Real, typename Slot>
inline void store_angular(const Angular<Real>& body, BodyMotion* motion, const Slot& slot) {
  if constexpr (lanes_of<Real> == 1) {
    std::copy_n(body.u, 3, motion[slot(0)].u);
  } else {
    store_columns({body.u[0], body.u[1], body.u[2], body.inverse_inertia}, [&](int l) { return motion[slot(l)].u; });
  }
}

// --- Contacts with their bodies ---

template <typename Real, typename Contact, typename Index>
inline std::array<Real, 3> normals_of(const Contact* contacts, const Index& k) {
  if constexpr (lanes_of<Real> == 1) {
    return {contacts[k].n[0], contacts[k].n[1], contacts[k].n[2]};
  } else {
    static_assert(sizeof(Contact) == 4 * sizeof(double));  // both slots in the place of a double, then the normal
    const auto [c] = load_columns([&](int l) { return reinterpret_cast<const double*>(contacts + lane_of(k, l)); });
    return {c[1], c[2], c[3]};
  }
}

template <typename Real, typename Contact, typename Index>
inline FrameOf<Real> frames_of(const Contact* contacts, const Index& k) {
  const auto [x, y, z] = normals_of<Real>(contacts, k);
  return {x, y, z, sign_of(z)};
}

template <typename Real>
inline Real dot(const Real* a, const Real* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Contacts, as many as a Real has lanes, with both their bodies.
template <typename Real, typename Contact, typename Index>
struct Touching {
  const Contact* contacts;
  Index k;
  FrameOf<Real> frame;
  Linear<Real> a_linear, b_linear;
  Angular<Real> a_angular, b_angular;

  Touching(const Contact* all, const Index& which, const BodyMotion* bodies)
      : contacts(all),
        k(which),
        frame(frames_of<Real>(all, which)),
        a_linear(load_linear<Real>(bodies, [&](int l) { return all[lane_of(which, l)].a; })),
        b_linear(load_linear<Real>(bodies, [&](int l) { return all[lane_of(which, l)].b; })),
        a_angular(load_angular<Real>(bodies, [&](int l) { return all[lane_of(which, l)].a; })),
        b_angular(load_angular<Real>(bodies, [&](int l) { return all[lane_of(which, l)].b; })) {}

  /// v_b - v_a.
  [[nodiscard]] std::array<Real, 3> linear_difference() const {
    return {b_linear.v[0] - a_linear.v[0], b_linear.v[1] - a_linear.v[1], b_linear.v[2] - a_linear.v[2]};
  }
  /// The momentum of impulses, in the world frame.
  [[nodiscard]] std::array<Real, 3> momentum_of(const Three<Real>& x) const {
    std::array<Real, 3> p;
    for (std::size_t c = 0; c < 3; ++c) p[c] = x.n * frame.n[c] + x.t * frame.t[c] + x.o * frame.o[c];
    return p;
  }
  void write_back(BodyMotion* motion) const {
    store_linear(a_linear, motion, [&](int l) { return contacts[lane_of(k, l)].a; });
    store_linear(b_linear, motion, [&](int l) { return contacts[lane_of(k, l)].b; });
    store_angular(a_angular, motion, [&](int l) { return contacts[lane_of(k, l)].a; });
    store_angular(b_angular, motion, [&](int l) { return contacts[lane_of(k, l)].b; });
  }
};

/// Contacts of spheres from k on.
template <typename Real, typename Contact>
struct SphereContacts : Touching<Real, Contact, int> {
  using Ends = Touching<Real, Contact, int>;
  using Ends::a_angular, Ends::a_linear, Ends::b_angular, Ends::b_linear, Ends::frame, Ends::Ends;

  /// D_j^T motion: the velocity of b against a at the contact, in its frame.
  [[nodiscard]] Three<Real> relative_velocity() const {
    const auto v = this->linear_difference();
    const Real u[3] = {a_angular.u[0] + b_angular.u[0], a_angular.u[1] + b_angular.u[1],
                       a_angular.u[2] + b_angular.u[2]};
    // -(u x n).t = -u.(n x t)
    return {dot(frame.n, v.data()), dot(frame.t, v.data()) - dot(frame.o, u), dot(frame.o, v.data()) + dot(frame.t, u)};
  }

  [[nodiscard]] Diagonal<Real> own_diagonal() const {
    const Real normal = a_linear.inverse_mass + b_linear.inverse_mass;
    return {normal, normal + a_angular.inverse_inertia + b_angular.inverse_inertia};
  }

  /// Adds D_j x to the bodies, each times what its masses are taken for.
  void add(const Three<Real>& x, const Diagonal<Real>& to_a, const Diagonal<Real>& to_b, BodyMotion* motion) {
    const auto p = this->momentum_of(x);
    for (std::size_t c = 0; c < 3; ++c) {
      const Real q = x.t * frame.o[c] - x.o * frame.t[c];  // n x p
      a_linear.v[c] -= to_a.normal * p[c];
      b_linear.v[c] += to_b.normal * p[c];
      a_angular.u[c] -= to_a.tangential * q;
      b_angular.u[c] -= to_b.tangential * q;
    }
    this->write_back(motion);
  }
  /// Adds M^-1 D_j x to the motion.
  void add_impulse(const Three<Real>& x, BodyMotion* motion) {
    add(x, {a_linear.inverse_mass, a_angular.inverse_inertia}, {b_linear.inverse_mass, b_angular.inverse_inertia},
        motion);
  }
  /// Adds D_j x itself, in place of velocities.
  void add_momentum(const Three<Real>& x, BodyMotion* motion) {
    const Diagonal<Real> one{Real{} + 1.0, Real{} + 1.0};
    add(x, one, one, motion);
  }
};

/// What the levers of contacts act with, as columns: spin_a(i, j) at 3 j + i, spin_b(i, j) at 9 + 3 j + i, then the
/// diagonal. `levers(l)` is the lever of lane l.
template <typename Real, typename Levers>
inline std::array<Real, 20> load_levers(const Levers& levers) {
  std::array<Real, 20> numbers;
  const auto begin = [&](int l) { return levers(l).spin_a.data(); };
  if constexpr (lanes_of<Real> == 1) {
    std::copy_n(begin(0), 20, numbers.begin());
  } else {
    for (std::size_t part = 0; part < 5; ++part) {
      const auto [c] = load_columns([&](int l) { return begin(l) + 4 * part; });
      std::copy_n(c, 4, numbers.begin() + static_cast<std::ptrdiff_t>(4 * part));
    }
  }
  return numbers;
}

/// Visits contacts of a run, as many at once as there are lanes where they share no body, else one by one:
/// visit<Lanes>(k, last) or visit<double>(k, last) for the contacts from k on, if there are others up to `last`.
template <typename Run, typename Visit>
inline void for_each_group(const Run& run, int last, Visit&& visit) {
  for (int k = run.first; k < run.grouped; k += lane_count) visit.template operator()<Lanes>(k, last);
  for (int k = run.grouped; k < run.last; ++k) visit.template operator()<double>(k, last);
}
/// The same for runs that follow each other.
template <typename Run, typename Visit>
inline void for_each_group(const std::vector<Run>& runs, Visit&& visit) {
  for (const Run& run : runs) for_each_group(run, runs.back().last, visit);
}
template <typename Runs, typename Visit>
inline void for_each_group_backward(const Runs& runs, Visit&& visit) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    for (int k = run->last - 1; k >= run->grouped; --k) visit.template operator()<double>(k, k);
    for (int k = run->grouped - lane_count; k >= run->first; k -= lane_count) visit.template operator()<Lanes>(k, k);
  }
}

// What only fetches ahead is always inlined: GCC takes such a function for one without effect and drops its calls.

/// Asks for the bodies of later contacts in time, for it takes longer than to compute. `contact_at(k)` is the k-th one
/// of a run that ends before `last`.
template <typename Real, typename ContactAt>
[[gnu::always_inline]] inline void fetch_bodies_ahead(const ContactAt& contact_at, int k, int last,
                                                      const BodyMotion* motion) {
  constexpr int lanes = lanes_of<Real>, distance = lanes == 1 ? 12 : 3 * lanes;
  const int ahead = std::max(k, std::min(k + distance, last - lanes));
  for (int l = 0; l < lanes; ++l) {
    __builtin_prefetch(&motion[contact_at(ahead + l).a], 1);
    __builtin_prefetch(&motion[contact_at(ahead + l).b], 1);
  }
}
template <typename Real, typename Contact>
[[gnu::always_inline]] inline void fetch_ahead(const Contact* contacts, int k, int last, const BodyMotion* motion) {
  fetch_bodies_ahead<Real>([&](int at) -> const Contact& { return contacts[at]; }, k, last, motion);
}

// --- Products ---

/// w <- D_j^T motion for the contacts of spheres from k on.
template <typename Real, typename Contact>
[[gnu::flatten]] inline void relative_velocities_of(const Contact* contacts, int k, const BodyMotion* motion,
                                                    double* w) {
  store_three(SphereContacts<Real, Contact>(contacts, k, motion).relative_velocity(), w);
}

/// Adds D_j x, in place of velocities.
template <typename Real, typename Contact>
[[gnu::flatten]] inline void add_momentum_of(const Contact* contacts, int k, const double* x, BodyMotion* motion) {
  SphereContacts<Real, Contact>(contacts, k, motion).add_momentum(load_three<Real>(x), motion);
}

// --- Bodies in a sweep that starts from an extrapolation ---

/// The motion of an extrapolation and what comes of it, body by body as a sweep meets and leaves them.
struct MotionAhead {
  const BodyMotion* now;
  const BodyMotion* previous;
  double beta;
  BodyMotion* bodies;  ///< may be where the previous ones are
  Lanes lanes = {};    ///< |v|_M^2 of the bodies that were left (J), lane by lane
  double single = 0.0;

  [[gnu::always_inline]] void fetch(std::span<const int> coming) const {
    for (const int k : coming) {
      __builtin_prefetch(now + k);
      __builtin_prefetch(bodies + k, 1);
    }
  }

  /// bodies <- now + beta (now - previous). Constants that lie between velocities come out as they are.
  void meet(std::span<const int> which) const {
    constexpr int numbers = sizeof(BodyMotion) / sizeof(double);
    for (const int k : which) {
      const auto* const from = reinterpret_cast<const double*>(now + k);
      const auto* const before = reinterpret_cast<const double*>(previous + k);
      auto* const to = reinterpret_cast<double*>(bodies + k);
#pragma omp simd
      for (int c = 0; c < numbers; ++c) to[c] = from[c] + beta * (from[c] - before[c]);
    }
  }

  void leave(std::span<const int> which) {
    for_each_lane(static_cast<int>(which.size()), [&]<typename Real>(int k) {
      const auto slot = [&](int l) { return which[static_cast<std::size_t>(k + l)]; };
      const Linear<Real> linear = load_linear<Real>(bodies, slot);
      const Angular<Real> angular = load_angular<Real>(bodies, slot);
      const Real sum =
          (dot(linear.v, linear.v) * angular.inverse_inertia + dot(angular.u, angular.u) * linear.inverse_mass) /
          (linear.inverse_mass * angular.inverse_inertia);
      if constexpr (lanes_of<Real> == 1) {
        single += sum;
      } else {
        lanes += sum;
      }
    });
  }

  [[nodiscard]] double energy() const { return 0.5 * (single + sum_of(lanes)); }
};

// --- Sweeps ---

/// What a step of an accelerated method sums up over rows: see StepSums.
template <typename Real>
struct RowSums {
  Real turn{}, work{}, change{};
};

/// Where the impulses of a sweep start, three rows a contact: from x as it is, or from now + beta (now - previous),
/// which is computed on the way; then what the step did is summed up, too.
struct SweepStart {
  double* x;  ///< gets the new impulses; may be where the previous ones are
  const double* now = nullptr;
  const double* previous = nullptr;
  double beta = 0.0;
  RowSums<double> single = {};
  RowSums<Lanes> lanes = {};

  template <typename Real, typename Index>
  [[nodiscard]] Rows<Real> at(const Index& k) const {
    if (previous == nullptr) return load_rows<Real>(x, k);
    Rows<Real> start = load_rows<Real>(now, k);
    const Rows<Real> before = load_rows<Real>(previous, k);
    for (int c = 0; c < 3; ++c) start.part[c] += beta * (start.part[c] - before.part[c]);
    return start;
  }

  template <typename Real, typename Index>
  void finish(const Index& k, const Rows<Real>& start, const double* r, const Three<Real>& impulse) {
    const Rows<Real> next = rows_of(impulse, k);
    if (previous == nullptr) return store_rows(next, x, k);
    const Rows<Real> from = load_rows<Real>(now, k), offset = load_rows<Real>(r, k);
    store_rows(next, x, k);
    RowSums<Real>& sums = sums_of<Real>();
    for (int c = 0; c < 3; ++c) {
      const Real back = start.part[c] - next.part[c];
      sums.turn += back * (next.part[c] - from.part[c]);
      sums.work += offset.part[c] * next.part[c];
      sums.change += back * back;
    }
  }

  template <typename Real>
  [[nodiscard]] RowSums<Real>& sums_of() {
    if constexpr (lanes_of<Real> == 1) {
      return single;
    } else {
      return lanes;
    }
  }
};

struct SweepRows {
  const double* r;
  const double* compliance;  ///< or none
};

/// Asks for the rows and normals of later contacts. They stand in order, but processors do not look beyond a page of
/// memory, and each of these arrays comes to the end of one every few groups.
template <typename Contact>
[[gnu::always_inline]] inline void fetch_rows(const Contact* contacts, int first, const SweepRows& rows,
                                              const SweepStart& impulses) {
  constexpr int line = 64 / sizeof(double);
  for (int at = 3 * first; at < 3 * (first + lane_count); at += line) {
    __builtin_prefetch(rows.r + at);
    __builtin_prefetch(impulses.x + at, 1);
    if (impulses.now != nullptr) __builtin_prefetch(impulses.now + at);
  }
  for (int at = 0; at < lane_count; at += 2) __builtin_prefetch(contacts + first + at);
}
template <typename Real, typename Contact>
[[gnu::always_inline]] inline void fetch_rows_ahead(const Contact* contacts, int k, const SweepRows& rows,
                                                    const SweepStart& impulses) {
  if constexpr (lanes_of < Real >> 1) fetch_rows(contacts, k + 16 * lane_count, rows, impulses);
}

/// The same for contacts with levers, and for these. They are relaxed out of order, but not far from it: `lever` is the
/// one whose turn it were.
template <typename Real, typename Contact, typename Lever>
[[gnu::always_inline]] inline void fetch_levers_ahead(const Contact* contacts, const Lever* lever,
                                                      const SweepRows& rows, const SweepStart& impulses) {
  if constexpr (lanes_of<Real> == 1) return;
  constexpr int distance = 32 * lane_count;
  const char* const begin = reinterpret_cast<const char*>(lever + distance);
  for (std::size_t at = 0; at < lane_count * sizeof(Lever); at += 64) __builtin_prefetch(begin + at, 0, 2);
  fetch_rows(contacts, lever->contact + distance, rows, impulses);
}

/// Relaxes the contacts from k on, as many as a Real has lanes. `local` is the solution of a contact's own problem.
template <typename Real, typename Local, typename Contact>
[[gnu::flatten]] inline void relax_with_friction(const Contact* contacts, int k, const SweepRows& rows,
                                                 const Local& local, SweepStart& impulses, BodyMotion* motion) {
  SphereContacts<Real, Contact> here(contacts, k, motion);
  const Rows<Real> from = impulses.at<Real>(k);
  const Three<Real> r = load_three<Real>(rows.r, k), start = three_of(from, k);
  const Three<Real> w = here.relative_velocity();
  Diagonal<Real> own = here.own_diagonal();
  // Compliance adds as much to N_kk x as to w.
  const Three<Real> p{own.normal * start.n - (w.n + r.n), own.tangential * start.t - (w.t + r.t),
                      own.tangential * start.o - (w.o + r.o)};
  if (rows.compliance != nullptr) {
    const Three<Real> compliance = load_three<Real>(rows.compliance, k);
    own = {own.normal + compliance.n, own.tangential + compliance.t};
  }
  const Three<Real> x = solve_own<Real>(local, k, own, p, start);
  impulses.finish(k, from, rows.r, x);
  here.add_impulse({x.n - start.n, x.t - start.t, x.o - start.o}, motion);
}

/// Frictionless contacts turn no body: they need the normal and the linear velocities only.
template <typename Real, typename Contact>
[[gnu::flatten]] inline void relax_frictionless(const Contact* contacts, int k, const SweepRows& rows,
                                                SweepStart& impulses, BodyMotion* motion) {
  const auto slot_a = [&](int l) { return contacts[k + l].a; };
  const auto slot_b = [&](int l) { return contacts[k + l].b; };
  Linear<Real> a = load_linear<Real>(motion, slot_a), b = load_linear<Real>(motion, slot_b);
  const auto n = normals_of<Real>(contacts, k);
  const Rows<Real> from = impulses.at<Real>(k);
  const Three<Real> r = load_three<Real>(rows.r, k), start = three_of(from, k);
  Real own = a.inverse_mass + b.inverse_mass;
  const Real w = n[0] * (b.v[0] - a.v[0]) + n[1] * (b.v[1] - a.v[1]) + n[2] * (b.v[2] - a.v[2]) + r.n;
  const Real p = own * start.n - w;
  if (rows.compliance != nullptr) own += load_three<Real>(rows.compliance, k).n;
  const Three<Real> x{larger(Real{}, p / own), start.t, start.o};
  impulses.finish(k, from, rows.r, x);
  const Real change = x.n - start.n;
  for (std::size_t c = 0; c < 3; ++c) {
    a.v[c] -= a.inverse_mass * (change * n[c]);
    b.v[c] += b.inverse_mass * (change * n[c]);
  }
  store_linear(a, motion, slot_a);
  store_linear(b, motion, slot_b);
}

/// Contacts with levers: one step in the metric of the diagonal that bounds N_kk, which moves nothing that is a
/// solution.
template <typename Real, typename Local, typename Contact, typename Levers, typename Index>
[[gnu::flatten]] inline void relax_levers(const Contact* contacts, const Levers& levers, const Index& k,
                                          const SweepRows& rows, const Local& local, SweepStart& impulses,
                                          BodyMotion* motion) {
  Touching<Real, Contact, Index> here(contacts, k, motion);
  const std::array<Real, 20> lever = load_levers<Real>(levers);
  const Real *const spin_a = lever.data(), *const spin_b = spin_a + 9;
  const auto v = here.linear_difference();
  const auto row = [&](const Real* direction, int i) {
    Real sum = dot(direction, v.data());
    for (int j = 0; j < 3; ++j)
      sum += spin_a[3 * j + i] * here.a_angular.u[j] + spin_b[3 * j + i] * here.b_angular.u[j];
    return sum;
  };
  const Rows<Real> from = impulses.at<Real>(k);
  const Three<Real> r = load_three<Real>(rows.r, k), start = three_of(from, k);
  const Three<Real> w{row(here.frame.n, 0) + r.n, row(here.frame.t, 1) + r.t, row(here.frame.o, 2) + r.o};
  const Diagonal<Real> own{lever[18], lever[19]};
  Three<Real> p{own.normal * start.n - w.n, own.tangential * start.t - w.t, own.tangential * start.o - w.o};
  if (rows.compliance != nullptr) {  // which is part of the diagonal
    const Three<Real> compliance = load_three<Real>(rows.compliance, k);
    p = {p.n - compliance.n * start.n, p.t - compliance.t * start.t, p.o - compliance.o * start.o};
  }
  const Three<Real> x = solve_own<Real>(local, k, own, p, start);
  impulses.finish(k, from, rows.r, x);
  const Three<Real> change{x.n - start.n, x.t - start.t, x.o - start.o};
  const auto momentum = here.momentum_of(change);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto turned = [&](const Real* spin) {
      return spin[3 * j] * change.n + spin[3 * j + 1] * change.t + spin[3 * j + 2] * change.o;
    };
    here.a_linear.v[j] -= here.a_linear.inverse_mass * momentum[j];
    here.b_linear.v[j] += here.b_linear.inverse_mass * momentum[j];
    here.a_angular.u[j] += here.a_angular.inverse_inertia * turned(spin_a);
    here.b_angular.u[j] += here.b_angular.inverse_inertia * turned(spin_b);
  }
  here.write_back(motion);
}

}  // namespace scree::problem
