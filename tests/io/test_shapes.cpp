// Shapes in scenes: what is read, what is refused, runs and restarts with them.
// timeout: 240
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>

#include "scratch.hpp"
#include "scree/io/checkpoint.hpp"
#include "scree/io/mesh_file.hpp"
#include "scree/io/scene.hpp"
#include "scree/io/shape_surfaces.hpp"
#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Body;
using model::Quat;
using model::Vec3;

namespace {

const std::string shapes =
    "materials: {wood: {density: 500, friction: 0.5}}\n"
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "shapes:\n"
    "  block: {box: {size: [0.4, 0.2, 0.1]}}\n"
    "  pill: {capsule: {radius: 0.1, length: 0.3}}\n"
    "  can: {cylinder: {radius: 0.1, height: 0.2}}\n"
    "  rock: {hull: {points: [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3], [0.05, 0.05, 0.05]]}}\n"
    "time: {step: 0.005, steps: 10}\n";

io::Scene parse(const std::string& rest) { return io::parse_scene(shapes + rest, "scene.yaml"); }

/// The message with which a scene is refused; the bodies are made, too.
std::string refusal(const std::string& text) {
  try {
    (void)io::make_bodies(world(), io::parse_scene(text, "scene.yaml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void check_refused(const std::string& text, const std::string& reason) {
  const std::string message = refusal(text);
  BOOST_TEST(message.find(reason) != std::string::npos, message);
  BOOST_TEST(message.find('\n') == std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_have_the_mass_and_attitude_of_their_shape) {
  const io::Scene scene = parse(
      "bodies:\n"
      "  - {shape: block, position: [0, 0, 1], turn: {axis: [0, 0, 2], angle: 0.5}}\n"
      "  - {shape: can, position: [1, 0, 1], mass: 7}\n"
      "  - {shape: rock, position: [2, 0, 1]}\n"
      "  - {shape: pill, position: [3, 0, 1], inertia: [1, 2, 3]}\n");
  BOOST_TEST_REQUIRE(scene.bodies.size() == 4);
  BOOST_TEST(std::abs(scene.bodies[0].mass - 4.0) <= 1e-12);
  BOOST_TEST((Quat(scene.bodies[0].attitude) * Vec3::UnitX() - Vec3(std::cos(0.5), std::sin(0.5), 0.0)).norm() <=
             1e-12);
  BOOST_TEST(scene.bodies[1].mass == 7.0);
  BOOST_TEST(std::abs(scene.bodies[1].inertia[2] - 0.5 * 7.0 * 0.01) <= 1e-12);
  BOOST_TEST(std::abs(scene.bodies[2].mass - 500.0 * 0.027 / 6.0) <= 1e-9);
  BOOST_TEST((Vec3(scene.bodies[3].inertia) - Vec3(1.0, 2.0, 3.0)).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(moments_of_inertia_are_those_of_a_body) {
  const auto with = [](const std::string& moments) {
    return shapes + "bodies: [{shape: block, position: [0, 0, 1], inertia: " + moments + "}]\n";
  };
  BOOST_TEST(refusal(with("[0.1, 0.2, 0.3]")) == "accepted");  // a flat one
  check_refused(with("[1, 1, 2.1]"), "bodies[0].inertia: no body has a moment larger than the other two together");
  check_refused(with("[1, 0, 1]"), "bodies[0].inertia: must be three positive moments");
}

BOOST_AUTO_TEST_CASE(arrays_are_many_bodies) {
  const io::Scene scene =
      parse("bodies: [{shape: block, position: [1, 2, 0.05], array: {count: [2, 1, 3], spacing: [0.5, 0, 0.1]}}]\n");
  BOOST_TEST_REQUIRE(scene.bodies.size() == 6);
  BOOST_TEST(scene.body_count == 6);
  BOOST_TEST((position_of(scene.bodies[3]) - Vec3(1.5, 2.0, 0.15)).norm() <= 1e-12);
  BOOST_TEST(scene.bodies[5].id == 5);
  BOOST_TEST(refusal(shapes + "bodies: [{shape: block, position: [0, 0, 0.05], array: {count: [1, 1, 4], "
                              "spacing: [0, 0, 0.1]}}]\n") == "accepted");
}

BOOST_AUTO_TEST_CASE(fills_are_made_of_shapes) {
  const io::Scene scene =
      parse("fills: [{region: {box: {lower: [0, 0, 0], upper: [2, 2, 2]}}, shape: pill, count: 20}]\n");
  const auto bodies = io::make_bodies(world(), scene);
  for (int k = 0; k < bodies.owned(); ++k) BOOST_TEST(bodies.shape[k] == 1);
  BOOST_TEST(world().sum(std::int64_t{bodies.owned()}) == 20);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused) {
  const std::string head = "materials: {wood: {}}\ntime: {steps: 1}\n",
                    body = "bodies: [{shape: a, position: [0, 0, 0]}]\n";
  check_refused(head + body + "shapes: {a: {box: {size: [1, 1, 0]}}}\n", "shapes.a.box.size");
  check_refused(head + body + "shapes: {a: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}}\n", "plane");
  check_refused(head + body + "shapes: {a: {hull: {points: [[0, 0, 0], [1, 0, 0]]}}}\n", "at least 4 points");
  check_refused(head + body + "shapes: {a: {box: {size: [1, 1, 1]}, capsule: {radius: 1, length: 1}}}\n", "one of");
  check_refused(head + body, "there is no shape 'a'");
  check_refused(shapes + "bodies: [{shape: block, radius: 1, position: [0, 0, 1]}]\n", "leave one of the two out");
  check_refused(shapes + "bodies: [{shape: block, position: [0, 0, 0.03]}]\n", "inside the wall");
  check_refused(shapes + "bodies: [{shape: block, position: [0, 0, 1]}, {shape: can, position: [0.25, 0, 1]}]\n",
                "bodies: number 0 overlaps number 1 by 0.05 m");
  check_refused(shapes +
                    "bodies: [{shape: block, name: b, position: [0, 0, 1], array: {count: [1, 1, 2], "
                    "spacing: [0, 0, 1]}}]\n",
                "has no name");
}

BOOST_AUTO_TEST_CASE(a_run_with_shapes_is_resumed_bit_for_bit) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = parse(
      "bodies:\n"
      "  - {shape: block, position: [0, 0, 0.05], array: {count: [1, 1, 5], spacing: [0, 0, 0.1]}}\n"
      "  - {shape: can, position: [0.6, 0, 0.3], turn: {axis: [1, 0, 0], angle: 0.7}}\n"
      "  - {shape: rock, position: [-0.6, 0, 0.3]}\n"
      "  - {radius: 0.1, position: [0, 0, 0.65]}\n"
      "solver: {tolerance: 1e-8, max_iterations: 500}\n");
  dynamics::Simulation whole(world(), io::make_setup(world(), scene));
  for (int k = 0; k < 15; ++k) whole.step();
  io::write_checkpoint(world(), scratch.path() / "c.h5", whole, scene.text);
  dynamics::Simulation resumed(world(),
                               io::make_setup(world(), scene, io::read_checkpoint(world(), scratch.path() / "c.h5")));
  for (int k = 0; k < 15; ++k) {
    const auto a = whole.step(), b = resumed.step();
    BOOST_TEST(a.iterations == b.iterations, "step " << k);
  }
  const auto a = all_bodies(world(), whole), b = all_bodies(world(), resumed);
  BOOST_TEST_REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    BOOST_TEST((position_of(a[k]) - position_of(b[k])).norm() == 0.0);
    BOOST_TEST((Quat(a[k].attitude).coeffs() - Quat(b[k].attitude).coeffs()).norm() == 0.0);
  }
}

BOOST_AUTO_TEST_CASE(surfaces_enclose_the_volume_of_their_shapes) {
  const io::Scene scene = parse("bodies: [{radius: 1, position: [0, 0, 1]}]\n");
  for (const model::Shape& shape : *scene.shapes) {
    const model::Shape drawn = model::make_shape(shape.name, io::polygons_of(shape.form));
    BOOST_TEST(drawn.volume <= shape.volume * (1.0 + 1e-12));
    BOOST_TEST(drawn.volume >= 0.97 * shape.volume, shape.name << ": " << drawn.volume / shape.volume);
  }
}

BOOST_AUTO_TEST_CASE(distributions_of_sizes_are_read) {
  const std::string fill = "fills: [{region: {box: {lower: [0, 0, 0], upper: [2, 2, 2]}}, count: 9, radius: ";
  const auto sizes = [&](const std::string& radius) { return parse(fill + radius + "}]\n").fills.at(0); };
  BOOST_TEST(sizes("{min: 0.02, max: 0.1, median: 0.05, deviation: 0.3}").sizes.median == 0.05);
  const io::Fill table = sizes("{table: [[0.1, 3], [0.05, 1]]}");
  BOOST_TEST(table.radius_min == 0.05);
  BOOST_TEST(table.radius_max == 0.1);
  check_refused(shapes + fill + "{min: 0.02, max: 0.1, median: 0.05}}]\n", "both 'median' and 'deviation'");
  check_refused(shapes + fill + "{min: 0.02, max: 0.1, median: 0.5, deviation: 1}}]\n", "between 'min' and 'max'");
  check_refused(shapes + fill + "{table: [[0.1]]}}]\n", "two numbers");
  check_refused(shapes + fill + "{table: []}}]\n", "at least one row");
}

namespace {

/// Files that a scene may name.
std::string file_for_test(const std::filesystem::path& path) {
  static const std::map<std::string, std::string> files{
      {"floor.obj", "# two triangles\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 -1//1\n"},
      {"tetra.stl",
       "solid tetra\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
       "facet normal 0 0 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\nendfacet\n"
       "facet normal 0 0 0\n outer loop\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n endloop\nendfacet\n"
       "facet normal 0 0 0\n outer loop\n vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n endloop\nendfacet\n"
       "endsolid tetra\n"},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n"},
      {"wrong.obj", "v 0 0 0\nv 1 0 zero\n"},
      {"few.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n"},
      {"cut.stl", "solid cut\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"},
      {"empty.obj", "# nothing\n"},
      {"noise.stl", std::string(200, 'x')},
      {"inside-out.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"},
      {"open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"}};
  const auto found = files.find(path.string());
  if (found == files.end()) throw InputError(path.string() + ": no such file");
  return found->second;
}

const std::string a_body = "bodies: [{radius: 0.1, position: [0, 0, 5]}]\n";

/// "shapes: ..." continues the section of the head, which a second one would contradict.
std::string with_shape(const std::string& shape) {
  std::string text = shapes;
  text.insert(text.find("  block:"), "  one: " + shape + "\n");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(meshes_are_read_from_files) {
  const std::string walls =
      "walls: [{name: table, mesh: {file: floor.obj, scale: 2, position: [0, 0, 1], "
      "turn: {axis: [0, 0, 1], angle: 0.5}}, motion: {spin: [0, 0, 1]}}]\n";
  const io::Scene with_mesh =
      io::parse_scene("materials: {wood: {}}\ntime: {steps: 1}\n" + a_body + walls, "scene.yaml", {}, file_for_test);
  BOOST_TEST_REQUIRE(with_mesh.walls.size() == 1);
  const auto& mesh = *std::get<model::MeshSurface>(with_mesh.walls[0].surface).mesh;
  BOOST_TEST(mesh.triangles().size() == 2);
  BOOST_TEST(mesh.vertices().size() == 4);
  BOOST_TEST(std::abs(mesh.vertices()[0].norm() - 3.0) <= 1e-12);
  BOOST_TEST((with_mesh.walls[0].motion.pivot - Vec3(0.0, 0.0, 1.0)).norm() <= 1e-12);
}

BOOST_AUTO_TEST_CASE(binary_and_text_files_hold_the_same) {
  const io::MeshData text = io::parse_mesh(file_for_test("tetra.stl"), "tetra.stl");
  BOOST_TEST(text.vertices.size() == 4);
  BOOST_TEST(text.place_of(1) == "tetra.stl:9");
  std::string binary(80, ' ');
  const auto append = [&](const auto& value) { binary.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(static_cast<std::uint32_t>(text.triangles.size()));
  for (const auto& triangle : text.triangles) {
    for (int k = 0; k < 3; ++k) append(0.0F);
    for (const int corner : triangle)
      for (int axis = 0; axis < 3; ++axis) append(static_cast<float>(text.vertices[corner][axis]));
    append(std::uint16_t{0});
  }
  const io::MeshData same = io::parse_mesh(binary, "tetra.STL");
  BOOST_TEST((same.triangles == text.triangles));
  for (std::size_t k = 0; k < 4; ++k) BOOST_TEST((same.vertices[k] - text.vertices[k]).norm() == 0.0);
  BOOST_TEST(same.place_of(1) == "tetra.STL: triangle 2");
}

BOOST_AUTO_TEST_CASE(shapes_are_made_of_files_and_of_parts) {
  const auto shape = [&](const std::string& entry) {
    return io::parse_scene(with_shape(entry) + a_body, "scene.yaml", {}, file_for_test).shapes->at(0);
  };
  BOOST_TEST(std::abs(shape("{hull: {file: tetra.stl, scale: 3}}").volume - 4.5) <= 1e-12);
  BOOST_TEST(std::abs(shape("{cluster: [{box: {size: [1, 1, 1]}, at: [0, 0, 0]}, {sphere: {radius: 1}, at: [3, 0, 0]}, "
                            "{hull: {file: tetra.stl}, at: [0, 3, 0], turn: {axis: [1, 0, 0], angle: 1}}]}")
                          .volume -
                      (1.0 + 4.0 / 3.0 * std::numbers::pi + 1.0 / 6.0)) <= 1e-12);
  BOOST_TEST(
      std::abs(shape("{cluster: [{sphere: {radius: 0.2}, at: [0.2, 0.2, 0.2]}], solid: {file: tetra.stl}}").volume -
               1.0 / 6.0) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_files_is_told_with_name_and_line) {
  const auto wall = [&](const std::string& file) {
    return "materials: {wood: {}}\ntime: {steps: 1}\n" + a_body + "walls: [{mesh: {file: " + file + "}}]\n";
  };
  const auto refuse = [&](const std::string& text, const std::string& reason) {
    std::string message = "accepted";
    try {
      (void)io::make_bodies(world(), io::parse_scene(text, "scene.yaml", {}, file_for_test));
    } catch (const InputError& error) {
      message = error.what();
    }
    BOOST_TEST(message.find(reason) != std::string::npos, message);
    BOOST_TEST(message.starts_with("scene.yaml:"), message);
  };
  refuse(wall("missing.stl"), "walls[0].mesh.file: missing.stl: no such file");
  refuse(wall("flat.obj"), "flat.obj:6: the triangle has no area");
  refuse(wall("wrong.obj"), "wrong.obj:2: 'zero' is no finite number");
  refuse(wall("few.obj"), "few.obj:3: '3' is none of the 2 vertices before");
  refuse(wall("cut.stl"), "cut.stl:4: ends within a facet");
  refuse(wall("empty.obj"), "empty.obj: has no triangles");
  refuse(wall("noise.stl"), "noise.stl: is no STL file");
  refuse(with_shape("{cluster: [{sphere: {radius: 1}, at: [0, 0, 0]}], solid: {file: inside-out.obj}}") + a_body,
         "inside-out.obj:5: the triangle is turned inwards");
  refuse(with_shape("{hull: {file: tetra.stl}, solid: {file: open.obj}}") + a_body, "has an open edge");
  refuse(with_shape("{hull: {file: floor.obj}}") + a_body, "lie in a plane");
  refuse(with_shape("{cluster: []}") + a_body, "has no parts");
}

BOOST_AUTO_TEST_CASE(driven_bodies_are_walls) {
  const std::string driven =
      "bodies: [{radius: 0.1, position: [0, 0, 5]}, {name: ram, shape: block, position: [0, 0, 1], "
      "motion: {velocity: [1, 0, 0], spin: [0, 0, 2]}";
  const io::Scene with_ram = parse(driven + "}]\n");
  BOOST_TEST(with_ram.body_count == 1);
  BOOST_TEST_REQUIRE(with_ram.walls.size() == 2);
  BOOST_TEST(with_ram.walls[1].name == "ram");
  BOOST_TEST((with_ram.walls[1].motion.pivot - Vec3(0.0, 0.0, 1.0)).norm() == 0.0);
  check_refused(shapes + driven + ", mass: 3}]\n", "bodies[1].mass: a body with a 'motion' moves whatever touches it");
  check_refused(shapes + driven + ", force: [1, 0, 0]}]\n", "bodies[1].force: a body with a 'motion' moves whatever");
  check_refused(
      shapes + "bodies: [{radius: 0.2, position: [0.1, 0, 1]}, {shape: block, position: [0, 0, 1], motion: {}}]\n",
      "bodies: number 0 starts");
}

BOOST_AUTO_TEST_CASE(bodies_that_start_inside_each_other_are_pushed_apart) {
  const std::string bodies =
      "bodies:\n"
      "  - {radius: 0.1, position: [0, 0, 0.1], array: {count: [3, 3, 3], spacing: [0.15, 0.17, 0.19]}, "
      "velocity: [1, 2, 3]}\n"
      "  - {shape: block, position: [2, 0, 0.05]}\n"
      "  - {shape: block, position: [2.1, 0.1, 0.08]}\n";
  check_refused(shapes + bodies, " m: move it, or set contact.push_apart");
  const auto setup = io::make_setup(world(), parse(bodies + "contact: {push_apart: true}\n"));
  for (int k = 0; k < setup.bodies.owned(); ++k)
    BOOST_TEST(setup.bodies.velocity[k].norm() == (setup.bodies.id[k] < 27 ? Vec3(1.0, 2.0, 3.0).norm() : 0.0));
  dynamics::Simulation simulation(world(), setup);
  BOOST_TEST(simulation.report().max_penetration <= 2e-4);
  BOOST_TEST(simulation.report().bodies == 29);
}

BOOST_AUTO_TEST_CASE(the_scenes_of_the_tree_run) {
  for (const char* name :
       {"plate-1t", "plate-4t", "plate-16t", "brick-wall", "tower", "arch", "pile", "hopper", "rocks-roller"}) {
    const auto file = std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / (std::string(name) + ".yaml");
    const io::Scene scene = io::load_scene(world(), file);
    dynamics::Simulation simulation(world(), io::make_setup(world(), scene));
    for (int k = 0; k < 3; ++k) {
      const auto report = simulation.step();
      BOOST_TEST(report.converged, name << ": " << report.reason);
      BOOST_TEST(report.lost_bodies == 0);
      BOOST_TEST(report.max_penetration <= 1e-5, name);
    }
  }
}
