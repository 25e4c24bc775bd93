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

Vec3 angular_velocity_after(const RigidFrame& frame, const SolvedStep& s) {
  if (is_held(frame, s.filter)) {
    const Mat3 turn = rotation_of(frame, s.now) * rotation_of(frame, s.before).transpose();
    return math::vector_from_rotation(turn) / s.step;
  }
  Vec3 momentum = angular_momentum(frame, s.before, s.velocities_before);
  for (int i = 0; i < 3; ++i) {
    const Vec3 now = s.now[frame.axis(i)], target = s.target[frame.axis(i)];
    // a × (a − ã) = ã × a: the difference loses no digits to a × a.
    momentum += frame.axis_mass[i] / s.step * target.cross(now - target);
  }
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
    for (int b = begin; b < end; ++b)
      set_angular_velocity(bodies[b].frame, angular_velocity_after(bodies[b].frame, solved), solved.now, velocities);
  });
}

}  // namespace pliant
