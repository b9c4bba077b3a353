#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "local_contact.hpp"
#include "scree/model/lanes.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"

// The loops in which nearly all time is spent. Contacts that share no body are relaxed together, one in each lane: the
// cache lines of their bodies are loaded whole and transposed, which costs less than to gather them number by number.

namespace scree::problem {

// --- The bodies at one end of contacts, lane by lane ---

/// BodyMotion, lane by lane.
template <typename Real>
struct BodyLanes {
  Real v[3], inverse_mass, u[3], inverse_inertia;
};
/// Its first half.
template <typename Real>
struct LinearLanes {
  Real v[3], inverse_mass;
};

/// `slot(l)` is the one of lane l.
template <typename Real, typename SlotAt>
inline BodyLanes<Real> load_bodies(const BodyMotion* motion, const SlotAt& slot) {
  if constexpr (lanes_of<Real> == 1) {
    const double* const c = slot(0).in(motion);
    return {{c[0], c[1], c[2]}, c[3], {c[4], c[5], c[6]}, c[7]};
  } else {
    const auto [c] = load_columns<8>([&](int l) { return slot(l).in(motion); });
    return {{c[0], c[1], c[2]}, c[3], {c[4], c[5], c[6]}, c[7]};
  }
}
template <typename Real, typename SlotAt>
inline LinearLanes<Real> load_linear(const BodyMotion* motion, const SlotAt& slot) {
  if constexpr (lanes_of<Real> == 1) {
    const double* const c = slot(0).in(motion);
    return {{c[0], c[1], c[2]}, c[3]};
  } else {
    const auto [c] = load_columns<4>([&](int l) { return slot(l).in(motion); });
    return {{c[0], c[1], c[2]}, c[3]};
  }
}

/// Adds to the velocities of bodies as they are in memory: what was loaded of them need not be kept until then.
template <typename Real, typename SlotAt>
inline void add_to_bodies(const std::array<Real, 3>& v, const std::array<Real, 3>& u, BodyMotion* motion,
                          const SlotAt& slot) {
  if constexpr (lanes_of<Real> == 1) {
    BodyMotion& body = motion[slot(0)];
    for (std::size_t c = 0; c < 3; ++c) {
      body.v[c] += v[c];
      body.u[c] += u[c];
    }
  } else {
    add_to_rows({{v[0], v[1], v[2], Real{}, u[0], u[1], u[2], Real{}}}, [&](int l) { return slot(l).in(motion); });
  }
}
/// Masses are written back as they are.
template <typename Real, typename SlotAt>
inline void store_linear(const LinearLanes<Real>& body, BodyMotion* motion, const SlotAt& slot) {
  if constexpr (lanes_of<Real> == 1) {
    std::copy_n(body.v, 3, motion[slot(0)].v);
  } else {
    store_columns({body.v[0], body.v[1], body.v[2], body.inverse_mass}, [&](int l) { return slot(l).in(motion); });
  }
}

// --- Contacts with their bodies ---

template <typename Real, typename Contact, typename Index>
inline std::array<Real, 3> normals_of(const Contact* contacts, const Index& k) {
  if constexpr (lanes_of<Real> == 1) {
    return {contacts[k].n[0], contacts[k].n[1], contacts[k].n[2]};
  } else {
    static_assert(sizeof(Contact) == 4 * sizeof(double));  // both slots in the place of a double, then the normal
    const auto [c] = load_columns<4>([&](int l) { return reinterpret_cast<const double*>(contacts + lane_of(k, l)); });
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
  BodyLanes<Real> a, b;

  Touching(const Contact* all, const Index& which, const BodyMotion* bodies)
      : contacts(all),
        k(which),
        frame(frames_of<Real>(all, which)),
        a(load_bodies<Real>(bodies, [&](int l) { return all[lane_of(which, l)].a; })),
        b(load_bodies<Real>(bodies, [&](int l) { return all[lane_of(which, l)].b; })) {}

  /// v_b - v_a.
  [[nodiscard]] std::array<Real, 3> linear_difference() const {
    return {b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]};
  }
  /// The momentum of impulses, in the world frame.
  [[nodiscard]] std::array<Real, 3> momentum_of(const Three<Real>& x) const {
    std::array<Real, 3> p;
    for (std::size_t c = 0; c < 3; ++c) p[c] = x.n * frame.n[c] + x.t * frame.t[c] + x.o * frame.o[c];
    return p;
  }
  void add_to_a(const std::array<Real, 3>& v, const std::array<Real, 3>& u, BodyMotion* motion) const {
    add_to_bodies<Real>(v, u, motion, [&](int l) { return contacts[lane_of(k, l)].a; });
  }
  void add_to_b(const std::array<Real, 3>& v, const std::array<Real, 3>& u, BodyMotion* motion) const {
    add_to_bodies<Real>(v, u, motion, [&](int l) { return contacts[lane_of(k, l)].b; });
  }
};

template <typename Real>
inline std::array<Real, 3> scaled(const Real& factor, const std::array<Real, 3>& vector) {
  return {factor * vector[0], factor * vector[1], factor * vector[2]};
}

/// Contacts of spheres from k on.
template <typename Real, typename Contact>
struct SphereContacts : Touching<Real, Contact, int> {
  using Ends = Touching<Real, Contact, int>;
  using Ends::a, Ends::b, Ends::frame, Ends::Ends;

