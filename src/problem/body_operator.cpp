#include "scree/problem/body_operator.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <utility>

#include "contact_kernels.hpp"
#include "motion_layout.hpp"
#include "scree/parallel/colouring.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_frame.hpp"
#include "scree/problem/one_contact.hpp"
#include "scree/problem/spin_scale.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using parallel::Halo;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

/// The owned bodies of which other ranks hold ghosts.
std::vector<char> mirrored_bodies(const Halo& halo, int local) {
  std::vector<char> mirrored(static_cast<std::size_t>(local), 0);
  for (const auto& neighbour : halo.neighbours())
    for (const int item : neighbour.sent) mirrored[static_cast<std::size_t>(item)] = 1;
  return mirrored;
}

/// Below it a block counts as singular: its rows depend on each other, or one of them is absent.
double smallest_determinant(const Mat3& block) { return 1e-8 * block.diagonal().cwiseAbs().prod(); }

/// Rows that act on the spin of a body as rows that act on its speed u; the world has none.
Mat3 on_speed(const model::Bodies& bodies, int body, const Mat3& rows) {
  return body < 0 ? Mat3(Mat3::Zero()) : SpinScale(bodies, body).rows_on_speed(rows);
}

void set_to_rest(BodyMotion& motion) {
  std::fill_n(motion.v, 3, 0.0);
  std::fill_n(motion.u, 3, 0.0);
}

/// Row by row the directions of a contact.
Mat3 rows_of(const ContactFrame& frame) {
  Mat3 rows;
  rows << Vec3(frame.n).transpose(), Vec3(frame.t).transpose(), Vec3(frame.o).transpose();
  return rows;
}

/// The least diag(d_n, d_t, d_t) >= N of its kind: (1 + c) diag(N_nn, l, l) with l the largest eigenvalue of N_TT and
/// c = |N_nT| / (N_nn l)^(1/2) <= 1. With C added, for contacts that yield.
Diagonal<double> diagonal_above(const Mat3& N, const Vec3& compliance) {
  const double half = 0.5 * (N(1, 1) - N(2, 2));
  const double largest = 0.5 * (N(1, 1) + N(2, 2)) + std::sqrt(half * half + N(1, 2) * N(1, 2));
  const double share = 1.0 + std::hypot(N(0, 1), N(0, 2)) / std::sqrt(N(0, 0) * largest);
  return {share * N(0, 0) + compliance[0], share * largest + compliance[1]};
}

}  // namespace

