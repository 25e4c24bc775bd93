// What of a URDF robot moves as one: links that fixed joints hold together, where they are at t = 0 in the world (y up),
// and their mass together.
//
//   Frames     world_from_root: x, y, z of the file become x, −z, y of the world, so that its z points up
//              world_from_child = world_from_parent · origin · (turn or slide by the joint's value about its axis)
//   Masses     m = Σ mᵢ,   c = Σ mᵢ cᵢ / m,   I = Σ Rᵢ Iᵢ Rᵢᵀ + mᵢ (|dᵢ|² 1 − dᵢ dᵢᵀ),   dᵢ = cᵢ − c
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pliant/dynamics/scripted_motion.h"
#include "pliant/io/urdf.h"
#include "pliant/mesh/mass_properties.h"

namespace pliant::scene {

enum class UrdfBase { free, fixed };  // whether the root link can move

struct UrdfPart {
  std::vector<int> links;  // the root of the part first
  int main_link = 0;       // its first link with a mass, else its first
  MassProperties mass;     // in the world; mass 0: none
  int joint = -1;          // into UrdfRobot::joints: what its first link hangs on; -1: the root's part
  bool is_fixed = false;   // to the world: the root's part when asked, when it has no mass, or when it is named world
};

struct UrdfParts {
  std::vector<UrdfPart> parts;                  // the root's first
  std::vector<int> part_of_link;                // by link
  std::vector<RigidTransform> world_from_link;  // by link
  std::vector<double> joint_value;              // rad or m, by joint
  std::vector<std::string> notes;
};

// pose: values of joints at t = 0 in degrees or m, by name. The others stand at 0, or in the middle of their limits when
// these exclude 0. Throws InputError: joints that do not exist, values outside limits, parts that move without a mass,
// inertias that no body has.
[[nodiscard]] UrdfParts urdf_parts(const io::UrdfRobot& robot, UrdfBase base,
                                   const std::map<std::string, double>& pose = {});

// With what names of bodies and joints must not have replaced by _.
[[nodiscard]] std::string scene_name(const std::string& urdf_name);

}  // namespace pliant::scene
