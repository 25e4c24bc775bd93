// Joints and rigid bodies under projection with Newmark's rule: of second order against reduced coordinates, without a drift of
// energy, and inelastic where limits stop them. [validation/projection.md]
#include <Eigen/Eigenvalues>

#include "pliant/math/rotation.h"
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


// --- Bodies that turn in space ---

// A rigid body about a fixed point or its centre, principal moments I:  L' = τ(t, R),  R' = [R I⁻¹ Rᵀ L]× R
struct Turning {
  Vec3 inertia;
  std::function<Vec3(double, const Mat3&)> torque;

  void step(double t, double h, Mat3& r, Vec3& l) const {
    // Runge and Kutta's scheme; R by its nine entries, whose error stays far below what is measured.
    const auto rate = [&](double time, const Mat3& at, const Vec3& momentum) {
      const Vec3 omega = at * (at.transpose() * momentum).cwiseQuotient(inertia);
      return std::pair<Mat3, Vec3>(math::skew(omega) * at, torque(time, at));
    };
    const auto [ra, la] = rate(t, r, l);
    const auto [rb, lb] = rate(t + h / 2, r + h / 2 * ra, l + h / 2 * la);
    const auto [rc, lc] = rate(t + h / 2, r + h / 2 * rb, l + h / 2 * lb);
    const auto [rd, ld] = rate(t + h, r + h * rc, l + h * lc);
    r += h / 6 * (ra + 2 * rb + 2 * rc + rd);
    l += h / 6 * (la + 2 * lb + 2 * lc + ld);
  }
  [[nodiscard]] Mat3 at(double end, Vec3 omega) const {
    Mat3 r = Mat3::Identity();
    Vec3 l = inertia.cwiseProduct(omega);
    const int steps = 40000;
    for (int i = 0; i < steps; ++i) step(end * i / steps, end / steps, r, l);
    return r;
  }
};

Mat3 turn_of(SceneCase& run, const std::string& probe) {
  return math::Quaternion(run.value(probe + ".qw"), run.value(probe + ".qx"), run.value(probe + ".qy"),
                          run.value(probe + ".qz"))
      .toRotationMatrix();
}

// A body of three different moments, thrown about a ball joint that is not on an axis of it, in gravity: at 20 rad/s it
// tumbles, at 200 rad/s about its longest axis it is a top.
TEST(ProjectionJointNewmark, HeavyTopsOfThreeMoments) {
  const double mass = 0.5, end = 0.5;
  const Vec3 moments(3.0e-4, 6.0e-4, 4.5e-4), arm(0.01, 0.05, -0.02);  // from the joint to the centre
  const Mat3 about_joint =
      Mat3(moments.asDiagonal()) + mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  // Principal axes about the joint: the columns of P.
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(about_joint);
  Mat3 p = principal.eigenvectors();
  if (p.determinant() < 0) p.col(2) *= -1;
  const Turning theory{principal.eigenvalues(), [&](double, const Mat3& r) {
                         return Vec3((r * (p.transpose() * arm)).cross(Vec3(mass * kGravity * p.transpose() * -Vec3::UnitY())));
                       }};
  for (const Vec3& omega : {Vec3(12, 10, -13), Vec3(5, 200, 3)}) {
    const Mat3 there = p * theory.at(end, p.transpose() * omega) * p.transpose();
    std::vector<double> errors;
    double drift = 0;
    for (const double step : {0.001, 0.0005, 0.00025}) {
      const Vec3 velocity = omega.cross(arm);
      SceneCase top(newmark_joints(
          end, step,
          fmt::format("  - {{name: top, kind: rigid, mesh: {{box: {{size: [0.02, 0.02, 0.02], cells: [1, 1, 1]}}}}, "
                      "material: {{mass: {}, inertia: [{}, {}, {}]}}, position: [{}, {}, {}], velocity: [{:.17g}, "
                      "{:.17g}, {:.17g}], angular_velocity: [{:.17g}, {:.17g}, {:.17g}]}}\n",
                      mass, moments.x(), moments.y(), moments.z(), arm.x(), arm.y(), arm.z(), velocity.x(),
                      velocity.y(), velocity.z(), omega.x() / kDegree, omega.y() / kDegree, omega.z() / kDegree),
          "  - {name: tip, type: ball, bodies: [top], at: [0, 0, 0]}\n",
          "probes: [{name: top, body: top, quantity: pose}, {name: energy, quantity: energy}]\n"));
      const double energy = top.value("energy.total");
      top.run([&] { drift = std::max(drift, std::abs(top.value("energy.total") - energy) / energy); });
      errors.push_back((turn_of(top, "top") - there).norm() * std::sqrt(0.5));
      record(fmt::format("step {}: energy off by", step), drift);
      drift = 0;
    }
    expect_second_order(fmt::format("{} rad/s [rad]", omega.norm()), errors);
  }
}

