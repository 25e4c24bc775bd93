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
  // Not at a turning point, where an error of the phase does not show.
  const double late = std::abs(swing({30}, 4.7, 0.001, "hinge", "newmark")[0] - pendulum_angle(stiffness, start, 4.7));
  record("pendulum, 4.7 s: off", late);
  EXPECT_LT(late, 1e-3);
}

// Energy over a run, relative to the largest kinetic one; a symplectic rule lets it swing with the square of the step, and come
// back.
struct EnergySwing {
  double low = 0, high = 0, gain = 0;        // against the start; largest gain in a step
  double low_at_first = 0, low_at_last = 0;  // in the first and in the last fifth
  double end = 0;
};
EnergySwing energy_swing(SceneCase& run, double duration) {
  const double start = run.value("energy.total");
  double most = 0, last = start;
  EnergySwing swing;
  run.run([&] {
    const double now = run.value("energy.total"), time = run.simulation().state().time;
    swing.low = std::min(swing.low, now - start);
    swing.high = std::max(swing.high, now - start);
    swing.gain = std::max(swing.gain, now - last);
    if (time < 0.2 * duration) swing.low_at_first = swing.low;
    if (time > 0.8 * duration) swing.low_at_last = std::min(swing.low_at_last, now - start);
    most = std::max(most, run.value("energy.kinetic"));
    last = now;
  });
  swing.end = last - start;
  for (double* value : {&swing.low, &swing.high, &swing.gain, &swing.low_at_first, &swing.low_at_last, &swing.end})
    *value /= most;
  record("energy, lowest / largest kinetic", swing.low);
  record("highest", swing.high);
  record("gain in a step", swing.gain);
  record("lowest in the first fifth", swing.low_at_first);
  record("in the last", swing.low_at_last);
  record("at the end", swing.end);
  return swing;
}