  /// D_j^T motion: the velocity of b against a at the contact, in its frame.
  [[nodiscard]] Three<Real> relative_velocity() const {
    const auto v = this->linear_difference();
    const Real u[3] = {a.u[0] + b.u[0], a.u[1] + b.u[1], a.u[2] + b.u[2]};
    // -(u x n).t = -u.(n x t)
    return {dot(frame.n, v.data()), dot(frame.t, v.data()) - dot(frame.o, u), dot(frame.o, v.data()) + dot(frame.t, u)};
  }

  [[nodiscard]] Diagonal<Real> own_diagonal() const {
    const Real normal = a.inverse_mass + b.inverse_mass;
    return {normal, normal + a.inverse_inertia + b.inverse_inertia};
  }

  /// Adds D_j x to the bodies, each times what its masses are taken for.
  void add(const Three<Real>& x, const Diagonal<Real>& to_a, const Diagonal<Real>& to_b, BodyMotion* motion) const {
    const auto p = this->momentum_of(x);
    std::array<Real, 3> q;  // -n x p
    for (std::size_t c = 0; c < 3; ++c) q[c] = x.o * frame.t[c] - x.t * frame.o[c];
    this->add_to_a(scaled(-to_a.normal, p), scaled(to_a.tangential, q), motion);
    this->add_to_b(scaled(to_b.normal, p), scaled(to_b.tangential, q), motion);
  }
  /// Adds M^-1 D_j x to the motion.
  void add_impulse(const Three<Real>& x, BodyMotion* motion) const {
    add(x, {a.inverse_mass, a.inverse_inertia}, {b.inverse_mass, b.inverse_inertia}, motion);
  }
  /// Adds D_j x itself, in place of velocities.
  void add_momentum(const Three<Real>& x, BodyMotion* motion) const {
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
      const auto [c] = load_columns<4>([&](int l) { return begin(l) + 4 * part; });
      std::copy_n(c, 4, numbers.begin() + static_cast<std::ptrdiff_t>(4 * part));
    }
  }
  return numbers;
}

/// Visits contacts of a run, `most` groups at once where they share no body, else one group or a single contact:
/// visit<Lanes, groups>(k, last) or visit<double, 1>(k, last) for the contacts from k on, if there are others up to
/// `last`.
template <int most, typename Run, typename Visit>
inline void for_each_group(const Run& run, int last, Visit&& visit) {
  int k = run.first;
  if constexpr (most > 1)
    for (; k < run.doubled; k += most * lane_count) visit.template operator()<Lanes, most>(k, last);
  for (; k < run.grouped; k += lane_count) visit.template operator()<Lanes, 1>(k, last);
  for (; k < run.last; ++k) visit.template operator()<double, 1>(k, last);
}
/// The same for runs that follow each other.
template <int most, typename Run, typename Visit>
inline void for_each_group(const std::vector<Run>& runs, Visit&& visit) {
  for (const Run& run : runs) for_each_group<most>(run, runs.back().last, visit);
}
template <typename Runs, typename Visit>
inline void for_each_group_backward(const Runs& runs, Visit&& visit) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    for (int k = run->last - 1; k >= run->grouped; --k) visit.template operator()<double, 1>(k, k);
    for (int k = run->grouped - lane_count; k >= run->first; k -= lane_count) visit.template operator()<Lanes, 1>(k, k);
  }
}

// What only fetches ahead is always inlined: GCC takes such a function for one without effect and drops its calls.

/// Asks for the bodies of later contacts in time, for it takes longer than to compute. `contact_at(k)` is the k-th one
/// of a run that ends before `last`.
template <int lanes, typename ContactAt>
[[gnu::always_inline]] inline void fetch_bodies_ahead(const ContactAt& contact_at, int k, int last,
                                                      const BodyMotion* motion) {
  constexpr int distance = lanes == 1 ? 12 : 3 * lanes;
  const int ahead = std::max(k, std::min(k + distance, last - lanes));
  for (int l = 0; l < lanes; ++l) {
    __builtin_prefetch(contact_at(ahead + l).a.in(motion), 1);
    __builtin_prefetch(contact_at(ahead + l).b.in(motion), 1);
  }
}
template <int lanes, typename Contact>
[[gnu::always_inline]] inline void fetch_ahead(const Contact* contacts, int k, int last, const BodyMotion* motion) {
  fetch_bodies_ahead<lanes>([&](int at) -> const Contact& { return contacts[at]; }, k, last, motion);
}

