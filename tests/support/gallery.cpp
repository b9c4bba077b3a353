#include "support/gallery.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

namespace scree::test {

namespace {

template <typename Column>
void add_end(Column& column, int body, const model::Vec3& arm, const model::Vec3& direction) {
  column.template segment<3>(6 * body) += direction;
  column.template segment<3>(6 * body + 3) += arm.cross(direction);
}

}  // namespace

DenseGlobal ProblemBuilder::build(double friction) const {
  const auto dofs = static_cast<Eigen::Index>(6 * bodies_.size());
  const auto rows = static_cast<Eigen::Index>(3 * contacts_.size());
  DenseGlobal result{Eigen::MatrixXd::Zero(dofs, dofs), Eigen::MatrixXd::Zero(dofs, rows), Eigen::VectorXd::Zero(dofs),
                     Eigen::VectorXd::Zero(rows), Eigen::VectorXd::Constant(rows / 3, friction)};
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& [mass, inertia, push] = bodies_[k];
    const auto first = static_cast<Eigen::Index>(6 * k);
    result.M.diagonal().segment<3>(first).setConstant(mass);
    result.M.diagonal().segment<3>(first + 3) = inertia;
    result.f.segment<3>(first) = step * (push + mass * gravity * -model::Vec3::UnitZ());
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& contact = contacts_[k];
    const model::Vec3 t = contact.normal.unitOrthogonal();
    const model::Vec3 axes[3] = {contact.normal, t, contact.normal.cross(t)};
    for (Eigen::Index c = 0; c < 3; ++c) {
      auto column = result.H.col(static_cast<Eigen::Index>(3 * k) + c);
      add_end(column, contact.upper, contact.arm, axes[c]);
      if (contact.lower >= 0) add_end(column, contact.lower, contact.lower_arm, -axes[c]);
    }
  }
  return result;
}

DenseGlobal stack_of_spheres(const std::vector<double>& masses, double friction) {
  ProblemBuilder builder;
  const model::Vec3 down(0.0, 0.0, -0.5);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const int body = builder.add_body(masses[k], model::Vec3::Constant(0.1 * masses[k]),
                                      0.1 * gravity * masses[k] * model::Vec3::UnitX());
    builder.add_contact(body, down, body - 1, -down, model::Vec3::UnitZ());
  }
  return builder.build(friction);
}

DenseGlobal chain_of_spheres(int links, double friction) {
  ProblemBuilder builder;
  const model::Vec3 back(-0.5, 0.0, 0.0), down(0.0, 0.0, -0.5);
  for (int k = 0; k < links; ++k)
    builder.add_body(1.0, model::Vec3::Constant(0.1),
                     k + 1 < links ? model::Vec3(0.0, 0.0, 0.0) : model::Vec3(0.0, 0.8 * gravity, 1.5 * gravity));
  for (int k = 0; k < links; ++k) builder.add_contact(k, back, k - 1, -back, model::Vec3::UnitX());
  for (int k = 0; k < links; ++k) builder.add_contact(k, down, -1, -down, model::Vec3::UnitZ());
  return builder.build(friction);
}

DenseGlobal tower_of_boxes(int height, double friction) {
  ProblemBuilder builder;
  for (int box = 0; box < height; ++box) {
    builder.add_body(1.0, model::Vec3::Constant(1.0 / 6.0), 0.1 * gravity * model::Vec3::UnitX());
    for (int foot = 0; foot < 4; ++foot) {
      const double x = foot % 2 == 0 ? -0.5 : 0.5, y = foot < 2 ? -0.5 : 0.5;
      builder.add_contact(box, {x, y, -0.5}, box - 1, {x, y, 0.5}, model::Vec3::UnitZ());
    }
  }
  return builder.build(friction);
}

DenseGlobal brick_wall(int rows, double friction) {
  constexpr double length = 0.4, side = 0.2, mass = 2.0;
  const model::Vec3 inertia =
      mass / 12.0 * model::Vec3(2.0 * side * side, length * length + side * side, length * length + side * side);
  ProblemBuilder builder;
  std::vector<std::pair<int, double>> below;  // bodies of the row below and their centres along the wall (m)
  for (int row = 0; row < rows; ++row) {
    std::vector<std::pair<int, double>> present;
    const int bricks = 3 - row % 2;
    for (int k = 0; k < bricks; ++k) {
      const double centre = (k - 0.5 * (bricks - 1)) * length;
      const model::Vec3 push = row + 1 == rows ? model::Vec3(0.3 * mass * gravity, 0.0, 0.0) : model::Vec3::Zero();
      const int body = builder.add_body(mass, inertia, push);
      const auto rest_on = [&](int lower, double lower_centre) {
        const double from = lower < 0 ? centre - 0.5 * length : std::max(centre, lower_centre) - 0.5 * length;
        const double to = lower < 0 ? centre + 0.5 * length : std::min(centre, lower_centre) + 0.5 * length;
        if (to - from < 1e-9) return;
        for (const double x : {from, to})
          for (const double y : {-0.5 * side, 0.5 * side})
            builder.add_contact(body, {x - centre, y, -0.5 * side}, lower, {x - lower_centre, y, 0.5 * side},
                                model::Vec3::UnitZ());
      };
      if (row == 0) rest_on(-1, centre);
      for (const auto& [lower, lower_centre] : below) rest_on(lower, lower_centre);
      present.emplace_back(body, centre);
    }
    below = present;
  }
  return builder.build(friction);
}

}  // namespace scree::test
