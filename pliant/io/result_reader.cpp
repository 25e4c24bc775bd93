#include "pliant/io/result_reader.h"

#include <algorithm>
#include <optional>

#include "pliant/assert.h"
#include "pliant/io/result_file.h"
#include "pliant/io/result_file_hdf5.h"
#include "pliant/io/result_file_outline.h"

namespace pliant::io {
namespace {

std::vector<Vec3> as_points(const std::vector<double>& values) {
  std::vector<Vec3> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Vec3(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
  return points;
}

std::vector<Vec2> as_texture(const std::vector<double>& values) {
  std::vector<Vec2> points(values.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Vec2(values[2 * i], values[2 * i + 1]);
  return points;
}

}  // namespace

struct ResultReader::File {
  ResultStorage storage;
  std::string path;
  std::optional<Hdf5File> hdf5;
  ResultOutline outline;

  explicit File(const std::filesystem::path& result)
      : storage(ResultStorage::open_for_reading(result)), path(result.string()) {
    hdf5.emplace(storage, path, Hdf5File::Mode::read);
    outline = read_outline(*hdf5);
  }

  [[nodiscard]] const BodyOutline& body(int index) const {
    PLIANT_ASSERT(index >= 0 && index < static_cast<int>(outline.bodies.size()), "the body exists");
    return outline.bodies[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Hdf5Object revision_group(int body_index, int revision) const {
    return hdf5->open_group(hdf5->root(), revision_path(body(body_index).name, revision));
  }
  // One frame's row of a dataset of whichever revision shows that frame.
  [[nodiscard]] std::vector<double> row(int body_index, const std::string& name, std::int64_t frame) const {
    PLIANT_ASSERT(frame >= 0 && frame < outline.frame_count(), "the frame exists");
    const int revision = body(body_index).revision_at(frame);
    const std::int64_t first = body(body_index).revisions[static_cast<std::size_t>(revision)].first_frame;
    const Hdf5Object dataset = hdf5->open_dataset(revision_group(body_index, revision), name);
    return hdf5->read_rows<double>(dataset, static_cast<hsize_t>(frame - first), 1);
  }
  [[nodiscard]] std::vector<int> indices(const Hdf5Object& group, const std::string& name, std::int64_t below) const {
    std::vector<int> values = hdf5->read_all<int>(hdf5->open_dataset(group, name));
    const bool valid = std::all_of(values.begin(), values.end(), [&](int i) { return i >= 0 && i < below; });
    if (!valid) hdf5->fail_reading(name + " holds an index out of range");
    return values;
  }
  [[nodiscard]] EmbeddedSurface surface(const Hdf5Object& parent, std::int64_t tet_count) const;
};

EmbeddedSurface ResultReader::File::surface(const Hdf5Object& parent, std::int64_t tet_count) const {
  const Hdf5Object group = hdf5->open_group(parent, "surface");
  const auto dataset = [&](const char* name, const Shape& shape) {
    Hdf5Object object = hdf5->open_dataset(group, name);
    (void)hdf5->expect_shape(object, shape, std::string("surface/") + name);
    return object;
  };
  EmbeddedSurface result;
  TriangleMesh& mesh = result.surface;
  mesh.vertices = as_points(hdf5->read_all<double>(dataset("rest_positions", {Hdf5File::kAny, 3})));
  const hsize_t count = mesh.vertices.size();
  (void)dataset("triangles", {Hdf5File::kAny, 3});
  const std::vector<int> corners = indices(group, "triangles", static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
    mesh.triangles.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
  (void)dataset("tet", {count});
  result.tet = indices(group, "tet", tet_count);
  const auto weights = hdf5->read_all<double>(dataset("weights", {count, 4}));
  for (std::size_t i = 0; i < count; ++i) result.weights.emplace_back(Eigen::Map<const Vec4>(&weights[4 * i]));
  if (hdf5->has(group, "texture")) mesh.texture = as_texture(hdf5->read_all<double>(dataset("texture", {count, 2})));
  return result;
}

ResultReader::ResultReader(const std::filesystem::path& folder) {
  const Hdf5Quiet quiet;
  file_ = std::make_unique<File>(folder.extension() == ".h5" ? folder : result_path(folder));
}
ResultReader::ResultReader(ResultReader&&) noexcept = default;
ResultReader& ResultReader::operator=(ResultReader&&) noexcept = default;
ResultReader::~ResultReader() = default;

const ResultOutline& ResultReader::outline() const { return file_->outline; }

BodyMesh ResultReader::mesh(int body, int revision) const {
  const Hdf5Quiet quiet;
  const BodyOutline& body_outline = file_->body(body);
  PLIANT_ASSERT(revision >= 0 && revision < static_cast<int>(body_outline.revisions.size()), "the revision exists");
  const RevisionOutline& outline = body_outline.revisions[static_cast<std::size_t>(revision)];
  const Hdf5File& hdf5 = *file_->hdf5;
  const Hdf5Object group = file_->revision_group(body, revision);
  BodyMesh mesh;
  mesh.shape = outline.shape;
  mesh.rest_positions = as_points(hdf5.read_all<double>(hdf5.open_dataset(group, "rest_positions")));
  mesh.cells = file_->indices(group, "cells", outline.vertex_count);
  if (hdf5.has(group, "texture")) {
    const Hdf5Object texture = hdf5.open_dataset(group, "texture");
    (void)hdf5.expect_shape(texture, {static_cast<hsize_t>(outline.vertex_count), 2}, "texture");
    mesh.texture = as_texture(hdf5.read_all<double>(texture));
  }
  if (hdf5.has(group, "pinned")) mesh.pinned = file_->indices(group, "pinned", outline.vertex_count);
  if (hdf5.has(group, "radius")) {
    const Hdf5Object radius = hdf5.open_dataset(group, "radius");
    (void)hdf5.expect_shape(radius, {static_cast<hsize_t>(outline.vertex_count)}, "radius");
    mesh.radius = hdf5.read_all<double>(radius);
  }
  if (outline.shape == CellShape::tetrahedron && hdf5.has(group, "surface"))
    mesh.surface = file_->surface(group, outline.cell_count);
  return mesh;
}

std::vector<Vec3> ResultReader::positions(int body, std::int64_t frame) const {
  const Hdf5Quiet quiet;
  return as_points(file_->row(body, "positions", frame));
}

Pose ResultReader::pose(int body, std::int64_t frame) const {
  const Hdf5Quiet quiet;
  const std::vector<double> row = file_->row(body, "poses", frame);
  return {Vec3(row[0], row[1], row[2]), Vec4(row[3], row[4], row[5], row[6])};
}

std::vector<double> ResultReader::field(int body, const std::string& name, std::int64_t frame) const {
  const Hdf5Quiet quiet;
  return file_->row(body, name, frame);
}

std::int64_t ResultReader::total_contact_count() const {
  const Hdf5Quiet quiet;
  const Hdf5File& hdf5 = *file_->hdf5;
  const Hdf5Object offsets = hdf5.open_dataset(hdf5.open_group(hdf5.root(), "contacts"), "offsets");
  return hdf5.read_rows<std::int64_t>(offsets, static_cast<hsize_t>(frame_count()), 1)[0];
}

std::vector<Contact> ResultReader::contacts(std::int64_t frame) const {
  PLIANT_ASSERT(frame >= 0 && frame < frame_count(), "the frame exists");
  const Hdf5Quiet quiet;
  const Hdf5File& hdf5 = *file_->hdf5;
  const Hdf5Object group = hdf5.open_group(hdf5.root(), "contacts");
  const auto offsets =
      hdf5.read_rows<std::int64_t>(hdf5.open_dataset(group, "offsets"), static_cast<hsize_t>(frame), 2);
  if (offsets[0] < 0 || offsets[1] < offsets[0]) hdf5.fail_reading("the offsets of contacts are out of order");
  const auto first = static_cast<hsize_t>(offsets[0]);
  const auto count = static_cast<hsize_t>(offsets[1] - offsets[0]);
  const auto dataset = [&](const char* name, hsize_t columns) {
    Hdf5Object object = hdf5.open_dataset(group, name);
    (void)hdf5.expect_shape(object, {Hdf5File::kAny, columns}, std::string("contacts/") + name);
    return object;
  };
  const auto pair = hdf5.read_rows<int>(dataset("pair", 2), first, count);
  const auto point = as_points(hdf5.read_rows<double>(dataset("point", 3), first, count));
  const auto normal = as_points(hdf5.read_rows<double>(dataset("normal", 3), first, count));
  const auto force = as_points(hdf5.read_rows<double>(dataset("force", 3), first, count));
  std::vector<Contact> contacts;
  for (std::size_t i = 0; i < count; ++i)
    contacts.push_back({pair[2 * i], pair[2 * i + 1], point[i], normal[i], force[i]});
  return contacts;
}

}  // namespace pliant::io