/// Asks for contacts and three numbers of each that stand in order. Processors do not look beyond a page of memory, and
/// arrays come to the end of one every few groups.
template <int lanes, typename Contact, typename FetchRow>
[[gnu::always_inline]] inline void fetch_in_order(const Contact* contacts, int first, const FetchRow& fetch_row) {
  constexpr int line = 64 / sizeof(double);
  for (int at = 3 * first; at < 3 * (first + lanes); at += line) fetch_row(at);
  for (int at = 0; at < lanes; at += 2) __builtin_prefetch(contacts + first + at);
}
inline constexpr int groups_ahead = 16;

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
      const auto slot = [&](int l) -> Slot { return which[static_cast<std::size_t>(k + l)]; };
      const BodyLanes<Real> body = load_bodies<Real>(bodies, slot);
      const Real sum = (dot(body.v, body.v) * body.inverse_inertia + dot(body.u, body.u) * body.inverse_mass) /
                       (body.inverse_mass * body.inverse_inertia);
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

/// The impulses of a sweep that starts from them, three rows a contact.
struct ImpulsesInPlace {
  static constexpr bool brings_bodies = false;
  double* x;

  template <typename Real, typename Index>
  [[nodiscard]] Rows<Real> at(const Index& k) const {
    return load_rows<Real>(x, k);
  }
  template <typename Real, typename Index>
  void finish(const Index& k, const Rows<Real>&, const double*, const Three<Real>& impulse) {
    store_rows(rows_of(impulse, k), x, k);
  }
  [[gnu::always_inline]] void fetch(int row) const { __builtin_prefetch(x + row, 1); }
};

/// The impulses of a sweep that starts from now + beta (now - previous), computed on the way; then what the step did is
/// summed up, too.
struct ImpulsesAhead {
  static constexpr bool brings_bodies = true;  ///< MotionAhead fetches them
  double* x;                                   ///< gets the new impulses; may be where the previous ones are
  const double* now;
  const double* previous;
  double beta;
  RowSums<double> single = {};
  RowSums<Lanes> lanes = {};

  template <typename Real, typename Index>
  [[nodiscard]] Rows<Real> at(const Index& k) const {
    Rows<Real> start = load_rows<Real>(now, k);
    const Rows<Real> before = load_rows<Real>(previous, k);
    for (int c = 0; c < 3; ++c) start.part[c] += beta * (start.part[c] - before.part[c]);
    return start;
  }

  template <typename Real, typename Index>
  void finish(const Index& k, const Rows<Real>& start, const double* r, const Three<Real>& impulse) {
    const Rows<Real> next = rows_of(impulse, k), from = load_rows<Real>(now, k), offset = load_rows<Real>(r, k);
    store_rows(next, x, k);
    RowSums<Real>& sums = sums_of<Real>();
    for (int c = 0; c < 3; ++c) {
      const Real back = start.part[c] - next.part[c];
      sums.turn += back * (next.part[c] - from.part[c]);
      sums.work += offset.part[c] * next.part[c];
      sums.change += back * back;
    }
  }