// Two bars that tumble for 10⁴ steps.
TEST(ProjectionJointNewmark, EnergyComesBackThroughTenThousandSteps) {
  const Vec3 middle(1, 0, 0), end(1.2, 0.5, 0);
  std::vector<double> lows;
  for (const double step : {0.004, 0.002}) {
    SceneCase run(newmark_joints(
        1e4 * step, step, bar_between("first", Vec3::Zero(), middle) + bar_between("second", middle, end),
        hinge_at("top", "first", Vec3::Zero()) + hinge_at("elbow", "second, first", middle), kEnergyProbe));
    const EnergySwing swing = energy_swing(run, 1e4 * step);
    EXPECT_LT(swing.high, 1e-6);
    EXPECT_GT(swing.low_at_last, 1.5 * swing.low_at_first);
    lows.push_back(swing.low);
  }
  EXPECT_GT(lows[0], -2e-3);
  EXPECT_GT(lows[0] / lows[1], 3.2);
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

const Vec3 kTopMoments(3.0e-4, 6.0e-4, 4.5e-4), kTopArm(0.01, 0.05, -0.02);  // kg m²; m, from the joint to the centre
constexpr double kTopMass = 0.5;                                             // kg

// Three different moments, on a ball joint that is on no axis of it.
Scene heavy_top(double end, double step, const Vec3& omega) {
  const Vec3 velocity = omega.cross(kTopArm);
  return newmark_joints(
      end, step,
      fmt::format("  - {{name: top, kind: rigid, mesh: {{box: {{size: [0.02, 0.02, 0.02], cells: [1, 1, 1]}}}}, "
                  "material: {{mass: {}, inertia: [{}, {}, {}]}}, position: [{}, {}, {}], velocity: [{:.17g}, "
                  "{:.17g}, {:.17g}], angular_velocity: [{:.17g}, {:.17g}, {:.17g}]}}\n",
                  kTopMass, kTopMoments.x(), kTopMoments.y(), kTopMoments.z(), kTopArm.x(), kTopArm.y(), kTopArm.z(),
                  velocity.x(), velocity.y(), velocity.z(), omega.x() / kDegree, omega.y() / kDegree,
                  omega.z() / kDegree),
      "  - {name: tip, type: ball, bodies: [top], at: [0, 0, 0]}\n",
      "probes: [{name: top, body: top, quantity: pose}, {name: energy, quantity: energy}]\n");
}

// At 20 rad/s it tumbles, at 200 rad/s about its longest axis it is a top.
TEST(ProjectionJointNewmark, HeavyTopsOfThreeMoments) {
  const double end = 0.5;
  const Mat3 about_joint = Mat3(kTopMoments.asDiagonal()) +
                           kTopMass * (kTopArm.squaredNorm() * Mat3::Identity() - kTopArm * kTopArm.transpose());
  // Principal axes about the joint: the columns of P.
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(about_joint);
  Mat3 p = principal.eigenvectors();
  if (p.determinant() < 0) p.col(2) *= -1;
  const Vec3 arm = p.transpose() * kTopArm, weight = kTopMass * kGravity * (p.transpose() * -Vec3::UnitY());
  const Turning theory{principal.eigenvalues(), [&](double, const Mat3& r) { return Vec3((r * arm).cross(weight)); }};
  for (const Vec3& omega : {Vec3(12, 10, -13), Vec3(5, 200, 3)}) {
    const Mat3 there = p * theory.at(end, p.transpose() * omega) * p.transpose();
    std::vector<double> errors;
    for (const double step : {0.001, 0.0005, 0.00025}) {
      SceneCase top(heavy_top(end, step, omega));
      top.run();
      errors.push_back((turn_of(top, "top") - there).norm() * std::sqrt(0.5));
    }
    expect_second_order(fmt::format("{} rad/s [rad]", omega.norm()), errors);
  }
}

TEST(ProjectionJointNewmark, EnergyOfATopComesBackThroughTenThousandSteps) {
  SceneCase top(heavy_top(10, 0.001, {5, 200, 3}));
  const EnergySwing swing = energy_swing(top, 10);
  EXPECT_LT(swing.high, 1e-5);
  EXPECT_GT(swing.low, -2e-3);
  EXPECT_GT(swing.low_at_last, 1.5 * swing.low_at_first);
}

// Free in space: a torque that grows, and a force at a corner that grows, beside gravity.
TEST(ProjectionJointNewmark, LoadsTurnBodiesToTheSecondOrder) {
  const double mass = 0.5, end = 0.5, ramp = 0.4;
  const Vec3 moments(3.0e-4, 6.0e-4, 4.5e-4), torque(2e-3, -1e-3, 3e-3), force(0.2, 0.1, -0.3),
      corner(0.01, 0.01, 0.01);
  const Vec3 omega(5, 10, -13);
  const auto grown = [&](double t) { return std::min(t / ramp, 1.0); };
  const Turning theory{
      moments, [&](double t, const Mat3& r) { return Vec3(grown(t) * (torque + Vec3(r * corner).cross(force))); }};
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
        fmt::format(
            "loads:\n  - {{body: body, torque: [{}, {}, {}], ramp: {}}}\n  - {{body: body, where: {{box: {{min: "
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
  const double r = kCrank, l = kCoupler;
  SceneCase run(slider_crank("newmark"));
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

// The loop of projection_joint_test.cpp swings: closed, of second order.
TEST(ProjectionJointNewmark, FourBarLoopStaysClosed) {
  const Vec3 ground(0.5, 0, 0), crank(0, 0.2, 0), tip = meeting_point(crank, 0.5, ground, 0.4);
  std::vector<double> angles;
  for (const double step : {0.005, 0.0025, 0.00125, 0.0003125}) {
    SceneCase run(newmark_joints(0.6, step,
                                 bar_between("crank", Vec3::Zero(), crank) + bar_between("coupler", crank, tip) +
                                     bar_between("rocker", ground, tip),
                                 hinge_at("drive", "crank", Vec3::Zero()) + hinge_at("first", "coupler, crank", crank) +
                                     hinge_at("second", "rocker, coupler", tip) +
                                     hinge_at("ground", "rocker", ground)));
    double worst = 0;
    run.run([&] { worst = std::max(worst, largest_error(run, 0.2)); });
    record(fmt::format("step {}: worst row", step), worst);
    EXPECT_LT(worst, 1e-6);
    angles.push_back(coordinate(run, 0));
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < 3; ++i) errors.push_back(std::abs(angles[i] - angles[3]));
  expect_second_order("angle of the crank", errors);
}

// --- Limits ---

// Falls onto a limit: not passed, stays there, and nothing comes back of the energy that it fell with.
void expect_inelastic_limit(const std::string& bodies, const std::string& joint, double end, double limit) {
  SceneCase run(newmark_joints(end, 0.005, bodies, joint, kEnergyProbe));
  double farthest = 0, back = 0, least = 0, most = 0;
  run.run([&] {
    const double now = run.value("energy.kinetic"), at = std::abs(coordinate(run, 0));
    farthest = std::max(farthest, at);
    least = at > std::abs(limit) * (1 - 1e-9) ? at : least;
    if (least > 0) back = std::max(back, std::abs(limit) - at);
    most = std::max(most, now);
  });
  record("beyond", farthest - std::abs(limit));
  record("back from it", back);
  record("kinetic at the end / largest", run.value("energy.kinetic") / most);
  EXPECT_LT(farthest, std::abs(limit) * (1 + 1e-6)) << joint;
  EXPECT_NEAR(coordinate(run, 0), limit, 1e-6 * std::abs(limit)) << joint;
  EXPECT_LT(back, 1e-6 * std::abs(limit)) << joint;
  EXPECT_LT(run.value("energy.kinetic"), 1e-9 * most) << joint;
}

TEST(ProjectionJointNewmark, LimitsAreInelastic) {
  const std::string level = bar("bar", 1, Vec3(0.5, 0, 0), 0), low = bar("bar", 0.2, Vec3(0, -0.1, 0), 0);
  expect_inelastic_limit(level, hinge_at("pivot", "bar", Vec3::Zero(), ", limits: {lower: -60}"), 1, -60 * kDegree);
  expect_inelastic_limit(
      low, "  - {name: rail, type: slider, bodies: [bar], at: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -0.3}}\n",
      0.6, -0.3);
  expect_inelastic_limit(
      low, "  - {name: rope, type: distance, bodies: [bar], at: [0, -0.1, 0], to: [0, 0, 0], limits: {upper: 0.5}}\n",
      0.8, 0.5);
}

// A double pendulum whose elbow strikes its limits again and again: what a step gains falls with the step's third power, as where nothing is
// struck, and energy never comes above that of the start.
TEST(ProjectionJointNewmark, StrikingLimitsTakesEnergyOnly) {
  const Vec3 middle(1, 0, 0), end(1.5, 0.3, 0);
  std::vector<double> gains;
  for (const double step : {0.01, 0.005, 0.0025}) {
    SceneCase run(newmark_joints(5, step,
                                 bar_between("first", Vec3::Zero(), middle) + bar_between("second", middle, end),
                                 hinge_at("top", "first", Vec3::Zero(), ", limits: {lower: -150, upper: 20}") +
                                     hinge_at("elbow", "second, first", middle, ", limits: {lower: -40, upper: 30}"),
                                 kEnergyProbe));
    const EnergySwing swing = energy_swing(run, 5);
    EXPECT_LT(swing.high, 1e-6);
    EXPECT_LT(swing.end, -0.5);
    gains.push_back(swing.gain);
  }
  EXPECT_GT(gains[0] / gains[1], 2.5);
  EXPECT_GT(gains[1] / gains[2], 2.5);
  EXPECT_LT(gains[2], 1e-5);
}

// --- Soft joints ---

// θ and θ' by the classical Runge-Kutta scheme, from rest or a rate at θ = 0.
double turned_angle(double rate, double end, const std::function<double(double t, double angle, double rate)>& bend) {
  const int steps = 20000;
  const double h = end / steps;
  double angle = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const double a1 = rate, b1 = bend(t, angle, a1), a2 = rate + h / 2 * b1,
                 b2 = bend(t + h / 2, angle + h / 2 * a1, a2);
    const double a3 = rate + h / 2 * b2, b3 = bend(t + h / 2, angle + h / 2 * a2, a3);
    const double a4 = rate + h * b3, b4 = bend(t + h, angle + h * a3, a4);
    angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  return angle;
}

// A bar that turns about its end against a spring of 3 N m/rad, without gravity. A motor's is linear in θ; what holds axes is linear
// in c = 2 sin(θ/2), and so is its loss in c'.
TEST(ProjectionJointNewmark, SpringsOfJointsAreOfSecondOrder) {
  const double length = 0.4, end = 0.6, mass = kBarMass * length, rate = 1;
  const double square = 3 / (mass * (length * length / 3 + kBarDepth * kBarDepth / 12));
  struct Case {
    std::string joint;
    std::function<double(double, double, double)> bend;
  };
  const auto axes = [square](double loss) {
    return [=](double, double angle, double turning) {
      return -square * (std::sin(angle) + loss * 0.5 * (1 + std::cos(angle)) * turning);
    };
  };
  for (const Case& c : {Case{"type: hinge, axis: [0, 0, 1], motor: {position: 0, stiffness: 3}",
                             [square](double, double angle, double) { return -square * angle; }},
                        Case{"type: fixed, angular_compliance: 0.3333333333333333", axes(0)},
                        Case{"type: fixed, angular_compliance: 0.3333333333333333, damping: 0.01", axes(0.01)}}) {
    const double theory = turned_angle(rate, end, c.bend);
    std::vector<double> errors;
    for (const double step : {0.004, 0.002, 0.001}) {
      SceneCase run(newmark_joints(end, step,
                                   bar("bar", length, Vec3(length / 2, 0, 0), 0,
                                       fmt::format(", velocity: [0, {}, 0], angular_velocity: [0, 0, {:.17g}]",
                                                   rate * length / 2, rate / kDegree)),
                                   "  - {name: joint, bodies: [bar], at: [0, 0, 0], " + c.joint + "}\n",
                                   "gravity: [0, 0, 0]\nprobes: [{name: bar, body: bar, quantity: pose}]\n"));
      run.run();
      errors.push_back(std::abs(std::atan2(run.value("bar.y"), run.value("bar.x")) - theory));
    }
    expect_second_order(c.joint, errors);
    EXPECT_LT(errors[2], 1e-4);
  }
}

// A compliant hinge keeps its energy: kinetic, of weight and ½ k c², through 10⁴ steps.
TEST(ProjectionJointNewmark, CompliantAnchorsKeepEnergy) {
  SceneCase run(newmark_joints(20, 0.002, bar("bar", 1, Vec3(0.5, 0, 0), 0),
                               hinge_at("pivot", "bar", Vec3::Zero(), ", compliance: 1.0e-3"), kEnergyProbe));
  const auto total = [&] {
    const double gap = largest_gap(run);
    return run.value("energy.total") + 0.5e3 * gap * gap;
  };
  const double start = total();
  double low = 0, high = 0, most = 0;
  run.run([&] {
    low = std::min(low, total() - start);
    high = std::max(high, total() - start);
    most = std::max(most, run.value("energy.kinetic"));
  });
  record("lost / largest kinetic", -low / most);
  record("gained / largest kinetic", high / most);
  EXPECT_LT(high, 1e-9 * most);
  EXPECT_GT(low, -1e-9 * most);
}

// --- Who else takes part ---

// On a pivot that goes round on a circle with an obstacle, or with a body held by a moving pin. θ from the vertical, the pivot at
// p = −r (cos ωt, sin ωt):   I θ'' = −m L/2 ((g + p_y'') sin θ + p_x'' cos θ)
TEST(ProjectionJointNewmark, PivotsMayMove) {
  const double length = 1, radius = 0.1, turning = 3, end = 1;
  const double stiffness = length / 2 / (length * length / 3 + kBarDepth * kBarDepth / 12);
  const double theory = turned_angle(0, end, [&](double t, double angle, double) {
    const double push = radius * turning * turning, phase = turning * t;
    return -stiffness *
           ((kGravity + push * std::sin(phase)) * std::sin(angle) + push * std::cos(phase) * std::cos(angle));
  });
  const std::string motion = fmt::format(
      "motion: {{rotate: {{axis: [0, 0, 1], center: [0, 0, 0], degrees_per_second: {:.17g}}}}}", turning / kDegree);
  const std::string box = "mesh: {box: {size: [0.02, 0.02, 0.02], cells: [1, 1, 1]}}, position: [-0.1, 0, 0]";
  const std::string swung = bar("bar", length, Vec3(-radius, -length / 2, 0), 90,
                                fmt::format(", velocity: [0, {:.17g}, 0]", -radius * turning));
  struct Case {
    std::string name, hub, pins;
  };
  for (const Case& c : {Case{"obstacle", "  - {name: hub, kind: obstacle, " + box + ", " + motion + "}\n", ""},
                        Case{"pinned body", "  - {name: hub, kind: rigid, material: wood, " + box + "}\n",
                             "pins: [{body: hub, " + motion + "}]\n"}}) {
    std::vector<double> errors;
    for (const double step : {0.004, 0.002, 0.001}) {
      SceneCase run(newmark_joints(end, step, swung + c.hub, hinge_at("pivot", "bar, hub", Vec3(-radius, 0, 0)),
                                   c.pins + "probes: [{name: bar, body: bar, quantity: pose}]\n"));
      run.run();
      const Vec3 pivot = -radius * Vec3(std::cos(turning * end), std::sin(turning * end), 0);
      const double angle = std::atan2(run.value("bar.x") - pivot.x(), pivot.y() - run.value("bar.y"));
      errors.push_back(std::abs(angle - theory));
    }
    expect_second_order(c.name, errors);
  }
}

// A box on a soft pin that a torque turns: the angle at rest is that of newton, by all iterations, and it swings about it to the second order
// without losing energy.
double pinned_turn(double end, double step, const std::string& integrator, const std::string& solver, double drag) {
  SceneCase run(joint_scene({end, step, solver, integrator}, bar("box", 0.2, Vec3::Zero(), 0), "  []\n",
                            fmt::format("gravity: [0, 0, 0]\ndrag: {}\npins: [{{body: box, stiffness: 2000}}]\nloads: "
                                        "[{{body: box, torque: [0, 0, 1]}}]\nprobes: [{{name: box, body: box, "
                                        "quantity: pose}}]\n",
                                        drag)));
  run.run();
  return 2 * std::atan2(run.value("box.qz"), run.value("box.qw"));
}

TEST(ProjectionJointNewmark, SoftPinsHoldTurning) {
  const std::string exact =
      "{method: projection, tolerance: 1.0e-9, max_iterations: 100000, projection: {iterations: null}}";
  const double theory = pinned_turn(1, 0.005, "backward_euler", "{method: newton}", 30);
  record("turned at rest [rad]", theory);
  EXPECT_GT(std::abs(theory), 0.01);
  for (const std::string integrator : {"backward_euler", "newmark"}) {
    for (const std::string iteration : {"gauss_seidel", "conjugate_residual", "accelerated_jacobi"}) {
      const double turned =
          pinned_turn(1, 0.005, integrator,
                      "{method: projection, projection: {iterations: 100, iteration: " + iteration + "}}", 30);
      record(integrator + ", " + iteration + ": off / turned", turned / theory - 1);
      // The others gather directions of all their iterations.
      EXPECT_NEAR(turned, theory, (iteration == "gauss_seidel" ? 1e-4 : 5e-3) * std::abs(theory));
    }
  }
  const double fine = pinned_turn(0.3, 0.0000625, "newmark", exact, 0);
  std::vector<double> errors;
  for (const double step : {0.002, 0.001, 0.0005})
    errors.push_back(std::abs(pinned_turn(0.3, step, "newmark", exact, 0) - fine));
  expect_second_order("turn of a box on a soft pin", errors);
}

// Every iteration and precision comes to the same motion: a double pendulum with a stop, a soft block that carries a weight.
TEST(ProjectionJointNewmark, AllIterationsComeToTheSame) {
  const Vec3 middle(1, 0, 0), end(1.5, 0.3, 0);
  const std::string bodies = bar_between("first", Vec3::Zero(), middle) + bar_between("second", middle, end);
  const std::string joints =
      hinge_at("top", "first", Vec3::Zero()) + hinge_at("elbow", "second, first", middle, ", limits: {lower: -40}");
  std::vector<double> angles;
  for (const std::string iteration : {"gauss_seidel", "sor", "conjugate_residual", "minres", "jacobi",
                                      "improved_jacobi", "accelerated_jacobi", "gauss_seidel, precision: float"}) {
    SceneCase run(joint_scene(
        {1, 0.004, "{method: projection, projection: {iterations: 300, iteration: " + iteration + "}}", "newmark"},
        bodies, joints, kEnergyProbe));
    run.run();
    angles.push_back(coordinate(run, 0));
    record(iteration + ": off", angles.back() - angles[0]);
    EXPECT_NEAR(angles.back(), angles[0], 2e-3) << iteration;
  }
}

// A soft block hangs from the world and carries a rigid weight that swings below it.
Scene block_and_weight(double end, double step, const std::string& iterations) {
  return joint_scene(
      {end, step, "{method: projection, tolerance: 1.0e-8, projection: {iterations: " + iterations + "}}", "newmark"},
      "  - {name: block, mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: {model: corotated, density: "
      "500, young: 2.0e5, poisson: 0.3}}\n" +
          bar("weight", 0.4, Vec3(0.2, -0.1, 0), 0),
      "  - {name: top, type: ball, bodies: [block], at: [0, 0.1, 0]}\n"
      "  - {name: side, type: ball, bodies: [block], at: [0.1, 0.1, 0.1]}\n"
      "  - {name: hook, type: ball, bodies: [weight, block], at: [0, -0.1, 0]}\n",
      "probes: [{name: weight, body: weight, quantity: pose}, {name: energy, quantity: energy}]\n");
}

TEST(ProjectionJointNewmark, SoftBodiesCarryRigidOnes) {
  std::vector<Vec3> places;
  for (const double step : {0.001, 0.0005, 0.00025, 0.0000625}) {
    SceneCase run(block_and_weight(0.2, step, "null"));
    const double start = run.value("energy.total");
    run.run();
    record(fmt::format("step {}: energy at the end / start", step), run.value("energy.total") / start);
    places.emplace_back(run.value("weight.x"), run.value("weight.y"), run.value("weight.z"));
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < 3; ++i) errors.push_back((places[i] - places[3]).norm());
  expect_second_order("place of the weight [m]", errors);
}

TEST(ProjectionJointNewmark, ThreadsDoNotMatter) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    SceneCase run(block_and_weight(0.1, 0.002, "30"));
    run.run();
    hashes.push_back(hash(run.simulation().state()));
  }
  set_thread_count(0);
  for (const std::uint64_t one : hashes) EXPECT_EQ(one, hashes[0]);
}

TEST(ProjectionJointNewmark, AResumedRunHasTheSameBits) {
  SceneCase whole(block_and_weight(0.1, 0.002, "30"));
  State half;
  whole.run([&] {
    if (whole.simulation().state().step_count == 25) half = whole.simulation().state();
  });
  SceneCase rest(block_and_weight(0.1, 0.002, "30"));
  rest.simulation().restore(half);
  for (int i = 26; i <= 50; ++i) (void)rest.simulation().advance(0.002, i * 0.002, [] {});
  EXPECT_EQ(hash(rest.simulation().state()), hash(whole.simulation().state()));
}

TEST(ProjectionJointNewmark, BreakWhenTheyBearTooMuch) {
  SceneCase run(newmark_joints(1.0, 0.01, bar("bar", 0.2, Vec3::Zero(), 0),
                               "  - {name: hook, type: ball, bodies: [bar], at: [0, 0, 0], breaking_force: 30}\n",
                               "loads:\n  - {body: bar, force: [0, -50, 0], ramp: 1}\n"));
  double broke = 0;
  run.run([&] {
    const State& state = run.simulation().state();
    const double pull = 0.2 * kBarMass * kGravity + 50 * state.time;
    if (state.joints.broken[0] == 0) {
      EXPECT_NEAR(state.joints.forces[0], pull, 50 * 0.011);
    }
    if (state.joints.broken[0] != 0 && broke == 0) broke = state.time;
  });
  const double theory = (30 - 0.2 * kBarMass * kGravity) / 50;  // s
  record("broke - theory", broke - theory);
  EXPECT_NEAR(broke, theory, 0.021);
}

}  // namespace
}  // namespace pliant::validation::projection_joint_newmark_test
