#include "scree/io/scene.hpp"

#include <bit>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using scree::InputError;
using scree::io::Override;
using scree::io::Scene;
using scree::parallel::Comm;
using scree::test::world;
namespace io = scree::io;
namespace model = scree::model;

namespace {

const std::string good_scene = R"(name: tank
materials:
  glass: {density: 2500, friction: 0.3, restitution: 0.2}
walls:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 2]}}
fills:
  - region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}
    radius: 0.05
    count: 100
bodies:
  - {position: [0, 0, 3], radius: 0.2, velocity: [0, 0, -1], spin: [1, 2, 3], mass: 7}
time: {step: 0.002, end: 0.1}
)";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = good_scene;
  const auto at = text.find(from);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, "no '" << from << "' in the scene");
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    (void)io::parse_scene(text, "s.yaml", overrides);
  } catch (const InputError& error) {
    BOOST_TEST(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "accepted";
}

void check_error(const std::string& from, const std::string& to, const std::string& expected) {
  const std::string error = error_of(replaced(from, to));
  BOOST_TEST(error.find(expected) != std::string::npos, "got '" << error << "', expected '" << expected << "'");
}

void check_override(const std::string& assignment, const std::string& expected) {
  std::string error = "accepted";
  try {
    (void)io::parse_scene(good_scene, "s.yaml", {io::parse_override(assignment)});
  } catch (const InputError& caught) {
    error = caught.what();
  }
  BOOST_TEST(error.find(expected) != std::string::npos, "got '" << error << "', expected '" << expected << "'");
}

/// A number, the same on all ranks, that depends on every body and not on where it was made.
std::int64_t fingerprint(const Comm& comm, const model::Bodies& bodies) {
  std::int64_t sum = 0;
  for (int k = 0; k < bodies.owned(); ++k) {
    std::uint64_t hash = static_cast<std::uint64_t>(bodies.id[k]) + 1;
    const auto add = [&](double value) { hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL; };
    for (int c = 0; c < 3; ++c) add(bodies.position[k][c]);
    add(bodies.radius[k]);
    add(bodies.mass[k]);
    sum += static_cast<std::int64_t>(hash >> 24);  // 40 bits: sums stay exact
  }
  return comm.sum(sum);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_scene_is_read_with_its_defaults) {
  const Scene scene = io::parse_scene(good_scene, "dir/s.yaml");
  BOOST_TEST(scene.name == "tank");
  BOOST_TEST(scene.body_count == 101);
  BOOST_TEST(scene.steps == 50);
  BOOST_TEST(scene.step.step == 0.002);
  BOOST_TEST(scene.materials.at(0).friction == 0.3);
  BOOST_TEST(std::get<model::Plane>(scene.walls.at(0).surface).normal.z() == 1.0);
  BOOST_TEST(scene.fills.at(0).count == 100);
  BOOST_TEST(scene.fills.at(0).density == 2500.0);
  BOOST_TEST(scene.bodies.at(0).id == 100);
  BOOST_TEST(scene.bodies.at(0).mass == 7.0);
  BOOST_TEST(scene.bodies.at(0).spin[2] == 3.0);
  BOOST_TEST(scene.solver.name == "auto");
  BOOST_TEST(scene.output.every == 0);
}

BOOST_AUTO_TEST_CASE(overrides_replace_and_add) {
  const Scene scene = io::parse_scene(good_scene, "s.yaml",
                                      {io::parse_override("fills[0].radius={min: 0.02, max: 0.03}"),
                                       io::parse_override("fills.0.count=1e2"),
                                       io::parse_override("solver.options.tight=1e-5"),
                                       io::parse_override("gravity=[0, 0, -1]"),
                                       io::parse_override("materials.glass.friction=0"),
                                       {"time.steps", "7", "--steps 7"}});
  BOOST_TEST(scene.fills.at(0).radius_min == 0.02);
  BOOST_TEST(scene.fills.at(0).count == 100);
  BOOST_TEST(*scene.solver.options.at("tight").number() == 1e-5);
  BOOST_TEST(scene.step.gravity.z() == -1.0);
  BOOST_TEST(scene.materials.at(0).friction == 0.0);
  BOOST_TEST(scene.steps == 7);
}

BOOST_AUTO_TEST_CASE(bad_overrides_name_themselves) {
  check_override("fills[0].radius=-1", "--set fills[0].radius=-1: fills[0].radius: must be positive, is -1");
  check_override("fills[0].radus=1",
                 "--set fills[0].radus=1: fills[0].radus: unknown key, the nearest known key is 'radius'");
  check_override("fills[3].radius=1", "has only 1 entries");
  check_override("fills.radius=1", "choose an entry by its index");
  check_override("name.radius=1", "name is a value");
  check_override("solver..name=pgs", "a key is missing");
  check_override("gravity=[1, 2", "malformed YAML value");
  check_override("radius", "must be key.path=value");
}

BOOST_AUTO_TEST_CASE(malformed_text_is_refused_with_its_line) {
  BOOST_TEST(error_of("a: [1, 2\nb: }").starts_with("s.yaml:2: malformed YAML"));
  BOOST_TEST(error_of("").find("must be a map") != std::string::npos);
  BOOST_TEST(error_of("- 1\n- 2\n").find("must be a map") != std::string::npos);
  BOOST_TEST(error_of(good_scene + "---\n" + good_scene).find("several YAML documents") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_refused_with_the_nearest_known) {
  check_error("friction: 0.3", "fricton: 0.3",
              "s.yaml:3: materials.glass.fricton: unknown key, the nearest known key is 'friction'");
  check_error("bodies:", "bodys:", "s.yaml:10: bodys: unknown key, the nearest known key is 'bodies'");
  check_error("radius: 0.05", "radii: 0.05", "fills[0].radii: unknown key, the nearest known key is 'radius'");
  check_error("step: 0.002", "stp: 0.002", "nearest known key is 'step'");
  check_error("count: 100", "count: 100\n    count: 200", "stands here twice");
}

BOOST_AUTO_TEST_CASE(bad_values_are_refused) {
  check_error("radius: 0.05", "radius: -0.05", "s.yaml:8: fills[0].radius: must be positive, is -0.05");
  check_error("radius: 0.05", "radius: 0", "fills[0].radius: must be positive");
  check_error("radius: 0.05", "radius: .nan", "fills[0].radius: must be finite");
  check_error("radius: 0.05", "radius: nan", "fills[0].radius: must be a number, is nan");
  check_error("radius: 0.05", "radius: {min: 0.05, max: 0.04}", "'min' must not exceed 'max'");
  check_error("mass: 7", "mass: -7", "bodies[0].mass: must be positive, is -7");
  check_error("mass: 7", "mass: .inf", "bodies[0].mass: must be finite");
  check_error("mass: 7", "mass: 1e200", "at most 1e30");
  check_error("mass: 7", "mass: 1e-200", "at least 1e-30");
  check_error("density: 2500", "density: 0", "materials.glass.density: must be positive, is 0");
  check_error("friction: 0.3", "friction: -0.3", "materials.glass.friction: must not be negative");
  check_error("restitution: 0.2", "restitution: 1.2", "must lie between 0 and 1, is 1.2");
  check_error("step: 0.002", "step: 0", "time.step: must be positive");
  check_error("end: 0.1", "end: soon", "time.end: must be a number, is soon");
  check_error(", end: 0.1", "", "time: needs the key 'steps' or 'end'");
  check_error("count: 100", "count: 1.5", "must be a whole number");
  check_error("count: 100", "count: 0", "must be at least 1");
  check_error("position: [0, 0, 3]", "position: [0, 0]", "must be a list of three numbers, is a list of 2");
  check_error("position: [0, 0, 3]", "position: [0, x, 3]", "bodies[0].position[1]: must be a number, is x");
  check_error("normal: [0, 0, 2]", "normal: [0, 0, 0]", "must be a direction, is zero");
  check_error("name: tank", "name: ../tank", "names the result directory");
  check_error("{density: 2500, friction: 0.3, restitution: 0.2}", "3", "must be a map of keys, is 3");
  check_error("time:", "gravity: 9.81\ntime:", "gravity: must be a list of three numbers");
  check_error("time:", "contact: {warm_start: maybe}\ntime:", "must be true or false");
  check_error("count: 100", "count: 100\n    lattice: square", "must be one of cubic, hexagonal");
  check_error("count: 100", "count: 100\n    jitter: 0.1", "lets bodies overlap");
  check_error("count: 100", "count: 100\n    material: steel", "must be one of glass, is steel");
  check_error("glass:", "steel: {}\n  glass:", "needs the key 'material': one of steel, glass");
}

BOOST_AUTO_TEST_CASE(bad_solvers_are_refused) {
  check_error("time:", "solver: {name: nosuch}\ntime:", "the solvers are: auto, npgs");
  check_error("time:", "solver: {name: nosuch}\ntime:", "s.yaml:12: solver.name: ");
  check_error("time:", "solver: {law: nosuch}\ntime:", "solver.law: must be one of frictionless");
  check_error("time:", "solver: {name: npgs, options: {omga: 1}}\ntime:", "no option 'omga'");
  check_error("time:", "solver: {name: npgs, options: {refresh_every: often}}\ntime:", "is 'often'");
  check_error(
      "time:", "solver: {name: tresca, law: coulomb, options: {inner: hope}}\ntime:", "npgs, pgs, nsgs, jacobi");
  check_error("time:", "solver: {law: prism, facets: 5}\ntime:", "even number");
  check_error("time:", "solver: {name: kucera, law: cone}\ntime:", "cannot take the law 'cone'");
  check_error("time:", "solver: {coupling: none}\ntime:", "solver.coupling: must be one of interface-splitting");
  check_error("time:", "solver: {max_iterations: 0}\ntime:", "must be at least 1");
  check_error("time:", "solver: {tolerance: -1}\ntime:", "must not be negative");
}

BOOST_AUTO_TEST_CASE(walls_must_leave_room) {
  const std::string plane = "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 2]}}\n";
  check_error(plane, plane + "  - {name: lid, plane: {point: [0, 0, -1], normal: [0, 0, -1]}}\n", "leave no room");
  check_error(plane, plane + "  - {container: {lower: [0, 0, 0], upper: [1, 1, 0]}}\n", "leaves no room");
  check_error(plane, plane + "  - {cylinder: {point: [0, 0, 0], radius: 0}}\n", "radius: must be positive");
  check_error(plane, plane + "  - {cylinder: {point: [0, 0, 0], axis: [0, 0, 0], radius: 1}}\n", "is zero");
  check_error(plane,
              plane + "  - {plane: {point: [0, 0, 0], normal: [1, 0, 0]}, cylinder: {point: [0, 0, 0], radius: 1}}\n",
              "needs one of plane, container, cylinder, mesh, has plane and cylinder");
  check_error(plane, plane + "  - {name: here}\n", "needs one of plane, container, cylinder, mesh, has none");
  check_error("lower: [0, 0, 0]", "lower: [0, 0, -0.1]", "reaches 0.1 m behind the wall 'floor'");
  check_error("position: [0, 0, 3]", "position: [9, 9, 0.1]", "starts 0.1 m inside the wall 'floor'");
  check_error("time:", "fills: []\ntime:", "stands here twice");
  BOOST_TEST(
      error_of("walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\ntime: {steps: 1}\n").find("has no bodies") !=
      std::string::npos);
  BOOST_TEST(
      error_of(
          "walls: [{cylinder: {point: [0, 0, 0], radius: 0.1}}]\nbodies: [{position: [0, 0, 0], radius: 0.1000005}]"
          "\ntime: {steps: 1}\n")
          .find("leaves no room: it is 0.2 m wide") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_bodies_than_fit_are_refused_with_the_number_that_fit) {
  check_error("count: 100", "count: 100000", "fills[0].count: asks for 100000 bodies, but only 1044 fit");
  check_error("upper: [1, 1, 1]", "upper: [1, 1, 0.09]", "has no room for a single body");
  check_error("radius: 0.05", "radius: 1e-9", "more than a million body diameters");
  check_error("fills:\n", "fills:\n  - {region: {box: {lower: [0.5, 0, 0], upper: [2, 1, 1]}}, radius: 0.1}\n",
              "fills[1].region: overlaps that of fills[0]");
}

BOOST_AUTO_TEST_CASE(a_pair_of_materials_says_what_does_not_follow_from_them) {
  const std::string two = "materials:\n  felt: {friction: 0.8, compliance: 1e-6, damping: 0.1}\n";
  const std::string pairs = "material_pairs:\n  - {between: [felt, glass], friction: 0.5}\n";
  const Scene scene =
      io::parse_scene(replaced("materials:\n", pairs + two), "s.yaml",
                      {io::parse_override("walls[0].material=felt"), io::parse_override("fills[0].material=glass"),
                       io::parse_override("bodies[0].material=glass")});
  BOOST_REQUIRE(scene.material_pairs.size() == 1U);
  const model::Surface& surface = scene.material_pairs[0].surface;
  BOOST_TEST(surface.friction == 0.5);
  BOOST_TEST(surface.compliance == 1e-6);
  BOOST_TEST(surface.damping.value() == 0.1);
  check_error("materials:\n", "material_pairs: [{between: [glass]}]\nmaterials:\n", "must be two names of materials");
  check_error("materials:\n", "material_pairs: [{between: [glass, tin]}]\nmaterials:\n",
              "material_pairs[0].between[1]: ");
  check_error("materials:\n", "material_pairs: [{between: [glass, glass]}, {between: [glass, glass]}]\nmaterials:\n",
              "material_pairs[1].between: stands here twice");
  const auto with_law = [](const std::string& law) {
    return "material_pairs: [{between: [glass, glass], law: " + law + "}]\nmaterials:\n";
  };
  BOOST_TEST((
      io::parse_scene(replaced("materials:\n", with_law("bilateral")), "s.yaml", {}).material_pairs.at(0).surface.law ==
      model::Law::bilateral));
  check_error("materials:\n", with_law("glue"), "material_pairs[0].law: ");
  check_error("materials:\n", "solver: {name: apgd}\n" + with_law("coulomb"), "'cone' and 'coulomb' together");
  check_error("friction: 0.3", "friction: 0.3, compliance: -1", "materials.glass.compliance: must not be negative");
}

BOOST_AUTO_TEST_CASE(listed_bodies_must_not_overlap) {
  const Scene sunk = io::parse_scene(replaced("[0, 0, 3]", "[0.5, 0.5, 0.25]"), "s.yaml");
  BOOST_CHECK_EXCEPTION((void)io::make_bodies(world(), sunk), InputError, [&](const InputError& error) {
    const std::string expected = "bodies: number " + std::to_string(sunk.bodies.at(0).id) + " overlaps number ";
    return std::string(error.what()).find(expected) != std::string::npos;
  });
  const std::string twice = "bodies:\n  - {position: [0, 0, 3.1], radius: 0.2}";
  const Scene scene = io::parse_scene(replaced("bodies:", twice), "s.yaml");
  BOOST_CHECK_THROW((void)io::make_bodies(world(), scene), InputError);
}

BOOST_AUTO_TEST_CASE(all_ranks_together_make_the_same_bodies) {
  const Scene scene = io::parse_scene(replaced("radius: 0.05", "radius: {min: 0.03, max: 0.05}"), "s.yaml");
  const model::Bodies share = io::make_bodies(world(), scene);
  const Comm alone(MPI_COMM_SELF);
  const model::Bodies all = io::make_bodies(alone, scene);
  BOOST_TEST(all.owned() == 101);
  BOOST_TEST(world().sum(static_cast<std::int64_t>(share.owned())) == 101);
  BOOST_TEST(share.owned() <= 101 / world().size() + 2);
  BOOST_TEST(fingerprint(world(), share) == fingerprint(alone, all));
  for (int k = 0; k < all.owned(); ++k) BOOST_TEST(all.id[k] == k);
  const Scene reseeded = io::parse_scene(replaced("radius: 0.05", "radius: {min: 0.03, max: 0.05}"), "s.yaml",
                                         {io::parse_override("seed=2")});
  BOOST_TEST(fingerprint(alone, io::make_bodies(alone, reseeded)) != fingerprint(alone, all));
}

BOOST_AUTO_TEST_CASE(a_missing_file_fails_on_all_ranks) {
  BOOST_CHECK_EXCEPTION((void)io::load_scene(world(), "no/such.yaml"), InputError, [](const InputError& error) {
    return std::string(error.what()).find("no/such.yaml: no such file") != std::string::npos;
  });
  BOOST_CHECK_THROW((void)io::load_scene(world(), "/"), InputError);
}

// Keeps the page and the program together: a key that users cannot read about is as good as none.
BOOST_AUTO_TEST_CASE(every_key_is_documented_and_every_scene_is_valid) {
  const std::filesystem::path source = SCREE_SOURCE_DIR;
  std::ifstream stream(source / "docs" / "scenes.md");
  std::stringstream page;
  page << stream.rdbuf();
  BOOST_REQUIRE(!page.str().empty());
  for (const std::string_view key : io::scene_keys()) {
    BOOST_TEST(page.str().find("`" + std::string(key) + "`") != std::string::npos, key << " is not in docs/scenes.md");
  }
  for (const auto& entry : std::filesystem::directory_iterator(source / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    const Scene scene = io::load_scene(world(), entry.path());
    BOOST_TEST(scene.name == entry.path().stem().string());
  }
}

BOOST_AUTO_TEST_CASE(walls_may_move) {
  const std::string wall = "{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 2]}}";
  const auto moving = [&](const std::string& motion) {
    return "{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 2]}, motion: " + motion + "}";
  };
  const Scene scene = io::parse_scene(
      replaced(wall, moving("{amplitude: [0, 0, 0.1], frequency: 2, phase: 1, velocity: [1, 0, 0], spin: [0, 0, 3], "
                            "pivot: [1, 2, 3], belt: [0, 4, 0]}")),
      "s.yaml");
  const model::WallMotion& motion = scene.walls.at(0).motion;
  BOOST_TEST(motion.amplitude.z() == 0.1);
  BOOST_TEST(motion.frequency == 2.0);
  BOOST_TEST(motion.phase == 1.0);
  BOOST_TEST(motion.velocity.x() == 1.0);
  BOOST_TEST(motion.spin.z() == 3.0);
  BOOST_TEST(motion.pivot.y() == 2.0);
  BOOST_TEST(motion.belt.y() == 4.0);

  const Scene box = io::parse_scene(
      replaced(wall, "{container: {lower: [-1, -1, 0], upper: [3, 5, 6]}, motion: {spin: [0, 1, 0]}}"), "s.yaml");
  BOOST_TEST(box.walls.size() == 5);
  for (const model::Wall& side : box.walls) BOOST_TEST((side.motion.pivot == model::Vec3(1.0, 2.0, 3.0)));

  check_error(wall, moving("{amplitude: [0, 0, 1]}"), "s.yaml:5: walls[0].motion: a shake needs both");
  check_error(wall, moving("{frequency: 1}"), "a shake needs both");
  check_error(wall, moving("{amplitude: [0, 0, 1], frequency: -1}"), "walls[0].motion.frequency");
  check_error(wall, moving("{belt: [0, 1, 1]}"), "walls[0].motion.belt: must run along the plane");
  check_error(wall, "{cylinder: {point: [0, 0, 0], radius: 9}, motion: {belt: [0, 0, 1]}}", "only a plane");
  check_error(wall, moving("{spinn: [0, 1, 1]}"), "spin");
}

BOOST_AUTO_TEST_CASE(space_may_be_periodic) {
  const std::string floor = "{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 2]}}";
  const auto with = [&](const std::string& periodic, const std::string& wall) {
    return replaced(floor, wall).replace(0, 0, "periodic: " + periodic + "\n");
  };
  const std::string box = "{container: {lower: [-1, -1, 0], upper: [3, 5, 6]}}";
  const Scene scene = io::parse_scene(with("{x: [-1, 3]}", box), "s.yaml");
  BOOST_TEST(scene.space.along(0));
  BOOST_TEST(!scene.space.along(1));
  BOOST_TEST(scene.space.lower.x() == -1.0);
  BOOST_TEST(scene.space.length.x() == 4.0);
  BOOST_TEST(scene.walls.size() == 3);  // two sides and the floor
  BOOST_TEST(io::make_setup(world(), scene).bodies.space.length.x() == 4.0);

  const auto check = [&](const std::string& periodic, const std::string& wall, const std::string& expected) {
    const std::string error = error_of(with(periodic, wall));
    BOOST_TEST(error.find(expected) != std::string::npos, "got '" << error << "', expected '" << expected << "'");
  };
  check("{x: [0, 3, 4]}", floor, "s.yaml:1: periodic.x: needs two numbers");
  check("{x: [3, 0]}", floor, "periodic.x: must end above");
  check("{x: [0.5, 4]}", floor, "fills[0].region: reaches out of the period");
  check("{z: [0, 2]}", floor, "walls[0]: wall 'floor' does not repeat itself along z");
  const std::string too_short = error_of(with("{x: [-1, 3]}", box), {io::parse_override("bodies[0].radius=0.9")});
  BOOST_TEST(too_short.find("periodic.x: the period is 4 m, too short") != std::string::npos, too_short);
  check("{x: [-1, 3]}", "{cylinder: {point: [0, 0, 0], radius: 9}}", "does not repeat itself along x");
  check("{w: [0, 1]}", floor, "periodic");
}

BOOST_AUTO_TEST_CASE(the_decomposition_is_chosen_by_name) {
  using scree::dynamics::Rebalance;
  const auto balance_of = [](const std::string& section) {
    return io::parse_scene(good_scene + "decomposition: " + section + "\n", "s.yaml").balance;
  };
  BOOST_TEST((io::parse_scene(good_scene, "s.yaml").balance.when == Rebalance::by_imbalance));
  BOOST_TEST((balance_of("{rebalance: off}").when == Rebalance::off));
  BOOST_TEST((balance_of("{rebalance: imbalance, threshold: 1.3}").threshold == 1.3));
  BOOST_TEST((balance_of("{rebalance: 50}").when == Rebalance::periodic));
  BOOST_TEST((balance_of("{rebalance: 50}").period == 50));
  BOOST_TEST((balance_of("{partitioner: hilbert}").partitioner == "hilbert"));

  const auto check = [](const std::string& section, const std::string& expected) {
    const std::string error = error_of(good_scene + "decomposition: " + section + "\n");
    BOOST_TEST(error.find(expected) != std::string::npos, "got '" << error << "', expected '" << expected << "'");
  };
  check("{partitioner: metis}", "decomposition.partitioner: unknown partitioner 'metis': choose one of ");
  check("{partitoner: rcb}", "unknown key, the nearest known key is 'partitioner'");
  check("{rebalance: often}", "must be 'off', 'imbalance' or a number of steps, is 'often'");
  check("{rebalance: 0}", "must be at least 1");
  check("{rebalance: 2.5}", "must be a whole number");
  check("{threshold: 1}", "must be greater than 1");
  check("{threshold: .nan}", "threshold");
}

namespace {

const std::string jointed = R"(bodies:
  - {name: arm, position: [1, 0, 3], radius: 0.1}
  - {name: bob, position: [2, 0, 3], radius: 0.2}
  - {position: [2.2, 0, 3], radius: 0.2}
joints:
  - {kind: hinge, bodies: [arm], anchor: [0, 0, 3], axis: [0, 2, 0], limits: [-2, 1], motor: {speed: 3, torque: 5}}
  - {kind: fixed, bodies: [bob, 2], anchor: [2.1, 0, 3], angular_compliance: 0.5, damping: 0.01}
  - {kind: distance, bodies: [0, bob], compliance: 1e-3, collide: true}
time: {steps: 1}
contact: {stabilisation: {kind: baumgarte, gain: 0.5}}
)";

void check_joint_error(const std::string& from, const std::string& to, const std::string& expected) {
  std::string text = jointed;
  const auto at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  const std::string error = error_of(text.replace(at, from.size(), to));
  BOOST_TEST(error.find(expected) != std::string::npos, "got '" << error << "', expected '" << expected << "'");
}

}  // namespace

BOOST_AUTO_TEST_CASE(joints_are_read) {
  const Scene scene = io::parse_scene(jointed, "s.yaml");
  BOOST_REQUIRE(scene.joints.size() == 3);
  const model::Joint &hinge = scene.joints[0], &fixed = scene.joints[1], &distance = scene.joints[2];
  BOOST_TEST(hinge.second == model::world_id);
  BOOST_TEST(hinge.anchor[0][0] == -1.0);
  BOOST_TEST(hinge.anchor[1][2] == 3.0);
  BOOST_TEST(hinge.lower == -2.0);
  BOOST_TEST(hinge.upper == 1.0);
  BOOST_TEST(hinge.motor_speed == 3.0);
  BOOST_TEST(hinge.motor_limit == 5.0);
  BOOST_TEST(fixed.first == 1);
  BOOST_TEST(fixed.second == 2);
  BOOST_TEST(fixed.angular_compliance == 0.5);
  BOOST_TEST(fixed.damping == 0.01);
  BOOST_TEST(distance.length == 1.0);
  BOOST_TEST(distance.compliance == 1e-3);
  BOOST_TEST(distance.collides == 1);
  BOOST_TEST((scene.step.stabilisation.kind == scree::dynamics::StabilisationKind::baumgarte));
  BOOST_TEST(scene.step.stabilisation.gain == 0.5);
  // bob and the third body overlap, which their joint allows.
  BOOST_TEST(world().sum(std::int64_t{io::make_setup(world(), scene).bodies.owned()}) == 3);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_joints_is_said) {
  check_joint_error("bodies: [arm]", "bodies: [leg]", "joints[0].bodies[0]: there is no body of the name 'leg'");
  check_joint_error("bodies: [arm]", "bodies: [7]", "only 3 entries in 'bodies'");
  check_joint_error("bodies: [arm]", "bodies: [arm, arm]", "names the same body twice");
  check_joint_error("bodies: [arm]", "bodies: []", "must name one body");
  check_joint_error("name: bob", "name: arm", "is the name of another body too");
  check_joint_error("name: bob", "name: 12", "is a number");
  check_joint_error("kind: hinge", "kind: weld", "must be one of ball, hinge, slider, fixed, distance");
  check_joint_error("kind: hinge", "kind: ball", "joints[0].axis: a joint of kind 'ball' has none");
  check_joint_error("axis: [0, 2, 0], ", "", "joints[0]: needs the key 'axis'");
  check_joint_error("limits: [-2, 1]", "limits: [2, 1]", "must not exceed");
  check_joint_error("limits: [-2, 1]", "limits: [2]", "two numbers");
  check_joint_error("torque: 5", "force: 5", "has a 'torque'");
  check_joint_error("torque: 5", "toqrue: 5", "the nearest known key is 'torque'");
  check_joint_error("bodies: [0, bob]", "bodies: [0]", "needs the key 'anchors'");
  check_joint_error("kind: baumgarte", "kind: gap", "only the kind 'baumgarte' has a gain");
}
