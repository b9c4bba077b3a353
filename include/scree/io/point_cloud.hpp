#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// One value or vector per point.
struct PointArray {
  std::string name;
  int components = 1;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>> values;
};

/// Polygons between points, one after another.
struct Polygons {
  std::vector<std::int64_t> corners;  ///< indices of points
  std::vector<std::int64_t> ends;     ///< of each polygon among the corners
};

/// Points with data, as ParaView shows them: by themselves, or as corners of polygons.
struct PointCloud {
  std::vector<model::Vec3> points;
  std::optional<Polygons> polygons = std::nullopt;
  std::vector<PointArray> arrays;  ///< the same ones on every rank
};

/// What of a state is written.
struct Selection {
  std::vector<std::string> fields;  ///< names of arrays; empty: all
  std::int64_t every_kth_body = 1;  ///< bodies whose number is a multiple of it

  [[nodiscard]] bool has(const std::string& field) const {
    return fields.empty() || std::ranges::find(fields, field) != fields.end();
  }
  [[nodiscard]] bool has(std::int64_t body) const { return body % every_kth_body == 0; }
};

/// The names that a selection may hold.
[[nodiscard]] const std::vector<std::string>& field_names();

/// The selected ones of the owned bodies: radius, velocity, spin, id, rank, contacts. Collective.
[[nodiscard]] PointCloud cloud_of_bodies(const parallel::Comm& comm, const dynamics::Simulation& simulation,
                                         const Selection& selection = {});

/// The owned contacts whose first body is selected: normal, impulse, gap, body ids.
[[nodiscard]] PointCloud cloud_of_contacts(const dynamics::Simulation& simulation, const Selection& selection = {});

/// x, y, z of one after the other.
[[nodiscard]] std::vector<double> flattened(const std::vector<model::Vec3>& vectors);

}  // namespace scree::io
