// A small scene with one body of each sort, whose frames are known functions of their number; for tests of results.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pliant/io/result_file.h"
#include "pliant/io/result_reader.h"

namespace pliant::io::testing {

// A folder of its own for one test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pliant_test_").string() + std::string(6, 'X');
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// A file's bytes.
inline std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Owns what a Frame refers to.
struct StoredFrame {
  std::vector<std::vector<Vec3>> positions;
  std::vector<std::vector<std::vector<double>>> fields;
  std::vector<Contact> contacts;
  Frame frame;
};

inline std::vector<Vec3> wave(std::size_t count, double phase) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) + phase;
    points.emplace_back(std::sin(s), std::cos(3 * s) / 7, s * 1e-3);
  }
  return points;
}

// A solid with an embedded triangle, a sheet with velocities and flags, a rod with frames, a rigid body, grains.
inline std::vector<BodyDescription> small_scene(std::size_t sheet_size = 40) {
  std::vector<BodyDescription> bodies(5);
  const TetMesh tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 4, 2, 3}}};
  bodies[0] = {"jelly", BodyKind::solid, BodyMotion::vertices, body_mesh(tets), {}};
  EmbeddedSurface skin;
  skin.surface = {{{0.1, 0.1, 0.1}, {0.2, 0.1, 0.1}, {0.1, 0.2, 0.1}}, {{0, 1, 2}}, {{0, 0}, {1, 0}, {0, 1}}};
  skin.tet = {0, 0, 0};
  skin.weights = {{0.7, 0.1, 0.1, 0.1}, {0.6, 0.2, 0.1, 0.1}, {0.6, 0.1, 0.2, 0.1}};
  bodies[0].mesh.surface = skin;

  TriangleMesh sheet{wave(sheet_size, 0.5), {}, {}};
  for (int i = 0; i + 2 < static_cast<int>(sheet_size); ++i) sheet.triangles.emplace_back(i, i + 1, i + 2);
  for (const Vec3& x : sheet.vertices) sheet.texture.emplace_back(x[0], x[2]);
  bodies[1] = {"sheet", BodyKind::cloth, BodyMotion::vertices, body_mesh(sheet), {}};
  bodies[1].fields = {{"velocities", FieldPlace::vertex, 3, "m/s", StoredAs::float64},
                      {"active", FieldPlace::cell, 1, "1", StoredAs::uint8},
                      {"strain", FieldPlace::cell, 6, "1", StoredAs::float32}};

  bodies[2] = {"hair <&> \"1\"", BodyKind::rod, BodyMotion::vertices, segment_mesh(wave(3, 0), {0, 1, 1, 2}), {}};
  bodies[2].fields = {{"material_frames", FieldPlace::cell, 4, "1", StoredAs::float64}};
  bodies[3] = {"brick", BodyKind::rigid, BodyMotion::posed, body_mesh(tets), {}};
  bodies[4] = {"grains", BodyKind::particles, BodyMotion::vertices, point_mesh(wave(4, 2)), {}};
  return bodies;
}

// What frame `number` of that scene holds. Numbers exactly representable in the field's type.
inline StoredFrame make_frame(const std::vector<BodyDescription>& bodies, int number) {
  StoredFrame stored;
  stored.positions.resize(bodies.size());
  stored.fields.resize(bodies.size());
  stored.frame.time = number / 60.0;
  stored.frame.step = 3 * number;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyMesh& mesh = bodies[b].mesh;
    stored.positions[b] = wave(mesh.rest_positions.size(), number * 0.37 + static_cast<double>(b));
    for (const FieldDescription& field : bodies[b].fields) {
      const std::size_t rows = field.place == FieldPlace::vertex ? mesh.rest_positions.size() : mesh.cell_count();
      std::vector<double> values(rows * static_cast<std::size_t>(field.components));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = std::sin(static_cast<double>(i) + number);
        if (field.stored_as == StoredAs::float64) values[i] = value;
        if (field.stored_as == StoredAs::float32) values[i] = static_cast<float>(value);
        if (field.stored_as == StoredAs::uint8) values[i] = value > 0 ? 1 : 0;
      }
      stored.fields[b].push_back(std::move(values));
    }
  }
  for (int i = 0; i < number % 4; ++i)
    stored.contacts.push_back({i, -1, Vec3(i, number, 1), Vec3(0, 1, 0), Vec3(0, 9.81 * i, -0.0)});

  const double angle = 0.1 * number;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    BodyFrame body;
    if (bodies[b].motion == BodyMotion::posed)
      body.pose = {Vec3(0, number, 0), Vec4(std::cos(angle), 0, std::sin(angle), 0)};
    else
      body.positions = stored.positions[b];
    for (const auto& values : stored.fields[b]) body.fields.push_back(values);
    stored.frame.bodies.push_back(std::move(body));
  }
  stored.frame.contacts = stored.contacts;
  return stored;
}

