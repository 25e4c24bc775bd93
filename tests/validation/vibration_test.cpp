// First bending mode of a cantilever. [validation.md 2: 2 %]
//   f = 1.8751² √(E I/(ρ A L⁴))/(2π), I/A = H²/12
//   mode   cosh κx − cos κx − σ (sinh κx − sin κx), κL = 1.8751, σ = 0.7341
// Linear tets are too stiff in bending (the higher frequency below), shear that the formula leaves out lowers it by 0.5
// %.
#include <cmath>
#include <numbers>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::vibration_test {
namespace {

constexpr double kLength = 10, kHeight = 1, kYoung = 1e7, kDensity = 1000;  // as in the scene
constexpr double kRoot = 1.875104068711961;                                 // of cos κL cosh κL = −1

double first_mode(const Vec3& x) {
  const double s = kRoot * x[0] / kLength;
  const double sigma = (std::cosh(kRoot) + std::cos(kRoot)) / (std::sinh(kRoot) + std::sin(kRoot));
  return std::cosh(s) - std::cos(s) - sigma * (std::sinh(s) - std::sin(s));
}

TEST(Vibration, FirstBendingModeOfACantilever) {
  const char* cells = is_fine() ? "bodies.beam.mesh.box.cells=[160, 16, 2]" : "bodies.beam.mesh.box.cells=[80, 8, 2]";
  SceneCase beam("beam_vibration.yaml", {cells});
  std::vector<double> amplitude{0};
  ASSERT_NO_FATAL_FAILURE(beam.run([&] { amplitude.push_back(modal_amplitude(beam, 1, first_mode)); }));
  const double frequency = frequency_of(amplitude, beam.scene().time.step);
  const double expected = kRoot * kRoot *
                          std::sqrt(kYoung * kHeight * kHeight / 12 / (kDensity * std::pow(kLength, 4))) /
                          (2 * std::numbers::pi);
  record("frequency_ratio", frequency / expected);
  EXPECT_NEAR(frequency, expected, 0.02 * expected);
}

}  // namespace
}  // namespace pliant::validation::vibration_test
