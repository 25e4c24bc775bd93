#include "pliant/solver/projection/movers.h"

#include <Eigen/Geometry>

#include "pliant/math/rotation.h"

namespace pliant::solver {

bool refresh_rotations(std::vector<Turner>& turners, double least) {
  bool have_turned = false;
  for (Turner& turner : turners) {
    turner.has_turned = turner.turned.squaredNorm() > least * least;
    if (!turner.has_turned) continue;
    have_turned = true;
    // Through a quaternion, so that rounding cannot make the matrix less of a rotation.
    const Eigen::Quaterniond turned =
        math::quaternion_from_vector(turner.turned) * math::quaternion_from_rotation(turner.rotation);
    turner.rotation = math::rotation_from_quaternion(turned.normalized());
    turner.turned.setZero();
  }
  return have_turned;
}

}  // namespace pliant::solver
