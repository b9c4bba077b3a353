// ranks: 1
#include "scree/io/room.hpp"

#include <cmath>

#include "support/support.hpp"

using scree::model::Box;
using scree::model::Plane;
using scree::model::Tube;
using scree::model::Vec3;
using scree::model::Wall;
namespace io = scree::io;

namespace {

Wall plane(const Vec3& point, const Vec3& normal) { return {"plane", Plane{point, normal.normalized()}, 0}; }
Wall tube(const Vec3& point, const Vec3& axis, double radius) {
  return {"tube", Tube{point, axis.normalized(), radius}, 0};
}

const Vec3 up = Vec3::UnitZ();
const Vec3 east = Vec3::UnitX();

}  // namespace

BOOST_AUTO_TEST_CASE(planes_that_face_each_other_need_a_distance) {
  const Wall floor = plane(Vec3::Zero(), up);
  BOOST_TEST(!io::lack_of_room(floor, plane(Vec3(0, 0, 1), -up), 0.2));
  BOOST_TEST(!io::lack_of_room(floor, plane(Vec3(0, 0, 0.2), -up), 0.2));
  BOOST_TEST(io::lack_of_room(floor, plane(Vec3(0, 0, 0.1), -up), 0.2).has_value());
  BOOST_TEST(io::lack_of_room(floor, plane(Vec3(0, 0, -1), -up), 0.2).has_value());
  BOOST_TEST(!io::lack_of_room(floor, plane(Vec3(0, 0, -1), up), 0.2));
  BOOST_TEST(!io::lack_of_room(floor, plane(Vec3(0, 0, -1), Vec3(1, 0, -1)), 0.2));
}

BOOST_AUTO_TEST_CASE(tubes_need_a_width) {
  const Wall drum = tube(Vec3::Zero(), up, 1.0);
  BOOST_TEST(!io::lack_of_room(drum, 2.0));
  BOOST_TEST(io::lack_of_room(drum, 2.1).has_value());
  BOOST_TEST(!io::lack_of_room(drum, plane(Vec3(0.5, 0, 0), east), 0.5));
  BOOST_TEST(io::lack_of_room(plane(Vec3(0.5, 0, 0), east), drum, 0.6).has_value());
  BOOST_TEST(io::lack_of_room(drum, plane(Vec3(1.5, 0, 0), east), 0.1).has_value());
  BOOST_TEST(!io::lack_of_room(drum, tube(Vec3(1, 0, 0), up, 0.5), 0.5));
  BOOST_TEST(io::lack_of_room(drum, tube(Vec3(2, 0, 0), up, 0.5), 0.1).has_value());
}

BOOST_AUTO_TEST_CASE(regions_must_lie_on_the_free_side) {
  const io::Region box = Box{Vec3(-1, -1, 0), Vec3(1, 1, 2)};
  const io::Region cylinder = io::CylinderRegion{Vec3(0, 0, 0), 1.0, 2.0};
  for (const io::Region& region : {box, cylinder}) {
    BOOST_TEST(!io::region_behind(region, plane(Vec3::Zero(), up)));
    BOOST_TEST(io::region_behind(region, plane(Vec3(0, 0, 0.1), up)).has_value());
    BOOST_TEST(io::region_behind(region, plane(Vec3(0, 0, 1.9), -up)).has_value());
    BOOST_TEST(!io::region_behind(region, plane(Vec3(-1, 0, 0), east)));
    BOOST_TEST(io::region_behind(region, plane(Vec3(-0.9, 0, 0), east)).has_value());
    BOOST_TEST(!io::region_behind(region, tube(Vec3::Zero(), up, 1.5)));
    BOOST_TEST(io::region_behind(region, tube(Vec3::Zero(), up, 0.9)).has_value());
    BOOST_TEST(io::region_behind(region, tube(Vec3::Zero(), east, 2.0)).has_value());
    BOOST_TEST(!io::region_behind(region, tube(Vec3::Zero(), east, 2.3)));
  }
  BOOST_TEST(!io::region_behind(cylinder, tube(Vec3::Zero(), up, 1.0)));
  BOOST_TEST(io::region_behind(box, tube(Vec3::Zero(), up, 1.4)).has_value());
  BOOST_TEST(!io::region_behind(cylinder, plane(Vec3(-1, -1, 0), Vec3(1, 1, 0))));
}

BOOST_AUTO_TEST_CASE(regions_that_only_touch_do_not_overlap) {
  const io::Region box = Box{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  BOOST_TEST(!io::regions_overlap(box, Box{Vec3(1, 0, 0), Vec3(2, 1, 1)}));
  BOOST_TEST(io::regions_overlap(box, Box{Vec3(0.9, 0.9, 0.9), Vec3(2, 2, 2)}));
  BOOST_TEST(!io::regions_overlap(box, io::CylinderRegion{Vec3(2, 0.5, 0), 1.0, 1.0}));
  BOOST_TEST(io::regions_overlap(box, io::CylinderRegion{Vec3(1.9, 0.5, 0), 1.0, 1.0}));
  BOOST_TEST(!io::regions_overlap(io::CylinderRegion{Vec3(1.7, 1.7, 0), 0.95, 1.0}, box));
  BOOST_TEST(!io::regions_overlap(box, io::CylinderRegion{Vec3(0.5, 0.5, 1), 1.0, 1.0}));
  BOOST_TEST(io::regions_overlap(io::CylinderRegion{Vec3(0, 0, 0), 1.0, 1.0},
                                 io::CylinderRegion{Vec3(1.9, 0, 0.9), 1.0, 1.0}));
  BOOST_TEST(
      !io::regions_overlap(io::CylinderRegion{Vec3(0, 0, 0), 1.0, 1.0}, io::CylinderRegion{Vec3(2, 0, 0), 1.0, 1.0}));
}
