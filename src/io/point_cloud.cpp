#include "scree/io/point_cloud.hpp"

#include <utility>

namespace scree::io {

using model::Vec3;

namespace {

/// Adds arrays that are asked for; others are not even made.
class Arrays {
 public:
  Arrays(PointCloud& cloud, const Selection& selection) : cloud_(cloud), selection_(selection) {}

  template <typename Make>
  void add(const std::string& name, int components, Make&& make) {
    if (selection_.has(name)) cloud_.arrays.push_back({name, components, make()});
  }

 private:
  PointCloud& cloud_;
  const Selection& selection_;
};

/// Local indices of the owned bodies that are selected.
std::vector<std::size_t> selected_bodies(const model::Bodies& bodies, const Selection& selection) {
  std::vector<std::size_t> selected;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    if (selection.has(bodies.id[k])) selected.push_back(k);
  return selected;
}

template <typename Number, typename Value>
std::vector<Number> chosen(const std::vector<Value>& values, const std::vector<std::size_t>& indices) {
  std::vector<Number> numbers;
  numbers.reserve(indices.size());
  for (const std::size_t k : indices) numbers.push_back(values[k]);
  return numbers;
}

}  // namespace

const std::vector<std::string>& field_names() {
  static const std::vector<std::string> names{"radius", "velocity", "angular_velocity", "attitude", "shape", "id",
                                              "rank",   "contacts", "normal",           "impulse",  "gap",   "bodies"};
  return names;
}

std::vector<double> flattened(const std::vector<Vec3>& vectors) {
  std::vector<double> numbers;
  numbers.reserve(3 * vectors.size());
  for (const Vec3& v : vectors) numbers.insert(numbers.end(), {v.x(), v.y(), v.z()});
  return numbers;
}

PointCloud cloud_of_bodies(const parallel::Comm& comm, const dynamics::Simulation& simulation,
                           const Selection& selection) {
  const model::Bodies& bodies = simulation.bodies();
  const std::vector<std::size_t> selected = selected_bodies(bodies, selection);
  PointCloud cloud;
  cloud.points.reserve(selected.size());
  for (const std::size_t k : selected) cloud.points.push_back(bodies.space.wrapped(bodies.position[k]));
  const auto vectors = [&](const std::vector<Vec3>& all) { return flattened(chosen<Vec3>(all, selected)); };
  Arrays arrays(cloud, selection);
  arrays.add("radius", 1, [&] { return chosen<double>(bodies.radius, selected); });
  arrays.add("velocity", 3, [&] { return vectors(bodies.velocity); });
  arrays.add("angular_velocity", 3, [&] { return vectors(bodies.spin); });
  arrays.add("attitude", 4, [&] {
    std::vector<double> numbers;
    numbers.reserve(4 * selected.size());
    for (const std::size_t k : selected)
      numbers.insert(numbers.end(), bodies.attitude[k].coeffs().data(), bodies.attitude[k].coeffs().data() + 4);
    return numbers;
  });
  arrays.add("shape", 1, [&] { return chosen<std::int32_t>(bodies.shape, selected); });
  arrays.add("id", 1, [&] { return chosen<std::int64_t>(bodies.id, selected); });
  arrays.add("rank", 1, [&] { return std::vector<std::int32_t>(selected.size(), comm.rank()); });
  arrays.add("contacts", 1, [&] { return chosen<std::int32_t>(simulation.contact_counts(), selected); });
  return cloud;
}

PointCloud cloud_of_contacts(const dynamics::Simulation& simulation, const Selection& selection) {
  const model::Bodies& bodies = simulation.bodies();
  std::vector<Vec3> normals, impulses;
  std::vector<double> gaps;
  std::vector<std::int64_t> ids;
  PointCloud cloud;
  for (const auto& contact : simulation.contacts().contacts) {
    if (!selection.has(bodies.id[static_cast<std::size_t>(contact.a)])) continue;
    cloud.points.push_back(bodies.space.wrapped(collision::point_of(bodies, simulation.contacts(), contact)));
    normals.push_back(contact.normal);
    impulses.push_back(simulation.impulse_of(contact));
    gaps.push_back(contact.gap);
    ids.push_back(bodies.id[static_cast<std::size_t>(contact.a)]);
    ids.push_back(contact.b < 0 ? contact.b : bodies.id[static_cast<std::size_t>(contact.b)]);
  }
  Arrays arrays(cloud, selection);
  arrays.add("normal", 3, [&] { return flattened(normals); });
  arrays.add("impulse", 3, [&] { return flattened(impulses); });
  arrays.add("gap", 1, [&] { return std::move(gaps); });
  arrays.add("bodies", 2, [&] { return std::move(ids); });
  return cloud;
}

}  // namespace scree::io
