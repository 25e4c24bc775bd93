// Joints inside the iteration: anchors meet, momentum stays, limits only push, motors give what they may.
#include "pliant/solver/projection/joint_batch.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "pliant/math/rotation.h"
#include "pliant/solver/projection/dual_iteration.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using constraint::Joint;
using constraint::JointKind;
using constraint::MotorKind;
using constraint::SideKind;

constexpr double kJointStep = 0.01, kJointWeight = 1 / (kJointStep * kJointStep), kEarth = 9.81;

// Rigid bodies and joints, without energies or contact.
struct Linkage {
  std::vector<RigidFrame> frames;
  std::vector<Joint> joints;
  Movers<double> movers;
  BlockVector before;
  Controls controls;
  JointBatch<double> batch;

  // Mass, principal moments, place, rotation.
  int add_body(double mass, const Vec3& inertia, const Vec3& centre, const Vec3& turned = Vec3::Zero()) {
    const int block = 4 * static_cast<int>(frames.size());
    frames.push_back(rigid_frame(block, mass, inertia));
    BlockVector grown(block + 4);
    for (int b = 0; b < block; ++b) grown[b] = before[b];
    grown[block] = centre;
    set_rotation(frames.back(), math::rotation_from_vector(turned), grown);
    before = grown;
    return static_cast<int>(frames.size()) - 1;
  }
  // Of body a to body b, or to the world (b < 0), at a place and about an axis; `axis` is the joint's first.
  Joint& add_joint(JointKind kind, int a, int b, const Vec3& at, const Vec3& axis = Vec3::UnitZ()) {
    Joint& joint = joints.emplace_back();
    joint.kind = kind;
    const Mat3 axes = test::rotation_between(Vec3::UnitX(), axis);
    for (int s = 0; s < 2; ++s) {
      const int body = s == 0 ? a : b;
      joint.side[s].anchor = at;
      joint.side[s].axes = axes;
      if (body < 0) continue;
      const RigidFrame& frame = frames[static_cast<std::size_t>(body)];
      const Mat3 rotation = rotation_of(frame, before);
      joint.side[s].kind = SideKind::rigid;
      joint.side[s].rigid = body;
      joint.side[s].anchor = rotation.transpose() * (at - Vec3(before[frame.centre]));
      joint.side[s].axes = rotation.transpose() * axes;
    }
    return joint;
  }
  // Everything moves by its speed, and falls.
  void begin(const std::vector<Vec3>& speed = {}, const std::vector<Vec3>& spin = {}, double gravity = 0) {
    movers.points.assign(static_cast<std::size_t>(before.size()), {});
    movers.turners.clear();
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const RigidFrame& frame = frames[k];
      Mover<double>& centre = movers.points[static_cast<std::size_t>(frame.centre)];
      centre.w = 1 / frame.mass;
      centre.move(Vec3(before[frame.centre]) - gravity / kJointWeight * Vec3::UnitY());
      if (k < speed.size()) centre.move(kJointStep * speed[k]);
      Turner& turner = movers.turners.emplace_back();
      turner.centre = frame.centre;
      turner.rotation = rotation_of(frame, before);
      if (k < spin.size()) turner.turned = kJointStep * spin[k];
      refresh_rotations(movers.turners);
      turner.inverse = turner.rotation * frame.inertia().cwiseInverse().asDiagonal() * turner.rotation.transpose();
    }
    controls.joints.broken.assign(joints.size(), 0);
    controls.joints.coordinates.assign(joints.size(), 0);
    for (std::size_t j = 0; j < joints.size(); ++j)
      controls.joints.coordinates[j] = joint_coordinate(joints[j], poses_before(j), 0);
    start();
  }
  void start() {
    batch.set_joints(joints, frames, before.size());
    batch.begin({kJointStep, kJointWeight, before, controls}, movers);
  }
  void relax(int sweeps) {
    for (int k = 0; k < sweeps; ++k) {
      batch.relax(1, movers);
      refresh_rotations(movers.turners);
    }
  }
  [[nodiscard]] std::array<constraint::SidePose, 2> poses_before(std::size_t j) const {
    return poses(j, [&](const RigidFrame& f) {
      return constraint::SidePose{before[f.centre], rotation_of(f, before)};
    });
  }
  [[nodiscard]] std::array<constraint::SidePose, 2> poses_now(std::size_t j) const {
    return poses(j, [&](const RigidFrame& f) {
      return constraint::SidePose{movers.points[static_cast<std::size_t>(f.centre)].position(),
                                  movers.turners[static_cast<std::size_t>(f.centre / 4)].rotation};
    });
  }
  template <class Place>
  [[nodiscard]] std::array<constraint::SidePose, 2> poses(std::size_t j, const Place& place) const {
    std::array<constraint::SidePose, 2> pose;
    for (std::size_t s = 0; s < 2; ++s) {
      if (joints[j].side[s].kind == SideKind::rigid)
        pose[s] = place(frames[static_cast<std::size_t>(joints[j].side[s].rigid)]);
    }
    return pose;
  }
  // Largest |c| of what must hold.
  [[nodiscard]] double error(std::size_t j) const {
    constraint::JointRows rows;
    constraint::evaluate(joints[j], poses_now(j), {controls.joints.coordinates[j], kJointStep}, rows);
    double largest = 0;
    for (int r = 0; r < rows.count; ++r) {
      if (rows.row[r].kind == constraint::RowKind::bilateral) largest = std::max(largest, std::abs(rows.row[r].value));
    }
    return largest;
  }
  // Between the anchors, m.
  [[nodiscard]] double anchor_distance(std::size_t j) const {
    const auto pose = poses_now(j);
    const auto at = [&](std::size_t s) { return Vec3(pose[s].centre + pose[s].rotation * joints[j].side[s].anchor); };
    return (at(0) - at(1)).norm();
  }
  [[nodiscard]] double coordinate(std::size_t j) const {
    return joint_coordinate(joints[j], poses_now(j), controls.joints.coordinates[j]);
  }
};

