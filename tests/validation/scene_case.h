// Runs a scene of tests/validation/scenes in this process, and reads its probes by the names they have in probes.csv.
//
//   SceneCase bar("cantilever.yaml", {"bodies.bar.mesh.box.cells=[80, 8, 8]"});
//   bar.run();
//   EXPECT_NEAR(bar.value("tip.y"), -0.1, 0.002);
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/probe_set.h"
#include "pliant/scene/reader.h"
#include "tests/support/places.h"

namespace pliant::validation {

inline constexpr double kGravity = 9.81;  // m/s²

// PLIANT_FINE asks for the finest meshes, which take minutes.
inline bool is_fine() { return std::getenv("PLIANT_FINE") != nullptr; }

Scene read_case(const std::string& file, const std::vector<std::string>& overrides = {});

// A measured figure: printed, and kept in the test's report.
void record(const std::string& name, double value);

class SceneCase {
 public:
  // change: what the test does to the state before the first step.
  explicit SceneCase(Scene scene, const std::function<void(const Model&, State&)>& change = {});
  SceneCase(const std::string& file, const std::vector<std::string>& overrides);
  ~SceneCase();

  // All steps to the end. Each must converge, without retries. on_step is called after every one.
  void run(const std::function<void()>& on_step = [] {});

  // A column of probes.csv, now.
  [[nodiscard]] double value(const std::string& column);
  // Where a vertex of a body is [m].
  [[nodiscard]] Vec3 position(int body, int vertex) const;

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] Simulation& simulation() { return simulation_; }
  [[nodiscard]] const ModelBody& body(int index) const { return simulation_.model().bodies[index]; }

 private:
  Scene scene_;
  Simulation simulation_;
  scene::ProbeSet probes_;
};

}  // namespace pliant::validation
