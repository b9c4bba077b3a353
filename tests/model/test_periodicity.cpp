// ranks: 1
#include "scree/model/periodicity.hpp"

#include <cmath>
#include <limits>

#include "support/support.hpp"

using scree::model::Image;
using scree::model::Periodicity;
using scree::model::Vec3;

namespace {

const Periodicity channel{{-1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}};

}  // namespace

BOOST_AUTO_TEST_CASE(points_come_back_into_the_first_period) {
  BOOST_TEST((channel.wrapped({2.5, 7.0, -9.0}) == Vec3(-0.5, 7.0, -9.0)));
  BOOST_TEST((channel.wrapped({-1.25, 7.0, -9.0}) == Vec3(1.75, 7.0, -9.0)));
  BOOST_TEST((channel.wrapped({-1.0, 0.0, 0.0}) == Vec3(-1.0, 0.0, 0.0)));
  BOOST_TEST((channel.wrapped({2.0, 0.0, 0.0}) == Vec3(-1.0, 0.0, 0.0)));
  BOOST_TEST((channel.wrapped({3e4 + 0.5, 0.0, 0.0}) == Vec3(0.5, 0.0, 0.0)));
  const double just_below = std::nextafter(-1.0, -2.0);
  const double x = channel.wrapped({just_below, 0.0, 0.0}).x();
  BOOST_TEST(x >= -1.0);
  BOOST_TEST(x < 2.0);
}

BOOST_AUTO_TEST_CASE(points_inside_keep_every_bit) {
  const Vec3 point(1.0 / 3.0, 0.1, 0.7);
  BOOST_TEST((channel.wrapped(point) == point));
  BOOST_TEST((Periodicity{}.wrapped({1e9, -1e9, 3.0}) == Vec3(1e9, -1e9, 3.0)));
}

BOOST_AUTO_TEST_CASE(periods_and_shifts) {
  BOOST_TEST(channel.any());
  BOOST_TEST(!Periodicity{}.any());
  BOOST_TEST(channel.shortest() == 3.0);
  BOOST_TEST(std::isinf(Periodicity{}.shortest()));
  BOOST_TEST((channel.shift_of(Image(-1, 1, 0)) == Vec3(-3.0, 0.0, 0.0)));
}