const Vec3 kMoments(0.02, 0.03, 0.04);

TEST(JointBatch, EveryKindHolds) {
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::slider, JointKind::universal,
                               JointKind::fixed, JointKind::distance}) {
    Linkage l;
    l.add_body(2, kMoments, Vec3(0.5, 0, 0), Vec3(0.3, 0.2, -0.5));
    l.add_body(1, kMoments, Vec3(1.2, 0.1, 0), Vec3(-0.3, 0.4, 0.1));
    Joint& world = l.add_joint(kind, 0, -1, Vec3(0, 0.1, 0));
    if (kind == JointKind::distance) {
      world.side[1].anchor = Vec3(0, 0.4, 0);
      world.length = 0.3;
    }
    l.add_joint(JointKind::ball, 0, 1, Vec3(0.9, 0, 0.1));
    l.begin({Vec3(1, 2, -1), Vec3(0, 0, 3)}, {Vec3(0, 5, 2), Vec3(3, 0, 0)}, kEarth);
    EXPECT_GT(l.error(0) + l.error(1), 1e-3);
    l.relax(400);
    EXPECT_LT(l.error(0), 1e-12) << static_cast<int>(kind);
    EXPECT_LT(l.error(1), 1e-12) << static_cast<int>(kind);
  }
}

// At rest a pendulum pulls with its weight; a double one with both.
TEST(JointBatch, ReportsWhatPullsAtAnchors) {
  Linkage l;
  l.add_body(2, kMoments, Vec3(0, -1, 0));
  l.add_body(1, kMoments, Vec3(0, -2, 0));
  l.add_joint(JointKind::ball, 0, -1, Vec3(0, 0, 0));
  l.add_joint(JointKind::hinge, 1, 0, Vec3(0, -1.5, 0));
  l.begin({}, {}, kEarth);
  l.relax(500);
  const std::vector<double> forces = l.batch.anchor_forces(l.movers);
  EXPECT_NEAR(forces[0], 3 * kEarth, 1e-6);
  EXPECT_NEAR(forces[1], 1 * kEarth, 1e-6);
  // One that is broken takes no part.
  l.begin({}, {}, kEarth);
  l.controls.joints.broken[1] = 1;
  l.start();
  l.relax(500);
  EXPECT_NEAR(l.batch.anchor_forces(l.movers)[0], 2 * kEarth, 1e-6);
  EXPECT_EQ(l.batch.anchor_forces(l.movers)[1], 0);
  EXPECT_NEAR(l.movers.points[4].position().y(), -2 - kEarth / kJointWeight, 1e-12);
}