  [[gnu::always_inline]] void fetch(int row) const {
    __builtin_prefetch(x + row, 1);
    __builtin_prefetch(now + row);
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

template <int lanes, typename Contact, typename Impulses>
[[gnu::always_inline]] inline void fetch_rows(const Contact* contacts, int first, const SweepRows& rows,
                                              const Impulses& impulses) {
  fetch_in_order<lanes>(
      contacts, first, [&](int at) __attribute__((always_inline)) {
        __builtin_prefetch(rows.r + at);
        impulses.fetch(at);
      });
}
template <int lanes, typename Contact, typename Impulses>
[[gnu::always_inline]] inline void fetch_rows_ahead(const Contact* contacts, int k, const SweepRows& rows,
                                                    const Impulses& impulses) {
  if constexpr (lanes > 1) fetch_rows<lanes>(contacts, k + groups_ahead * lane_count, rows, impulses);
}

/// The same for contacts with levers, and for these. They are relaxed out of order, but not far from it: `lever` is the
/// one whose turn it were.
template <typename Real, typename Contact, typename Lever, typename Impulses>
[[gnu::always_inline]] inline void fetch_levers_ahead(const Contact* contacts, const Lever* lever,
                                                      const SweepRows& rows, const Impulses& impulses) {
  if constexpr (lanes_of<Real> == 1) return;
  constexpr int distance = 32 * lane_count;
  const char* const begin = reinterpret_cast<const char*>(lever + distance);
  for (std::size_t at = 0; at < lane_count * sizeof(Lever); at += 64) __builtin_prefetch(begin + at, 0, 2);
  fetch_rows<lane_count>(contacts, lever->contact + distance, rows, impulses);
}

/// Contacts of spheres with what their own problem asks: min 1/2 x.N_kk x - p.x.
template <typename Real, typename Contact>
struct OwnProblem {
  int k;
  SphereContacts<Real, Contact> here;
  Rows<Real> from;
  Three<Real> start, p;
  Diagonal<Real> own;

  template <typename Impulses>
  OwnProblem(const Contact* contacts, int first, const SweepRows& rows, const Impulses& impulses,
             const BodyMotion* motion)
      : k(first),
        here(contacts, k, motion),
        from(impulses.template at<Real>(k)),
        start(three_of(from, k)),
        own(here.own_diagonal()) {
    const Three<Real> r = load_three<Real>(rows.r, k), w = here.relative_velocity();
    p = {(own.normal * start.n - r.n) - w.n, (own.tangential * start.t - r.t) - w.t,
         (own.tangential * start.o - r.o) - w.o};
    if (rows.compliance != nullptr) {  // adds as much to N_kk x as to w
      const Three<Real> compliance = load_three<Real>(rows.compliance, k);
      own = {own.normal + compliance.n, own.tangential + compliance.t};
    }
  }
};

/// Relaxes the contacts from k on, as many as a Real has lanes, in several groups at once that share no body: roots and
/// divisions take long, and in the time of one group's a processor does another group's.
template <typename Real, int groups, typename Local, typename Contact, typename Impulses>
[[gnu::flatten]] inline void relax_with_friction(const Contact* contacts, int k, const SweepRows& rows,
                                                 const Local& local, Impulses& impulses, BodyMotion* motion) {
  const auto relax = [&]<int... group>(std::integer_sequence<int, group...>) {
    using Problem = OwnProblem<Real, Contact>;
    const std::array<Problem, groups> problems{
        Problem(contacts, k + group * lanes_of<Real>, rows, impulses, motion)...};
    const std::array<Three<Real>, groups> solutions{
        solve_own<Real>(local, problems[group].k, problems[group].own, problems[group].p, problems[group].start)...};
    const auto finish = [&](const Problem& problem, const Three<Real>& x) {
      impulses.finish(problem.k, problem.from, rows.r, x);
      const Three<Real>& start = problem.start;
      problem.here.add_impulse({x.n - start.n, x.t - start.t, x.o - start.o}, motion);
    };
    (finish(problems[group], solutions[group]), ...);
  };
  relax(std::make_integer_sequence<int, groups>{});
}

/// Frictionless contacts turn no body: they need the normal and the linear velocities only.
template <typename Real, typename Contact, typename Impulses>
[[gnu::flatten]] inline void relax_frictionless(const Contact* contacts, int k, const SweepRows& rows,
                                                Impulses& impulses, BodyMotion* motion) {
  const auto slot_a = [&](int l) { return contacts[k + l].a; };
  const auto slot_b = [&](int l) { return contacts[k + l].b; };
  LinearLanes<Real> a = load_linear<Real>(motion, slot_a), b = load_linear<Real>(motion, slot_b);
  const auto n = normals_of<Real>(contacts, k);
  const Rows<Real> from = impulses.template at<Real>(k);
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
template <typename Real, typename Local, typename Contact, typename Levers, typename Index, typename Impulses>
[[gnu::flatten]] inline void relax_levers(const Contact* contacts, const Levers& levers, const Index& k,
                                          const SweepRows& rows, const Local& local, Impulses& impulses,
                                          BodyMotion* motion) {
  const Touching<Real, Contact, Index> here(contacts, k, motion);
  const std::array<Real, 20> lever = load_levers<Real>(levers);
  const Real *const spin_a = lever.data(), *const spin_b = spin_a + 9;
  const auto v = here.linear_difference();
  const auto row = [&](const Real* direction, int i) {
    Real sum = dot(direction, v.data());
    for (int j = 0; j < 3; ++j) sum += spin_a[3 * j + i] * here.a.u[j] + spin_b[3 * j + i] * here.b.u[j];
    return sum;
  };
  const Rows<Real> from = impulses.template at<Real>(k);
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
  const auto turned = [&](const Real* spin) {
    std::array<Real, 3> sum;
    for (std::size_t j = 0; j < 3; ++j)
      sum[j] = spin[3 * j] * change.n + spin[3 * j + 1] * change.t + spin[3 * j + 2] * change.o;
    return sum;
  };
  here.add_to_a(scaled(-here.a.inverse_mass, momentum), scaled(here.a.inverse_inertia, turned(spin_a)), motion);
  here.add_to_b(scaled(here.b.inverse_mass, momentum), scaled(here.b.inverse_inertia, turned(spin_b)), motion);
}

}  // namespace scree::problem