// Free in space: a torque that grows, and a force at a corner that grows, beside gravity.
TEST(ProjectionJointNewmark, LoadsTurnBodiesToTheSecondOrder) {
  const double mass = 0.5, end = 0.5, ramp = 0.4;
  const Vec3 moments(3.0e-4, 6.0e-4, 4.5e-4), torque(2e-3, -1e-3, 3e-3), force(0.2, 0.1, -0.3), corner(0.01, 0.01, 0.01);
  const Vec3 omega(5, 10, -13);
  const auto grown = [&](double t) { return std::min(t / ramp, 1.0); };
  const Turning theory{moments, [&](double t, const Mat3& r) {
                         return Vec3(grown(t) * (torque + Vec3(r * corner).cross(force)));
                       }};
  const Mat3 there = theory.at(end, omega);
  // ∫∫ of the ramp
  const double way = ramp * ramp / 6 + ramp / 2 * (end - ramp) + (end - ramp) * (end - ramp) / 2;
  const Vec3 place = way / mass * force - kGravity * end * end / 2 * Vec3::UnitY();
  std::vector<double> errors, places;
  for (const double step : {0.005, 0.0025, 0.00125}) {
    SceneCase run(newmark_joints(
        end, step,
        fmt::format("  - {{name: body, kind: rigid, mesh: {{box: {{size: [0.02, 0.02, 0.02], cells: [1, 1, 1]}}}}, "
                    "material: {{mass: {}, inertia: [{}, {}, {}]}}, angular_velocity: [{:.17g}, {:.17g}, {:.17g}]}}\n",
                    mass, moments.x(), moments.y(), moments.z(), omega.x() / kDegree, omega.y() / kDegree,
                    omega.z() / kDegree),
        "  []\n",
        fmt::format("loads:\n  - {{body: body, torque: [{}, {}, {}], ramp: {}}}\n  - {{body: body, where: {{box: {{min: "
                    "[0, 0, 0], max: [1, 1, 1]}}}}, force: [{}, {}, {}], ramp: {}}}\n"
                    "probes: [{{name: body, body: body, quantity: pose}}]\n",
                    torque.x(), torque.y(), torque.z(), ramp, force.x(), force.y(), force.z(), ramp)));
    run.run();
    errors.push_back((turn_of(run, "body") - there).norm() * std::sqrt(0.5));
    places.push_back((Vec3(run.value("body.x"), run.value("body.y"), run.value("body.z")) - place).norm());
  }
  expect_second_order("turn [rad]", errors);
  record("place at the shortest", places[2]);
  EXPECT_LT(places[2], 1e-6);
}

// --- Loops and motors ---

// A motor starts at full speed, from rest: x = r cos θ + √(l² − r² sin² θ), and what moves does not come and go.
TEST(ProjectionJointNewmark, SliderCrankGoesWhereGeometrySays) {
  const double r = 0.2, l = 0.5;
  const Vec3 tip(0, r, 0), pin(std::sqrt(l * l - r * r), 0, 0);
  SceneCase run(newmark_joints(
      1, 0.005, bar_between("crank", Vec3::Zero(), tip) + bar_between("coupler", tip, pin) + bar("piston", 0.1, pin, 0),
      hinge_at("drive", "crank", Vec3::Zero(), ", motor: {speed: 360}") + hinge_at("first", "coupler, crank", tip) +
          hinge_at("second", "piston, coupler", pin) +
          fmt::format("  - {{name: rail, type: slider, bodies: [piston], at: [{:.17g}, 0, 0], axis: [1, 0, 0]}}\n",
                      pin.x()),
      "probes: [{name: piston, body: piston, quantity: pose}, {name: crank, body: crank, quantity: "
      "angular_velocity}]\n"));
  double worst = 0, error = 0, least = 1, speed = 0;
  run.run([&] {
    worst = std::max(worst, largest_error(run, r));
    const double angle = 90 * kDegree + coordinate(run, 0), s = r * std::sin(angle);
    error = std::max(error, std::abs(run.value("piston.x") - (r * std::cos(angle) + std::sqrt(l * l - s * s))));
    least = std::min(least, run.value("piston.x"));
    speed = std::max(speed, std::abs(run.value("crank.z") / (360 * kDegree) - 1));
  });
  record("worst row", worst);
  record("piston error", error);
  record("speed of the crank off by", speed);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(error, 1e-6);
  EXPECT_NEAR(coordinate(run, 0), 360 * kDegree, 1e-4);
  EXPECT_NEAR(least, l - r, 1e-4);
  EXPECT_LT(speed, 1e-5);
}

