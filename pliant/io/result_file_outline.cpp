#include "pliant/io/result_file_outline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "pliant/input_error.h"

namespace pliant::io {
namespace {

StoredAs stored_as(const Hdf5Object& dataset) {
  const Hdf5Object type(H5Dget_type(dataset.id()));
  if (H5Tget_class(type.id()) == H5T_INTEGER) return StoredAs::uint8;
  return H5Tget_size(type.id()) == 4 ? StoredAs::float32 : StoredAs::float64;
}

FieldDescription read_field(const Hdf5File& file, const Hdf5Object& group, const std::string& name,
                            const RevisionOutline& revision) {
  const Hdf5Object dataset = file.open_dataset(group, name);
  FieldDescription field;
  field.name = name;
  const std::string place = file.text_attribute(dataset, "place");
  if (place != "vertex" && place != "cell") file.fail_reading("the field " + name + " has an unknown place");
  field.place = place == "vertex" ? FieldPlace::vertex : FieldPlace::cell;
  field.unit = file.text_attribute(dataset, "unit");
  field.stored_as = stored_as(dataset);
  const auto rows = static_cast<hsize_t>(place == "vertex" ? revision.vertex_count : revision.cell_count);
  const Shape shape = file.expect_shape(dataset, {Hdf5File::kAny, rows, Hdf5File::kAny}, name);
  if (shape[2] == 0 || shape[2] > 1024) file.fail_reading("the field " + name + " has no components");
  field.components = static_cast<int>(shape[2]);
  return field;
}

RevisionOutline read_revision(const Hdf5File& file, const std::string& path) {
  const Hdf5Object group = file.open_group(file.root(), path);
  RevisionOutline revision;
  const auto shape = cell_shape_from(file.text_attribute(group, "cell_shape"));
  if (!shape) file.fail_reading(path + " has an unknown shape of cells");
  revision.shape = *shape;

  const auto corners = static_cast<hsize_t>(revision.shape);
  const Shape rest = file.expect_shape(file.open_dataset(group, "rest_positions"), {Hdf5File::kAny, 3}, path);
  const Shape cells = file.expect_shape(file.open_dataset(group, "cells"), {Hdf5File::kAny, corners}, path);
  constexpr auto kMost = static_cast<hsize_t>(std::numeric_limits<int>::max());
  if (rest[0] > kMost || cells[0] > kMost) file.fail_reading(path + " is larger than indices can count");
  revision.vertex_count = static_cast<std::int64_t>(rest[0]);
  revision.cell_count = static_cast<std::int64_t>(cells[0]);
  revision.first_frame = file.read_all<std::int64_t>(file.open_dataset(group, "first_frame")).front();
  revision.motion = file.has(group, "poses") ? BodyMotion::posed : BodyMotion::vertices;
  for (const std::string& name : file.names_in(group))
    if (!is_reserved_name(name)) revision.fields.push_back(read_field(file, group, name, revision));
  std::stable_sort(revision.fields.begin(), revision.fields.end(), [&](const auto& a, const auto& b) {
    return file.number_attribute(file.open_dataset(group, a.name), "index") <
           file.number_attribute(file.open_dataset(group, b.name), "index");
  });
  return revision;
}

// Every series of a revision must hold the frames from its first to the next revision's first.
void check_lengths(const Hdf5File& file, const BodyOutline& body, std::int64_t frame_count) {
  for (std::size_t k = 0; k < body.revisions.size(); ++k) {
    const RevisionOutline& revision = body.revisions[k];
    const std::int64_t end = k + 1 < body.revisions.size() ? body.revisions[k + 1].first_frame : frame_count;
    const bool in_order = revision.first_frame >= 0 && revision.first_frame <= end && end <= frame_count;
    if (!in_order || (k == 0 && revision.first_frame != 0))
      file.fail_reading("the revisions of " + body.name + " are out of order");
    const auto rows = static_cast<hsize_t>(end - revision.first_frame);
    const auto vertices = static_cast<hsize_t>(revision.vertex_count);
    const Hdf5Object group = file.open_group(file.root(), revision_path(body.name, static_cast<int>(k)));
    (void)file.expect_shape(file.open_dataset(group, "positions"), {rows, vertices, 3}, body.name + ".positions");
    if (revision.motion == BodyMotion::posed)
      (void)file.expect_shape(file.open_dataset(group, "poses"), {rows, 7}, body.name + ".poses");
    for (const FieldDescription& field : revision.fields)
      (void)file.expect_shape(file.open_dataset(group, field.name), {rows, Hdf5File::kAny, Hdf5File::kAny},
                              body.name + "." + field.name);
  }
}

BodyOutline read_body(const Hdf5File& file, const std::string& name) {
  BodyOutline body;
  body.name = name;
  const Hdf5Object group = file.open_group(file.root(), "bodies/" + name);
  const auto kind = body_kind_from(file.text_attribute(group, "kind"));
  if (!kind) file.fail_reading("the body " + name + " is of an unknown kind");
  body.kind = *kind;
  const std::size_t count = file.names_in(file.open_group(group, "revisions")).size();
  if (count == 0) file.fail_reading("the body " + name + " has no mesh");
  for (std::size_t k = 0; k < count; ++k)
    body.revisions.push_back(read_revision(file, revision_path(name, static_cast<int>(k))));
  return body;
}

}  // namespace

ResultOutline read_outline(const Hdf5File& file) {
  if (file.text_attribute(file.root(), "format") != "pliant result") file.fail_reading("it is not a result of Pliant");
  const std::int64_t version = file.number_attribute(file.root(), "format_version");
  if (version != kResultFormatVersion)
    file.fail_reading("it has format version " + std::to_string(version) + ", and this program reads version " +
                      std::to_string(kResultFormatVersion));

  ResultOutline outline;
  outline.pliant_version = file.text_attribute(file.root(), "pliant_version");
  outline.times = file.read_all<double>(file.open_dataset(file.root(), "times"));
  outline.steps = file.read_all<std::int64_t>(file.open_dataset(file.root(), "steps"));
  if (outline.steps.size() != outline.times.size()) file.fail_reading("times and steps differ in length");

  const std::vector<std::string> names = file.names_in(file.open_group(file.root(), "bodies"));
  outline.bodies.resize(names.size());
  for (const std::string& name : names) {
    const std::int64_t index = file.number_attribute(file.open_group(file.root(), "bodies/" + name), "index");
    const bool free = index >= 0 && index < static_cast<std::int64_t>(names.size()) &&
                      outline.bodies[static_cast<std::size_t>(index)].name.empty();
    if (!free) file.fail_reading("the bodies are numbered wrongly");
    BodyOutline body = read_body(file, name);
    check_lengths(file, body, outline.frame_count());
    outline.bodies[static_cast<std::size_t>(index)] = std::move(body);
  }
  return outline;
}

std::string revision_path(const std::string& body, int revision) {
  return "bodies/" + body + "/revisions/" + std::to_string(revision);
}

bool is_reserved_name(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kReserved = {
      "cells", "rest_positions", "first_frame", "positions", "poses", "texture", "radius", "pinned", "surface"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

}  // namespace pliant::io
