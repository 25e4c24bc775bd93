// Joints against theory, under newton: pendulums in their reduced coordinate, linkages that close, the law of a universal joint,
// limits, motors, breaking, and deformable bodies that hang from rigid ones. [joints.md]
#include "tests/validation/joint_case.h"

namespace pliant::validation::joint_test {
namespace {

Scene make_scene(double end, double step, const std::string& bodies, const std::string& joints,
                 const std::string& more = "") {
  return joint_scene({end, step, "{tolerance: 1.0e-6}"}, bodies, joints, more);
}

// A bar of 1 m on a hinge at its end, let go at an angle from the vertical; its angle after a time.
double swing(double degrees, double end, double step, const std::string& type) {
  const double s = std::sin(degrees * kDegree), c = std::cos(degrees * kDegree);
  SceneCase run(make_scene(end, step, bar("bar", 1, Vec3(0.5 * s, -0.5 * c, 0), degrees - 90),
                           "  - {name: pivot, type: " + type + ", bodies: [bar], at: [0, 0, 0]" +
                               (type == "hinge" ? ", axis: [0, 0, 1]" : "") + "}\n"));
  run.run();
  EXPECT_LT(largest_gap(run), 1e-6);
  const Vec3 centre = run.simulation().state().positions[run.simulation().model().rigids[0].frame.centre];
  EXPECT_NEAR(centre.z(), 0, 1e-7);
  return std::atan2(centre.x(), -centre.y());
}

// Backward Euler loses energy, so what counts is that the error falls with the step.
TEST(Joints, PendulumConvergesToItsReducedCoordinate) {
  // About the end of the bar: m g L/2 over m (L²/3 + w²/12), w the bar's depth.
  const double stiffness = kGravity * 0.5 / (1.0 / 3 + 0.04 * 0.04 / 12);
  for (const std::string type : {"hinge", "ball"}) {
    for (const double degrees : {5.0, 120.0}) {
      const double end = 0.8, theory = pendulum_angle(stiffness, degrees * kDegree, end);
      std::vector<double> errors;
      for (const double step : {0.004, 0.002, 0.001})
        errors.push_back(std::abs(swing(degrees, end, step, type) - theory));
      const double order = std::log2(errors[1] / errors[2]);
      record(fmt::format("{}_{}_error", type, degrees), errors[2]);
      record(fmt::format("{}_{}_order", type, degrees), order);
      EXPECT_GT(order, 0.9);
      EXPECT_LT(errors[2], 0.01 * degrees * kDegree);
    }
  }
}

// A crank of 0.2 m turns a rocker of 0.4 m through a coupler of 0.5 m; their pivots are 0.5 m apart.
TEST(Joints, FourBarLinkageCloses) {
  const Vec3 ground(0.5, 0, 0), crank(0, 0.2, 0), tip = meeting_point(crank, 0.5, ground, 0.4);
  SceneCase run(make_scene(1.2, 0.005,
                           bar_between("crank", Vec3::Zero(), crank) + bar_between("coupler", crank, tip) +
                               bar_between("rocker", ground, tip),
                           hinge_at("drive", "crank", Vec3::Zero(), ", motor: {speed: 360, max_torque: 1}") +
                               hinge_at("first", "coupler, crank", crank) + hinge_at("second", "rocker, coupler", tip) +
                               hinge_at("ground", "rocker", ground)));
  double gap = 0, error = 0;
  const double start = std::atan2(tip.y(), tip.x() - ground.x());
  run.run([&] {
    gap = std::max(gap, largest_gap(run));
    const double turned = 90 * kDegree + coordinate(run, 0);
    const Vec3 pin(0.2 * std::cos(turned), 0.2 * std::sin(turned), 0), end = meeting_point(pin, 0.5, ground, 0.4);
    error = std::max(error, std::abs(coordinate(run, 3) + start - std::atan2(end.y(), end.x() - ground.x())));
  });
  record("gap", gap);
  record("rocker_error", error);
  record("turned", coordinate(run, 0) / kDegree);
  EXPECT_LT(gap, 0.2e-6);  // a millionth of the crank
  EXPECT_LT(error, 1e-5);
  EXPECT_GT(coordinate(run, 0), 2 * std::numbers::pi);  // more than a turn, counted
}

// Two shafts that meet at 30 degrees: tan of the driven one's angle is that of the other over cos 30°, or times it,
// depending on which fork lies in the plane.
TEST(Joints, UniversalJointTurnsUnevenly) {
  const double bend = 30 * kDegree, c = std::cos(bend), s = std::sin(bend);
  const std::string driven = fmt::format("[{:.17g}, {:.17g}, 0]", c, s);
  SceneCase run(make_scene(
      0.9, 0.005, bar("drive", 0.4, Vec3(-0.2, 0, 0), 0) + bar("driven", 0.4, Vec3(0.2 * c, 0.2 * s, 0), 30),
      "  - {name: motor, type: hinge, bodies: [drive], at: [-0.4, 0, 0], axis: [1, 0, 0], motor: {speed: 360}}\n"
      "  - {name: cross, type: universal, bodies: [drive, driven], at: [0, 0, 0], axis: [0, 0, 1], second_axis: " +
          fmt::format("[{:.17g}, {:.17g}, 0]", -s, c) +
          "}\n"
          "  - {name: bearing, type: hinge, bodies: [driven], at: " +
          fmt::format("[{:.17g}, {:.17g}, 0]", 0.4 * c, 0.4 * s) + ", axis: " + driven + "}\n",
      "gravity: [0, 0, 0]\n"));
  double error = 0, gap = 0;
  run.run([&] {
    // The drive's fork z turned by a: (0, −sin a, cos a). The driven one's, turned by b from n = (−s, c, 0) towards z: cos b n +
    // sin b z. They stay perpendicular: −sin a c cos b + cos a sin b = 0.
    const double a = coordinate(run, 0), b = coordinate(run, 2);
    error = std::max(error, std::abs(std::cos(a) * std::sin(b) - std::sin(a) * c * std::cos(b)));
    gap = std::max(gap, largest_gap(run));
  });
  record("error", error);
  EXPECT_LT(error, 1e-5);
  EXPECT_LT(gap, 1e-6);
  EXPECT_NEAR(coordinate(run, 2), 0.9 * 2 * std::numbers::pi, 0.2);
}

// On a rail at an angle a block falls by g sin α: backward Euler gives ½ a t (t + h) exactly.
TEST(Joints, SliderFollowsItsRail) {
  const double slope = 25 * kDegree, end = 0.5, step = 0.01;
  const Vec3 rail(std::cos(slope), -std::sin(slope), 0);
  SceneCase run(make_scene(
      end, step, bar("block", 0.2, Vec3::Zero(), 10),
      fmt::format(
          "  - {{name: rail, type: slider, bodies: [block], at: [0.05, 0.1, 0], axis: [{:.17g}, {:.17g}, 0]}}\n",
          rail.x(), rail.y())));
  run.run();
  const double travel = 0.5 * kGravity * std::sin(slope) * end * (end + step);
  record("travel", coordinate(run, 0));
  EXPECT_NEAR(coordinate(run, 0), travel, 1e-6);
  EXPECT_LT(largest_gap(run), 1e-6);
}

// A bar let go level turns down to its stop at 60 degrees and stays there.
TEST(Joints, LimitsHold) {
  SceneCase run(make_scene(
      1.0, 0.005, bar("bar", 1, Vec3(0.5, 0, 0), 0),
      "  - {name: pivot, type: hinge, bodies: [bar], at: [0, 0, 0], axis: [0, 0, 1], limits: {lower: -60}}\n"));
  double lowest = 0;
  run.run([&] { lowest = std::min(lowest, coordinate(run, 0)); });
  record("beyond", -60 * kDegree - lowest);
  EXPECT_GT(lowest, -60 * kDegree - 1e-5);
  EXPECT_NEAR(coordinate(run, 0), -60 * kDegree, 1e-5);
}

// A ball's cone, and a rope that catches a falling bar.
TEST(Joints, ConesAndRopesHold) {
  SceneCase cone(make_scene(
      1.0, 0.005, bar("bar", 1, Vec3(0.5, 0, 0), 0),
      "  - {name: pivot, type: ball, bodies: [bar], at: [0, 0, 0], axis: [1, 0, 0], limits: {upper: 40}}\n"));
  double widest = 0;
  cone.run([&] { widest = std::max(widest, coordinate(cone, 0)); });
  EXPECT_LT(widest, 40 * kDegree + 1e-5);
  EXPECT_NEAR(coordinate(cone, 0), 40 * kDegree, 1e-5);

  SceneCase rope(make_scene(
      0.8, 0.005, bar("bar", 0.2, Vec3(0, -0.1, 0), 0),
      "  - {name: rope, type: distance, bodies: [bar], at: [0, -0.1, 0], to: [0, 0, 0], limits: {upper: 0.5}}\n"));
  double longest = 0;
  rope.run([&] { longest = std::max(longest, coordinate(rope, 0)); });
  record("rope", longest);
  EXPECT_LT(longest, 0.5 + 1e-5);
  EXPECT_NEAR(coordinate(rope, 0), 0.5, 1e-5);
}

// A motor that can give 2 N m turns a bar without weight at τ/I until it has its speed.
TEST(Joints, MotorGivesAtMostItsTorque) {
  const double mass = 500 * 0.04 * 0.06, inertia = mass * (1 + 0.04 * 0.04) / 12, torque = 0.5, speed = 90 * kDegree;
  const double step = 0.005, ready = speed * inertia / torque;
  SceneCase run(make_scene(0.6, step, bar("bar", 1, Vec3::Zero(), 0),
                           "  - {name: pivot, type: hinge, bodies: [bar], at: [0, 0, 0], axis: [0, 0, 1], motor: "
                           "{speed: 90, max_torque: 0.5}}\n",
                           "gravity: [0, 0, 0]\n"));
  double last = 0;
  run.run([&] {
    const double now = coordinate(run, 0), rate = (now - last) / step, time = run.simulation().state().time;
    last = now;
    if (time < ready - step) {
      EXPECT_NEAR(rate, torque / inertia * time, 1e-3 * speed) << time;
    }
    if (time > ready + 2 * step) {
      EXPECT_NEAR(rate, speed, 2e-3 * speed) << time;
    }
  });
}

// A weight that is pulled ever harder hangs from a joint that breaks at 30 N.
TEST(Joints, BreaksWhenItBearsTooMuch) {
  const double mass = 500 * 0.2 * 0.04 * 0.06;
  SceneCase run(make_scene(1.0, 0.01, bar("bar", 0.2, Vec3::Zero(), 0),
                           "  - {name: hook, type: ball, bodies: [bar], at: [0, 0, 0], breaking_force: 30}\n",
                           "loads:\n  - {body: bar, force: [0, -50, 0], ramp: 1}\n"));
  double broke = 0, held = 0;
  run.run([&] {
    const JointMemory& joints = run.simulation().state().joints;
    if (joints.broken[0] == 0) held = joints.forces[0];
    if (joints.broken[0] != 0 && broke == 0) broke = run.simulation().state().time;
  });
  const double theory = (30 - mass * kGravity) / 50;  // s
  record("broke", broke);
  EXPECT_NEAR(broke, theory, 0.011);
  EXPECT_NEAR(held, 30, 0.6);
  EXPECT_LT(run.simulation().state().positions[0].y(), -0.5);
}

TEST(Joints, SoftBodiesBearRigidOnes) {
  expect_soft_body_bears_rigid_one({3.0, 0.02, "{tolerance: 1.0e-6}"}, "neo_hookean", 3, 1e-6);
}

}  // namespace
}  // namespace pliant::validation::joint_test
