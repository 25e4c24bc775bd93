#include "pliant/dynamics/scripted_motion.h"

#include <algorithm>
#include <cmath>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

// The two keys around a time and how far it lies between them: 0 at the first, 1 at the second.
template <class Key>
struct Bracket {
  const Key* first;
  const Key* second;
  double fraction;
};

template <class Key>
Bracket<Key> bracket(const std::vector<Key>& keys, double time) {
  if (time <= keys.front().time) return {&keys.front(), &keys.front(), 0};
  if (time >= keys.back().time) return {&keys.back(), &keys.back(), 0};
  const auto after =
      std::upper_bound(keys.begin(), keys.end(), time, [](double t, const Key& key) { return t < key.time; });
  const Key &second = *after, &first = *(after - 1);
  return {&first, &second, (time - first.time) / (second.time - first.time)};
}

math::Quaternion quaternion_of(const Vec4& wxyz) { return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]}; }

RigidTransform about(const Vec3& centre, const Mat3& rotation, const Vec3& displacement) {
  return {rotation, centre - rotation * centre + displacement};
}

RigidTransform place(const Move& move, double time) { return {Mat3::Identity(), time * move.velocity}; }
RigidTransform place(const Rotate& rotate, double time) {
  return about(rotate.centre, math::rotation_from_axis_angle(rotate.axis, time * rotate.rate), Vec3::Zero());
}
RigidTransform place(const Keyframes& keyframes, double time) {
  const double begin = keyframes.keys.front().time;
  if (keyframes.repeats && time > begin) time = begin + std::fmod(time - begin, keyframes.keys.back().time - begin);
  const auto [first, second, fraction] = bracket(keyframes.keys, time);
  const math::Quaternion turn = math::slerp(quaternion_of(first->turn), quaternion_of(second->turn), fraction);
  return about(keyframes.centre, math::rotation_from_quaternion(turn),
               (1 - fraction) * first->displacement + fraction * second->displacement);
}

}  // namespace

RigidTransform ScriptedMotion::at(double time) const {
  return std::visit([&](const auto& motion) { return place(motion, time); }, motion_);
}

bool ScriptedMotion::is_still() const {
  if (const auto* move = std::get_if<Move>(&motion_)) return move->velocity.isZero(0);
  if (const auto* rotate = std::get_if<Rotate>(&motion_)) return rotate->rate == 0;
  return false;
}

bool ScriptedMotion::turns(const Vec3& direction) const {
  constexpr double kSame = 1e-12;  // rounding of a rotation's entries
  const auto changes = [&](const Mat3& rotation) { return (rotation * direction - direction).norm() > kSame; };
  if (const auto* rotate = std::get_if<Rotate>(&motion_))
    return rotate->rate != 0 && changes(math::rotation_from_axis_angle(rotate->axis, 1));
  const auto* keyframes = std::get_if<Keyframes>(&motion_);
  // Between two turns about the same axis there are only turns about it.
  return keyframes != nullptr && std::any_of(keyframes->keys.begin(), keyframes->keys.end(), [&](const auto& key) {
           return changes(math::rotation_from_quaternion(quaternion_of(key.turn)));
         });
}

Vec3 LoadCurve::at(double time) const {
  // A step takes the load at its end, so the step that ends at `from` is still free of it and the one that ends at
  // `until` is not: n steps give n h times the force. A load from the start is there at t = 0, too.
  const bool has_begun = from > 0 ? time > from + kTimeTolerance : time >= from;
  if (!has_begun || time > until + kTimeTolerance) return Vec3::Zero();
  const auto [first, second, fraction] = bracket(keys, time);
  const double grown = ramp > 0 ? std::min(1.0, (time - from) / ramp) : 1.0;
  return grown * ((1 - fraction) * first->value + fraction * second->value);
}

}  // namespace pliant
