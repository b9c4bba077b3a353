#include "scree/io/paraview.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "scree/io/atomic_file.hpp"

namespace scree::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the VTK files are declared little endian");

constexpr const char* header = "<?xml version=\"1.0\"?>\n";

const char* type_name(std::span<const double>) { return "Float64"; }
const char* type_name(std::span<const std::int64_t>) { return "Int64"; }
const char* type_name(std::span<const std::int32_t>) { return "Int32"; }

/// Raw arrays one after another, each behind its length in bytes, and the XML elements that point to them. There may be
/// much of it, so arrays are not copied before they are written; they must stay until then.
class AppendedData {
 public:
  template <typename Number>
  std::string add(const std::string& name, int components, std::span<const Number> values) {
    const std::string element = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type_name(values), name, components, size_);
    arrays_.push_back(std::as_bytes(values));
    size_ += sizeof(std::uint64_t) + values.size_bytes();
    return element;
  }

  void write(std::string& text) const {
    for (const std::span<const std::byte> array : arrays_) {
      const std::uint64_t length = array.size();
      text.append(reinterpret_cast<const char*>(&length), sizeof length);
      if (length > 0) text.append(reinterpret_cast<const char*>(array.data()), length);
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::vector<std::span<const std::byte>> arrays_;
  std::size_t size_ = 0;
};

std::string pvtp_text(const PointCloud& cloud, const std::vector<std::string>& pieces) {
  std::string text = header;
  text += "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
  text += "  <PPolyData GhostLevel=\"0\">\n    <PPoints>\n";
  text +=
      "      <PDataArray type=\"Float64\" Name=\"position\" NumberOfComponents=\"3\"/>\n    </PPoints>\n    "
      "<PPointData>\n";
  for (const PointArray& array : cloud.arrays) {
    text += fmt::format("      <PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
                        std::visit([](const auto& values) { return type_name(values); }, array.values), array.name,
                        array.components);
  }
  text += "    </PPointData>\n";
  for (const std::string& piece : pieces) text += fmt::format("    <Piece Source=\"{}\"/>\n", piece);
  return text + "  </PPolyData>\n</VTKFile>\n";
}

}  // namespace

std::string vtp_text(const PointCloud& cloud) {
  const std::size_t count = cloud.points.size();
  AppendedData data;
  Polygons cells;  // each point by itself, if they are no corners
  if (cloud.polygons) {
    cells = *cloud.polygons;
  } else {
    cells = {std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
    std::iota(cells.corners.begin(), cells.corners.end(), std::int64_t{0});
    std::iota(cells.ends.begin(), cells.ends.end(), std::int64_t{1});
  }
  const char* const kind = cloud.polygons ? "Polys" : "Verts";
  std::string text = header;
  text +=
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PolyData>\n";
  text += fmt::format(
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      count, cloud.polygons ? 0 : count, cloud.polygons ? cells.ends.size() : 0);
  static_assert(sizeof(model::Vec3) == 3 * sizeof(double));
  const std::span<const double> places(count > 0 ? cloud.points.data()->data() : nullptr, 3 * count);
  text += "      <Points>\n" + data.add("position", 3, places) + "      </Points>\n";
  text += fmt::format("      <{}>\n", kind);
  text += data.add("connectivity", 1, std::span<const std::int64_t>(cells.corners));
  text += data.add("offsets", 1, std::span<const std::int64_t>(cells.ends));
  text += fmt::format("      </{}>\n      <PointData>\n", kind);
  for (const PointArray& array : cloud.arrays) {
    text += std::visit([&](const auto& values) { return data.add(array.name, array.components, std::span(values)); },
                       array.values);
  }
  text += "      </PointData>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
  constexpr std::string_view end = "\n  </AppendedData>\n</VTKFile>\n";
  text.reserve(text.size() + data.size() + end.size());
  data.write(text);
  text += end;
  return text;
}

ParaviewSeries::ParaviewSeries(const parallel::Comm& comm, std::filesystem::path directory, std::string name,
                               std::int64_t last)
    : comm_(comm),
      directory_(std::move(directory)),
      name_(std::move(name)),
      index_(directory_ / (name_ + ".pvd"),
             "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
             "  </Collection>\n</VTKFile>\n", comm.is_root() ? last : -1) {}

std::int64_t ParaviewSeries::write(std::int64_t step, double time, const PointCloud& cloud) {
  const std::string stem = fmt::format("{}-{:08d}", name_, step);
  const auto piece_name = [&](int rank) { return fmt::format("{}-{:04d}.vtp", stem, rank); };
  const std::vector<int> ranks = ranks_with_points(!cloud.points.empty());
  std::int64_t bytes = 0;
  parallel::all_or_none(comm_, [&] {
    // ParaView wants at least one piece: the first rank stands in where there are no points at all.
    const bool stands_in = comm_.is_root() && ranks == std::vector<int>{0};
    if (cloud.points.empty() && !stands_in) return;
    const std::string text = vtp_text(cloud);
    write_file(directory_ / "frames" / piece_name(comm_.rank()), text);
    bytes = std::ssize(text);
  });
  parallel::all_or_none(comm_, [&] {
    if (!comm_.is_root()) return;
    std::vector<std::string> pieces;
    for (const int rank : ranks) pieces.push_back(piece_name(rank));
    write_file(directory_ / "frames" / (stem + ".pvtp"), pvtp_text(cloud, pieces));
    index_.add(step, fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"frames/{}.pvtp\"/>\n", time,
                                 stem));
  });
  return bytes;
}

std::vector<int> ParaviewSeries::ranks_with_points(bool has_points) const {
  const char mine = has_points ? 1 : 0;
  std::vector<char> flags(comm_.is_root() ? static_cast<std::size_t>(comm_.size()) : 0);
  MPI_Gather(&mine, 1, MPI_CHAR, flags.data(), 1, MPI_CHAR, 0, comm_.handle());
  std::vector<int> ranks;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (flags[k] != 0) ranks.push_back(static_cast<int>(k));
  }
  if (ranks.empty()) ranks.push_back(0);
  return ranks;
}

}  // namespace scree::io
