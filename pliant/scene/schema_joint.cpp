// Schema of joints.
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {

void describe(SettingVisitor& v, JointLimits& limits) {
  v.value({"lower",
           limits.lower,
           {.unit = "degrees or m", .text = "of a hinge's angle, a slider's travel, a distance; null is none"}});
  v.value({"upper", limits.upper, {.unit = "degrees or m", .text = "the same, and a ball's cone; null is none"}});
}

void describe(SettingVisitor& v, JointMotor& motor) {
  v.value({"speed",
           motor.speed,
           {.unit = "degrees/s or m/s", .text = "of the first body against the second; this or position"}});
  v.value({"position",
           motor.position,
           {.unit = "degrees or m", .text = "where a spring pulls the first body; this or speed"}});
  v.value({"stiffness",
           motor.stiffness,
           {.unit = "N·m/rad or N/m",
            .above = 0,
            .required = motor.position.has_value(),
            .applies = motor.position.has_value(),
            .applies_when = "motor.position",
            .text = "of that spring"}});
  v.value({"max_torque", motor.max_torque, {.unit = "N·m", .above = 0, .text = "of a hinge; null is no bound"}});
  v.value({"max_force", motor.max_force, {.unit = "N", .above = 0, .text = "of a slider; null is no bound"}});
}

void describe(SettingVisitor& v, Joint& joint) {
  v.value({"source", &joint.source, {}});
  v.value({"name", joint.name, {.required = true, .text = "unique, without dots, slashes, commas and quotes"}});
  v.value({"type", choice_of(joint.type), {.required = true, .text = "what it lets bodies do"}});
  const JointType type = joint.type;  // as read
  v.value(
      {"bodies",
       NameList{&joint.bodies},
       {.required = true, .text = "two names, or one to join that body to the world; obstacles may be the second"}});
  v.value({"at", joint.at, {.unit = "m", .required = true, .text = "where, in the world at t = 0"}});
  v.value({"to",
           joint.to,
           {.unit = "m",
            .applies = type == JointType::distance,
            .applies_when = "type distance",
            .text = "where the second body is held; null is at"}});
  const bool has_axis = type == JointType::hinge || type == JointType::slider || type == JointType::universal;
  v.value({"axis",
           joint.axis,
           {.not_all_zero = true,
            .required = has_axis,
            .applies = has_axis || type == JointType::ball,
            .applies_when = "type hinge, slider, universal, ball",
            .text = "turned about or slid along, the first body's axis of a universal joint, the middle of a ball's "
                    "cone; in the world at t = 0"}});
  v.value({"second_axis",
           joint.second_axis,
           {.not_all_zero = true,
            .required = type == JointType::universal,
            .applies = type == JointType::universal,
            .applies_when = "type universal",
            .text = "the second body's, perpendicular to axis"}});
  v.value({"length",
           joint.length,
           {.unit = "m",
            .at_least = 0,
            .applies = type == JointType::distance,
            .applies_when = "type distance",
            .text = "null is the distance at t = 0; with limits there is none"}});
  v.value({"vertex",
           joint.vertex,
           {.at_least = 0, .text = "of the deformable body; null is its material point nearest to at"}});
  v.group(group_of("limits", joint.limits, "of what the joint leaves free; null is none"));
  v.group(group_of("motor", joint.motor, "of hinges and sliders; null is none"));
  v.value({"breaking_force",
           joint.breaking_force,
           {.unit = "N", .above = 0, .text = "at the anchors; a joint that bears more is gone for good"}});
  v.value({"compliance",
           joint.compliance,
           {.unit = "m/N", .at_least = 0, .text = "how far anchors part under a force; 0 is rigid"}});
  v.value({"angular_compliance",
           joint.angular_compliance,
           {.unit = "rad/(N·m)", .at_least = 0, .text = "how far axes part under a torque; 0 is rigid"}});
  v.value({"damping",
           joint.damping,
           {.unit = "s",
            .at_least = 0,
            .text = "of what is compliant: its force over that of its stiffness, at unit rate"}});
  v.value({"contact", &joint.contact, {.text = "whether the two bodies may touch each other"}});
}

}  // namespace pliant::scene
