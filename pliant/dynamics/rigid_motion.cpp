#include "pliant/dynamics/rigid_motion.h"

#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

constexpr int kBodiesAtATime = 64;  // a body takes about a microsecond

bool is_held(const RigidFrame& frame, const BlockFilter& filter) {
  for (int i = 0; i < 3; ++i) {
    if (filter.held_directions(frame.axis(i)) < 3) return false;
  }
  return true;
}

// About the centre of mass, kg m²/s.
Vec3 impulse_of(std::size_t body, const RigidFrame& frame, const SolvedStep& s) {
  if (!s.turning_impulses.empty()) return s.turning_impulses[body];
  Vec3 impulse = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 now = s.now[frame.axis(i)], target = s.target[frame.axis(i)];
    // a × (a − ã) = ã × a: the difference loses no digits to a × a.
    impulse += frame.axis_mass[i] / s.step * target.cross(now - target);
  }
  return impulse;
}

Vec3 angular_velocity_after(std::size_t body, const RigidFrame& frame, const SolvedStep& s) {
  if (is_held(frame, s.filter)) {
    const Mat3 turn = rotation_of(frame, s.now) * rotation_of(frame, s.before).transpose();
    return math::vector_from_rotation(turn) / s.step;
  }
  const Vec3 momentum = angular_momentum(frame, s.before, s.velocities_before) + impulse_of(body, frame, s);
  return angular_velocity(frame, s.now, momentum) / (1 + s.drag * s.step);
}

}  // namespace

void predict_turning(const std::vector<RigidBody>& bodies, const BlockVector& positions, const BlockVector& velocities,
                     double step, BlockVector& target) {
  parallel_for(static_cast<int>(bodies.size()), kBodiesAtATime, [&](int begin, int end) {
    for (int b = begin; b < end; ++b) {
      const RigidFrame& frame = bodies[b].frame;
      const Vec3 momentum = angular_momentum(frame, positions, velocities);
      set_rotation(frame, turned_freely(frame, rotation_of(frame, positions), momentum, step), target);
    }
  });
}

void finish_turning(const std::vector<RigidBody>& bodies, const SolvedStep& solved, BlockVector& velocities) {
  parallel_for(static_cast<int>(bodies.size()), kBodiesAtATime, [&](int begin, int end) {
    for (int b = begin; b < end; ++b) {
      const RigidFrame& frame = bodies[b].frame;
      const Vec3 omega = angular_velocity_after(static_cast<std::size_t>(b), frame, solved);
      set_angular_velocity(frame, omega, solved.now, velocities);
    }
  });
}

}  // namespace pliant
