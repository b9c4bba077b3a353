#include "scree/io/xdmf.hpp"

#include <fmt/format.h>

#include <utility>

#include "scree/io/shared_hdf5.hpp"

namespace scree::io {

using parallel::Comm;

namespace {

const char* number_type(double) { return "Float"; }
const char* number_type(std::int64_t) { return "Int"; }
const char* number_type(std::int32_t) { return "Int"; }

const char* attribute_type(int components) {
  if (components == 1) return "Scalar";
  return components == 3 ? "Vector" : "Matrix";
}

/// Adds the quantities of a cloud to the file, and to the text that tells where they are.
class CloudWriter {
 public:
  CloudWriter(const Comm& comm, SharedHdf5& file, std::string file_name, std::string group)
      : comm_(comm), file_(file), file_name_(std::move(file_name)), group_(std::move(group)) {
    file_.add_group(group_);
  }

  /// Returns the element that points to the data set.
  template <typename Number>
  std::string add(const std::string& name, int components, const std::vector<Number>& values) {
    const std::string path = group_ + "/" + name;
    file_.add_entries(path, std::span(values), components);
    const std::int64_t rows = comm_.sum(std::ssize(values)) / components;
    const std::string shape = components > 1 ? fmt::format("{} {}", rows, components) : fmt::format("{}", rows);
    return fmt::format(
        "<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"{}\" Format=\"HDF\">{}:/{}</DataItem>", shape,
        number_type(Number{}), sizeof(Number), file_name_, path);
  }

 private:
  const Comm& comm_;
  SharedHdf5& file_;
  std::string file_name_;
  std::string group_;
};

/// Each polygon as its kind, its number of corners and its corners, counted over all ranks.
std::vector<std::int64_t> mixed_topology(const Polygons& polygons, std::int64_t first_point) {
  constexpr std::int64_t polygon = 3;
  std::vector<std::int64_t> cells;
  std::int64_t begin = 0;
  for (const std::int64_t end : polygons.ends) {
    cells.insert(cells.end(), {polygon, end - begin});
    for (; begin < end; ++begin) cells.push_back(first_point + polygons.corners[static_cast<std::size_t>(begin)]);
  }
  return cells;
}

std::string write_topology(const Comm& comm, CloudWriter& writer, const PointCloud& cloud) {
  const auto own = std::ssize(cloud.points);
  if (!cloud.polygons)
    return fmt::format("      <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\"/>\n", comm.sum(own));
  const auto cells = mixed_topology(*cloud.polygons, comm.sum_below(own));
  return fmt::format("      <Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\">\n        {}\n      </Topology>\n",
                     comm.sum(std::ssize(cloud.polygons->ends)), writer.add("polygons", 1, cells));
}

/// Collective: one kind of points; returns its grid for the index.
std::string write_cloud(const Comm& comm, SharedHdf5& file, const std::string& file_name, double time,
                        const NamedCloud& named) {
  const PointCloud& cloud = named.cloud;
  CloudWriter writer(comm, file, file_name, named.name);
  std::string grid =
      fmt::format("    <Grid Name=\"{}\" GridType=\"Uniform\">\n      <Time Value=\"{}\"/>\n", named.name, time);
  grid += write_topology(comm, writer, cloud);
  grid += fmt::format("      <Geometry GeometryType=\"XYZ\">\n        {}\n      </Geometry>\n",
                      writer.add("position", 3, flattened(cloud.points)));
  for (const PointArray& array : cloud.arrays) {
    const std::string item =
        std::visit([&](const auto& values) { return writer.add(array.name, array.components, values); }, array.values);
    grid += fmt::format(
        "      <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">\n        {}\n      </Attribute>\n",
        array.name, attribute_type(array.components), item);
  }
  return grid + "    </Grid>\n";
}

std::int64_t bytes_of(const PointCloud& cloud) {
  std::size_t bytes = 3 * sizeof(double) * cloud.points.size();
  for (const PointArray& array : cloud.arrays)
    bytes += std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array.values);
  if (cloud.polygons)
    bytes += sizeof(std::int64_t) * (cloud.polygons->corners.size() + 2 * cloud.polygons->ends.size());
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

XdmfSeries::XdmfSeries(const Comm& comm, std::filesystem::path directory, const std::vector<std::string>& names,
                       std::int64_t last)
    : comm_(comm), directory_(std::move(directory)) {
  for (const std::string& name : names)
    indices_.emplace_back(directory_ / (name + ".xdmf"),
                          fmt::format("<Xdmf Version=\"3.0\">\n  <Domain>\n  "
                                      "<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                                      name),
                          "  </Grid>\n  </Domain>\n</Xdmf>\n", comm.is_root() ? last : -1);
}

std::int64_t XdmfSeries::write(std::int64_t step, double time, const std::vector<NamedCloud>& clouds) {
  const std::string file_name = fmt::format("frames/frame-{:08d}.h5", step);
  std::int64_t bytes = 0;
  for (const NamedCloud& named : clouds) bytes += bytes_of(named.cloud);
  std::vector<std::string> grids;
  write_shared_hdf5(comm_, directory_ / file_name, comm_.sum(bytes), [&](SharedHdf5& file) {
    file.add_attribute("step", step);
    file.add_attribute("time", time);
    for (const NamedCloud& named : clouds) grids.push_back(write_cloud(comm_, file, file_name, time, named));
  });
  parallel::all_or_none(comm_, [&] {
    if (!comm_.is_root()) return;
    for (std::size_t k = 0; k < grids.size(); ++k) indices_[k].add(step, grids[k]);
  });
  return bytes;
}

}  // namespace scree::io
