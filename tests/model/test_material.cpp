// ranks: 1
#include "scree/model/material.hpp"

#include "support/support.hpp"

using namespace scree::model;

namespace {

const std::vector<Material> materials = {
    {.name = "steel", .friction = 0.2, .restitution = 0.8, .compliance = 1e-9},
    {.name = "rubber", .friction = 0.9, .restitution = 0.3, .compliance = 1e-6, .damping = 0.02},
    {.name = "ice", .friction = 0.05},
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_weaker_partner_decides_and_compliances_add_up) {
  const SurfaceTable table(materials, {});
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 0)}) {
    const Surface& surface = table.between(a, b);
    BOOST_TEST(surface.friction == 0.2);
    BOOST_TEST(surface.restitution == 0.3);
    BOOST_TEST(surface.compliance == 1e-9 + 1e-6);
    BOOST_TEST(surface.damping.value() == 0.02);
  }
  BOOST_TEST(!table.between(0, 2).damping.has_value());
  BOOST_TEST(!table.is_rigid());
  BOOST_TEST(SurfaceTable({materials[2]}, {}).is_rigid());
}

BOOST_AUTO_TEST_CASE(an_exception_holds_for_its_pair_alone_in_either_order) {
  const SurfaceTable table(materials, {{2, 0, {0.6, 0.1, 0.0, 0.5}}});
  for (const auto& [a, b] : {std::pair(0, 2), std::pair(2, 0)}) {
    BOOST_TEST(table.between(a, b).friction == 0.6);
    BOOST_TEST(table.between(a, b).damping.value() == 0.5);
  }
  BOOST_TEST(table.between(2, 2).friction == 0.05);
  BOOST_TEST(table.between(1, 2).friction == 0.05);
}
