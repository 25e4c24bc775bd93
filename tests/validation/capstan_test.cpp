// A strip of cloth over half a fixed cylinder, drawn at one end: at slip its tensions are those of the capstan equation
//
//   T₂/T₁ = e^{μ φ}                                                                  [Euler1769]
//
// T₁ tension where the strip is held back [N], T₂ where it is drawn [N], φ = π angle of the wrap, μ friction.
#include <cmath>
#include <fstream>
#include <numbers>

#include "pliant/scene/verification.h"
#include "tests/io/result_scene.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::capstan_test {
namespace {

using std::numbers::pi;

constexpr double kRadius = 0.1, kWidth = 0.03;  // m, of the cylinder and of the strip
constexpr double kTail = 0.12;                  // m, hangs down on either side
constexpr double kStart = 7e-4;                 // m, between strip and cylinder at the start
constexpr double kHeldBack = 2;                 // N, T₁
constexpr double kSpeed = 0.04;                 // m/s, of the end that is drawn
constexpr double kSlipping = 0.49;              // s, from here on all of it slips; until then it stretches

// Where the strip is at an arc length from the middle of its wrap: half a circle with two straight tails.
Vec3 place(double s) {
  const double radius = kRadius + kStart, quarter = 0.5 * pi * radius;
  if (std::abs(s) > quarter) return {std::copysign(radius, s), quarter - std::abs(s), 0};
  return {radius * std::sin(s / radius), radius * std::cos(s / radius), 0};
}

// Rows along the strip, three vertices across.
void write_strip(const std::filesystem::path& path, int rows) {
  std::ofstream file(path);
  const double half = kTail + 0.5 * pi * (kRadius + kStart);
  for (int row = 0; row <= rows; ++row) {
    const Vec3 x = place(half * (2.0 * row / rows - 1));
    for (int side = -1; side <= 1; ++side) file << fmt::format("v {} {} {}\n", x[0], x[1], 0.5 * kWidth * side);
  }
  for (int row = 0; row < rows; ++row) {
    for (int side = 0; side < 2; ++side) {
      const int a = 3 * row + side + 1, b = a + 1, c = a + 3, d = a + 4;
      file << fmt::format("f {} {} {}\nf {} {} {}\n", a, c, b, b, c, d);
    }
  }
}

Scene drawn(const std::string& mesh, double friction) {
  return parse_scene(
      fmt::format(
          "pliant: 1\n"
          "title: A strip over a cylinder\n"
          "time: {{step: 0.01, end: 0.65}}\n"
          "gravity: [0, 0, 0]\n"
          "solver: {{tolerance: 1.0e-4}}\n"
          "materials: {{tape: {{model: st_venant_kirchhoff, young: 1.0e7, poisson: 0, thickness: 5.0e-4, "
          "surface_density: 0.1, bending: {{model: none}}, damping: {{stiffness_proportional: 0.01}}}}}}\n"
          "bodies:\n"
          "  - {{name: strip, kind: cloth, mesh: {{file: {}}}, material: tape, uv: ignore}}\n"
          "  - {{name: cylinder, kind: obstacle, mesh: {{cylinder: {{radius: {}, height: 0.1, segments: 96}}}}, "
          "rotation: {{axis: [1, 0, 0], degrees: 90}}}}\n"
          "pins:\n"
          "  - {{body: strip, where: {{box: {{min: [0, -1, -1], max: [1, {:.6f}, 1]}}}}, motion: {{move: "
          "{{velocity: [0, -{}, 0]}}}}}}\n"
          "loads:\n"
          "  - {{body: strip, where: {{box: {{min: [-1, -1, -1], max: [0, {:.6f}, 1]}}}}, force: [0, {}, 0]}}\n"
          "contact: {{friction: {}, distance: 1.0e-3}}\n"
          "probes:\n"
          "  - {{name: pull, body: strip, quantity: pin_force}}\n"
          "  - {{name: back, body: strip, where: {{box: {{min: [-1, -1, -1], max: [0, {:.6f}, 1]}}}}, "
          "quantity: mean_velocity}}\n",
          mesh, kRadius, -kTail + 1e-3, kSpeed, -kTail + 1e-3, -kHeldBack, friction, -kTail + 1e-3),
      "scene.yaml");
}

class Capstan : public ::testing::TestWithParam<double> {};

TEST_P(Capstan, TensionsAtSlipAreEulers) {
  const double friction = GetParam();
  const io::testing::TemporaryFolder folder;
  write_strip(folder / "strip.obj", 90);
  SceneCase strip(drawn((folder / "strip.obj").string(), friction));
  // Mean over the way of one facet of the cylinder, 6.5 mm: vertices that pass its edges make tensions tremble by 3 %.
  double pull = 0, speed = 0;
  int count = 0;
  strip.run([&] {
    if (strip.simulation().state().time < kSlipping + 1e-9) return;
    pull -= strip.value("pull.y");
    speed += strip.value("back.y");
    ++count;
  });
  const double ratio = pull / count / kHeldBack, theory = std::exp(friction * pi);
  record("T2 / T1", ratio);
  record("over theory", ratio / theory);
  record("speed of the end held back / that of the other", speed / count / kSpeed);
  EXPECT_GT(speed / count, 0.9 * kSpeed);  // it slips as a whole
  EXPECT_NEAR(ratio, theory, 0.05 * theory);
  const Simulation& simulation = strip.simulation();
  EXPECT_TRUE(scene::judge_state(simulation.model(), simulation.state().positions, simulation.state().time).is_clean());
}
INSTANTIATE_TEST_SUITE_P(Contact, Capstan, ::testing::Values(0.2, 0.5),
                         [](const auto& tested) { return fmt::format("mu{:.0f}", 10 * tested.param); });

}  // namespace
}  // namespace pliant::validation::capstan_test
