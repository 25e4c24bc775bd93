#include "pliant/energy/load/wind.h"

#include <Eigen/Geometry>
#include <cmath>

namespace pliant {
namespace {

Vec3 mean_of_corners(const BlockVector& x, const std::array<int, 3>& t) { return (x[t[0]] + x[t[1]] + x[t[2]]) / 3; }

// What is known at the start of a step.
struct WindOnTriangle {
  double drag;  // κ, kg/s
  Vec3 lift;    // N

  WindOnTriangle(const Configuration& q, const std::array<int, 3>& t, const WindOptions& wind) {
    const Vec3 normal = (q.before[t[1]] - q.before[t[0]]).cross(q.before[t[2]] - q.before[t[0]]);  // 2 A n
    const bool moves = q.step > 0 && q.velocity != nullptr;
    const Vec3 u = (moves ? mean_of_corners(*q.velocity, t) : Vec3::Zero()) - wind.velocity;
    const double through = 0.5 * normal.dot(u), speed_squared = u.squaredNorm();  // A n·u
    drag = 0.5 * wind.density * wind.drag * std::abs(through);
    const double twice_area = normal.norm();
    lift = Vec3::Zero();
    if (twice_area > 0 && speed_squared > 0) {
      // A |u|² (n·û)(n − (n·û) û) = A (n·u) (|u| n − (n·û) u)
      const Vec3 n = normal / twice_area;
      const double speed = std::sqrt(speed_squared);
      lift = -0.5 * wind.density * wind.lift * through * (speed * n - (n.dot(u) / speed) * u);
    }
  }
};

std::vector<std::array<int, 3>> ordered_triangles(const std::vector<Vec3i>& triangles) {
  std::vector<std::array<int, 3>> corners, ordered;
  for (const Vec3i& t : triangles) corners.push_back({t[0], t[1], t[2]});
  for (const int i : order_by_blocks<3>(corners)) ordered.push_back(corners[i]);
  return ordered;
}

}  // namespace

Wind::Wind(const std::vector<Vec3i>& triangles, int block_count, const WindOptions& options)
    : batch_(ordered_triangles(triangles), block_count), options_(options) {}

double Wind::evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const {
  double total = 0;
  for (int e = first; e < last; ++e) {
    const std::array<int, 3>& t = batch_[e];
    const WindOnTriangle wind(q, t, options_);
    const Vec3 moved = mean_of_corners(q.now, t) - mean_of_corners(q.before, t);
    Vec3 force = wind.lift;
    total -= wind.lift.dot(moved);
    if (q.step > 0) {
      const Vec3 u = moved / q.step - options_.velocity;
      force -= wind.drag * u;
      total += 0.5 * q.step * wind.drag * u.squaredNorm();
    } else {
      force += wind.drag * options_.velocity;
      total -= wind.drag * options_.velocity.dot(moved);
    }
    if (out.gradient != nullptr) {
      for (const int corner : t) (*out.gradient)[corner] -= force / 3;
    }
    if (out.hessian != nullptr && q.step > 0) {
      const Mat3 block = wind.drag / (9 * q.step) * Mat3::Identity();
      for (const int slot : batch_.slots(e)) add_block(*out.hessian, slot, block);
    }
  }
  return total;
}

void Wind::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy = batch_.for_each_chunk(writes ? Writes::blocks : Writes::nothing,
                                              [&](int first, int last) { return evaluate_chunk(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

}  // namespace pliant
