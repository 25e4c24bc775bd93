// Energy over 10⁴ steps of an undamped oscillation. [validation.md 2]
//   backward Euler                      falls with every step
//   midpoint, Newmark(¼, ½)             bounded, no drift, at h ≤ 1/20 of the shortest period
//   symplectic Euler                    bounded at the same step
// The shortest period is the mesh's own: 2π/ω_max from M⁻¹K at rest, so that whatever is excited is resolved.
// Drift is the change of the mean over a tenth of the run, from the second tenth to the last, relative to the energy.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::energy_drift_test {
namespace {

constexpr int kSteps = 10000;

// Largest ω of K x = ω² M x with held blocks at rest, by power iteration with lumped masses [rad/s].
double highest_frequency(Simulation& simulation) {
  const Model& model = simulation.model();
  const BlockVector& x = simulation.state().positions;
  sparse::SymmetricBlockMatrix stiffness(model.pattern);
  Controls controls;
  controls.filter = BlockFilter(x.size());
  for (const ScriptedPin& pin : model.pins) {
    for (const int block : pin.blocks) controls.filter.hold(block);
  }
  Accumulator out;
  out.hessian = &stiffness;
  for (const auto& energy : model.energies) energy->evaluate({x, x, 0, controls}, out);
  BlockVector mode(x.size()), force(x.size());
  for (int i = 0; i < mode.size(); ++i) mode[i] = Vec3(std::sin(7.0 * i), std::cos(3.0 * i), std::sin(1.0 + i));
  double eigenvalue = 0;
  for (int k = 0; k < 2000; ++k) {
    controls.filter.apply(mode);
    sparse::scale(mode, 1 / std::sqrt(sparse::dot(mode, mode)));
    stiffness.multiply(mode, force);
    for (int i = 0; i < mode.size(); ++i) force[i] /= model.inertia.masses()[i];
    eigenvalue = sparse::dot(mode, force);
    mode = force;
  }
  return std::sqrt(eigenvalue);
}

// After every step. The start is left out: the clamped vertices begin with a velocity that the clamp takes from them at
// once.
std::vector<double> energies_of(SceneCase& block) {
  std::vector<double> energies;
  block.run([&] { energies.push_back(block.value("energy.total")); });
  return energies;
}

double mean_of_tenth(const std::vector<double>& values, int tenth) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(tenth * (values.size() / 10));
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(values.size() / 10), 0.0) /
         static_cast<double>(values.size() / 10);
}

std::vector<std::string> settings(const std::string& integrator) { return {"time.integrator=" + integrator}; }

TEST(EnergyDrift, BackwardEulerDecaysMonotonically) {
  SceneCase block("oscillation.yaml", settings("backward_euler"));
  const std::vector<double> energies = energies_of(block);
  ASSERT_EQ(energies.size(), std::size_t{kSteps});
  for (std::size_t n = 1; n < energies.size(); ++n) ASSERT_LE(energies[n], energies[n - 1] * (1 + 1e-12)) << n;
  record("kept", energies.back() / energies.front());
  EXPECT_LT(energies.back(), 0.9 * energies.front());
}

class BoundedEnergy : public ::testing::TestWithParam<const char*> {};

TEST_P(BoundedEnergy, OverTenThousandSteps) {
  const std::string integrator = GetParam();
  SceneCase block("oscillation.yaml", settings(integrator));
  const double shortest_period = 2 * std::numbers::pi / highest_frequency(block.simulation());
  record("steps_per_shortest_period", shortest_period / block.scene().time.step);
  ASSERT_LE(block.scene().time.step, shortest_period / 20);
  const std::vector<double> energies = energies_of(block);
  ASSERT_EQ(energies.size(), std::size_t{kSteps});
  const double start = energies.front();
  const auto [low, high] = std::minmax_element(energies.begin(), energies.end());
  const double drift = (mean_of_tenth(energies, 9) - mean_of_tenth(energies, 1)) / start;
  record("lowest", *low / start - 1);
  record("highest", *high / start - 1);
  record("drift", drift);
  // Symplectic Euler keeps a neighbouring energy exactly and swings about it with an amplitude of first order in the
  // step.
  const bool is_explicit = integrator == "symplectic_euler";
  const double bound = is_explicit ? 0.05 : 1e-3;
  EXPECT_LT(*high - start, bound * start);
  EXPECT_GT(*low - start, -bound * start);
  EXPECT_LT(std::abs(drift), is_explicit ? 1e-3 : 1e-4);
}
INSTANTIATE_TEST_SUITE_P(EnergyDrift, BoundedEnergy,
                         ::testing::Values("implicit_midpoint", "newmark", "symplectic_euler"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace pliant::validation::energy_drift_test
