#include "pliant/configuration/state.h"

#include <cmath>
#include <span>

#include "pliant/assert.h"

namespace pliant {
namespace {

// exp(ω) q: the quaternion of the rotation vector ω [rad] times q.
Vec4 turned(const Vec3& omega, const Vec4& q) {
  const double angle = omega.norm();
  // sin(θ/2)/θ, by its series where the quotient loses digits
  const double factor = angle > 1e-4 ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  const double w = std::cos(0.5 * angle);
  const Vec3 v = factor * omega, u = q.tail<3>();
  Vec4 result;
  result[0] = w * q[0] - v.dot(u);
  result[1] = w * u[0] + q[0] * v[0] + v[1] * u[2] - v[2] * u[1];
  result[2] = w * u[1] + q[0] * v[1] + v[2] * u[0] - v[0] * u[2];
  result[3] = w * u[2] + q[0] * v[2] + v[0] * u[1] - v[1] * u[0];
  return result / result.norm();
}

class Fnv1a {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const unsigned char byte :
         std::span(reinterpret_cast<const unsigned char*>(values.data()), values.size_bytes())) {
      hash_ = (hash_ ^ byte) * 1099511628211ULL;
    }
  }
  void add(const BlockVector& v) { add(std::span<const double>(v.data(), 4 * static_cast<std::size_t>(v.size()))); }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace

void retract(const DofLayout& layout, const BlockVector& increment, State& state) {
  PLIANT_ASSERT(increment.size() == layout.block_count(), "one increment per block");
  int rotation = 0;
  for (int block = 0; block < layout.block_count(); ++block) {
    if (layout.kind(block) == BlockKind::rigid_rotation) {
      state.orientations[rotation] = turned(increment[block], state.orientations[rotation]);
      ++rotation;
    } else {
      state.positions[block] += increment[block];
    }
  }
}

std::uint64_t hash(const State& state) {
  Fnv1a fnv;
  fnv.add(std::span<const double>(&state.time, 1));
  fnv.add(std::span<const std::int64_t>(&state.step_count, 1));
  fnv.add(state.positions);
  fnv.add(state.velocities);
  fnv.add(std::span<const Vec4>(state.orientations));
  fnv.add(std::span<const Vec3>(state.rod_frames.directors));
  fnv.add(std::span<const double>(state.rod_frames.reference_twist));
  fnv.add(state.accelerations);
  fnv.add(state.previous_positions);
  fnv.add(state.previous_velocities);
  fnv.add(std::span<const double>(&state.previous_step, 1));
  fnv.add(std::span<const double>(state.pin_since));
  fnv.add(std::span<const Vec3>(state.pin_anchors));
  fnv.add(std::span<const std::uint64_t>(state.stick.keys));
  fnv.add(std::span<const Vec3>(state.stick.slips));
  fnv.add(std::span<const double>(&state.contact_pressure, 1));
  return fnv.value();
}

}  // namespace pliant
