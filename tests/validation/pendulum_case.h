// Chains of bars on joints that swing, iterated to projection's tolerance, and the same in reduced coordinates.
#pragma once

#include <Eigen/LU>

#include "tests/validation/joint_case.h"

namespace pliant::validation {

inline Scene projected_joints(double end, double step, const std::string& bodies, const std::string& joints,
                              const std::string& more = "", const std::string& integrator = "backward_euler") {
  return joint_scene({end, step,
                      "{method: projection, tolerance: 1.0e-9, max_iterations: 100000, projection: "
                      "{iterations: null}}",
                      integrator},
                     bodies, joints, more);
}

// Largest |c| of what must hold, anchors and axes, over a size [m] and a radian.
inline double largest_error(SceneCase& run, double size) {
  double largest = 0;
  for (const constraint::Joint& joint : run.simulation().model().joints) {
    const constraint::JointRows rows = joint_rows(run, joint);
    for (int r = 0; r < rows.count; ++r) {
      const constraint::JointRow& row = rows.row[r];
      const bool is_length = row.force[0].norm() + row.force[1].norm() > 0;
      if (row.kind == constraint::RowKind::bilateral)
        largest = std::max(largest, std::abs(row.value) / (is_length ? size : 1));
    }
  }
  return largest;
}

// Angles from the vertical of a chain of bars of 1 m and 0.6 m, after a time; joints of a type.
inline std::vector<double> swing(const std::vector<double>& degrees, double end, double step, const std::string& type,
                                 const std::string& integrator = "backward_euler") {
  const double lengths[] = {1, 0.6};
  std::string bodies, joints;
  Vec3 top = Vec3::Zero();
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    const double angle = degrees[i] * kDegree;
    const Vec3 tip = top + lengths[i] * Vec3(std::sin(angle), -std::cos(angle), 0);
    bodies += bar_between(fmt::format("bar{}", i), top, tip);
    joints += fmt::format("  - {{name: j{0}, type: {1}, bodies: [bar{0}{2}], at: [{3:.17g}, {4:.17g}, 0]{5}}}\n", i,
                          type, i > 0 ? fmt::format(", bar{}", i - 1) : "", top.x(), top.y(),
                          type == "hinge" ? ", axis: [0, 0, 1]" : "");
    top = tip;
  }
  SceneCase run(projected_joints(end, step, bodies, joints, "", integrator));
  double error = 0;
  run.run([&] { error = std::max(error, largest_error(run, 0.6)); });
  EXPECT_LT(error, 1e-6) << type << ", step " << step;
  std::vector<double> angles;
  for (const auto& rigid : run.simulation().model().rigids) {
    const Vec3 centre = run.simulation().state().positions[rigid.frame.centre];
    const Vec3 from = angles.empty() ? Vec3(Vec3::Zero()) : top;
    EXPECT_NEAR(centre.z(), 0, 1e-7);
    angles.push_back(std::atan2(centre.x() - from.x(), from.y() - centre.y()));
    top = from + 2 * (centre - from);
  }
  return angles;
}

// Two bars, θ from the vertical, l their lengths, m masses, I about their centres:
//   (m₁ l₁²/4 + I₁ + m₂ l₁²) θ₁'' + ½ m₂ l₁ l₂ (cos δ θ₂'' + sin δ θ₂'²) = −(m₁/2 + m₂) g l₁ sin θ₁,     δ = θ₁ − θ₂
//   (m₂ l₂²/4 + I₂) θ₂'' + ½ m₂ l₁ l₂ (cos δ θ₁'' − sin δ θ₁'²) = −½ m₂ g l₂ sin θ₂
inline Eigen::Vector4d double_pendulum_rates(const Eigen::Vector4d& y) {
  const double l1 = 1, l2 = 0.6, m1 = kBarMass * l1, m2 = kBarMass * l2;
  const auto about_end = [](double m, double l) { return m * (l * l / 3 + kBarDepth * kBarDepth / 12); };
  const double coupling = 0.5 * m2 * l1 * l2, c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
  Eigen::Matrix2d mass;
  mass << about_end(m1, l1) + m2 * l1 * l1, coupling * c, coupling * c, about_end(m2, l2);
  const Eigen::Vector2d load(-coupling * s * y[3] * y[3] - (m1 / 2 + m2) * kGravity * l1 * std::sin(y[0]),
                             coupling * s * y[2] * y[2] - 0.5 * m2 * kGravity * l2 * std::sin(y[1]));
  Eigen::Vector4d rates;
  rates << y[2], y[3], mass.inverse() * load;
  return rates;
}

inline Eigen::Vector4d double_pendulum(Eigen::Vector4d y, double end) {
  const int steps = 20000;
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector4d a = double_pendulum_rates(y), b = double_pendulum_rates(y + h / 2 * a);
    const Eigen::Vector4d c = double_pendulum_rates(y + h / 2 * b), d = double_pendulum_rates(y + h * c);
    y += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return y;
}

// A motor turns a crank of 0.2 m, whose coupler of 0.5 m pushes a piston on a rail: x = r cos θ + √(l² − r² sin² θ).
inline constexpr double kCrank = 0.2, kCoupler = 0.5;  // m

inline Scene slider_crank(const std::string& integrator) {
  const Vec3 tip(0, kCrank, 0), pin(std::sqrt(kCoupler * kCoupler - kCrank * kCrank), 0, 0);
  return projected_joints(
      1, 0.005, bar_between("crank", Vec3::Zero(), tip) + bar_between("coupler", tip, pin) + bar("piston", 0.1, pin, 0),
      hinge_at("drive", "crank", Vec3::Zero(), ", motor: {speed: 360}") + hinge_at("first", "coupler, crank", tip) +
          hinge_at("second", "piston, coupler", pin) +
          fmt::format("  - {{name: rail, type: slider, bodies: [piston], at: [{:.17g}, 0, 0], axis: [1, 0, 0]}}\n",
                      pin.x()),
      "probes: [{name: piston, body: piston, quantity: pose}, {name: crank, body: crank, quantity: "
      "angular_velocity}]\n",
      integrator);
}

}  // namespace pliant::validation
