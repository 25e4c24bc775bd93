// Waves along a bar with ν = 0, clamped at one end, every other point starting with the same velocity. [validation.md
// 2: 1 %]
//   a front runs with c = √(E/ρ): the free end turns round at L/c, 3L/c, 5L/c, …
//   first eigenfrequency c/(4L), mode sin(πx/(2L))
#include <cmath>
#include <numbers>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::wave_test {
namespace {

constexpr double kLength = 1, kSpeed = 100;  // m, m/s: √(E/ρ) of the scene

TEST(Wave, SpeedAndFirstFrequencyOfABar) {
  // Cells and steps are refined together: either alone leaves the other's dispersion.
  const std::vector<std::string> fine{"bodies.bar.mesh.box.cells=[60, 2, 2]", "time.step=5.0e-5"};
  SceneCase bar("bar_wave.yaml", is_fine() ? fine : std::vector<std::string>{});
  const double h = bar.scene().time.step;
  std::vector<double> amplitude{0};
  std::vector<double> turns;  // s, when the velocity of the free end changes its sign
  double last_velocity = bar.value("tip_velocity.x");
  ASSERT_NO_FATAL_FAILURE(bar.run([&] {
    amplitude.push_back(
        modal_amplitude(bar, 0, [](const Vec3& x) { return std::sin(0.5 * std::numbers::pi * x[0] / kLength); }));
    const double velocity = bar.value("tip_velocity.x"), time = bar.simulation().state().time;
    if (velocity * last_velocity < 0) turns.push_back(time - h * velocity / (velocity - last_velocity));
    last_velocity = velocity;
  }));

  const double frequency = frequency_of(amplitude, h), expected = kSpeed / (4 * kLength);
  record("frequency_ratio", frequency / expected);
  EXPECT_NEAR(frequency, expected, 0.01 * expected);

  // From one turn of the end to the next the front runs to the clamp and back.
  ASSERT_GE(turns.size(), 5U);
  const double speed = 8 * kLength / (turns[4] - turns[0]);
  record("speed_ratio", speed / kSpeed);
  EXPECT_NEAR(speed, kSpeed, 0.01 * kSpeed);
}

}  // namespace
}  // namespace pliant::validation::wave_test
