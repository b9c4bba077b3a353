#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "local_contact.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"

// The loops in which nearly all time is spent. A body's v with its inverse mass and its u with its inverse inertia are
// one pack of four doubles each: directions have a zero in the fourth place, so masses pass through unchanged.

namespace scree::problem {

using Pack = double __attribute__((vector_size(32)));

inline Pack load(const double* four) {
  Pack pack;
  std::memcpy(&pack, four, sizeof pack);
  return pack;
}
inline void store(const Pack& pack, double* four) { std::memcpy(four, &pack, sizeof pack); }
inline double dot(const Pack& a, const Pack& b) {
  const Pack product = a * b;
  return (product[0] + product[1]) + product[2];
}

struct FramePacks {
  Pack n, t, o;
  explicit FramePacks(const ContactFrame& f)
      : n{f.n[0], f.n[1], f.n[2], 0.0}, t{f.t[0], f.t[1], f.t[2], 0.0}, o{f.o[0], f.o[1], f.o[2], 0.0} {}
};

/// w <- D_j^T motion: the velocity of b against a at the contact, in its frame.
inline void relative_velocity(const FramePacks& f, const BodyMotion& a, const BodyMotion& b, double* w) {
  const Pack v = load(b.v) - load(a.v);
  const Pack u = load(a.u) + load(b.u);
  w[0] = dot(f.n, v);
  w[1] = dot(f.t, v) - dot(f.o, u);  // -(u x n).t = -u.(n x t)
  w[2] = dot(f.o, v) + dot(f.t, u);
}

/// Adds M^-1 D_j x to the motion of a and b.
inline void add_impulse(const FramePacks& f, const double* x, BodyMotion& a, BodyMotion& b) {
  const Pack p = x[0] * f.n + x[1] * f.t + x[2] * f.o;
  const Pack q = x[1] * f.o - x[2] * f.t;  // n x p
  store(load(a.v) - a.inverse_mass * p, a.v);
  store(load(a.u) - a.inverse_inertia * q, a.u);
  store(load(b.v) + b.inverse_mass * p, b.v);
  store(load(b.u) - b.inverse_inertia * q, b.u);
}

/// Adds D_j x itself, in place of velocities.
inline void add_momentum(const ContactFrame& frame, const double* x, BodyMotion& a, BodyMotion& b) {
  const FramePacks f(frame);
  const Pack p = x[0] * f.n + x[1] * f.t + x[2] * f.o;
  const Pack q = x[1] * f.o - x[2] * f.t;
  store(load(a.v) - p, a.v);
  store(load(a.u) - q, a.u);
  store(load(b.v) + p, b.v);
  store(load(b.u) - q, b.u);
}

/// N_kk = diag(normal, tangential, tangential) of a contact of spheres, or its inverse (1/kg, kg).
struct Diagonal {
  double normal, tangential;
};
/// For bodies of these masses; computed where it is needed, for to load it would take longer.
inline Diagonal own_diagonal(const BodyMotion& a, const BodyMotion& b) {
  const double normal = a.inverse_mass + b.inverse_mass;
  return {normal, normal + a.inverse_inertia + b.inverse_inertia};
}

/// Contacts in the order of a sweep: side by side, or from a list.
struct Consecutive {
  int first, last;
  [[nodiscard]] int size() const { return last - first; }
  [[nodiscard]] int operator[](int k) const { return first + k; }
};
struct Listed {
  const std::vector<int>& contacts;
  [[nodiscard]] int size() const { return static_cast<int>(contacts.size()); }
  [[nodiscard]] int operator[](int k) const { return contacts[static_cast<std::size_t>(k)]; }
};

template <typename Order>
struct Reversed {
  Order order;
  [[nodiscard]] int size() const { return order.size(); }
  [[nodiscard]] int operator[](int k) const { return order[order.size() - 1 - k]; }
};
template <typename Order>
Reversed(Order) -> Reversed<Order>;

/// Three rows per contact.
struct SweepRows {
  const double* r;
  const double* compliance;  ///< or none
  double* x;
};

/// Asks for the bodies of a later contact in time, for a sweep waits for memory more than it computes.
template <typename Contact, typename Order>
inline void fetch_ahead(const Contact* contacts, const Order& order, int k, const BodyMotion* motion) {
  constexpr int distance = 12;
  const Contact& ahead = contacts[order[std::min(k + distance, order.size() - 1)]];
  __builtin_prefetch(&motion[ahead.a], 1);
  __builtin_prefetch(&motion[ahead.b], 1);
}

/// Relaxes contacts one after another. `local` replaces an impulse by the exact solution of the contact's own problem.
template <typename Local, typename Contact, typename Order>
void relax_with_friction(const Contact* contacts, const Order& order, const SweepRows& rows, const Local& local,
                         BodyMotion* motion) {
  for (int i = 0; i < order.size(); ++i) {
    const int k = order[i];
    const Contact& contact = contacts[k];
    fetch_ahead(contacts, order, i, motion);
    const FramePacks frame{ContactFrame(contact.n)};
    BodyMotion& a = motion[contact.a];
    BodyMotion& b = motion[contact.b];
    double w[3];
    relative_velocity(frame, a, b, w);
    for (int c = 0; c < 3; ++c) w[c] += rows.r[3 * k + c];
    double* const x = rows.x + 3 * k;
    Diagonal own = own_diagonal(a, b);
    if (rows.compliance != nullptr) {
      const double* const compliance = rows.compliance + 3 * k;
      for (int c = 0; c < 3; ++c) w[c] += compliance[c] * x[c];
      own = {own.normal + compliance[0], own.tangential + compliance[1]};
    }
    const Diagonal inverse{1.0 / own.normal, 1.0 / own.tangential};
    double impulse[3] = {x[0], x[1], x[2]};
    local(k, inverse.normal, inverse.tangential, w, impulse);
    double change[3];
    for (int c = 0; c < 3; ++c) {
      change[c] = impulse[c] - x[c];
      x[c] = impulse[c];
    }
    add_impulse(frame, change, a, b);
  }
}

/// Frictionless contacts turn no body: they need the normal and the linear velocities only.
template <typename Contact, typename Order>
void relax_frictionless(const Contact* contacts, const Order& order, const SweepRows& rows, BodyMotion* motion) {
  for (int i = 0; i < order.size(); ++i) {
    const int k = order[i];
    const Contact& contact = contacts[k];
    BodyMotion& a = motion[contact.a];
    BodyMotion& b = motion[contact.b];
    const Pack n = {contact.n[0], contact.n[1], contact.n[2], 0.0};
    double w = dot(n, load(b.v) - load(a.v)) + rows.r[3 * k];
    double own = a.inverse_mass + b.inverse_mass;
    if (rows.compliance != nullptr) {
      w += rows.compliance[3 * k] * rows.x[3 * k];
      own += rows.compliance[3 * k];
    }
    const double impulse = std::max(0.0, rows.x[3 * k] - w / own);
    const Pack p = (impulse - rows.x[3 * k]) * n;
    rows.x[3 * k] = impulse;
    store(load(a.v) - a.inverse_mass * p, a.v);
    store(load(b.v) + b.inverse_mass * p, b.v);
  }
}

}  // namespace scree::problem
