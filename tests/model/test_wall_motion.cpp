// ranks: 1
#include "scree/model/wall_motion.hpp"

#include <cmath>
#include <numbers>

#include "scree/model/wall.hpp"
#include "support/support.hpp"

using scree::model::at_time;
using scree::model::Plane;
using scree::model::Tube;
using scree::model::Vec3;
using scree::model::Wall;
using scree::model::WallMotion;

namespace {

const WallMotion everything{.velocity = {0.3, -0.2, 0.1},
                            .amplitude = {0.0, 0.5, 0.2},
                            .frequency = 1.5,
                            .phase = 0.7,
                            .spin = {0.4, 1.0, -0.3},
                            .pivot = {1.0, 2.0, 3.0}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_wall_starts_where_the_scene_puts_it) {
  const Wall wall{"wall", Plane{{1.0, 0.0, 2.0}, Vec3::UnitZ()}, 0, everything};
  const auto plane = std::get<Plane>(at_time(wall, 0.0).surface);
  BOOST_TEST((plane.point - Vec3(1.0, 0.0, 2.0)).norm() <= 1e-15);
  BOOST_TEST((plane.normal - Vec3::UnitZ()).norm() <= 1e-15);
  BOOST_TEST(WallMotion{}.is_rest());
  BOOST_TEST(!everything.is_rest());
}

BOOST_AUTO_TEST_CASE(velocities_are_the_derivative_of_places) {
  const Vec3 start(0.5, -1.0, 4.0);
  const double small = 1e-6;
  for (const double time : {0.0, 0.37, 12.5}) {
    const auto place = [&](double t) {
      return std::get<Plane>(at_time(Wall{"wall", Plane{start, Vec3::UnitX()}, 0, everything}, t).surface).point;
    };
    const Vec3 derivative = (place(time + small) - place(time - small)) / (2.0 * small);
    BOOST_TEST((everything.velocity_at(place(time), time) - derivative).norm() <= 1e-7);
  }
}

BOOST_AUTO_TEST_CASE(no_wall_approaches_faster_than_its_bound) {
  const Wall walls[] = {{"plane", Plane{{1.0, 0.0, 2.0}, Vec3::UnitZ()}, 0, everything},
                        {"tube", Tube{{1.0, 0.0, 2.0}, Vec3::UnitY(), 9.0}, 0, everything}};
  const double step = 1e-4;
  for (const Wall& wall : walls)
    for (int k = 0; k < 200; ++k) {
      const double time = 0.05 * k;
      const Vec3 centre(std::cos(1.3 * k), std::sin(0.7 * k), 0.01 * k);
      const double closed =
          gap_to_wall(at_time(wall, time), centre, 0.1).gap - gap_to_wall(at_time(wall, time + step), centre, 0.1).gap;
      BOOST_TEST(closed <= step * (1.0 + 1e-3) * largest_approach(wall, centre, time));
    }
}

BOOST_AUTO_TEST_CASE(what_turns_in_itself_comes_no_nearer) {
  const Wall drum{
      "drum", Tube{{1.0, 0.0, 2.0}, Vec3::UnitY(), 3.0}, 0, {.spin = {0.0, 5.0, 0.0}, .pivot = {1.0, 7.0, 2.0}}};
  const Wall table{"table", Plane{{1.0, 0.0, 2.0}, Vec3::UnitZ()}, 0, {.spin = {0.0, 0.0, 5.0}}};
  const Wall belt{"belt", Plane{Vec3::Zero(), Vec3::UnitZ()}, 0, {.belt = {1.0, 0.0, 0.0}}};
  for (const Wall& wall : {drum, table, belt}) BOOST_TEST(largest_approach(wall, {2.0, 3.0, 4.0}, 1.0) == 0.0);
  BOOST_TEST((belt.motion.velocity_at({2.0, 3.0, 0.0}, 1.0) - Vec3::UnitX()).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(a_shake_is_sinusoidal) {
  const WallMotion shake{.amplitude = {0.0, 0.0, 0.2}, .frequency = 2.0, .phase = 0.5 * std::numbers::pi};
  BOOST_TEST(std::abs(shake.travel(0.25).z() + 0.4) <= 1e-15);  // half a period: from one end to the other
  BOOST_TEST(std::abs(shake.travel(0.5).z()) <= 1e-15);
}