const std::vector<CouplingInfo>& couplings() {
  static const std::vector<CouplingInfo> all = {
      {Coupling::interface_splitting, "interface-splitting",
       "own contacts first, interface contacts with shared masses"},
      {Coupling::full_splitting, "full-splitting", "all contacts of mirrored bodies with shared masses"},
      {Coupling::colouring, "colouring", "own contacts first, interface contacts colour by colour"},
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

BodyMotion* BodyOperator::bodies_of(Motion& motion) { return reinterpret_cast<BodyMotion*>(motion.data()); }
const BodyMotion* BodyOperator::bodies_of(const Motion& motion) {
  return reinterpret_cast<const BodyMotion*>(motion.data());
}
static_assert(sizeof(BodyMotion) == doubles_per_body * sizeof(double));

std::ptrdiff_t BodyOperator::own_motion() const { return static_cast<std::ptrdiff_t>(doubles_per_body) * owned_; }

BodyOperator::BodyOperator(const parallel::Comm& comm, const Halo& halo, const model::Bodies& bodies,
                           BodyConstraints constraints, SweepPlan plan)
    : ContactOperator(comm),
      plan_(plan),
      owned_(bodies.owned()),
      local_(bodies.size()),
      centre_(bodies.position),
      radius_(bodies.radius),
      mass_(bodies.mass),
      inertia_(bodies.inertia),
      compliance_(std::move(constraints.compliance)) {
  contacts_.reserve(constraints.contacts.contacts.size());
  for (const auto& contact : constraints.contacts.contacts)
    contacts_.push_back({contact.a, contact.b, {contact.normal.x(), contact.normal.y(), contact.normal.z()}});
  add_levers(bodies, constraints.contacts);
  for (const RowBlock& block : constraints.joints)
    joints_.push_back({block.a, block.b, block.linear, on_speed(bodies, block.a, block.spin_a),
                       on_speed(bodies, block.b, block.spin_b), Mat3::Zero(), Mat3::Zero(), false});
  sort_into_batches(constraints.contacts, halo);
  build_stages(bodies);

  const bool splits = plan_.coupling != Coupling::colouring;
  add_twins(splits ? share_out() : std::vector<double>(static_cast<std::size_t>(local_), 1.0));
  set_own_problems();
  for (Batch* batch : {&leading_, &early_, &late_, &trailing_}) group_contacts(*batch);
  for (Stage& stage : stages_) group_contacts(stage.batch);
  follow_bodies();
}

/// The velocity of a point r from the centre is v + omega x r, so the row of direction c acts on the spin as r x c.
void BodyOperator::add_levers(const model::Bodies& bodies, const collision::ContactSet& contacts) {
  if (contacts.points.empty()) return;
  levers_.reserve(contacts.points.size());
  for (int k = 0; k < contacts.size(); ++k) {
    const auto& contact = contacts.contacts[static_cast<std::size_t>(k)];
    if (contact.point < 0) continue;
    const Mat3 frame = rows_of(ContactFrame(contact.normal.data()));
    const auto spin_rows = [&](int body) -> Mat3 {
      if (body < 0) return Mat3::Zero();
      const Vec3 arm =
          contacts.points[static_cast<std::size_t>(contact.point)] - bodies.position[static_cast<std::size_t>(body)];
      Mat3 rows;
      for (int c = 0; c < 3; ++c) rows.row(c) = arm.cross(frame.row(c));
      return on_speed(bodies, body, rows);
    };
    levers_.push_back({-spin_rows(contact.a), spin_rows(contact.b), 0.0, 0.0, k});
  }
}

/// Contacts come sorted by stages of a sweep and in each of them those of spheres first; joints do not.
void BodyOperator::sort_into_batches(const collision::ContactSet& contacts, const Halo& halo) {
  std::array<Batch, collision::stage_count> batches;
  int first = 0, lever = 0;
  for (std::size_t stage = 0; stage < batches.size(); ++stage) {
    const int last = contacts.stage_end[stage];
    const auto is_of_spheres = [](const auto& contact) { return contact.point < 0; };
    const auto begin = contacts.contacts.begin();
    const auto others = std::partition_point(begin + first, begin + last, is_of_spheres);
    batches[stage].contacts = {first, static_cast<int>(others - begin)};
    for (auto k = others; k != begin + last; ++k) batches[stage].levers.push_back(lever++);
    first = last;
  }
  Batch& shared = batches[static_cast<std::size_t>(collision::Stage::shared)];
  Batch& interface = batches[static_cast<std::size_t>(collision::Stage::interface)];
  Batch interior = std::move(batches[static_cast<std::size_t>(collision::Stage::interior)]);

  const std::vector<char> mirrored = mirrored_bodies(halo, local_);
  for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
    const auto& [a, b] = std::pair(joints_[static_cast<std::size_t>(k)].a, joints_[static_cast<std::size_t>(k)].b);
    const auto is_mirrored = [&](int body) { return body >= 0 && mirrored[static_cast<std::size_t>(body)] != 0; };
    Batch& batch = std::max(a, b) >= owned_ ? interface : is_mirrored(a) || is_mirrored(b) ? shared : interior;
    batch.joints.push_back(k);
  }
  if (plan_.coupling == Coupling::full_splitting) {
    for (int k = 0; k < shared.contacts.last; ++k) interface.listed.push_back(k);
    interface.levers.insert(interface.levers.end(), shared.levers.begin(), shared.levers.end());
    interface.joints.insert(interface.joints.end(), shared.joints.begin(), shared.joints.end());
  } else {
    std::tie(leading_, trailing_) = halved(std::move(shared));
  }
  std::tie(early_, late_) = halved(std::move(interior));
  std::vector<char> touched(static_cast<std::size_t>(local_), 0);
  for_each_end(interface, [&](int& body) {
    if (body >= 0) touched[static_cast<std::size_t>(body)] = 1;
  });
  halo_ = halo.restricted(touched);
  stages_.push_back({halo_, std::move(interface), {}});
}

/// Two parts of a batch, one after the other.
std::pair<BodyOperator::Batch, BodyOperator::Batch> BodyOperator::halved(Batch batch) {
  const auto cut = [](std::vector<int>& list) {
    const auto middle = list.begin() + std::ssize(list) / 2;
    std::vector<int> rest(middle, list.end());
    list.erase(middle, list.end());
    return rest;
  };
  Batch rest;
  rest.contacts = {batch.contacts.first + (batch.contacts.last - batch.contacts.first) / 2, batch.contacts.last};
  batch.contacts.last = rest.contacts.first;
  rest.levers = cut(batch.levers);
  rest.joints = cut(batch.joints);
  return {std::move(batch), std::move(rest)};
}

/// Calls `function` with each body index of the batch's blocks.
template <typename Function>
void BodyOperator::for_each_end(const Batch& batch, Function&& function) {
  for_each_contact(batch, [&](int k) {
    Contact& contact = contacts_[static_cast<std::size_t>(k)];
    for (Slot* const slot : {&contact.a, &contact.b}) {
      int number = *slot;
      function(number);
      *slot = number;
    }
  });
  for (const int k : batch.joints) {
    function(joints_[static_cast<std::size_t>(k)].a);
    function(joints_[static_cast<std::size_t>(k)].b);
  }
}

template <typename Function>
void BodyOperator::for_each_contact(const Batch& batch, Function&& function) {
  for (int k = batch.contacts.first; k < batch.contacts.last; ++k) function(k);
  for (const int k : batch.listed) function(k);
  for (const int k : batch.levers) function(levers_[static_cast<std::size_t>(k)].contact);
}

template <typename Function>
void BodyOperator::for_each_contact_of_spheres(Function&& function) const {
  int first = 0;
  for (const Lever& lever : levers_) {
    for (int k = first; k < lever.contact; ++k) function(k);
    first = lever.contact + 1;
  }
  for (int k = first; k < contact_count(); ++k) function(k);
}

template <typename Visit>
void BodyOperator::visit_groups(Visit&& visit) const {
  const auto visit_batch = [&](const Batch& batch) {
    for_each_group<1>(batch.runs, visit);
    for (const int k : batch.listed) visit.template operator()<double, 1>(k, k);
  };
  for (const Batch* batch : {&leading_, &early_, &late_, &trailing_}) visit_batch(*batch);
  for (const Stage& stage : stages_) visit_batch(stage.batch);
}

/// Collective: cuts the interface stage into colours, if so planned, and lists the ghosts of each stage.
void BodyOperator::build_stages(const model::Bodies& bodies) {
  if (plan_.coupling == Coupling::colouring) {
    const Batch interface = std::move(stages_.front().batch);
    std::vector<parallel::Task> tasks;
    for_each_contact(interface, [&](int k) {
      tasks.push_back({contacts_[static_cast<std::size_t>(k)].a, contacts_[static_cast<std::size_t>(k)].b});
    });
    for (const int k : interface.joints)
      tasks.push_back({joints_[static_cast<std::size_t>(k)].a, joints_[static_cast<std::size_t>(k)].b});
    const std::vector<int> colour = colour_tasks(comm(), {halo_, bodies.id}, tasks);
    const int last = colour.empty() ? -1 : *std::ranges::max_element(colour);
    stages_.assign(static_cast<std::size_t>(comm().max(static_cast<std::int64_t>(last))) + 1, Stage{});
    auto next = colour.begin();
    const auto batch_of_next = [&]() -> Batch& { return stages_[static_cast<std::size_t>(*next++)].batch; };
    for (int k = interface.contacts.first; k < interface.contacts.last; ++k) batch_of_next().listed.push_back(k);
    for (const int k : interface.levers) batch_of_next().levers.push_back(k);
    for (const int k : interface.joints) batch_of_next().joints.push_back(k);
  }
  for (Stage& stage : stages_) {
    std::vector<char> touched(static_cast<std::size_t>(local_), 0);
    for_each_end(stage.batch, [&](int& body) {
      if (body >= 0) touched[static_cast<std::size_t>(body)] = 1;
    });
    if (plan_.coupling == Coupling::colouring) stage.halo = halo_.restricted(touched);
    for (int ghost = owned_; ghost < local_; ++ghost)
      if (touched[static_cast<std::size_t>(ghost)] != 0) stage.ghosts.push_back(ghost);
  }
}

/// Collective: the part of each local body's mass that contacts see where the body is split: all that hold it have as
/// much.
std::vector<double> BodyOperator::share_out() {
  std::vector<double> holders(static_cast<std::size_t>(local_), 0.0);
  for_each_end(stages_.front().batch, [&](int& body) {
    if (body >= 0) holders[static_cast<std::size_t>(body)] = 1.0;
  });
  halo_.reverse_add(holders.data(), {1, 1});
  halo_.forward(holders.data(), {1, 1});
  for (double& number : holders) number = 1.0 / std::max(1.0, number);
  return holders;
}

/// Blocks that see a share of an owned body's mass work on a second slot of it.
void BodyOperator::add_twins(const std::vector<double>& shares) {
  std::vector<int> twin(static_cast<std::size_t>(owned_), -1);
  for (const Stage& stage : stages_)
    for_each_end(stage.batch, [&](int& body) {
      if (body < 0 || body >= owned_ || shares[static_cast<std::size_t>(body)] == 1.0) return;
      int& slot = twin[static_cast<std::size_t>(body)];
      if (slot < 0) {
        slot = local_ + static_cast<int>(twin_of_.size());
        twin_of_.push_back(body);
      }
      body = slot;
    });
  const int world = local_ + static_cast<int>(twin_of_.size());
  for (Contact& contact : contacts_)
    if (contact.b < 0) contact.b = world;
  for (Joint& joint : joints_)
    if (joint.b < 0) joint.b = world;
  share_.assign(shares.begin() + owned_, shares.end());
  for (const int body : twin_of_) share_.push_back(shares[static_cast<std::size_t>(body)]);
}

Motion BodyOperator::motion_at_rest() const {
  Motion motion(static_cast<std::size_t>(slot_count()) * doubles_per_body);
  BodyMotion* const bodies = bodies_of(motion);
  for (int slot = 0; slot < slot_count(); ++slot) {
    const Inverse inverse = shared(slot);
    set_to_rest(bodies[slot]);
    bodies[slot].inverse_mass = inverse.mass;
    bodies[slot].inverse_inertia = inverse.inertia;
  }
  return motion;
}

Mat3 BodyOperator::own_block(const Joint& joint, const Inverse& a, const Inverse& b) {
  return (a.mass + b.mass) * joint.linear * joint.linear.transpose() +
         a.inertia * joint.spin_a * joint.spin_a.transpose() + b.inertia * joint.spin_b * joint.spin_b.transpose();
}

Mat3 BodyOperator::own_block(const Lever& lever, const Inverse& a, const Inverse& b) {
  return (a.mass + b.mass) * Mat3::Identity() + a.inertia * lever.spin_a * lever.spin_a.transpose() +
         b.inertia * lever.spin_b * lever.spin_b.transpose();
}

Vec3 BodyOperator::compliance_of(int block) const {
  if (compliance_.empty()) return Vec3::Zero();
  return Eigen::Map<const Vec3>(compliance_.data() + 3 * block);
}

void BodyOperator::set_own_problems() {
  for (Lever& lever : levers_) {
    const Contact& contact = contacts_[static_cast<std::size_t>(lever.contact)];
    const auto [normal, tangential] =
        diagonal_above(own_block(lever, shared(contact.a), shared(contact.b)), compliance_of(lever.contact));
    lever.normal = normal;
    lever.tangential = tangential;
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    Joint& joint = joints_[k];
    joint.own = own_block(joint, shared(joint.a), shared(joint.b));
    joint.own.diagonal() += compliance_of(contact_count() + static_cast<int>(k));
    joint.own.computeInverseWithCheck(joint.inverse, joint.is_regular, smallest_determinant(joint.own));
  }
}

/// Marks the owned bodies that other ranks see, or that blocks touch which are not in runs of contacts of spheres.
std::vector<char> BodyOperator::bodies_apart() {
  std::vector<char> apart = mirrored_bodies(halo_, local_);
  const auto mark = [&](int& slot) {
    if (body_at(slot) >= 0) apart[static_cast<std::size_t>(body_at(slot))] = 1;
  };
  for (const Stage& stage : stages_) for_each_end(stage.batch, mark);
  for (const Batch* batch : {&leading_, &early_, &late_, &trailing_}) {
    Batch others;
    others.levers = batch->levers;
    others.joints = batch->joints;
    for_each_end(others, mark);
  }
  return apart;
}

int BodyOperator::body_at(int slot) const {
  if (slot < local_) return slot;
  const auto twin = static_cast<std::size_t>(slot - local_);
  return twin < twin_of_.size() ? twin_of_[twin] : -1;
}

BodyOperator::Inverse BodyOperator::unshared(int slot) const {
  if (body_at(slot) < 0) return {};
  const auto body = static_cast<std::size_t>(body_at(slot));
  return {1.0 / mass_[body], radius_[body] * radius_[body] / inertia_[body].x()};
}

BodyOperator::Inverse BodyOperator::shared(int slot) const {
  const Inverse whole = unshared(slot);
  if (slot < owned_ || body_at(slot) < 0) return whole;
  const double share = share_[static_cast<std::size_t>(slot - owned_)];
  return {whole.mass / share, whole.inertia / share};
}

std::vector<Mat3> BodyOperator::diagonal_blocks() const {
  std::vector<Mat3> blocks;
  blocks.reserve(static_cast<std::size_t>(block_count()));
  for (const Contact& contact : contacts_) {
    const Inverse a = unshared(contact.a), b = unshared(contact.b);
    const double normal = a.mass + b.mass, tangential = normal + a.inertia + b.inertia;
    blocks.emplace_back(Vec3(normal, tangential, tangential).asDiagonal());
  }
  for (const Lever& lever : levers_) {
    const Contact& contact = contacts_[static_cast<std::size_t>(lever.contact)];
    blocks[static_cast<std::size_t>(lever.contact)] = own_block(lever, unshared(contact.a), unshared(contact.b));
  }
  for (const Joint& joint : joints_) blocks.push_back(own_block(joint, unshared(joint.a), unshared(joint.b)));
  for (int k = 0; k < block_count(); ++k) blocks[static_cast<std::size_t>(k)].diagonal() += compliance_of(k);
  return blocks;
}

/// The motion has six degrees of freedom per body, v and u. S = M^-1 A^T.
Factors BodyOperator::factors() const {
  constexpr int dofs_per_body = 6;
  Factors result{3 * block_count(), dofs_per_body * owned_, {}, {}, compliance_};
  std::vector<double> number(static_cast<std::size_t>(local_));  // of bodies, through all ranks
  const auto below = static_cast<double>(comm().sum_below(owned_));
  for (std::size_t k = 0; k < static_cast<std::size_t>(owned_); ++k) number[k] = below + static_cast<double>(k);
  halo_.forward(number.data(), {1, 1});

  const auto add_end = [&](int block, int slot, const Mat3& linear, const Mat3& spin) {
    if (body_at(slot) < 0) return;
    const Inverse inverse = unshared(slot);
    const auto first = dofs_per_body * static_cast<std::int64_t>(number[static_cast<std::size_t>(body_at(slot))]);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < dofs_per_body; ++k) {
        const double value = k < 3 ? linear(c, k) : spin(c, k - 3);
        if (value == 0.0) continue;
        result.reads.push_back({3 * block + c, first + k, value});
        result.writes.push_back({3 * block + c, first + k, value * (k < 3 ? inverse.mass : inverse.inertia)});
      }
  };
  for_each_contact_of_spheres([&](int k) {
    const Contact& contact = contacts_[static_cast<std::size_t>(k)];
    const Mat3 linear = rows_of(ContactFrame(contact.n));
    Mat3 spin;  // w = linear (v_b - v_a) + spin (u_a + u_b)
    spin << Vec3::Zero().transpose(), -linear.row(2), linear.row(1);
    add_end(k, contact.a, -linear, spin);
    add_end(k, contact.b, linear, spin);
  });
  for (const Lever& lever : levers_) {
    const Contact& contact = contacts_[static_cast<std::size_t>(lever.contact)];
    const Mat3 linear = rows_of(ContactFrame(contact.n));
    add_end(lever.contact, contact.a, -linear, lever.spin_a);
    add_end(lever.contact, contact.b, linear, lever.spin_b);
  }
  for (int k = contact_count(); k < block_count(); ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k - contact_count())];
    add_end(k, joint.a, -joint.linear, joint.spin_a);
    add_end(k, joint.b, joint.linear, joint.spin_b);
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(owned_); ++k) {
    const double radius = radius_[k], inertia = inertia_[k].x();
    result.bodies.push_back({centre_[k], radius, mass_[k], Mat3(Vec3::Constant(inertia).asDiagonal())});
    for (int c = 0; c < dofs_per_body; ++c) {
      const auto row = dofs_per_body * static_cast<int>(k) + c;
      result.mass.push_back({row, dofs_per_body * static_cast<std::int64_t>(below) + row,
                             c < 3 ? mass_[k] : inertia / (radius * radius)});
    }
  }
  return result;
}

