#include "pliant/solver/newton/turned_axes.h"

#include "pliant/math/polar.h"
#include "pliant/math/rotation.h"

namespace pliant::solver {
namespace {

// Below this angle [rad] the strain of a straight way is 5e-9, and rounding of the chord would count.
constexpr double kStraightTurn = 1e-4;

}  // namespace

std::vector<int> first_axes(const DofLayout& layout) {
  std::vector<int> axes;
  for (int i = 0; i + 2 < layout.block_count(); ++i) {
    if (layout.kind(i) != BlockKind::rigid_axis) continue;
    axes.push_back(i);
    i += 2;
  }
  return axes;
}

void turn_axes(std::span<const int> first_axes, const BlockVector& q, BlockVector& way) {
  for (const int first : first_axes) {
    Mat3 axes, straight;
    for (int i = 0; i < 3; ++i) axes.col(i) = q[first + i], straight.col(i) = way[first + i];
    const Mat3 rotation = math::polar_rotation(axes), stretch = rotation.transpose() * axes;
    const Mat3 own = rotation.transpose() * straight;
    const Vec3 angle = math::vector_of_skew(own) / (stretch.trace() / 3);
    if (!(angle.norm() > kStraightTurn)) continue;
    const Mat3 rest = own - math::skew(angle) * stretch;
    const Mat3 chord = rotation * math::rotation_from_vector(angle) * (stretch + rest) - axes;
    for (int i = 0; i < 3; ++i) way[first + i] = chord.col(i);
  }
}

}  // namespace pliant::solver
