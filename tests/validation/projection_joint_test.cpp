// Joints under projection, iterated to its tolerance: they hold to a millionth of their size, leave exactly the freedom they are
// named after, do not pass their limits, and swing as reduced coordinates do. [validation/projection.md]
#include "tests/validation/pendulum_case.h"

namespace pliant::validation::projection_joint_test {
namespace {

// --- Pendulums ---

// Backward Euler is of first order and loses energy.
TEST(ProjectionJoints, PendulumConvergesToItsReducedCoordinate) {
  // About the end of the bar: m g L/2 over m (L²/3 + w²/12), w the bar's depth.
  const double stiffness = kGravity * 0.5 / (1.0 / 3 + kBarDepth * kBarDepth / 12), end = 0.8;
  for (const std::string type : {"hinge", "ball"}) {
    for (const double degrees : {5.0, 120.0}) {
      const double theory = pendulum_angle(stiffness, degrees * kDegree, end);
      std::vector<double> errors;
      for (const double step : {0.004, 0.002, 0.001})
        errors.push_back(std::abs(swing({degrees}, end, step, type)[0] - theory));
      const double order = std::log2(errors[1] / errors[2]);
      record(fmt::format("{}_{}_error", type, degrees), errors[2]);
      record(fmt::format("{}_{}_order", type, degrees), order);
      EXPECT_NEAR(order, 1, 0.1);
      EXPECT_LT(errors[2], 0.01 * degrees * kDegree);
    }
  }
}

TEST(ProjectionJoints, DoublePendulumConvergesToItsReducedCoordinates) {
  const double end = 0.6;
  const Eigen::Vector4d theory = double_pendulum({90 * kDegree, 20 * kDegree, 0, 0}, end);
  std::vector<double> errors;
  for (const double step : {0.004, 0.002, 0.001}) {
    const std::vector<double> angles = swing({90, 20}, end, step, "hinge");
    errors.push_back(std::hypot(angles[0] - theory[0], angles[1] - theory[1]));
  }
  const double order = std::log2(errors[1] / errors[2]);
  record("error", errors[2]);
  record("order", order);
  EXPECT_NEAR(order, 1, 0.1);
  EXPECT_LT(errors[2], 0.03);
}

// What validation.md of newmark and implicit_midpoint would ask for, 1e-3 after 5 s at 1 ms, backward Euler does not give, and
// rigid bodies know no other: it damps like e^(−ω² h t/2). Of the first order, and how far off.
TEST(ProjectionJoints, PendulumsFromThirtyDegreesAfterFiveSeconds) {
  const double stiffness = kGravity * 0.5 / (1.0 / 3 + kBarDepth * kBarDepth / 12), end = 5, start = 30 * kDegree;
  const double one = pendulum_angle(stiffness, start, end);
  const Eigen::Vector4d two = double_pendulum({start, start, 0, 0}, end);
  std::vector<double> errors_of_one, errors_of_two;
  for (const double step : {0.004, 0.002, 0.001}) {
    errors_of_one.push_back(std::abs(swing({30}, end, step, "hinge")[0] - one));
    const std::vector<double> angles = swing({30, 30}, end, step, "hinge");
    errors_of_two.push_back(std::hypot(angles[0] - two[0], angles[1] - two[1]));
  }
  for (const auto& [name, errors] : {std::pair("pendulum", errors_of_one), {"double pendulum", errors_of_two}}) {
    record(fmt::format("{}: off at 4 ms", name), errors[0]);
    record("off at 1 ms", errors[2]);
    record("order", std::log2(errors[1] / errors[2]));
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.1) << name;
  }
}

// --- A top ---

// A heavy symmetric top on a ball joint, its axis 30 degrees from the vertical, in steady precession: m g l/(I₃ ω₃) at high
// spin. ω₃ along the axis, l from the joint to the centre. The start is the slow root of
//   I₁' Ω² cos θ − I₃ ω₃ Ω + m g l = 0,    I₁' = I₁ + m l²
TEST(ProjectionJoints, AHeavyTopPrecesses) {
  const double mass = 0.5, length = 0.05, spin = 300, tilt = 30 * kDegree, end = 0.5;
  const double along = 6.25e-4, across = 3.5e-4, about_joint = across + mass * length * length;
  const double fast_spin = mass * kGravity * length / (along * spin);
  const double a = about_joint * std::cos(tilt), b = along * spin, c = mass * kGravity * length;
  const double rate = (b - std::sqrt(b * b - 4 * a * c)) / (2 * a);
  const Vec3 axis(std::sin(tilt), std::cos(tilt), 0);
  const Vec3 turn = (spin - rate * std::cos(tilt)) * axis + rate * Vec3::UnitY();
  const Vec3 velocity = (rate * Vec3::UnitY()).cross(length * axis);
  for (const double step : {0.001, 0.0005, 0.00025}) {
    SceneCase top(projected_joints(
        end, step,
        fmt::format(
            "  - {{name: top, kind: rigid, mesh: {{cylinder: {{radius: 0.05, height: 0.02}}}}, material: {{mass: {}, "
            "inertia: [{}, {}, {}]}}, position: [{:.17g}, {:.17g}, 0], rotation: {{axis: [0, 0, 1], degrees: "
            "-30}}, velocity: [0, 0, {:.17g}], angular_velocity: [{:.17g}, {:.17g}, 0]}}\n",
            mass, across, along, across, length * axis.x(), length * axis.y(), velocity.z(), turn.x() / kDegree,
            turn.y() / kDegree),
        "  - {name: tip, type: ball, bodies: [top], at: [0, 0, 0]}\n",
        "probes: [{name: top, body: top, quantity: pose}, {name: energy, quantity: energy}]\n"));
    double azimuth = 0, low = tilt, high = tilt, gain = 0, last = top.value("energy.total");
    const double start = last;
    top.run([&] {
      const Vec3 x(top.value("top.x"), top.value("top.y"), top.value("top.z"));
      azimuth = std::atan2(-x.z(), x.x());
      const double now = std::acos(x.y() / x.norm());
      low = std::min(low, now);
      high = std::max(high, now);
      gain = std::max(gain, top.value("energy.total") - last);
      last = top.value("energy.total");
    });
    record(fmt::format("step {}: precession / (m g l / I3 w)", step), azimuth / end / fast_spin);
    record("precession / slow root", azimuth / end / rate);
    record("least tilt [degrees]", low / kDegree);
    record("largest tilt [degrees]", high / kDegree);
    record("gain in a step / energy", gain / start);
    record("energy at the end / start", last / start);
    EXPECT_NEAR(azimuth / end, fast_spin, 0.02 * fast_spin);
    EXPECT_NEAR(azimuth / end, rate, 2e-4 * rate);
    EXPECT_NEAR(low, tilt, 1e-3);
    EXPECT_NEAR(high, tilt, 1e-3);
    EXPECT_LT(gain, 1e-12 * start);
  }
}

// --- Loops ---

TEST(ProjectionJoints, SliderCrankGoesWhereGeometrySays) {
  const double r = kCrank, l = kCoupler;
  SceneCase run(slider_crank("backward_euler"));
  double worst = 0, error = 0, least = 1;
  run.run([&] {
    worst = std::max(worst, largest_error(run, r));
    const double angle = 90 * kDegree + coordinate(run, 0), s = r * std::sin(angle);
    error = std::max(error, std::abs(run.value("piston.x") - (r * std::cos(angle) + std::sqrt(l * l - s * s))));
    least = std::min(least, run.value("piston.x"));
  });
  record("worst_row", worst);
  record("piston_error", error);
  record("turned", coordinate(run, 0) / kDegree);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(error, 1e-6);
  EXPECT_NEAR(coordinate(run, 0), 360 * kDegree, 1e-4);
  EXPECT_NEAR(least, l - r, 1e-4);
}

// Crank, coupler and rocker of 0.2, 0.5 and 0.4 m between pivots 0.5 m apart fall and swing: the loop stays closed, angles are
// those of geometry, and energy does not grow.
TEST(ProjectionJoints, FourBarLoopStaysClosed) {
  const Vec3 ground(0.5, 0, 0), crank(0, 0.2, 0), tip = meeting_point(crank, 0.5, ground, 0.4);
  SceneCase run(projected_joints(0.6, 0.005,
                                 bar_between("crank", Vec3::Zero(), crank) + bar_between("coupler", crank, tip) +
                                     bar_between("rocker", ground, tip),
                                 hinge_at("drive", "crank", Vec3::Zero()) + hinge_at("first", "coupler, crank", crank) +
                                     hinge_at("second", "rocker, coupler", tip) + hinge_at("ground", "rocker", ground),
                                 "probes: [{name: energy, quantity: energy}]\n"));
  const double start = std::atan2(tip.y(), tip.x() - ground.x()), energy = run.value("energy.total");
  double worst = 0, error = 0, turned = 0, gain = 0, last = energy;
  run.run([&] {
    worst = std::max(worst, largest_error(run, 0.2));
    turned = std::max(turned, std::abs(coordinate(run, 0)));
    const double angle = 90 * kDegree + coordinate(run, 0);
    const Vec3 pin(0.2 * std::cos(angle), 0.2 * std::sin(angle), 0), end = meeting_point(pin, 0.5, ground, 0.4);
    error = std::max(error, std::abs(coordinate(run, 3) + start - std::atan2(end.y(), end.x() - ground.x())));
    gain = std::max(gain, run.value("energy.total") - last);
    last = run.value("energy.total");
  });
  record("worst_row", worst);
  record("rocker_error", error);
  record("crank_turned", turned / kDegree);
  record("energy_gain", gain);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(error, 1e-5);
  EXPECT_GT(turned, 90 * kDegree);
  EXPECT_LT(gain, 1e-6);  // J; it starts with about 4 J above its lowest
}

// --- Freedom and limits ---

// How far a thrown bar has come along the way it was thrown, and how far elsewhere [m, rad]. Motions 0 to 2 are slides along x, y
// and z, 3 to 5 turns about them.
struct Way {
  double along = 0, across = 0;
};
Way thrown(const std::string& joint, int motion, double speed, double end) {
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
  (motion < 3 ? velocity : spin)[motion % 3] = motion < 3 ? speed : speed / kDegree;
  SceneCase run(projected_joints(end, 0.005,
                                 bar("bar", 0.2, Vec3::Zero(), 0,
                                     fmt::format(", velocity: [{}, {}, {}], angular_velocity: [{:.17g}, {:.17g}, "
                                                 "{:.17g}]",
                                                 velocity[0], velocity[1], velocity[2], spin[0], spin[1], spin[2])),
                                 "  - {name: joint, bodies: [bar], at: [0, 0, 0], " + joint + "}\n",
                                 "gravity: [0, 0, 0]\nprobes: [{name: pose, body: bar, quantity: pose}]\n"));
  double held = 0;
  run.run([&] { held = std::max(held, largest_error(run, 0.2)); });
  EXPECT_LT(held, 1e-6) << joint << ", motion " << motion;
  // Turns are below half a circle: their vectors are 2 asin |q| along q.
  const Vec3 q(run.value("pose.qx"), run.value("pose.qy"), run.value("pose.qz"));
  const double size = q.norm(), sign = run.value("pose.qw") < 0 ? -1 : 1;
  Eigen::Matrix<double, 6, 1> moved;
  moved << run.value("pose.x"), run.value("pose.y"), run.value("pose.z"),
      (size > 0 ? sign * 2 * std::asin(size) / size : 0) * q;
  Way way{.along = moved[motion]};
  moved[motion] = 0;
  way.across = moved.norm();
  return way;
}

// A bar joined at its centre, thrown along and about each of its axes: what a joint leaves goes on as if it were not there, what
// it takes does not move at all.
TEST(ProjectionJoints, LeaveExactlyTheirFreedom) {
  struct Case {
    std::string joint;
    std::string free;  // x y z slides, X Y Z turns
  };
  const std::vector<Case> cases = {
      {"type: ball", "XYZ"},
      {"type: hinge, axis: [0, 0, 1]", "Z"},
      {"type: slider, axis: [0, 1, 0]", "y"},
      {"type: universal, axis: [0, 0, 1], second_axis: [1, 0, 0]", "XZ"},
      {"type: fixed", ""},
      {"type: distance, to: [0, 1000, 0]", "xzXYZ"},  // so far away that its circle is straight to 1.3e-4 m
  };
  const double speed = 1, end = 0.5;
  for (const Case& c : cases) {
    for (int motion = 0; motion < 6; ++motion) {
      const bool is_free = c.free.find("xyzXYZ"[motion]) != std::string::npos;
      const Way way = thrown(c.joint, motion, speed, end);
      EXPECT_NEAR(way.along, is_free ? speed * end : 0, 1e-6) << c.joint << ", motion " << motion;
      EXPECT_LT(way.across, c.joint.find("distance") == std::string::npos ? 1e-6 : 1.3e-4) << c.joint;
    }
  }
}

// Falls until a limit stops it: never beyond, and there at the end.
void expect_limit(const std::string& bodies, const std::string& joint, double end, double limit) {
  SceneCase run(projected_joints(end, 0.005, bodies, joint));
  double farthest = 0;
  run.run([&] { farthest = std::max(farthest, std::abs(coordinate(run, 0))); });
  record("beyond", farthest - std::abs(limit));
  EXPECT_LT(farthest, std::abs(limit) * (1 + 1e-6)) << joint;
  EXPECT_NEAR(coordinate(run, 0), limit, 1e-6 * std::abs(limit)) << joint;
}

TEST(ProjectionJoints, LimitsAreNotPassed) {
  const std::string level = bar("bar", 1, Vec3(0.5, 0, 0), 0), low = bar("bar", 0.2, Vec3(0, -0.1, 0), 0);
  expect_limit(level, hinge_at("pivot", "bar", Vec3::Zero(), ", limits: {lower: -60}"), 1, -60 * kDegree);
  expect_limit(level,
               "  - {name: pivot, type: ball, bodies: [bar], at: [0, 0, 0], axis: [1, 0, 0], limits: {upper: 40}}\n", 1,
               40 * kDegree);
  expect_limit(low,
               "  - {name: rail, type: slider, bodies: [bar], at: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -0.3}}\n",
               0.6, -0.3);
  expect_limit(
      low, "  - {name: rope, type: distance, bodies: [bar], at: [0, -0.1, 0], to: [0, 0, 0], limits: {upper: 0.5}}\n",
      0.8, 0.5);
}

// --- What they bear ---

// A weight that is pulled ever harder hangs from a joint that breaks at 30 N.
TEST(ProjectionJoints, BreakWhenTheyBearTooMuch) {
  SceneCase run(projected_joints(1.0, 0.01, bar("bar", 0.2, Vec3::Zero(), 0),
                                 "  - {name: hook, type: ball, bodies: [bar], at: [0, 0, 0], breaking_force: 30}\n",
                                 "loads:\n  - {body: bar, force: [0, -50, 0], ramp: 1}\n"));
  double broke = 0;
  run.run([&] {
    const State& state = run.simulation().state();
    const double pull = 0.2 * kBarMass * kGravity + 50 * state.time;
    if (state.joints.broken[0] == 0) {
      EXPECT_NEAR(state.joints.forces[0], pull, 1e-5 * pull);
    } else if (broke == 0) {
      broke = state.time;
    }
  });
  const double theory = (30 - 0.2 * kBarMass * kGravity) / 50;  // s
  record("broke - theory", broke - theory);
  EXPECT_GE(broke, theory);
  EXPECT_LT(broke, theory + 0.011);
}

// Motors that give all they have: energy is at most their work, force times way or torque times turn, in every step.
TEST(ProjectionJoints, MotorsGiveWhatTheyDo) {
  struct Case {
    std::string joint;
    double effort;  // N or N·m
  };
  for (const Case& c : {Case{"type: slider, axis: [0, 1, 0], motor: {speed: 1000, max_force: 8}", 8},
                        Case{"type: hinge, axis: [0, 1, 0], motor: {speed: 1.0e+6, max_torque: 0.02}", 0.02}}) {
    for (const double step : {0.004, 0.002}) {
      SceneCase run(projected_joints(0.5, step, bar("bar", 0.2, Vec3::Zero(), 0),
                                     "  - {name: joint, bodies: [bar], at: [0, 0, 0], " + c.joint + "}\n",
                                     "probes: [{name: energy, quantity: energy}]\n"));
      const double start = run.value("energy.total");
      double above = 0;
      run.run([&] { above = std::max(above, run.value("energy.total") - start - c.effort * coordinate(run, 0)); });
      const double work = c.effort * coordinate(run, 0), gain = run.value("energy.total") - start;
      record(c.joint.substr(0, 12) + fmt::format(", step {}: above the work / work", step), above / work);
      record("gain / work", gain / work);
      EXPECT_LT(above, 1e-6 * work);
      EXPECT_GT(gain, 0.98 * work);
    }
  }
}

// A bar swings on what is pinned as a whole: pins bear the weight of both and what the bar's momentum changes by. Of few
// iterations as of many, since that is what the forces did; by Newmark's rule to the first order, as they are those of the way.
TEST(ProjectionJoints, PinsBearWhatHangsFromThem) {
  const std::string rigid = bar("holder", 0.2, Vec3(0, 0.1, 0), 0);
  const std::string soft =
      "  - {name: holder, mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: {model: corotated, "
      "density: 500, "
      "young: 2.0e5, poisson: 0.3}}\n";
  const double bar_mass = 0.4 * kBarMass;
  struct Case {
    std::string bodies;
    double mass;  // kg, of what is pinned
    std::string solver, integrator;
    double tolerance, step = 0.002;
  };
  const std::string few = "{method: projection, projection: {iterations: 3}}", newton = "{method: newton}";
  const std::string many = "{method: projection, tolerance: 1.0e-9, projection: {iterations: null}}";
  for (const Case& c :
       {Case{rigid, 0.2 * kBarMass, many, "backward_euler", 1e-9},
        Case{rigid, 0.2 * kBarMass, few, "backward_euler", 1e-9},
        Case{rigid, 0.2 * kBarMass, newton, "backward_euler", 1e-5},
        Case{rigid, 0.2 * kBarMass, many, "newmark", 0.02, 0.002},
        Case{rigid, 0.2 * kBarMass, many, "newmark", 0.01, 0.001}, Case{soft, 4, many, "backward_euler", 1e-9},
        Case{soft, 4, few, "backward_euler", 1e-9}, Case{soft, 4, newton, "backward_euler", 1e-5}}) {
    SceneCase run(joint_scene({0.4, c.step, c.solver, c.integrator},
                              c.bodies + bar("swung", 0.4, Vec3(0.2, -0.1, 0), 0),
                              "  - {name: hook, type: ball, bodies: [swung, holder], at: [0, -0.1, 0]}\n",
                              "pins: [{body: holder, where: {all: true}}]\n"
                              "probes: [{name: borne, body: holder, where: {all: true}, quantity: pin_force}]\n"));
    const int centre = run.simulation().model().rigids.back().frame.centre;
    Vec3 before = Vec3::Zero();  // m/s
    double worst = 0;            // N
    run.run([&] {
      const Vec3 now = run.simulation().state().velocities[centre];
      const Vec3 expected = bar_mass / c.step * (now - before) + Vec3(0, (bar_mass + c.mass) * kGravity, 0);
      const Vec3 borne(run.value("borne.x"), run.value("borne.y"), run.value("borne.z"));
      worst = std::max(worst, (borne - expected).norm());
      before = now;
    });
    const std::string name = c.solver == many ? "many" : c.solver == few ? "few" : "newton";
    record(name + ", " + c.integrator + fmt::format(", {} s, {} kg pinned: off / weight of the bar", c.step, c.mass),
           worst / (bar_mass * kGravity));
    EXPECT_LT(worst, c.tolerance * bar_mass * kGravity) << c.bodies << c.solver << c.integrator;
  }
}

TEST(ProjectionJoints, SoftBodiesBearRigidOnes) {
  expect_soft_body_bears_rigid_one({2.0, 0.02, "{method: projection, projection: {iterations: 200}}"}, "corotated", 2,
                                   0.2e-6);
}

}  // namespace
}  // namespace pliant::validation::projection_joint_test