// Two free bodies exchange momentum. Angular momentum too, but for the lever between anchors that are not yet together.
TEST(JointBatch, FreeBodiesKeepTheirMomentum) {
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::fixed, JointKind::slider}) {
    Linkage l;
    l.add_body(2, kMoments, Vec3(0.5, 0, 0), Vec3(0.3, 0.2, -0.5));
    l.add_body(1, kMoments, Vec3(1.2, 0.1, 0), Vec3(-0.3, 0.4, 0.1));
    l.add_joint(kind, 0, 1, Vec3(0.9, 0, 0.1));
    l.begin({Vec3(1, 2, -1), Vec3(0, 0, 3)}, {Vec3(0, 5, 2), Vec3(3, 0, 0)});
    const Movers<double> start = l.movers;
    const double apart = l.anchor_distance(0);
    l.batch.relax(1, l.movers);
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    double impulse = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec3 change = l.frames[k].mass * (l.movers.points[4 * k].position() - start.points[4 * k].position());
      momentum += change;
      impulse = change.norm();
      spin += start.points[4 * k].position().cross(change) +
              l.movers.turners[k].inverse.inverse() * l.movers.turners[k].turned;
    }
    EXPECT_LT(momentum.norm(), 1e-15) << static_cast<int>(kind);
    EXPECT_LE(spin.norm(), apart * impulse + 1e-14) << static_cast<int>(kind);
    // To the end, linear momentum.
    refresh_rotations(l.movers.turners);
    l.relax(100);
    momentum.setZero();
    for (std::size_t k = 0; k < 2; ++k)
      momentum += l.frames[k].mass * (l.movers.points[4 * k].position() - start.points[4 * k].position());
    EXPECT_LT(momentum.norm(), 1e-14);
  }
}

// A wheel on an axle through its centre: nothing but its spin moves.
Linkage wheel() {
  Linkage l;
  l.add_body(2, Vec3(0.05, 0.05, 0.1), Vec3(0, 0, 0));
  l.add_joint(JointKind::hinge, 0, -1, Vec3(0, 0, 0), Vec3::UnitZ());
  return l;
}

TEST(JointBatch, LimitsOnlyPush) {
  for (const double damping : {0.0, 0.05}) {
    for (const double spin : {3.0, 5.0, -4.9, -6.0}) {
      Linkage l = wheel();
      l.joints[0].lower = -0.05;
      l.joints[0].upper = 0.04;
      l.joints[0].damping = damping;
      l.begin({}, {Vec3(0, 0, spin)});
      l.relax(50);
      const double free = spin * kJointStep;
      EXPECT_NEAR(l.coordinate(0), std::clamp(free, -0.05, 0.04), 1e-10) << spin << ", damping " << damping;
    }
  }
}

TEST(JointBatch, MotorsGiveWhatTheyMay) {
  // As fast as asked where that takes little, and no faster than I⁻¹ M h where it takes more: I = 0.1 kg m².
  for (const double bound : {1e9, 2.0}) {
    Linkage l = wheel();
    l.joints[0].motor = {MotorKind::speed, 7, bound, 0};
    l.begin();
    l.relax(50);
    EXPECT_NEAR(l.coordinate(0), std::min(7 * kJointStep, bound / 0.1 / kJointWeight), 1e-10);
    // And brakes likewise.
    l = wheel();
    l.joints[0].motor = {MotorKind::speed, -7, bound, 0};
    l.begin();
    l.relax(50);
    EXPECT_NEAR(l.coordinate(0), std::max(-7 * kJointStep, -bound / 0.1 / kJointWeight), 1e-10);
  }
  // A spring towards a position: I w φ = k (target − φ).
  Linkage l = wheel();
  l.joints[0].motor = {MotorKind::position, 0.5, 1e9, 300};
  l.begin();
  l.relax(50);
  EXPECT_NEAR(l.coordinate(0), 300 * 0.5 / (0.1 * kJointWeight + 300), 1e-10);
}

// A soft joint is an implicit spring with a dashpot: m w x = −(x + ρ/h (x − x_b))/α, along a line.
TEST(JointBatch, ComplianceIsASpring) {
  for (const double damping : {0.0, 0.03}) {
    Linkage l;
    l.add_body(2, kMoments, Vec3(0, 0, 0));
    l.add_joint(JointKind::ball, 0, -1, Vec3(0, 0, 0));
    l.joints[0].compliance = 1e-4;
    l.joints[0].damping = damping;
    l.begin({Vec3(3, 0, 0)});
    l.relax(20);
    const double k = 1e4 * (1 + damping / kJointStep), free = 3 * kJointStep;
    EXPECT_NEAR(l.movers.points[0].x[0], 2 * kJointWeight * free / (2 * kJointWeight + k), 1e-12) << damping;
    EXPECT_NEAR(l.batch.anchor_forces(l.movers)[0], k * l.movers.points[0].x[0], 1e-7);
  }
}

