#include "tests/validation/scene_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace pliant::validation {
namespace {

Simulation start(const Scene& scene, const std::function<void(const Model&, State&)>& change) {
  BuiltScene built = build(scene);
  if (change) change(built.model, built.state);
  return Simulation(std::move(built.model), std::move(built.state), built.options);
}

}  // namespace

Scene read_case(const std::string& file, const std::vector<std::string>& overrides) {
  return read_scene(test::source_folder() / "tests/validation/scenes" / file, overrides);
}

void record(const std::string& name, double value) {
  ::testing::Test::RecordProperty(name, fmt::format("{:.6g}", value));
  fmt::print("  {} = {:.6g}\n", name, value);
}

SceneCase::SceneCase(Scene scene, const std::function<void(const Model&, State&)>& change)
    : scene_(std::move(scene)),
      simulation_(start(scene_, change)),
      probes_(scene_, simulation_.model(), simulation_.state()) {}
SceneCase::SceneCase(const std::string& file, const std::vector<std::string>& overrides)
    : SceneCase(read_case(file, overrides)) {}
SceneCase::~SceneCase() = default;

void SceneCase::run(const std::function<void()>& on_step) {
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

double SceneCase::value(const std::string& column) {
  const std::vector<std::string>& columns = probes_.columns();
  const auto place = std::find(columns.begin(), columns.end(), column);
  if (place == columns.end()) throw std::out_of_range("no probe column " + column);
  return probes_.measure(simulation_)[place - columns.begin()];
}

Vec3 SceneCase::position(int body, int vertex) const {
  return simulation_.state().positions[simulation_.model().bodies[body].block_of_vertex[vertex]];
}

}  // namespace pliant::validation
