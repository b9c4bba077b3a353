// ranks: 1
#include "scree/model/region.hpp"

#include <cmath>
#include <numbers>

#include "scree/model/body_recipe.hpp"
#include "support/support.hpp"

using namespace scree::model;

BOOST_AUTO_TEST_CASE(random_centres_fill_a_region_evenly_and_lie_in_it) {
  const Box box{Vec3(1.0, 2.0, 3.0), Vec3(2.0, 2.5, 5.0)};
  const CylinderRegion cylinder{Vec3(1.0, 2.0, 3.0), 0.7, 2.0};
  BOOST_TEST(std::abs(volume_of(box) - 1.0) < 1e-12);
  BOOST_TEST(std::abs(volume_of(cylinder) - std::numbers::pi * 0.98) < 1e-12);
  const double radius = 0.1;
  constexpr int count = 20000;
  Draws draws{5};
  Vec3 mean = Vec3::Zero();
  int inner = 0;
  for (int k = 0; k < count; ++k) {
    const Vec3 in_box = random_centre(box, radius, draws), in_cylinder = random_centre(cylinder, radius, draws);
    BOOST_REQUIRE(holds(box, in_box, radius - 1e-12));
    BOOST_REQUIRE(holds(cylinder, in_cylinder, radius - 1e-12));
    mean += in_box / count;
    inner += (in_cylinder - cylinder.bottom).head<2>().norm() < 0.3 ? 1 : 0;  // a quarter of the area of centres
  }
  BOOST_TEST((mean - Vec3(1.5, 2.25, 4.0)).norm() < 0.02);
  BOOST_TEST(std::abs(inner - count / 4) < 300);
  BOOST_TEST(!holds(box, Vec3(1.05, 2.2, 4.0), radius));
  BOOST_TEST(!holds(cylinder, Vec3(1.65, 2.0, 4.0), radius));
}

BOOST_AUTO_TEST_CASE(a_recipe_makes_bodies_of_its_kind) {
  BodyRecipe recipe;
  recipe.radius_min = 0.1;
  recipe.radius_max = 0.3;
  recipe.mass = 2.0;
  recipe.velocity = Vec3(1.0, 0.0, -1.0);
  BOOST_TEST(std::abs(mean_radius(recipe) - 0.2) < 0.01);
  Draws draws{1}, same{1};
  const double radius = random_radius(recipe, draws);
  BOOST_TEST(radius == random_radius(recipe, same));
  const Body body = make_body(recipe, {}, 7, Vec3(1.0, 2.0, 3.0), radius, draws);
  BOOST_TEST((body.id == 7 && body.mass == 2.0 && body.radius == radius && body.velocity[2] == -1.0));
}
