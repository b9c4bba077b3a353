#include "scree/problem/body_operator.hpp"

#include <algorithm>

#include "contact_kernels.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_frame.hpp"

namespace scree::problem {

using collision::Stage;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

constexpr int doubles_per_body = sizeof(BodyMotion) / sizeof(double);
// v and u travel, the masses between them stay.
constexpr parallel::Halo::Layout motion_layout{3, doubles_per_body, 2, doubles_per_body / 2};

static_assert(sizeof(BodyMotion) == doubles_per_body * sizeof(double));

}  // namespace

const std::vector<CouplingInfo>& couplings() {
  static const std::vector<CouplingInfo> all = {
      {Coupling::interface_splitting, "interface-splitting",
       "own contacts first, interface contacts with shared masses"},
      {Coupling::full_splitting, "full-splitting", "all contacts of mirrored bodies with shared masses"},
  };
  return all;
}

std::string_view name_of(Coupling coupling) {
  return std::ranges::find(couplings(), coupling, &CouplingInfo::coupling)->name;
}

std::optional<Coupling> coupling_named(std::string_view name) {
  const auto found = std::ranges::find(couplings(), name, &CouplingInfo::name);
  return found == couplings().end() ? std::nullopt : std::optional(found->coupling);
}

BodyOperator::BodyOperator(const parallel::Comm& comm, const parallel::Halo& halo, const model::Bodies& bodies,
                           const collision::ContactSet& contacts, Coupling coupling)
    : ContactOperator(comm), halo_(halo), owned_(bodies.owned()), local_(bodies.size()) {
  const int shared_end = contacts.stage_end[static_cast<std::size_t>(Stage::shared)];
  const int interior_end = contacts.stage_end[static_cast<std::size_t>(Stage::interior)];
  const Range shared{0, shared_end};
  const bool split_all = coupling == Coupling::full_splitting;
  leading_ = split_all ? Range{} : shared;
  interior_ = {shared_end, interior_end};
  split_ = {split_all ? shared : Range{}, Range{interior_end, contacts.size()}};

  contacts_.reserve(contacts.contacts.size());
  for (const auto& contact : contacts.contacts)
    contacts_.push_back({contact.a, contact.b, {contact.normal.x(), contact.normal.y(), contact.normal.z()}, 0.0, 0.0});
  const std::vector<double> holders = count_holders();
  add_twins(holders);
  set_masses(bodies, holders);
}

template <typename Function>
void BodyOperator::for_each_split_contact(Function&& function) {
  for (const Range range : split_)
    for (int k = range.first; k < range.last; ++k) function(contacts_[static_cast<std::size_t>(k)]);
}

/// Collective: on how many ranks each local body has contacts that see shares of its mass.
std::vector<double> BodyOperator::count_holders() {
  std::vector<double> holders(static_cast<std::size_t>(local_), 0.0);
  for_each_split_contact([&](const Contact& contact) {
    for (const int body : {contact.a, contact.b})
      if (body >= 0) holders[static_cast<std::size_t>(body)] = 1.0;
  });
  halo_.reverse_add(holders.data(), {1, 1});
  halo_.forward(holders.data(), {1, 1});
  return holders;
}

/// Contacts that see a share of an owned body's mass work on a second slot of it.
void BodyOperator::add_twins(const std::vector<double>& holders) {
  std::vector<int> twin(static_cast<std::size_t>(owned_), -1);
  for_each_split_contact([&](Contact& contact) {
    for (int* body : {&contact.a, &contact.b}) {
      if (*body < 0 || *body >= owned_ || holders[static_cast<std::size_t>(*body)] < 2.0) continue;
      int& slot = twin[static_cast<std::size_t>(*body)];
      if (slot < 0) {
        slot = local_ + static_cast<int>(twin_of_.size());
        twin_of_.push_back(*body);
      }
      *body = slot;
    }
  });
  const int walls = local_ + static_cast<int>(twin_of_.size());
  for (Contact& contact : contacts_)
    if (contact.b < 0) contact.b = walls;
}