// All rows at once end where sweeps end.
TEST(JointBatch, IterationsAgree) {
  const auto make = [] {
    Linkage l;
    for (int i = 0; i < 3; ++i) l.add_body(1, kMoments, Vec3(0.5 + i, 0, 0));
    for (int i = 0; i < 3; ++i) l.add_joint(i == 1 ? JointKind::hinge : JointKind::ball, i, i - 1, Vec3(i, 0, 0));
    l.joints[1].upper = 0.01;
    l.begin({Vec3(0, 1, 0), Vec3(0, 0, 1)}, {Vec3(0, 0, 1), Vec3(0, 2, 3), Vec3(0, 0, 9)}, kEarth);
    return l;
  };
  Linkage sweeps = make();
  sweeps.start();
  sweeps.relax(3000);
  for (const auto kind : {ProjectionIteration::accelerated_jacobi, ProjectionIteration::conjugate_residual}) {
    Linkage l = make();
    l.start();
    Batch<double>* const batches[] = {&l.batch};
    DualIteration<double> dual;
    dual.begin(kind, 0, batches, l.movers);
    for (int k = 0; k < 3000; ++k) {
      dual.iterate(batches, l.movers);
      refresh_rotations(l.movers.turners);
    }
    for (std::size_t j = 0; j < 3; ++j) EXPECT_LT(l.error(j), 1e-9) << static_cast<int>(kind);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LT((l.movers.points[4 * k].position() - sweeps.movers.points[4 * k].position()).norm(), 1e-4)
          << static_cast<int>(kind);
  }
}

// Forces that act apart: bodies at rest fall g h²/2 in a step with 2/h², while others have four times the weight of backward Euler.
TEST(JointBatch, ApartItSaysWhatItDid) {
  Linkage l;
  l.add_body(2, kMoments, Vec3(0, -1, 0));
  l.add_body(1, kMoments, Vec3(0, -2, 0));
  l.add_joint(JointKind::ball, 0, -1, Vec3(0, 0, 0));
  l.add_joint(JointKind::hinge, 1, 0, Vec3(0, -1.5, 0));
  l.begin({}, {}, kEarth / 2);
  l.batch.begin({kJointStep, 4 * kJointWeight, l.before, l.controls, false, 2 * kJointWeight}, l.movers);
  l.relax(500);
  EXPECT_LT(l.error(0) + l.error(1), 1e-12);
  const std::vector<double> forces = l.batch.anchor_forces(l.movers), rows = l.batch.multipliers();
  EXPECT_NEAR(forces[0], 3 * kEarth, 1e-6);
  EXPECT_NEAR(rows[1], 3 * kEarth, 1e-6);
  EXPECT_NEAR(rows[constraint::kMostJointRows + 1], kEarth, 1e-6);
  Impulses given = no_impulses(l.movers);
  l.batch.add_pushes(given);
  EXPECT_NEAR(4 * kJointWeight * given.force[0].y(), 2 * 2 * kEarth, 1e-6);
  EXPECT_NEAR(4 * kJointWeight * given.force[4].y(), 2 * kEarth, 1e-6);
}

// Soft rows apart take the middle of the step: (c + c_b)/2 + ρ/h (c − c_b) + α f = 0.
TEST(JointBatch, ApartSoftRowsTakeTheMiddle) {
  Linkage l;
  l.add_body(2, kMoments, Vec3(0, -1, 0));
  Joint& joint = l.add_joint(JointKind::distance, 0, -1, Vec3(0, -1, 0));
  joint.side[1].anchor = Vec3::Zero();
  joint.length = 0.9;
  joint.compliance = 1e-3;
  joint.damping = 0.02;
  l.begin({Vec3(0.3, -2, 0)}, {}, kEarth / 2);
  l.batch.begin({kJointStep, 4 * kJointWeight, l.before, l.controls, false, 2 * kJointWeight}, l.movers);
  l.relax(50);
  const double before = 0.1, now = l.movers.points[0].position().norm() - 0.9, force = l.batch.multipliers()[0];
  EXPECT_NEAR(0.5 * (now + before) + joint.damping / kJointStep * (now - before) + joint.compliance * force, 0, 1e-13);
  EXPECT_GT(std::abs(force), 1);
}

}  // namespace
}  // namespace pliant::solver
