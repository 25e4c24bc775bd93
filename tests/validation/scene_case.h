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

// PLIANT_FINE asks for the finest meshes, which take minutes.
inline bool is_fine() { return std::getenv("PLIANT_FINE") != nullptr; }

inline Scene read_case(const std::string& file, const std::vector<std::string>& overrides = {}) {
  return read_scene(test::source_folder() / "tests/validation/scenes" / file, overrides);
}

// A measured figure: printed, and kept in the test's report.
inline void record(const std::string& name, double value) {
  ::testing::Test::RecordProperty(name, fmt::format("{:.6g}", value));
  fmt::print("  {} = {:.6g}\n", name, value);
}

class SceneCase {
 public:
  // change: what the test does to the state before the first step.
  explicit SceneCase(Scene scene, const std::function<void(const Model&, State&)>& change = {})
      : scene_(std::move(scene)),
        simulation_(start(scene_, change)),
        probes_(scene_, simulation_.model(), simulation_.state()) {}
  SceneCase(const std::string& file, const std::vector<std::string>& overrides)
      : SceneCase(read_case(file, overrides)) {}

  // All steps to the end. Each must converge, without retries. on_step is called after every one.
  void run(const std::function<void()>& on_step = [] {}) {
    const double h = scene_.time.step, end = scene_.time.end;
    for (int i = 1; simulation_.state().time < end * (1 - 1e-12); ++i) {
      const double before = simulation_.state().time, after = std::min(i * h, end);
      // To the last bit the step of the scene, but for a shortened last one: a constant matrix belongs to it.
      const AdvanceReport report = simulation_.advance(after == i * h ? h : after - before, after, [] {});
      ASSERT_TRUE(report.reached) << scene_.title << " at " << after << " s, " << report.failed_at;
      EXPECT_EQ(report.retries, 0) << scene_.title << " at " << after << " s";
      for (const StepReport& step : report.steps) {
        EXPECT_TRUE(is_success(step.solve.status))
            << scene_.title << " at " << after << " s: residual " << step.solve.residual;
      }
      on_step();
    }
  }

  // A column of probes.csv, now.
  [[nodiscard]] double value(const std::string& column) {
    const std::vector<std::string>& columns = probes_.columns();
    const auto place = std::find(columns.begin(), columns.end(), column);
    if (place == columns.end()) throw std::out_of_range("no probe column " + column);
    return probes_.measure(simulation_)[place - columns.begin()];
  }
  // Where a vertex of a body is [m].
  [[nodiscard]] Vec3 position(int body, int vertex) const {
    return simulation_.state().positions[simulation_.model().bodies[body].block_of_vertex[vertex]];
  }

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] Simulation& simulation() { return simulation_; }
  [[nodiscard]] const ModelBody& body(int index) const { return simulation_.model().bodies[index]; }

 private:
  static Simulation start(const Scene& scene, const std::function<void(const Model&, State&)>& change) {
    BuiltScene built = build(scene);
    if (change) change(built.model, built.state);
    return Simulation(std::move(built.model), std::move(built.state), built.options);
  }

  Scene scene_;
  Simulation simulation_;
  scene::ProbeSet probes_;
};

}  // namespace pliant::validation
