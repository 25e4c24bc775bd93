#include "pliant/solver/projection/movers.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/math/rotation.h"

namespace pliant::solver {
namespace {

// rad: how far arms lag behind. Gaps follow impulses at such arms by its cosine or more.
constexpr double kLongestLag = 0.5;

// F(L + I Σφ/h) R_b
Mat3 turned_in_middle(const Turner& turner) {
  const RigidFrame& frame = *turner.free.frame;
  const Vec3 gain = turner.metric * frame.inertia().cwiseProduct(turner.metric.transpose() * turner.gained);
  return turned_freely(frame, turner.before, turner.free.momentum + gain / turner.free.step, turner.free.step);
}

}  // namespace

void set_levers(std::vector<Turner>& turners) {
  for (Turner& turner : turners) {
    turner.lever = turner.before;
    const Vec3 turn = math::vector_from_rotation(turner.rotation * turner.before.transpose());
    const double angle = turn.norm();
    if (angle <= kLongestLag) continue;
    const double lag = std::max(kLongestLag, 0.5 * angle);
    turner.lever = math::rotation_from_vector((angle - lag) / angle * turn) * turner.before;
  }
}

bool refresh_rotations(std::vector<Turner>& turners, double least) {
  bool have_turned = false;
  for (Turner& turner : turners) {
    turner.has_turned = turner.turned.squaredNorm() > least * least;
    if (!turner.has_turned) continue;
    have_turned = true;
    turner.gained += turner.turned;
    if (turner.free.frame != nullptr) {
      turner.rotation = turned_in_middle(turner);
    } else {
      // Through a quaternion, so that rounding cannot make the matrix less of a rotation.
      const Eigen::Quaterniond turned =
          math::quaternion_from_vector(turner.turned) * math::quaternion_from_rotation(turner.rotation);
      turner.rotation = math::rotation_from_quaternion(turned.normalized());
    }
    turner.turned.setZero();
  }
  return have_turned;
}

}  // namespace pliant::solver
