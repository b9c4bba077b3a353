// ranks: 1
#include "scree/io/fill.hpp"

#include <algorithm>
#include <cmath>

#include "scree/io/room.hpp"
#include "support/support.hpp"

using scree::model::Box;
using scree::model::Vec3;
namespace io = scree::io;
namespace model = scree::model;

namespace {

std::vector<model::Body> bodies_of(io::Fill fill) {
  if (fill.count == 0) fill.count = io::FillSites(fill).capacity();
  const io::FillSites sites(fill);
  std::vector<model::Body> bodies;
  for (std::int64_t k = 0; k < fill.count; ++k) bodies.push_back(io::make_fill_body(fill, sites[k], {5, {}}, 0, k, k));
  return bodies;
}

double smallest_gap(const std::vector<model::Body>& bodies) {
  double gap = 1e9;
  for (std::size_t a = 0; a < bodies.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double distance = (Vec3::Map(bodies[a].position) - Vec3::Map(bodies[b].position)).norm();
      gap = std::min(gap, distance - bodies[a].radius - bodies[b].radius);
    }
  }
  return gap;
}

io::Fill box_fill(const Vec3& upper, double radius) {
  io::Fill fill;
  fill.region = Box{Vec3::Zero(), upper};
  fill.radius_min = fill.radius_max = radius;
  return fill;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_cubic_lattice_without_gaps_fills_a_box_exactly) {
  io::Fill fill = box_fill(Vec3(0.6, 0.4, 0.2), 0.1);
  fill.lattice = io::Fill::Lattice::cubic;
  fill.spacing = 1.0;
  fill.jitter = 0.0;
  BOOST_TEST(io::FillSites(fill).capacity() == 6);
  const auto bodies = bodies_of(fill);
  BOOST_TEST(bodies.front().position[0] == 0.1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(bodies.back().position[0] == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(bodies.back().position[1] == 0.3, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_hexagonal_lattice_is_denser) {
  io::Fill fill = box_fill(Vec3(2.0, 2.0, 2.0), 0.1);
  const std::int64_t hexagonal = io::FillSites(fill).capacity();
  fill.lattice = io::Fill::Lattice::cubic;
  BOOST_TEST(static_cast<double>(hexagonal) > 1.15 * static_cast<double>(io::FillSites(fill).capacity()));
}

BOOST_AUTO_TEST_CASE(bodies_lie_inside_their_region_and_do_not_overlap) {
  io::Fill box = box_fill(Vec3(1.0, 1.1, 0.9), 0.06);
  box.radius_min = 0.03;
  io::Fill cylinder;
  cylinder.region = io::CylinderRegion{Vec3(1.0, -2.0, 0.5), 0.7, 0.8};
  cylinder.radius_min = cylinder.radius_max = 0.07;
  cylinder.spacing = 1.1;
  cylinder.jitter = 0.1;
  for (const auto lattice : {io::Fill::Lattice::cubic, io::Fill::Lattice::hexagonal}) {
    box.lattice = cylinder.lattice = lattice;
    const auto in_box = bodies_of(box);
    BOOST_TEST(in_box.size() > 100U);
    BOOST_TEST(smallest_gap(in_box) >= -1e-12);
    for (const model::Body& body : in_box) {
      const Box reach{Vec3::Map(body.position).array() - body.radius, Vec3::Map(body.position).array() + body.radius};
      BOOST_TEST((std::get<Box>(box.region).contains(reach.lower) && std::get<Box>(box.region).contains(reach.upper)));
      BOOST_TEST((body.radius >= 0.03 && body.radius <= 0.06));
    }
    const auto in_cylinder = bodies_of(cylinder);
    BOOST_TEST(in_cylinder.size() > 100U);
    BOOST_TEST(smallest_gap(in_cylinder) >= -1e-12);
    for (const model::Body& body : in_cylinder) {
      BOOST_TEST(std::hypot(body.position[0] - 1.0, body.position[1] + 2.0) + 0.07 <= 0.7 + 1e-12);
      BOOST_TEST((body.position[2] - 0.07 >= 0.5 - 1e-12 && body.position[2] + 0.07 <= 1.3 + 1e-12));
    }
  }
}

BOOST_AUTO_TEST_CASE(fewer_bodies_than_fit_fill_from_below) {
  io::Fill fill = box_fill(Vec3(1.0, 1.0, 5.0), 0.05);
  for (const std::int64_t count : {1, 7, 120, 333}) {
    fill.count = count;
    const auto bodies = bodies_of(fill);
    BOOST_TEST(smallest_gap(bodies) >= -1e-12);
    double top = 0.0;
    for (const model::Body& body : bodies) top = std::max(top, body.position[2]);
    BOOST_TEST(top <= 0.1 + 0.0833 * std::ceil(static_cast<double>(count) / 90.0));
  }
}

BOOST_AUTO_TEST_CASE(a_given_mass_is_exact) {
  io::Fill fill = box_fill(Vec3(1.0, 1.0, 1.0), 0.1);
  fill.mass = 6.28;
  for (const model::Body& body : bodies_of(fill)) {
    BOOST_TEST(body.mass == 6.28);
    BOOST_TEST(body.inertia[0] == 0.4 * 6.28 * 0.01, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(radii_spread_over_their_range) {
  io::Fill fill = box_fill(Vec3(2.0, 2.0, 2.0), 0.1);
  fill.radius_min = 0.05;
  double sum = 0.0;
  const auto bodies = bodies_of(fill);
  for (const model::Body& body : bodies) sum += body.radius;
  BOOST_TEST(sum / static_cast<double>(bodies.size()) == 0.075, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(a_billion_bodies_need_no_list) {
  io::Fill fill = box_fill(Vec3(1000.0, 1000.0, 1200.0), 0.48);
  fill.lattice = io::Fill::Lattice::cubic;
  fill.count = 1'000'000'000;
  const io::FillSites sites(fill);
  BOOST_TEST(sites.capacity() > fill.count);
  for (const std::int64_t index : {std::int64_t{0}, fill.count / 2, fill.count - 1}) {
    const model::Body body = io::make_fill_body(fill, sites[index], {1, {}}, 0, index, index);
    BOOST_TEST(body.id == index);
    for (int axis = 0; axis < 3; ++axis) {
      BOOST_TEST(body.position[axis] >= 0.48);
      BOOST_TEST(body.position[axis] <= (axis == 2 ? 1200.0 : 1000.0) - 0.48);
    }
  }
}

BOOST_AUTO_TEST_CASE(radii_are_distributed_as_asked) {
  io::Fill fill = box_fill(Vec3(4.0, 4.0, 4.0), 0.1);
  fill.radius_min = 0.02;
  fill.sizes = {.kind = model::Sizes::Kind::log_normal, .median = 0.05, .deviation = 0.2};
  const auto some = bodies_of(fill);
  BOOST_TEST(some.size() > 2000);
  double mean = 0.0, square = 0.0;
  for (const model::Body& body : some) {
    BOOST_TEST(body.radius >= 0.02);
    BOOST_TEST(body.radius <= 0.1);
    mean += std::log(body.radius / 0.05) / static_cast<double>(some.size());
    square += std::pow(std::log(body.radius / 0.05), 2) / static_cast<double>(some.size());
  }
  BOOST_TEST(std::abs(mean) <= 0.02);  // four standard errors
  BOOST_TEST(std::abs(std::sqrt(square) - 0.2) <= 0.02);

  fill.sizes = {.kind = model::Sizes::Kind::table, .classes = {{0.02, 3.0}, {0.1, 1.0}}};
  std::size_t small = 0;
  const auto mixed = bodies_of(fill);
  for (const model::Body& body : mixed) {
    BOOST_TEST((body.radius == 0.02 || body.radius == 0.1));
    small += body.radius == 0.02 ? 1 : 0;
  }
  BOOST_TEST(std::abs(static_cast<double>(small) / static_cast<double>(mixed.size()) - 0.75) <= 0.04);
}
