// Motion that a script dictates: of pins now, of obstacles later.
//
//   still | move with a velocity | rotate about a fixed axis | keyframes: displacement and turn about a centre
// at(t) maps the place something has at t = 0 to its place at t.
#pragma once

#include <variant>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// Times closer than this count as equal: ends of steps are sums of rounded numbers.
inline constexpr double kTimeTolerance = 1e-9;  // s
// How far to either side of a moment is looked for the speed of a script [s]: motions are smooth but for keys, and 1e-16 m over it is
// 1e-10 m/s.
inline constexpr double kScriptMoment = 1e-6;

// x ↦ rotation x + translation
struct RigidTransform {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();  // m

  Vec3 operator*(const Vec3& x) const { return rotation * x + translation; }
  RigidTransform operator*(const RigidTransform& first) const {
    return {rotation * first.rotation, rotation * first.translation + translation};
  }
  [[nodiscard]] RigidTransform inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

struct Move {
  Vec3 velocity = Vec3::Zero();  // m/s
};
struct Rotate {
  Vec3 axis = Vec3::UnitY();   // unit vector
  Vec3 centre = Vec3::Zero();  // m
  double rate = 0;             // rad/s
};
struct Keyframes {
  struct Key {
    double time = 0;                   // s
    Vec3 displacement = Vec3::Zero();  // m
    Vec4 turn = Vec4(1, 0, 0, 0);      // unit quaternion (w, x, y, z)
  };
  Vec3 centre = Vec3::Zero();  // m, what the turns go about, at t = 0
  std::vector<Key> keys;       // ascending in time, at least one; linear in between, held outside
  bool repeats = false;        // not held after the last: they begin again, at least two
};

class ScriptedMotion {
 public:
  ScriptedMotion() = default;
  explicit ScriptedMotion(std::variant<Move, Rotate, Keyframes> motion) : motion_(std::move(motion)) {}

  [[nodiscard]] RigidTransform at(double time) const;
  [[nodiscard]] bool is_still() const;
  // Whether it ever turns this direction.
  [[nodiscard]] bool turns(const Vec3& direction) const;
  // From its place at time `from` to its place at `to`.
  [[nodiscard]] RigidTransform between(double from, double to) const { return at(to) * at(from).inverse(); }

 private:
  std::variant<Move, Rotate, Keyframes> motion_;
};

// A value over time: linear between keys, held outside, grown from zero over a ramp. Zero outside (from, until].
struct LoadCurve {
  struct Key {
    double time = 0;
    Vec3 value = Vec3::Zero();
  };
  std::vector<Key> keys;  // ascending in time, at least one
  double from = 0;        // s
  double ramp = 0;        // s
  double until = 0;       // s; infinity = for ever

  [[nodiscard]] Vec3 at(double time) const;
};

}  // namespace pliant
