#include "pliant/scene/urdf_parts.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/input_error.h"
#include "pliant/io/text_scanner.h"
#include "pliant/math/rotation.h"
#include "pliant/scene/settings.h"

namespace pliant::scene {
namespace {

using io::in_quotes;
using io::UrdfInertial;
using io::UrdfJoint;
using io::UrdfJointType;
using io::UrdfLink;
using io::UrdfRobot;

constexpr double kRadian = std::numbers::pi / 180;  // per degree
// How much larger than the sum of the others a principal moment may be: files round thin plates to three digits.
constexpr double kRoundedMoments = 0.01;

bool is_limited(const UrdfJoint& joint) {
  return joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
}
double unit_of(const UrdfJoint& joint) { return joint.type == UrdfJointType::prismatic ? 1 : kRadian; }
const char* unit_text(const UrdfJoint& joint) { return joint.type == UrdfJointType::prismatic ? " m" : "°"; }

// --- Where the joints stand ---

void check_pose(const UrdfRobot& robot, const std::map<std::string, double>& pose) {
  std::vector<std::string> names;
  for (const UrdfJoint& joint : robot.joints) {
    if (is_limited(joint) || joint.type == UrdfJointType::continuous) names.push_back(joint.name);
  }
  for (const auto& [name, value] : pose) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(robot.file, "no joint named " + in_quotes(name) + " turns or slides" + suggestion(name, names));
  }
}

// rad or m
double start_of(const UrdfRobot& robot, const UrdfJoint& joint, const std::map<std::string, double>& pose,
                std::vector<std::string>& notes) {
  const double unit = unit_of(joint);
  const auto wanted = pose.find(joint.name);
  if (wanted != pose.end()) {
    const double value = unit * wanted->second;
    if (!std::isfinite(value) || (is_limited(joint) && (value < joint.lower || value > joint.upper))) {
      throw InputError(
          robot.place(joint.line),
          fmt::format("joint {} goes from {:.6g} to {:.6g}{}, and cannot stand at {:.6g}", in_quotes(joint.name),
                      joint.lower / unit, joint.upper / unit, unit_text(joint), wanted->second));
    }
    return value;
  }
  if (!is_limited(joint) || (joint.lower <= 0 && joint.upper >= 0)) return 0;
  const double middle = 0.5 * (joint.lower + joint.upper);
  notes.push_back(
      fmt::format("joint {} starts in the middle of its limits, {:.6g}{}, as they exclude 0: --pose {}=… changes it",
                  in_quotes(joint.name), middle / unit, unit_text(joint), joint.name));
  return middle;
}

RigidTransform as_transform(const io::UrdfFrame& frame) { return {frame.rotation, frame.position}; }

RigidTransform moved_by(const UrdfJoint& joint, double value) {
  if (joint.type == UrdfJointType::prismatic) return {Mat3::Identity(), value * joint.axis};
  return {math::rotation_from_axis_angle(joint.axis, value), Vec3::Zero()};
}

void place_links(const UrdfRobot& robot, const std::map<std::string, double>& pose, UrdfParts& parts) {
  check_pose(robot, pose);
  parts.world_from_link.resize(robot.links.size());
  Mat3 upright;
  upright << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  parts.world_from_link[robot.root] = {upright, Vec3::Zero()};
  for (const UrdfJoint& joint : robot.joints) {
    parts.joint_value.push_back(start_of(robot, joint, pose, parts.notes));
    parts.world_from_link[joint.child] =
        parts.world_from_link[joint.parent] * as_transform(joint.origin) * moved_by(joint, parts.joint_value.back());
  }
}

// --- Masses ---

// The inertia, with moments that a body can have: rounding of the file aside, an impossible one is an error.
Mat3 checked_inertia(const UrdfRobot& robot, const UrdfLink& link, std::vector<std::string>& notes) {
  const UrdfInertial& inertial = *link.inertial;
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertial.inertia);
  Vec3 moments = eigen.eigenvalues();
  const double others = moments[0] + moments[1];
  if (moments[0] > 0 && moments[2] <= others) return inertial.inertia;
  if (moments[0] > 0 && moments[2] <= (1 + kRoundedMoments) * others) {
    notes.push_back(
        fmt::format("link {}: the largest moment of inertia, {:.6g} kg m², is that of no body; {:.6g}, the "
                    "sum of the others, is taken",
                    in_quotes(link.name), moments[2], others));
    moments[2] = others;
    return eigen.eigenvectors() * moments.asDiagonal() * eigen.eigenvectors().transpose();
  }
  throw InputError(
      robot.place(inertial.line),
      fmt::format(
          "link {} has the principal moments of inertia {:.6g}, {:.6g}, {:.6g} kg m²; they must be above 0, and "
          "none larger than the sum of the others: correct <inertia>",
          in_quotes(link.name), moments[0], moments[1], moments[2]));
}