void BodyOperator::find_motion(Vec x, Motion& motion) const {
  BodyMotion* const bodies = bodies_of(motion);
  for (int slot = 0; slot < slot_count(); ++slot) set_to_rest(bodies[slot]);
  {
    const ReadArray in(x);
    visit_groups([&]<typename Real, int>(int k, int last) {
      fetch_ahead<lanes_of<Real>>(contacts_.data(), k, last, bodies);
      fetch_in_order<lanes_of<Real>>(
          contacts_.data(), k + groups_ahead * lane_count, [&](int at) __attribute__((always_inline)) {
            __builtin_prefetch(in.data() + at);
          });
      add_momentum_of<Real>(contacts_.data(), k, in.data() + 3 * k, bodies);
    });
    for (const Lever& lever : levers_) {
      const Contact& contact = contacts_[static_cast<std::size_t>(lever.contact)];
      const Vec3 impulse(in.data() + 3 * lever.contact), momentum = ContactFrame(contact.n).to_world(impulse.data());
      add(bodies[contact.a], -momentum, lever.spin_a.transpose() * impulse);
      add(bodies[contact.b], momentum, lever.spin_b.transpose() * impulse);
    }
    for (int k = contact_count(); k < block_count(); ++k) {
      const Joint& joint = joints_[static_cast<std::size_t>(k - contact_count())];
      const Vec3 impulse(in.data() + 3 * k);
      add(bodies[joint.a], -joint.linear.transpose() * impulse, joint.spin_a.transpose() * impulse);
      add(bodies[joint.b], joint.linear.transpose() * impulse, joint.spin_b.transpose() * impulse);
    }
  }
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const BodyMotion& part = bodies[static_cast<std::size_t>(local_) + twin];
    add(bodies[twin_of_[twin]], Vec3(part.v), Vec3(part.u));
  }
  halo_.reverse_add(motion.data(), motion_layout);
  for (int body = 0; body < owned_; ++body)
    for (int k = 0; k < 3; ++k) {
      bodies[body].v[k] *= bodies[body].inverse_mass;
      bodies[body].u[k] *= bodies[body].inverse_inertia;
    }
  set_to_rest(bodies[slot_count() - 1]);  // walls do not move
}