BodyMotion* BodyOperator::bodies_of(Motion& motion) { return reinterpret_cast<BodyMotion*>(motion.data()); }
const BodyMotion* BodyOperator::bodies_of(const Motion& motion) {
  return reinterpret_cast<const BodyMotion*>(motion.data());
}

std::ptrdiff_t BodyOperator::own_motion() const { return static_cast<std::ptrdiff_t>(doubles_per_body) * owned_; }

void BodyOperator::set_masses(const model::Bodies& bodies, const std::vector<double>& holders) {
  const std::size_t slots = static_cast<std::size_t>(local_) + twin_of_.size() + 1;
  rest_.assign(slots * doubles_per_body, 0.0);
  BodyMotion* const rest = bodies_of(rest_);
  const auto set = [&](int slot, int body, double held_by) {
    const auto k = static_cast<std::size_t>(body);
    BodyMotion& motion = rest[slot];
    motion.inverse_mass = held_by / bodies.mass[k];
    motion.inverse_inertia = held_by * bodies.radius[k] * bodies.radius[k] / bodies.inertia[k].x();
  };
  for (int body = 0; body < owned_; ++body) set(body, body, 1.0);
  for (int ghost = owned_; ghost < local_; ++ghost) {
    const double held_by = std::max(1.0, holders[static_cast<std::size_t>(ghost)]);
    set(ghost, ghost, held_by);
    share_.push_back(1.0 / held_by);
  }
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const double held_by = holders[static_cast<std::size_t>(twin_of_[twin])];
    set(local_ + static_cast<int>(twin), twin_of_[twin], held_by);
    share_.push_back(1.0 / held_by);
  }
  for (Contact& contact : contacts_) {
    const BodyMotion& a = rest[contact.a];
    const BodyMotion& b = rest[contact.b];
    const double normal = a.inverse_mass + b.inverse_mass;
    contact.inverse_normal = 1.0 / normal;
    contact.inverse_tangential = 1.0 / (normal + a.inverse_inertia + b.inverse_inertia);
  }
}

std::vector<model::Mat3> BodyOperator::diagonal_blocks() const {
  const auto unshared = [&](int slot) {
    BodyMotion motion = bodies_of(rest_)[slot];
    if (slot >= owned_ && slot < local_ + static_cast<int>(twin_of_.size())) {
      motion.inverse_mass *= share_[static_cast<std::size_t>(slot - owned_)];
      motion.inverse_inertia *= share_[static_cast<std::size_t>(slot - owned_)];
    }
    return motion;
  };
  std::vector<model::Mat3> blocks;
  blocks.reserve(contacts_.size());
  for (const Contact& contact : contacts_) {
    const BodyMotion a = unshared(contact.a), b = unshared(contact.b);
    const double normal = a.inverse_mass + b.inverse_mass;
    const double tangential = normal + a.inverse_inertia + b.inverse_inertia;
    blocks.emplace_back(model::Vec3(normal, tangential, tangential).asDiagonal());
  }
  return blocks;
}

void BodyOperator::find_motion(Vec x, Motion& motion) const {
  motion = rest_;
  BodyMotion* const bodies = bodies_of(motion);
  {
    const ReadArray in(x);
    for (int k = 0; k < block_count(); ++k) {
      const Contact& contact = contacts_[static_cast<std::size_t>(k)];
      add_momentum(ContactFrame(contact.n), in.data() + 3 * k, bodies[contact.a], bodies[contact.b]);
    }
  }
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const BodyMotion& part = bodies[static_cast<std::size_t>(local_) + twin];
    BodyMotion& whole = bodies[twin_of_[twin]];
    for (int k = 0; k < 3; ++k) {
      whole.v[k] += part.v[k];
      whole.u[k] += part.u[k];
    }
  }
  halo_.reverse_add(motion.data(), motion_layout);
  for (int body = 0; body < owned_; ++body)
    for (int k = 0; k < 3; ++k) {
      bodies[body].v[k] *= bodies[body].inverse_mass;
      bodies[body].u[k] *= bodies[body].inverse_inertia;
    }
  std::copy_n(rest_.end() - doubles_per_body, doubles_per_body, motion.end() - doubles_per_body);  // walls do not move
}

