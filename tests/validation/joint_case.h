// Bars on joints in a few lines: scenes, how well joints hold, and the motion of reduced coordinates.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/constraint/joint_rows.h"
#include "pliant/dynamics/joint_motion.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation {

inline constexpr double kDegree = std::numbers::pi / 180;
inline constexpr double kBarDepth = 0.04, kBarMass = 500 * kBarDepth * 0.06;  // m, kg per metre

// A bar of wood that lies along x around the origin unless it is turned.
inline std::string bar(const std::string& name, double length, const Vec3& centre, double degrees,
                       const std::string& more = "") {
  return fmt::format(
      "  - {{name: {}, kind: rigid, mesh: {{box: {{size: [{}, 0.04, 0.06], cells: [1, 1, 1]}}}}, material: wood, "
      "position: [{:.17g}, {:.17g}, {:.17g}], rotation: {{axis: [0, 0, 1], degrees: {:.17g}}}{}}}\n",
      name, length, centre.x(), centre.y(), centre.z(), degrees, more);
}

inline std::string bar_between(const std::string& name, const Vec3& from, const Vec3& to) {
  return bar(name, (to - from).norm(), 0.5 * (from + to), std::atan2(to.y() - from.y(), to.x() - from.x()) / kDegree);
}

// About z.
inline std::string hinge_at(const std::string& name, const std::string& bodies, const Vec3& at,
                            const std::string& more = "") {
  return fmt::format("  - {{name: {}, type: hinge, bodies: [{}], at: [{:.17g}, {:.17g}, 0], axis: [0, 0, 1]{}}}\n",
                     name, bodies, at.x(), at.y(), more);
}

struct JointRun {
  double end = 1, step = 0.005;  // s
  std::string solver;            // what follows the key solver
  std::string integrator = "backward_euler";
};

inline Scene joint_scene(const JointRun& run, const std::string& bodies, const std::string& joints,
                         const std::string& more = "") {
  return parse_scene(
      fmt::format(
          "pliant: 1\ntime: {{end: {}, step: {}, integrator: {}}}\nmaterials:\n  wood: {{density: 500}}\nsolver: "
          "{}\ncontact: {{method: none}}\nbodies:\n{}joints:\n{}{}",
          run.end, run.step, run.integrator, run.solver, bodies, joints, more),
      "joint_test.yaml");
}

inline double coordinate(SceneCase& run, int joint) { return run.simulation().state().joints.coordinates[joint]; }

inline constraint::JointRows joint_rows(SceneCase& run, const constraint::Joint& joint) {
  const State& state = run.simulation().state();
  constraint::JointRows rows;
  evaluate(joint, joint_poses(run.simulation().model(), joint, state.positions, state.time), {}, rows);
  return rows;
}

// m, of the anchors.
inline double largest_gap(SceneCase& run) {
  double largest = 0;
  for (const constraint::Joint& joint : run.simulation().model().joints)
    largest = std::max(largest, anchor_gap(joint_rows(run, joint)));
  return largest;
}

// A rigid weight hangs from a soft block that hangs from the world: each joint bears what is below it.
inline void expect_soft_body_bears_rigid_one(const JointRun& settings, const std::string& model, int cells,
                                             double widest_gap) {
  SceneCase run(joint_scene(
      settings,
      fmt::format("  - {{name: block, mesh: {{box: {{size: [0.2, 0.2, 0.2], cells: [{0}, {0}, {0}]}}}}, material: "
                  "{{model: {1}, density: 500, young: 2.0e5, poisson: 0.3, damping: "
                  "{{stiffness_proportional: 0.02}}}}}}\n",
                  cells, model) +
          bar("weight", 0.4, Vec3(0.03, -0.12, 0.02), 0),
      "  - {name: top, type: ball, bodies: [block], at: [0, 0.1, 0]}\n"
      "  - {name: hook, type: ball, bodies: [weight, block], at: [0.03, -0.1, 0.02]}\n",
      "drag: 3\n"));
  run.run();
  const double weight = 0.4 * kBarMass * kGravity, block = 500 * 0.008 * kGravity;
  const JointMemory& joints = run.simulation().state().joints;
  record("hook / weight", joints.forces[1] / weight);
  record("top / weight", joints.forces[0] / (weight + block));
  EXPECT_NEAR(joints.forces[1], weight, 0.01 * weight);
  EXPECT_NEAR(joints.forces[0], weight + block, 0.01 * (weight + block));
  EXPECT_LT(largest_gap(run), widest_gap);
}

// θ'' = −k sin θ by the classical Runge-Kutta scheme.
inline double pendulum_angle(double stiffness, double start, double end) {
  const int steps = 20000;
  const double h = end / steps;
  double angle = start, rate = 0;
  const auto bend = [&](double a) { return -stiffness * std::sin(a); };
  for (int i = 0; i < steps; ++i) {
    const double a1 = rate, b1 = bend(angle), a2 = rate + h / 2 * b1, b2 = bend(angle + h / 2 * a1);
    const double a3 = rate + h / 2 * b2, b3 = bend(angle + h / 2 * a2), a4 = rate + h * b3, b4 = bend(angle + h * a3);
    angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  return angle;
}

// Where the circles around a and b of radii r and s meet, left of the way from a to b.
inline Vec3 meeting_point(const Vec3& a, double r, const Vec3& b, double s) {
  const Vec3 way = b - a;
  const double d = way.norm(), along = (r * r - s * s + d * d) / (2 * d);
  const Vec3 across = Vec3(-way.y(), way.x(), 0) / d;
  return a + along / d * way + std::sqrt(r * r - along * along) * across;
}

}  // namespace pliant::validation