// The loop of projection_joint_test.cpp swings: closed, without a gain of energy, of second order.
TEST(ProjectionJointNewmark, FourBarLoopStaysClosed) {
  const Vec3 ground(0.5, 0, 0), crank(0, 0.2, 0), tip = meeting_point(crank, 0.5, ground, 0.4);
  std::vector<double> angles;
  for (const double step : {0.005, 0.0025, 0.00125, 0.0003125}) {
    SceneCase run(newmark_joints(
        0.6, step,
        bar_between("crank", Vec3::Zero(), crank) + bar_between("coupler", crank, tip) +
            bar_between("rocker", ground, tip),
        hinge_at("drive", "crank", Vec3::Zero()) + hinge_at("first", "coupler, crank", crank) +
            hinge_at("second", "rocker, coupler", tip) + hinge_at("ground", "rocker", ground),
        kEnergyProbe));
    const double energy = run.value("energy.total");
    double worst = 0, gain = 0, most = 0, last = energy;
    run.run([&] {
      worst = std::max(worst, largest_error(run, 0.2));
      gain = std::max(gain, run.value("energy.total") - last);
      last = run.value("energy.total");
      most = std::max(most, run.value("energy.kinetic"));
    });
    record(fmt::format("step {}: worst row", step), worst);
    record("gain in a step / largest kinetic", gain / most);
    record("lost / largest kinetic", (energy - last) / most);
    EXPECT_LT(worst, 1e-6);
    EXPECT_LT(gain, 1e-9 * most);
    angles.push_back(coordinate(run, 0));
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < 3; ++i) errors.push_back(std::abs(angles[i] - angles[3]) );
  expect_second_order("angle of the crank", errors);
}

// --- Limits ---

// Falls onto a limit: not passed, stays there, and energy does not grow in any step.
void expect_inelastic_limit(const std::string& bodies, const std::string& joint, double end, double limit) {
  SceneCase run(newmark_joints(end, 0.005, bodies, joint, kEnergyProbe));
  double farthest = 0, gain = 0, last = run.value("energy.total"), most = 0;
  run.run([&] {
    farthest = std::max(farthest, std::abs(coordinate(run, 0)));
    gain = std::max(gain, run.value("energy.total") - last);
    last = run.value("energy.total");
    most = std::max(most, run.value("energy.kinetic"));
  });
  record("beyond", farthest - std::abs(limit));
  record("gain in a step / largest kinetic", gain / most);
  record("kinetic at the end / largest", run.value("energy.kinetic") / most);
  EXPECT_LT(farthest, std::abs(limit) * (1 + 1e-6)) << joint;
  EXPECT_NEAR(coordinate(run, 0), limit, 1e-6 * std::abs(limit)) << joint;
  EXPECT_LT(gain, 1e-9 * most) << joint;
  EXPECT_LT(run.value("energy.kinetic"), 1e-9 * most) << joint;
}

TEST(ProjectionJointNewmark, LimitsAreInelastic) {
  const std::string level = bar("bar", 1, Vec3(0.5, 0, 0), 0), low = bar("bar", 0.2, Vec3(0, -0.1, 0), 0);
  expect_inelastic_limit(level, hinge_at("pivot", "bar", Vec3::Zero(), ", limits: {lower: -60}"), 1, -60 * kDegree);
  expect_inelastic_limit(
      low, "  - {name: rail, type: slider, bodies: [bar], at: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -0.3}}\n", 0.6,
      -0.3);
  expect_inelastic_limit(
      low, "  - {name: rope, type: distance, bodies: [bar], at: [0, -0.1, 0], to: [0, 0, 0], limits: {upper: 0.5}}\n",
      0.8, 0.5);
}

// A double pendulum whose elbow strikes its limits again and again.
TEST(ProjectionJointNewmark, StrikingLimitsTakesEnergyOnly) {
  const Vec3 middle(1, 0, 0), end(1.5, 0.3, 0);
  for (const double step : {0.01, 0.005, 0.002}) {
    SceneCase run(newmark_joints(
        5, step, bar_between("first", Vec3::Zero(), middle) + bar_between("second", middle, end),
        hinge_at("top", "first", Vec3::Zero(), ", limits: {lower: -150, upper: 20}") +
            hinge_at("elbow", "second, first", middle, ", limits: {lower: -40, upper: 30}"),
        kEnergyProbe));
    const double start = run.value("energy.total");
    double gain = 0, last = start, most = 0;
    run.run([&] {
      gain = std::max(gain, run.value("energy.total") - last);
      last = run.value("energy.total");
      most = std::max(most, run.value("energy.kinetic"));
    });
    record(fmt::format("step {}: gain in a step / largest kinetic", step), gain / most);
    record("lost / largest kinetic", (start - last) / most);
    EXPECT_LT(gain, 1e-9 * most);
    EXPECT_GT(start - last, 0.01 * most);
  }
}
}  // namespace
}  // namespace pliant::validation::projection_joint_newmark_test