MassProperties mass_of(const UrdfRobot& robot, const UrdfPart& part, UrdfParts& parts) {
  MassProperties sum;
  std::vector<MassProperties> masses;  // of links, in the world
  for (const int l : part.links) {
    const UrdfLink& link = robot.links[l];
    if (!link.inertial || link.inertial->mass == 0) continue;
    const RigidTransform place = parts.world_from_link[l] * as_transform(link.inertial->origin);
    MassProperties mass;
    mass.mass = link.inertial->mass;
    mass.center = place.translation;
    mass.inertia = place.rotation * checked_inertia(robot, link, parts.notes) * place.rotation.transpose();
    sum.mass += mass.mass;
    sum.center += mass.mass * mass.center;
    masses.push_back(mass);
  }
  if (masses.empty()) return sum;
  sum.center /= sum.mass;
  for (const MassProperties& mass : masses) {
    const Vec3 d = mass.center - sum.center;
    sum.inertia += mass.inertia + mass.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return sum;
}

// --- Parts ---

void join_links(const UrdfRobot& robot, UrdfParts& parts) {
  parts.part_of_link.assign(robot.links.size(), 0);
  parts.parts.emplace_back().links = {robot.root};
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const UrdfJoint& joint = robot.joints[j];
    int& part = parts.part_of_link[joint.child];
    if (joint.type == UrdfJointType::fixed) {
      part = parts.part_of_link[joint.parent];
      parts.parts[part].links.push_back(joint.child);
    } else {
      part = static_cast<int>(parts.parts.size());
      parts.parts.emplace_back().links = {joint.child};
      parts.parts.back().joint = static_cast<int>(j);
    }
  }
}

// The link that a part is known by.
int main_link_of(const UrdfRobot& robot, const UrdfPart& part) {
  const auto has_mass = [&](int l) { return robot.links[l].inertial && robot.links[l].inertial->mass > 0; };
  const auto first = std::find_if(part.links.begin(), part.links.end(), has_mass);
  return first == part.links.end() ? part.links.front() : *first;
}

void refuse_moving_part_without_mass(const UrdfRobot& robot, const UrdfPart& part) {
  const UrdfLink& link = robot.links[part.links.front()];
  throw InputError(
      robot.place(link.line),
      fmt::format("link {} moves by joint {} but has no mass; give it <inertial> with <mass> and <inertia>, "
                  "or make the joint fixed",
                  in_quotes(link.name), in_quotes(robot.joints[part.joint].name)));
}

}  // namespace

std::string scene_name(const std::string& urdf_name) {
  std::string name = urdf_name;
  for (char& c : name) {
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!is_kept) c = '_';
  }
  return name;
}

UrdfParts urdf_parts(const UrdfRobot& robot, UrdfBase base, const std::map<std::string, double>& pose) {
  UrdfParts parts;
  for (const UrdfJoint& joint : robot.joints) {
    if (joint.type == UrdfJointType::planar)
      throw InputError(robot.place(joint.line),
                       "joint " + in_quotes(joint.name) +
                           " is planar, which no joint of pliant is; make it floating, or chain "
                           "prismatic and continuous joints with masses between them");
  }
  place_links(robot, pose, parts);
  join_links(robot, parts);
  for (UrdfPart& part : parts.parts) {
    part.main_link = main_link_of(robot, part);
    part.mass = mass_of(robot, part, parts);
    if (part.joint < 0) {
      const bool is_world = robot.links[robot.root].name == "world";
      part.is_fixed = base == UrdfBase::fixed || is_world || part.mass.mass == 0;
      if (part.is_fixed && base == UrdfBase::free && !is_world)
        parts.notes.push_back("link " + in_quotes(robot.links[robot.root].name) +
                              " has no mass and is fixed to the world");
    } else if (part.mass.mass == 0) {
      refuse_moving_part_without_mass(robot, part);
    }
  }
  return parts;
}

}  // namespace pliant::scene
