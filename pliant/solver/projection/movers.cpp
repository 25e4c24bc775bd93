#include "pliant/solver/projection/movers.h"

#include <Eigen/Geometry>

#include "pliant/math/rotation.h"

namespace pliant::solver {

void refresh_rotations(std::vector<Turner>& turners) {
  for (Turner& turner : turners) {
    if (turner.turned.isZero(0)) continue;
    // Through a quaternion, so that rounding cannot make the matrix less of a rotation.
    const Eigen::Quaterniond turned =
        math::quaternion_from_vector(turner.turned) * math::quaternion_from_rotation(turner.rotation);
    turner.rotation = math::rotation_from_quaternion(turned.normalized());
    turner.turned.setZero();
  }
}

}  // namespace pliant::solver