inline void append_frames(ResultWriter& writer, const std::vector<BodyDescription>& bodies, int first, int end) {
  for (int number = first; number < end; ++number) writer.append(make_frame(bodies, number).frame);
}

// That scene with thick rods and grains, its sheet cut on the way: what exporters must cope with.
struct CutResult {
  static constexpr int kFrames = 7, kCutAt = 4;
  TemporaryFolder folder;
  std::vector<BodyDescription> bodies = small_scene(), later;  // before and after the cut

  CutResult() {
    bodies[2].mesh.radius = {0.01, 0.02, 0.03};
    bodies[4].mesh.radius = {0.1, 0.2, 0.1, 0.2};
    ResultWriter writer(folder / "run", bodies);
    append_frames(writer, bodies, 0, kCutAt);
    later = bodies;
    later[1].mesh = small_scene(53)[1].mesh;
    writer.add_revision(1, later[1].mesh);
    append_frames(writer, later, kCutAt, kFrames);
    writer.finish();
  }
};

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Empty when the frame in the result has exactly the bits of make_frame, else what differs.
inline std::string difference(const ResultReader& reader, const std::vector<BodyDescription>& bodies, int number) {
  const StoredFrame expected = make_frame(bodies, number);
  const std::string frame = "frame " + std::to_string(number) + ": ";
  const auto index = static_cast<std::size_t>(number);
  if (reader.outline().times[index] != expected.frame.time) return frame + "time";
  if (reader.outline().steps[index] != expected.frame.step) return frame + "step";
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const BodyDescription& body = bodies[static_cast<std::size_t>(b)];
    const BodyFrame& body_frame = expected.frame.bodies[static_cast<std::size_t>(b)];
    std::vector<Vec3> positions(body_frame.positions.begin(), body_frame.positions.end());
    if (body.motion == BodyMotion::posed) {
      const Pose pose = reader.pose(b, number);
      if (pose.position != body_frame.pose.position || pose.quaternion != body_frame.pose.quaternion)
        return frame + "pose of " + body.name;
      for (const Vec3& point : body.mesh.rest_positions) positions.push_back(body_frame.pose.apply(point));
    }
    if (!same_bits(reader.positions(b, number), positions)) return frame + "positions of " + body.name;
    for (std::size_t f = 0; f < body.fields.size(); ++f)
      if (!same_bits(reader.field(b, body.fields[f].name, number), expected.fields[static_cast<std::size_t>(b)][f]))
        return frame + body.fields[f].name + " of " + body.name;
  }
  const std::vector<Contact> contacts = reader.contacts(number);
  if (contacts.size() != expected.contacts.size()) return frame + "number of contacts";
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& a = contacts[i];
    const Contact& b = expected.contacts[i];
    if (a.first_body != b.first_body || a.second_body != b.second_body || a.point != b.point || a.normal != b.normal ||
        a.force != b.force || std::signbit(a.force[2]) != std::signbit(b.force[2]))
      return frame + "contact";
  }
  return "";
}

}  // namespace pliant::io::testing
