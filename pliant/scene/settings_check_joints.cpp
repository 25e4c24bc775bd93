// What must hold for a joint: bodies that it can hold, and values that belong to its type.
#include <Eigen/Geometry>
#include <cmath>

#include "pliant/input_error.h"
#include "pliant/scene/schema_names.h"
#include "pliant/scene/settings_check.h"

namespace pliant::scene {
namespace {

// cos of the angle between a universal joint's axes: what counts as perpendicular.
constexpr double kPerpendicular = 1e-3;

bool is_deformable(const Body& body) {
  return body.kind == BodyKind::solid || body.kind == BodyKind::cloth || body.kind == BodyKind::rod ||
         body.kind == BodyKind::springs;
}

[[noreturn]] void refuse(const Joint& joint, const std::string& sentence) {
  throw InputError(joint.source, "joints." + joint.name + sentence);
}

void check_joint_bodies(const Joint& joint, const std::vector<const Body*>& bodies) {
  if (bodies.size() == 2 && joint.bodies[0] == joint.bodies[1])
    refuse(joint,
           ".bodies: '" + joint.bodies[0] + "' cannot be joined to itself; name another body, or leave the second out");
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = *bodies[b];
    if (body.kind == BodyKind::particles)
      refuse(joint, ".bodies: '" + body.name + "' is of kind particles, which joints do not hold");
    if (body.copies.count.prod() > 1 && joint.bodies[b] == body.name)
      refuse(joint, ".bodies: '" + body.name + "' has " + std::to_string(body.copies.count.prod()) +
                        " copies; name one of them, such as '" + body.name + ".0'");
  }
  if (bodies[0]->kind == BodyKind::obstacle)
    refuse(joint,
           ".bodies: '" + bodies[0]->name + "' is an obstacle, which nothing can pull; name the body that moves first");
}

// A point of a deformable body has no axes.
void check_soft_sides(const Joint& joint, const std::vector<const Body*>& bodies) {
  const Body* soft = nullptr;
  for (const Body* body : bodies) {
    if (is_deformable(*body)) soft = body;
  }
  if (soft == nullptr) {
    if (joint.vertex) refuse(joint, ".vertex is of deformable bodies, and none is joined here; remove the key");
    return;
  }
  const JointType type = joint.type;
  if (type == JointType::hinge || type == JointType::slider || type == JointType::universal)
    refuse(joint, ".type: '" + soft->name + "' is of kind " + word_for(soft->kind) +
                      ", whose points have no axes; use ball, fixed or distance, or several of them");
  if (joint.limits && type == JointType::ball)
    refuse(joint,
           ".limits: the cone of a ball needs axes, and points of '" + soft->name + "' have none; remove the key");
}

void check_joint_axes(const Joint& joint) {
  const bool needs_axis =
      joint.type == JointType::hinge || joint.type == JointType::slider || joint.type == JointType::universal;
  if (needs_axis && !joint.axis)
    refuse(joint,
           std::string(": a ") + word_for(joint.type) + " needs axis, the direction it turns about or slides along");
  if (joint.type != JointType::universal) return;
  if (!joint.second_axis) refuse(joint, ": a universal joint needs second_axis, the axis that the second body carries");
  if (std::abs(joint.axis->normalized().dot(joint.second_axis->normalized())) > kPerpendicular)
    refuse(joint, ".second_axis must be perpendicular to axis");
}

// The first body's place at t = 0 in the joint's coordinate.
double first_coordinate(const Joint& joint) {
  return joint.type == JointType::distance ? (joint.at - joint.to.value_or(joint.at)).norm() : 0;
}

void check_joint_limits(const Joint& joint, bool is_soft) {
  if (!joint.limits) return;
  const auto& [lower, upper] = *joint.limits;
  if (joint.type == JointType::universal || joint.type == JointType::fixed)
    refuse(joint, std::string(".limits are of hinge, slider, ball and distance, and this is ") + word_for(joint.type));
  if (!lower && !upper) refuse(joint, ".limits needs lower, upper, or both");
  if (lower && upper && *lower > *upper) refuse(joint, ".limits.lower must be at most limits.upper");
  if (joint.type == JointType::ball) {
    if (lower) refuse(joint, ".limits.lower: the cone of a ball has an upper limit only");
    if (!joint.axis) refuse(joint, ": the cone of a ball needs axis, the direction of its middle");
    if (*upper <= 0 || *upper >= 180) refuse(joint, ".limits.upper must be above 0 and below 180 degrees");
  }
  if (joint.type == JointType::distance && joint.length)
    refuse(joint, ": give length for a bar, or limits for a rope, not both");
  if (is_soft) return;  // where it is held is known when the mesh is
  const double start = first_coordinate(joint);
  if ((lower && start < *lower) || (upper && start > *upper))
    refuse(joint, ".limits must contain what holds at t = 0, which is " + number_text(start) +
                      (joint.type == JointType::distance ? " m" : ""));
}

void check_joint_motor(const Joint& joint) {
  if (!joint.motor) return;
  const JointMotor& motor = *joint.motor;
  const bool is_hinge = joint.type == JointType::hinge;
  if (!is_hinge && joint.type != JointType::slider)
    refuse(joint, std::string(".motor is of hinge and slider, and this is ") + word_for(joint.type));
  if (motor.speed.has_value() == motor.position.has_value())
    refuse(joint, ".motor needs speed or position, and one of them only");
  if (motor.position && !motor.stiffness)
    refuse(joint, ".motor.position needs stiffness, of the spring that pulls there");
  if (is_hinge && motor.max_force) refuse(joint, ".motor.max_force is of sliders; a hinge has max_torque");
  if (!is_hinge && motor.max_torque) refuse(joint, ".motor.max_torque is of hinges; a slider has max_force");
}

}  // namespace

void check_joint(const Joint& joint, const std::vector<const Body*>& bodies) {
  check_joint_bodies(joint, bodies);
  check_soft_sides(joint, bodies);
  check_joint_axes(joint);
  bool is_soft = false;
  for (const Body* body : bodies) is_soft = is_soft || is_deformable(*body);
  check_joint_limits(joint, is_soft);
  check_joint_motor(joint);
  if (joint.type == JointType::distance && !joint.limits && joint.length.value_or(first_coordinate(joint)) == 0 &&
      !is_soft)
    refuse(joint, ": a distance of 0 is a ball; give to, length or limits, or use type ball");
}

}  // namespace pliant::scene
