// A spinning soft block in free flight. [validation.md 2: within 1e-10]
//   its centre of mass follows the integrator's own parabola
//     backward and symplectic Euler   x₀ + v₀ n h + g h² n(n+1)/2      midpoint, Newmark   x₀ + v₀ n h + g (n h)²/2
//     BDF2                            its two-step formula for one point
//   momentum is p₀ + m g t for all; spin is kept by the midpoint rule and by symplectic Euler.
#include <string>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::free_flight_test {
namespace {

constexpr double kTolerance = 1e-10;

// Height gained by BDF2 after n steps that begin with one of backward Euler, in units of g h².
double bdf2_fall(int steps) {
  double x_old = 0, x = 1, v_old = 0, v = 1;
  for (int n = 1; n < steps; ++n) {
    const double v_next = (4 * v - v_old + 2) / 3, x_next = (4 * x - x_old + 2 * v_next) / 3;
    x_old = x, x = x_next, v_old = v, v = v_next;
  }
  return x;
}

double fall(const std::string& integrator, int n) {
  if (integrator == "bdf2") return bdf2_fall(n);
  if (integrator == "implicit_midpoint" || integrator == "newmark") return 0.5 * n * n;
  return 0.5 * n * (n + 1);
}

class FreeFlight : public ::testing::TestWithParam<const char*> {};

TEST_P(FreeFlight, CentreOfMassAndMomentum) {
  const std::string integrator = GetParam();
  for (const char* mass_form : {"lumped", "consistent"}) {
    const bool is_explicit = integrator == "symplectic_euler";
    if (is_explicit && std::string(mass_form) == "consistent") continue;
    SceneCase block("free_flight.yaml",
                    {"time.integrator=" + integrator, std::string("materials.soft.mass=") + mass_form,
                     is_explicit ? "time.step=0.001" : "time.step=0.005"});
    Simulation& simulation = block.simulation();
    const double h = block.scene().time.step, m = mass(simulation);
    const Vec3 x0 = centre_of_mass(simulation), p0 = momentum(simulation), g = block.scene().gravity,
               spin0 = spin(simulation);
    int n = 0;
    double worst_place = 0, worst_momentum = 0, worst_spin = 0;
    ASSERT_NO_FATAL_FAILURE(block.run([&] {
      ++n;
      const Vec3 expected = x0 + n * h / m * p0 + h * h * fall(integrator, n) * g;
      worst_place = std::max(worst_place, (centre_of_mass(simulation) - expected).norm() / expected.norm());
      worst_momentum = std::max(worst_momentum, (momentum(simulation) - p0 - n * h * m * g).norm() / p0.norm());
      worst_spin = std::max(worst_spin, (spin(simulation) - spin0).norm() / spin0.norm());
    }));
    EXPECT_EQ(n, is_explicit ? 500 : 100);
    EXPECT_LT(worst_place, kTolerance) << mass_form;
    EXPECT_LT(worst_momentum, kTolerance) << mass_form;
    record(std::string(mass_form) + "_place_error", worst_place);
    record(std::string(mass_form) + "_momentum_error", worst_momentum);
    record(std::string(mass_form) + "_spin_change", (spin(simulation).norm() - spin0.norm()) / spin0.norm());
    record(std::string(mass_form) + "_spin_error", worst_spin);
    if (integrator == "implicit_midpoint" || is_explicit) {
      EXPECT_LT(worst_spin, kTolerance) << mass_form;
    }
    if (integrator == "backward_euler") {
      EXPECT_LT(spin(simulation).norm(), spin0.norm()) << mass_form;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Integrators, FreeFlight, ::testing::ValuesIn(kMovingIntegrators),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace pliant::validation::free_flight_test
