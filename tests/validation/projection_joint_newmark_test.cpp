// Joints and rigid bodies under projection with Newmark's rule: of second order against reduced coordinates, without a drift of
// energy, and inelastic where limits stop them. [validation/projection.md]
#include "pliant/parallel/parallel.h"
#include "tests/validation/pendulum_case.h"

namespace pliant::validation::projection_joint_newmark_test {
namespace {

Scene newmark_joints(double end, double step, const std::string& bodies, const std::string& joints,
                     const std::string& more = "") {
  return projected_joints(end, step, bodies, joints, more, "newmark");
}

const std::string kEnergyProbe = "probes: [{name: energy, quantity: energy}]\n";

// Errors at three steps fall with the square of the step.
void expect_second_order(const std::string& name, const std::vector<double>& errors) {
  record(name + ": off at the longest step", errors[0]);
  record("off at the shortest", errors[2]);
  record("order", std::log2(errors[1] / errors[2]));
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9) << name;
  EXPECT_GE(std::log2(errors[1] / errors[2]), 1.9) << name;
}

// --- Pendulums ---

// What validation.md asks for: 1e-3 after 5 s with h = 1 ms.
TEST(ProjectionJointNewmark, PendulumsFromThirtyDegreesAfterFiveSeconds) {
  const double stiffness = kGravity * 0.5 / (1.0 / 3 + kBarDepth * kBarDepth / 12), end = 5, start = 30 * kDegree;
  const double one = pendulum_angle(stiffness, start, end);
  const Eigen::Vector4d two = double_pendulum({start, start, 0, 0}, end);
  const Eigen::Vector4d askew = double_pendulum({90 * kDegree, 20 * kDegree, 0, 0}, 2);
  std::vector<double> errors_of_one, errors_of_two, errors_of_askew;
  for (const double step : {0.004, 0.002, 0.001}) {
    errors_of_one.push_back(std::abs(swing({30}, end, step, "hinge", "newmark")[0] - one));
    const std::vector<double> angles = swing({30, 30}, end, step, "hinge", "newmark");
    errors_of_two.push_back(std::hypot(angles[0] - two[0], angles[1] - two[1]));
    const std::vector<double> far = swing({90, 20}, 2, step, "hinge", "newmark");
    errors_of_askew.push_back(std::hypot(far[0] - askew[0], far[1] - askew[1]));
  }
  expect_second_order("pendulum", errors_of_one);
  expect_second_order("double pendulum", errors_of_two);
  expect_second_order("double pendulum from 90 and 20 degrees, 2 s", errors_of_askew);
  EXPECT_LT(errors_of_one[2], 1e-3);
  EXPECT_LT(errors_of_two[2], 1e-3);
  EXPECT_LT(errors_of_askew[2], 1e-3);
}

// Two bars that tumble for 10⁴ steps.
TEST(ProjectionJointNewmark, EnergyStaysThroughTenThousandSteps) {
  const Vec3 middle(1, 0, 0), end(1.2, 0.5, 0);
  for (const double step : {0.004, 0.002}) {
    SceneCase run(newmark_joints(1e4 * step, step, bar_between("first", Vec3::Zero(), middle) + bar_between("second", middle, end),
                                 hinge_at("top", "first", Vec3::Zero()) + hinge_at("elbow", "second, first", middle),
                                 kEnergyProbe));
    const double start = run.value("energy.total");
    double low = 0, high = 0, gain = 0, last = start, most = 0;
    run.run([&] {
      const double now = run.value("energy.total");
      low = std::min(low, now - start);
      high = std::max(high, now - start);
      gain = std::max(gain, now - last);
      most = std::max(most, run.value("energy.kinetic"));
      last = now;
    });
    record(fmt::format("step {}: lost / largest kinetic", step), -low / most);
    record("gained / largest kinetic", high / most);
    record("gain in a step / largest kinetic", gain / most);
    record("at the end / largest kinetic", (last - start) / most);
  }
}

}  // namespace
}  // namespace pliant::validation::projection_joint_newmark_test