void BodyOperator::copy_to_twins(BodyMotion* bodies) const {
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const BodyMotion& whole = bodies[twin_of_[twin]];
    BodyMotion& copy = bodies[static_cast<std::size_t>(local_) + twin];
    std::copy_n(whole.v, 3, copy.v);
    std::copy_n(whole.u, 3, copy.u);
  }
}

void BodyOperator::refresh(Motion& motion) const {
  halo_.forward(motion.data(), motion_layout);
  copy_to_twins(bodies_of(motion));
}

void BodyOperator::relative_velocity(Motion& motion, Vec w) const {
  refresh(motion);
  const WriteArray out(w);
  relative_velocities(0, block_count(), bodies_of(motion), out.data());
}

/// D^T motion, of the blocks from `first` on and before `last`. Bodies are only read: any contacts of spheres side by
/// side go together.
void BodyOperator::relative_velocities(int first, int last, const BodyMotion* bodies, double* w) const {
  const auto row = [&](int k) { return w + 3 * (k - first); };
  const int contacts = std::min(last, contact_count());
  auto lever = std::ranges::lower_bound(levers_, first, {}, &Lever::contact);
  int k = first;
  while (k < contacts) {
    const int others = lever == levers_.end() ? contacts : std::min(lever->contact, contacts);
    for (; k + lane_count <= others; k += lane_count) {
      fetch_ahead<lane_count>(contacts_.data(), k, others, bodies);
      fetch_in_order<lane_count>(
          contacts_.data(), k + groups_ahead * lane_count, [&](int at) __attribute__((always_inline)) {
            __builtin_prefetch(w + at - 3 * first, 1);
          });
      relative_velocities_of<Lanes>(contacts_.data(), k, bodies, row(k));
    }
    for (; k < others; ++k) relative_velocities_of<double>(contacts_.data(), k, bodies, row(k));
    for (; k < contacts && lever != levers_.end() && lever->contact == k; ++k, ++lever)
      Eigen::Map<Vec3>(row(k)) = velocity_of(*lever, bodies);
  }
  for (; k < last; ++k)
    Eigen::Map<Vec3>(row(k)) = velocity_of(joints_[static_cast<std::size_t>(k - contact_count())], bodies);
}

