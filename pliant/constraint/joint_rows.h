// A joint as scalar constraints: at most eight rows with values and derivatives, for solvers that turn bodies.
//
//   bilateral      c = 0          lower_limit    c ≥ 0, λ ≥ 0          motor    c = 0 as long as |λ| ≤ bound
//   dc = Σ over the sides  force · dx + torque · dφ,     dx how the side's centre moves, R ← exp([dφ]×) R how it turns
//
//   ball, hinge, universal, fixed   x_a − x_b along x, y, z [m], with x = centre + R anchor
//   hinge              v₁·u₀ and v₂·u₀, over cos(α/2):  together 2 sin(α/2) large, α the angle between u₀ and v₀ [rad]
//   slider, fixed      2 sin(α/2) n,  α n the turn from v to u, along v₀, v₁, v₂: the vector part of a quaternion, twice
//   slider             (x_a − x_b)·v₁ and ·v₂ [m]
//   universal          u₀·v₁
//   distance           |x_a − x_b| − length
//   limits             coordinate − lower, upper − coordinate
//   motor              speed: coordinate − (the one before the step + h target);  position: coordinate − target
//
// 2 sin(α/2) instead of α or sin α: it is α for small angles, grows up to a half turn so that a joint never lets go, and
// its square is quadratic in the frames of rigid bodies, so that joint_energy.h is the same physics as these rows.
//
// Rows keep their places as long as the joint is the same, so multipliers of the last step can be taken up again.
#pragma once

#include <array>
#include <limits>

#include "pliant/constraint/joint.h"
#include "pliant/math/types.h"

namespace pliant::constraint {

// Where a side is: x = centre + R anchor. A rigid body's centre is that of mass, a deformable body's is the point itself
// (its anchor is zero), the world's is how far its script has carried it: the origin, when nothing moves it.
struct SidePose {
  Vec3 centre = Vec3::Zero();        // m
  Mat3 rotation = Mat3::Identity();  // R
};

// What a joint knows of the start of the step.
struct JointStart {
  double coordinate = 0;  // rad or m, whole turns included
  double step = 0;        // s, h
};

enum class RowKind : unsigned char { bilateral, lower_limit, motor };

struct JointRow {
  double value = 0;                                        // c: m or rad
  std::array<Vec3, 2> force{Vec3::Zero(), Vec3::Zero()};   // ∂c/∂x of sides a and b
  std::array<Vec3, 2> torque{Vec3::Zero(), Vec3::Zero()};  // ∂c/∂φ about the centres; zero for points
  double compliance = 0;                                   // m/N or rad/(N·m)
  double damping = 0;                                      // s
  double bound = std::numeric_limits<double>::infinity();  // N or N·m, of motors
  RowKind kind = RowKind::bilateral;
};

inline constexpr int kMostJointRows = 8;

struct JointRows {
  std::array<JointRow, kMostJointRows> row;
  int count = 0;
  double coordinate = 0;  // now
};

// The angle of a hinge is the one nearest to that at the start of the step: it counts turns.
void evaluate(const Joint& joint, const std::array<SidePose, 2>& pose, const JointStart& start, JointRows& out);

// The same over a step, for integrators of second order: values are those of its end, directions those of its middle, with arms
// averaged over the turn φ = log(R R_bᵀ),
//
//   ā = ∫₀¹ exp(s φ) ds R_b a,    x_centre + R a − (…)_b = Δx_centre + φ × ā        exactly, where R a at the half turn errs
//                                                                                 by θ²/24 of it
// so that the force of an anchor or a distance does no work while these hold (a discrete gradient [Gonzalez1996]); rows of axes
// do work to the third order in the turn.
void evaluate_over(const Joint& joint, const std::array<SidePose, 2>& before, const std::array<SidePose, 2>& now,
                   const JointStart& start, JointRows& out);

// The coordinate alone; of several angles the nearest to `near`.
[[nodiscard]] double joint_coordinate(const Joint& joint, const std::array<SidePose, 2>& pose, double near);

// How far the anchors are from where they must be [m].
[[nodiscard]] double anchor_gap(const JointRows& rows);

// What pulls at the anchors [N], from the rows' multipliers: compared with the breaking force.
[[nodiscard]] double anchor_force(const JointRows& rows, const double* multipliers);

}  // namespace pliant::constraint
