// A small result on disk for tests of the viewer: a stretching box with one pinned vertex, a rod, a contact; with
// probes, scene and summary.
#pragma once

#include <fstream>

#include "pliant/io/probes_csv.h"
#include "pliant/io/result_file.h"
#include "pliant/mesh/box_mesh.h"
#include "tests/io/result_scene.h"

namespace pliant::viewer::testing {

struct ViewedResult {
  io::testing::TemporaryFolder folder;
  std::vector<io::BodyDescription> bodies;

  explicit ViewedResult(int frames = 4) {
    io::BodyMesh rod = io::segment_mesh({{0, 1, 0}, {2, 1, 0}}, {0, 1});
    rod.radius = {0.01, 0.02};
    bodies = {{"box",
               io::BodyKind::solid,
               io::BodyMotion::vertices,
               io::body_mesh(make_box({.size = {1, 1, 1}, .cells = {2, 2, 2}})),
               {}},
              {"rod", io::BodyKind::rod, io::BodyMotion::vertices, rod, {}}};
    bodies[0].mesh.pinned = {0};
    io::ResultWriter writer(folder.path(), bodies, {.pliant_version = "test"});
    io::ProbesCsv probes(folder / "probes.csv", {"tip.x", "energy.total"});
    for (int number = 0; number < frames; ++number) {
      append(writer, number);
      probes.append(number, 0.1 * number, std::vector<double>{1.0 * number, std::nan("")});
    }
    writer.finish();
    std::ofstream(folder / "scene.yaml") << "pliant: 1\ntitle: A <b>box</b>\ntime: {step: 0.1, end: 1}\n"
                                            "bodies: [{name: box, mesh: {box: {}}}]\n"
                                            "view: {camera: {from: [1, 2, 3], degrees: 40}}\n";
    std::ofstream(folder / "summary.json") << R"({"outcome": "done", "steps": 3})";
  }

  void append(io::ResultWriter& writer, int number) const {
    std::vector<std::vector<Vec3>> positions;
    io::Frame frame{0.1 * number, number, {}, {}};
    for (const io::BodyDescription& body : bodies) {
      positions.push_back(body.mesh.rest_positions);
      for (Vec3& x : positions.back()) x[0] *= 1 + 0.1 * number;
    }
    for (const auto& x : positions) frame.bodies.push_back({x, {}, {}});
    const std::vector<io::Contact> contacts = {{0, 1, Vec3(0.5, 0.5, 0.5), Vec3::UnitY(), Vec3(0, 3, 4)}};
    if (number == 1) frame.contacts = contacts;
    writer.append(frame);
  }
};

// Reads numbers one after another from a binary answer.
class Reading {
 public:
  explicit Reading(const std::string& bytes) : bytes_(bytes) {}
  template <typename Number>
  Number take() {
    Number number{};
    if (at_ + sizeof(Number) <= bytes_.size()) std::memcpy(&number, bytes_.data() + at_, sizeof(Number));
    at_ += sizeof(Number);
    return number;
  }
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace pliant::viewer::testing
