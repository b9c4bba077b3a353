// ranks: 1
#include "scree/collision/contacts.hpp"

#include <vector>

#include "support/sphere_bed.hpp"

using scree::collision::ContactId;
using scree::collision::ContactSet;
using scree::collision::find_contacts;
using scree::collision::id_of;
using scree::collision::PairList;
using scree::collision::point_of;
using scree::collision::stage_count;
using scree::model::Bodies;
using scree::model::make_sphere;
using scree::model::Plane;
using scree::model::Vec3;
using scree::model::Wall;
using namespace scree::test;

namespace {

// Coordinates of order ten, a handful of operations.
constexpr double rounding = 1e-14;

void check_near(const Vec3& value, const Vec3& expected) {
  BOOST_TEST((value - expected).norm() <= rounding, value.transpose() << " is not " << expected.transpose());
}

/// Two spheres, of radius 1 at the origin and 0.5 at `place`, with ids 7 and 9.
Bodies two_spheres(const Vec3& place) {
  Bodies bodies;
  bodies.add_owned(make_sphere(7, Vec3::Zero(), 1.0, 1000.0, 0));
  bodies.add_owned(make_sphere(9, place, 0.5, 1000.0, 0));
  return bodies;
}

/// One pair, in the last stage.
PairList one_pair(int a, int b) { return {{{a, b}}, {Vec3::Zero()}, {}, {0, 0, 1}}; }

const std::vector<Wall> floor_below = {{"floor", Plane{{0.0, 0.0, -2.0}, Vec3::UnitZ()}}};

bool is_contact(const Bodies& bodies, int a, int b, double margin, double step) {
  return find_contacts(bodies, floor_below, one_pair(a, b), margin, step).size() == 1;
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_spheres_apart_and_overlapping) {
  const Vec3 direction = Vec3(2.0, -1.0, 2.0) / 3.0;
  for (const double gap : {0.3, 0.0, -0.4}) {
    const Bodies bodies = two_spheres((1.5 + gap) * direction);
    const ContactSet set = find_contacts(bodies, {}, one_pair(0, 1), 1.0, 0.0);
    BOOST_TEST_REQUIRE(set.size() == 1);
    const auto& contact = set.contacts[0];
    BOOST_TEST(contact.a == 0);
    BOOST_TEST(contact.b == 1);
    BOOST_TEST(std::abs(contact.gap - gap) <= rounding);
    check_near(contact.normal, direction);
    check_near(point_of(bodies, set, contact), (1.0 + 0.5 * gap) * direction);
  }
}

BOOST_AUTO_TEST_CASE(the_normal_points_from_the_first_body_to_the_second) {
  const Bodies bodies = two_spheres({0.0, 0.0, -1.5});
  check_near(find_contacts(bodies, {}, one_pair(0, 1), 1.0, 0.0).contacts.at(0).normal, -Vec3::UnitZ());
  check_near(find_contacts(bodies, {}, one_pair(1, 0), 1.0, 0.0).contacts.at(0).normal, Vec3::UnitZ());
}

BOOST_AUTO_TEST_CASE(concentric_spheres_have_some_normal) {
  const auto set = find_contacts(two_spheres(Vec3::Zero()), {}, one_pair(0, 1), 0.0, 0.0);
  BOOST_TEST_REQUIRE(set.size() == 1);
  BOOST_TEST(set.contacts[0].gap == -1.5);
  BOOST_TEST(set.contacts[0].normal.norm() == 1.0);
}

BOOST_AUTO_TEST_CASE(a_sphere_and_a_wall) {
  const Bodies bodies = two_spheres({3.0, 4.0, -1.25});
  const ContactSet set = find_contacts(bodies, floor_below, one_pair(1, -1), 0.5, 0.0);
  BOOST_TEST_REQUIRE(set.size() == 1);
  BOOST_TEST(set.contacts[0].b == -1);
  BOOST_TEST(set.contacts[0].gap == 0.25);
  check_near(set.contacts[0].normal, -Vec3::UnitZ());
  check_near(point_of(bodies, set, set.contacts[0]), {3.0, 4.0, -1.875});
}

BOOST_AUTO_TEST_CASE(ids_name_bodies_and_walls) {
  const Bodies bodies = two_spheres({2.0, 0.0, 0.0});
  BOOST_TEST((id_of(bodies, 0, 1) == ContactId{7, 9}));
  BOOST_TEST((id_of(bodies, 1, -3) == ContactId{9, -3}));
}

BOOST_AUTO_TEST_CASE(a_gap_up_to_the_margin_is_a_contact) {
  const Bodies bodies = two_spheres({2.0, 0.0, 0.0});  // gap 0.5
  BOOST_TEST(is_contact(bodies, 0, 1, 0.5, 0.1));
  BOOST_TEST(!is_contact(bodies, 0, 1, 0.499, 0.1));
  BOOST_TEST(is_contact(bodies, 0, -1, 1.0, 0.1));  // 1 above the floor
  BOOST_TEST(!is_contact(bodies, 0, -1, 0.999, 0.1));
}

BOOST_AUTO_TEST_CASE(bodies_that_will_come_within_the_margin_are_a_contact) {
  Bodies bodies = two_spheres({2.0, 0.0, 0.0});  // gap 0.5
  bodies.velocity[0] = {3.0, 9.0, 0.0};          // sideways motion does not count
  bodies.velocity[1] = {1.0, 9.0, -5.0};         // they close at 2 m/s
  BOOST_TEST(is_contact(bodies, 0, 1, 0.125, 0.1875));
  BOOST_TEST(!is_contact(bodies, 0, 1, 0.125, 0.187));
  BOOST_TEST(is_contact(bodies, 1, 0, 0.125, 0.1875));
  bodies.velocity[0] = {-3.0, 0.0, 0.0};  // they part: neither earlier nor later than by the gap alone
  BOOST_TEST(is_contact(bodies, 0, 1, 0.5, 10.0));
  BOOST_TEST(!is_contact(bodies, 0, 1, 0.499, 10.0));
}

BOOST_AUTO_TEST_CASE(bodies_that_will_come_within_the_margin_of_a_wall_are_a_contact) {
  Bodies bodies = two_spheres({2.0, 0.0, 0.0});  // the first is 1 above the floor
  bodies.velocity[0] = {7.0, 0.0, -4.0};
  BOOST_TEST(is_contact(bodies, 0, -1, 0.0, 0.25));
  BOOST_TEST(!is_contact(bodies, 0, -1, 0.0, 0.249));
  bodies.velocity[0] = {7.0, 0.0, 4.0};
  BOOST_TEST(!is_contact(bodies, 0, -1, 0.999, 10.0));
}

BOOST_AUTO_TEST_CASE(contacts_keep_the_order_and_the_stages_of_their_pairs) {
  const Bed bed = random_bed(1, 120, Sizes::uniform);
  Bodies bodies;
  for (const auto& body : bed) bodies.add_owned(body);
  PairList list;
  for (const auto& pair : scree::collision::find_near_pairs(bodies, 0.5)) list.pairs.push_back(pair);
  const int count = static_cast<int>(list.pairs.size());
  for (const auto& ends :
       {std::array{0, 0, 0}, {count / 3, count / 2, count}, {0, count, count}, {count / 2, count / 2, count}}) {
    PairList some{{list.pairs.begin(), list.pairs.begin() + ends.back()}, {}, {}, ends};
    const ContactSet set = find_contacts(bodies, {}, some, 0.05, 0.0);
    BOOST_TEST((ends.back() == 0 || (set.size() > 0 && set.size() < ends.back())));
    BOOST_TEST(set.stage_end.back() == set.size());
    int k = 0;
    for (int stage = 0; stage < stage_count; ++stage)
      for (; k < set.stage_end[stage]; ++k) {
        const auto& contact = set.contacts[k];
        BOOST_TEST((k == 0 || set.contacts[k - 1].pair < contact.pair));
        BOOST_TEST((contact.pair < ends[stage] && (stage == 0 || contact.pair >= ends[stage - 1])));
        BOOST_TEST(contact.a == some.pairs[contact.pair].a);
        BOOST_TEST(contact.b == some.pairs[contact.pair].b);
      }
    BOOST_TEST(k == set.size());
  }
}
