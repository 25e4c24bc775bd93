#include "pliant/energy/load/pressure.h"

#include <Eigen/Geometry>

namespace pliant {
namespace {

// ∂²(x_0·(x_1 × x_2))/∂x_a∂x_b = −[x_c]×, a, b, c cyclic.
void add_volume_hessian(const BlockVector& x, const Vec3i& t, double factor, sparse::SymmetricBlockMatrix& hessian) {
  for (int a = 0; a < 3; ++a) {
    const int i = t[a], j = t[(a + 1) % 3];
    const Vec3 c = factor * Vec3(x[t[(a + 2) % 3]]);
    Mat3 block;  // ∂/∂x_j of ∂/∂x_i
    block << 0, c.z(), -c.y(), -c.z(), 0, c.x(), c.y(), -c.x(), 0;
    auto entry = hessian.block(hessian.pattern().slot(std::min(i, j), std::max(i, j)));
    if (i < j) {
      entry += block;
    } else {
      entry += block.transpose();
    }
  }
}

}  // namespace

void Pressure::evaluate(const Configuration& q, Accumulator& out) const {
  double energy = 0;
  for (const Load& load : loads_) {
    const double pressure = q.controls.load_values[load.value_index].x();
    if (pressure == 0) continue;
    const bool closed = load.surface == Surface::closed;
    const BlockVector& shape = closed ? q.now : q.before;
    for (const Vec3i& t : load.triangles) {
      const Vec3 x0 = shape[t[0]], x1 = shape[t[1]], x2 = shape[t[2]];
      if (closed) {
        energy -= pressure * x0.dot(x1.cross(x2)) / 6;
        if (out.gradient != nullptr) {
          (*out.gradient)[t[0]] -= (pressure / 6) * x1.cross(x2);
          (*out.gradient)[t[1]] -= (pressure / 6) * x2.cross(x0);
          (*out.gradient)[t[2]] -= (pressure / 6) * x0.cross(x1);
        }
        if (out.hessian != nullptr && out.hessian_kind == HessianKind::exact) {
          add_volume_hessian(shape, t, -pressure / 6, *out.hessian);
        }
      } else {
        const Vec3 force = (pressure / 6) * (x1 - x0).cross(x2 - x0);  // p A n / 3
        for (int a = 0; a < 3; ++a) {
          energy -= force.dot(q.now[t[a]]);
          if (out.gradient != nullptr) (*out.gradient)[t[a]] -= force;
        }
      }
    }
  }
  if (out.value != nullptr) *out.value += energy;
}

}  // namespace pliant
