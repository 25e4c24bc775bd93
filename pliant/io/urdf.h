// URDF: a robot as a tree of links and joints, in XML. What the file says, checked, in its own units (m, kg, rad) and
// axes (z up). What pliant makes of it: scene/import_urdf.h.
//
//   Origins are frames: x y z [m], and roll pitch yaw [rad] about the fixed axes of the frame they stand in,
//     R = Rz(yaw) Ry(pitch) Rx(roll).
//   A joint's origin is the child link's frame in the parent's when the joint stands at 0; axes are in the child's frame.
//   An inertia is about the centre of mass, along the axes of the inertial origin.
//
// Elements that are no part of a link or joint as read here are collected as notes, never skipped in silence.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::io {

struct UrdfFrame {
  Mat3 rotation = Mat3::Identity();
  Vec3 position = Vec3::Zero();  // m
};

enum class UrdfGeometry { box, cylinder, sphere, mesh };

// Around the origin of its frame; a cylinder's axis is z.
struct UrdfShape {
  int line = 0;
  UrdfFrame origin;  // in the link
  UrdfGeometry geometry = UrdfGeometry::box;
  Vec3 size = Vec3::Zero();  // m, box
  double radius = 0;         // m, cylinder and sphere
  double length = 0;         // m, cylinder
  std::string file;          // mesh: as written, perhaps with package:// or file://
  Vec3 scale = Vec3::Ones();
};

struct UrdfInertial {
  int line = 0;
  UrdfFrame origin;             // centre of mass and axes, in the link
  double mass = 0;              // kg, 0 or above
  Mat3 inertia = Mat3::Zero();  // kg m², symmetric
};

struct UrdfLink {
  std::string name;
  int line = 0;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfShape> collision, visual;
  int joint = -1;  // the one whose child it is; -1: the root
};

enum class UrdfJointType { revolute, continuous, prismatic, fixed, floating, planar };

struct UrdfJoint {
  std::string name;
  int line = 0;
  UrdfJointType type = UrdfJointType::fixed;
  int parent = 0, child = 0;  // links
  UrdfFrame origin;
  Vec3 axis = Vec3::UnitX();               // a unit vector
  double lower = 0, upper = 0;             // rad or m, of revolute and prismatic joints
  std::optional<double> effort, velocity;  // N·m or N, rad/s or m/s: what a drive can give
  double damping = 0;                      // N·m·s/rad or N·s/m
  double friction = 0;                     // N·m or N
  bool mimics = false;                     // follows another joint
};

struct UrdfRobot {
  std::string name;
  std::string file;               // as the user knows it
  std::vector<UrdfLink> links;    // in the order of the file
  std::vector<UrdfJoint> joints;  // parents before their children
  int root = 0;
  std::vector<std::string> notes;  // what was not read

  [[nodiscard]] std::string place(int line) const { return file + ":" + std::to_string(line); }
};

// name: the file as the user knows it, for messages. Throws InputError with the line.
[[nodiscard]] UrdfRobot read_urdf(std::istream& in, const std::string& name);

}  // namespace pliant::io
