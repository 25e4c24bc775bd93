// The few functions of the scene's structs: values over time, rotations, look-up by name.
#include "pliant/scene/scene.h"

#include <algorithm>

#include "pliant/assert.h"
#include "pliant/math/rotation.h"

namespace pliant::scene {
namespace {

// Linear between keyframes, held outside.
template <class Value, class Keyframes>
Value interpolate(const Keyframes& keyframes, double t) {
  PLIANT_ASSERT(!keyframes.empty(), "a curve has at least one keyframe");
  const auto after = std::find_if(keyframes.begin(), keyframes.end(), [t](const auto& k) { return k.t >= t; });
  if (after == keyframes.end()) return keyframes.back().value;
  if (after == keyframes.begin()) return after->value;
  const auto before = after - 1;
  const double s = (t - before->t) / (after->t - before->t);
  return (1.0 - s) * before->value + s * after->value;
}

Mat3 turn_matrix(const std::variant<AxisRotation, Quaternion>& turn) {
  if (const auto* about = std::get_if<AxisRotation>(&turn)) {
    return math::rotation_from_axis_degrees(about->axis, about->degrees);
  }
  const Vec4 q = std::get<Quaternion>(turn).quaternion.stableNormalized();
  return math::rotation_from_quaternion(math::Quaternion(q[0], q[1], q[2], q[3]));
}

template <class Item>
const Item& by_name(const std::vector<Item>& items, std::string_view name) {
  const auto found = std::find_if(items.begin(), items.end(), [name](const Item& item) { return item.name == name; });
  PLIANT_ASSERT(found != items.end(), "names inside a checked scene exist");
  return *found;
}

}  // namespace

double ScalarCurve::at(double t) const { return interpolate<double>(keyframes, t); }

Vec3 VectorCurve::at(double t) const { return interpolate<Vec3>(keyframes, t); }

Mat3 inertia_matrix(const Material& material) {
  const std::vector<double>& entries = material.inertia;
  if (entries.size() == 3) return Vec3(entries[0], entries[1], entries[2]).asDiagonal();
  return Eigen::Map<const Mat3>(entries.data()).transpose();  // row by row
}

Mat3 rotation_matrix(const Rotation& rotation) {
  Mat3 matrix = Mat3::Identity();
  for (const auto& turn : rotation.turns) matrix = turn_matrix(turn) * matrix;
  return matrix;
}

}  // namespace pliant::scene

namespace pliant {

const scene::Material& Scene::material(std::string_view material_name) const {
  return scene::by_name(materials, material_name);
}

const scene::Body& Scene::body(std::string_view body_name) const { return scene::by_name(bodies, body_name); }

}  // namespace pliant
