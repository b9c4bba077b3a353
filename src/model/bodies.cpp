#include "scree/model/bodies.hpp"

#include <numbers>
#include <stdexcept>
#include <utility>

#include "scree/model/shape.hpp"

namespace scree::model {

Body make_sphere(std::int64_t id, const Vec3& position, double radius, double density, int material) {
  const double mass = density * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  const double moment = 0.4 * mass * radius * radius;
  return {.id = id,
          .position = {position.x(), position.y(), position.z()},
          .attitude = {0.0, 0.0, 0.0, 1.0},
          .velocity = {},
          .spin = {},
          .inertia = {moment, moment, moment},
          .mass = mass,
          .radius = radius,
          .material = material,
          .shape = sphere};
}

const Shape& Bodies::shape_of(int index) const {
  return (*shapes)[static_cast<std::size_t>(shape[static_cast<std::size_t>(index)])];
}

Body Bodies::get(int index) const {
  const auto k = static_cast<std::size_t>(index);
  Body body{};
  body.id = id[k];
  body.mass = mass[k];
  body.radius = radius[k];
  body.material = material[k];
  body.shape = shape[k];
  Eigen::Map<Vec3>(body.position) = position[k];
  Eigen::Map<Eigen::Vector4d>(body.attitude) = attitude[k].coeffs();
  Eigen::Map<Vec3>(body.velocity) = velocity[k];
  Eigen::Map<Vec3>(body.spin) = spin[k];
  Eigen::Map<Vec3>(body.inertia) = inertia[k];
  return body;
}

void Bodies::append(const Body& body) {
  id.push_back(body.id);
  position.emplace_back(body.position);
  attitude.emplace_back(body.attitude);
  velocity.emplace_back(body.velocity);
  spin.emplace_back(body.spin);
  inertia.emplace_back(body.inertia);
  mass.push_back(body.mass);
  radius.push_back(body.radius);
  material.push_back(static_cast<int>(body.material));
  shape.push_back(static_cast<int>(body.shape));
}

void Bodies::add_owned(const Body& body) {
  if (ghosts() > 0) throw std::logic_error("Bodies::add_owned: ghosts must be dropped first");
  append(body);
  ++owned_;
}

void Bodies::add_ghost(const Body& body, const Vec3& shift) {
  append(body);
  position.back() += shift;
  ghost_shift_.push_back(shift);
}

void Bodies::wrap() {
  if (!space.any()) return;
  for (std::size_t k = 0; k < static_cast<std::size_t>(owned_); ++k) position[k] = space.wrapped(position[k]);
}

namespace {

template <typename T>
void gather(std::vector<T>& values, const std::vector<int>& order) {
  std::vector<T> kept;
  kept.reserve(order.size());
  for (const int index : order) kept.push_back(values[static_cast<std::size_t>(index)]);
  values = std::move(kept);
}

template <typename Function>
void for_each_array(Bodies& bodies, Function&& function) {
  function(bodies.id);
  function(bodies.position);
  function(bodies.attitude);
  function(bodies.velocity);
  function(bodies.spin);
  function(bodies.inertia);
  function(bodies.mass);
  function(bodies.radius);
  function(bodies.material);
  function(bodies.shape);
}

}  // namespace

void Bodies::drop_ghosts() {
  for_each_array(*this, [&](auto& array) { array.resize(static_cast<std::size_t>(owned_)); });
  ghost_shift_.clear();
}

void Bodies::reserve(std::size_t count) {
  for_each_array(*this, [&](auto& array) { array.reserve(count); });
}

void Bodies::reorder(const std::vector<int>& order) {
  for_each_array(*this, [&](auto& array) { gather(array, order); });
  owned_ = static_cast<int>(order.size());
  ghost_shift_.clear();
}

void Bodies::keep_ghosts(const std::vector<int>& kept) {
  const auto compact = [&](auto& array, int first) {
    auto to = array.begin() + first;
    for (const int ghost : kept) *to++ = array[static_cast<std::size_t>(ghost - owned_ + first)];
    array.erase(to, array.end());
    if (array.capacity() > array.size() + array.size() / 32) array.shrink_to_fit();  // little room is not worth a copy
  };
  for_each_array(*this, [&](auto& array) { compact(array, owned_); });
  compact(ghost_shift_, 0);
}

void Bodies::refresh_ghosts(const parallel::Halo& halo) {
  constexpr parallel::Halo::Layout triple{3, 3};
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  if (size() == 0) return;  // no numbers to point at, and nobody to exchange them with
  for (std::vector<Vec3>* array : {&position, &velocity, &spin}) halo.forward(array->data()->data(), triple);
  for (std::size_t k = 0; k < ghost_shift_.size(); ++k)
    position[static_cast<std::size_t>(owned_) + k] += ghost_shift_[k];
}

void Bodies::refresh_ghost_attitudes(const parallel::Halo& halo) {
  static_assert(sizeof(Quat) == 4 * sizeof(double));
  if (size() > 0) halo.forward(attitude.data()->coeffs().data(), {4, 4});
}

}  // namespace scree::model