Vec3 BodyOperator::velocity_of(const Joint& joint, const BodyMotion* bodies) {
  const BodyMotion& a = bodies[joint.a];
  const BodyMotion& b = bodies[joint.b];
  return joint.linear * (Vec3(b.v) - Vec3(a.v)) + joint.spin_a * Vec3(a.u) + joint.spin_b * Vec3(b.u);
}

Vec3 BodyOperator::velocity_of(const Lever& lever, const BodyMotion* bodies) const {
  const Contact& contact = contacts_[static_cast<std::size_t>(lever.contact)];
  const BodyMotion& a = bodies[contact.a];
  const BodyMotion& b = bodies[contact.b];
  return ContactFrame(contact.n).to_contact(Vec3(b.v) - Vec3(a.v)) + lever.spin_a * Vec3(a.u) +
         lever.spin_b * Vec3(b.u);
}

void BodyOperator::block_velocities(int first, int last, const double* x, const Motion& motion, double* w) const {
  relative_velocities(first, last, bodies_of(motion), w);
  if (compliance_.empty()) return;
  for (int k = 3 * first; k < 3 * last; ++k) w[k - 3 * first] += compliance_[static_cast<std::size_t>(k)] * x[k];
}

double BodyOperator::local_energy(Vec x, const Motion& motion) const {
  const BodyMotion* const bodies = bodies_of(motion);
  double energy = 0.0;
#pragma omp simd reduction(+ : energy)
  for (int body = 0; body < owned_; ++body) {
    const BodyMotion& m = bodies[body];
    energy += (m.v[0] * m.v[0] + m.v[1] * m.v[1] + m.v[2] * m.v[2]) / m.inverse_mass +
              (m.u[0] * m.u[0] + m.u[1] * m.u[1] + m.u[2] * m.u[2]) / m.inverse_inertia;
  }
  return 0.5 * energy + compliant_energy(ReadArray(x).data());
}

double BodyOperator::compliant_energy(const double* x) const {
  double energy = 0.0;
  for (std::size_t k = 0; k < compliance_.size(); ++k) energy += compliance_[k] * x[k] * x[k];
  return 0.5 * energy;
}

}  // namespace scree::problem