void BodyOperator::copy_to_twins(BodyMotion* motion) const {
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const BodyMotion& whole = motion[twin_of_[twin]];
    BodyMotion& copy = motion[static_cast<std::size_t>(local_) + twin];
    std::copy_n(whole.v, 3, copy.v);
    std::copy_n(whole.u, 3, copy.u);
  }
}

void BodyOperator::contact_velocity(Vec, Motion& motion, Vec r, Vec w) const {
  relative_velocity(motion, w);
  if (r != nullptr) parallel::petsc(VecAXPY(w, 1.0, r));
}

void BodyOperator::relative_velocity(Motion& motion, Vec w) const {
  halo_.forward(motion.data(), motion_layout);
  BodyMotion* const bodies = bodies_of(motion);
  copy_to_twins(bodies);
  const WriteArray out(w);
  for (int k = 0; k < block_count(); ++k) {
    const Contact& contact = contacts_[static_cast<std::size_t>(k)];
    problem::relative_velocity(FramePacks{ContactFrame(contact.n)}, bodies[contact.a], bodies[contact.b],
                               out.data() + 3 * k);
  }
}

double BodyOperator::local_energy(Vec, const Motion& motion) const {
  const BodyMotion* const bodies = bodies_of(motion);
  double energy = 0.0;
#pragma omp simd reduction(+ : energy)
  for (int body = 0; body < owned_; ++body) {
    const BodyMotion& m = bodies[body];
    energy += (m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2]) / m.inverse_mass +
              (m.u[0] * m.u[0] + m.u[1] * m.u[1] + m.u[2] * m.u[2]) / m.inverse_inertia;
  }
  return 0.5 * energy;
}

void BodyOperator::relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion) const {
  const ReadArray offsets(r);
  const WriteArray impulses(x);
  BodyMotion* const bodies = bodies_of(motion);
  relax(leading_, offsets.data(), set, impulses.data(), bodies);
  halo_.begin_forward(motion.data(), motion_layout);
  relax(interior_, offsets.data(), set, impulses.data(), bodies);
  halo_.end_forward(motion.data(), motion_layout);
  relax_split(offsets.data(), set, impulses.data(), bodies);
  halo_.reverse_add(motion.data(), motion_layout);
}

void BodyOperator::relax_split(const double* r, const ConstraintSet& set, double* x, BodyMotion* motion) const {
  copy_to_twins(motion);
  received_.assign(motion + owned_, motion + local_);
  for (const Range range : split_) relax(range, r, set, x, motion);

  // The masses were shared out, so each holder's correction counts by its share: the mean of all corrected velocities.
  const auto ghost_count = static_cast<std::size_t>(local_ - owned_);
  for (std::size_t ghost = 0; ghost < ghost_count; ++ghost)
    for (int k = 0; k < 3; ++k) {
      BodyMotion& m = motion[static_cast<std::size_t>(owned_) + ghost];
      m.v[k] = share_[ghost] * (m.v[k] - received_[ghost].v[k]);
      m.u[k] = share_[ghost] * (m.u[k] - received_[ghost].u[k]);
    }
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin)
    for (int k = 0; k < 3; ++k) {
      const BodyMotion& m = motion[static_cast<std::size_t>(local_) + twin];
      BodyMotion& whole = motion[twin_of_[twin]];
      whole.v[k] += share_[ghost_count + twin] * (m.v[k] - whole.v[k]);
      whole.u[k] += share_[ghost_count + twin] * (m.u[k] - whole.u[k]);
    }
}

void BodyOperator::relax(Range range, const double* r, const ConstraintSet& set, double* x, BodyMotion* motion) const {
  const auto [first, last] = range;
  switch (set.law) {
    case Law::frictionless:
      return relax_frictionless(contacts_.data(), first, last, r, x, motion);
    case Law::box:
      return relax_contacts(contacts_.data(), first, last, r, LocalBox{set.bound.data()}, x, motion);
    case Law::cone:
      return relax_contacts(contacts_.data(), first, last, r, LocalCone{set.friction.data()}, x, motion);
  }
}

}  // namespace scree::problem
