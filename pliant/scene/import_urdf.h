// A scene file from a URDF robot (io/urdf.h): `pliant import`. The result is text that a person goes on editing.
//
//   what moves as one (scene/urdf_parts.h)   a rigid body per collision shape, held together by fixed joints
//   its root, when it is fixed               obstacles
//   revolute, continuous                     hinge, with limits or without
//   prismatic                                slider
//   floating                                 nothing
//   collision: box, sphere, cylinder         the mesh of that generator
//   collision: mesh                          its file
//   no collision                             the visual shapes, else a box of that inertia; without contact
//   friction of a joint                      a motor of speed 0 with that torque or force
//
// Bodies of k shapes that move as one have each 1/k of the mass and of the inertia, about the common centre of mass: the
// sum is exact, and every shape meets others as what it is (one surface of several is no closed surface).
// They do not touch each other, nor the bodies that a joint leads to.
//
// Everything that is not taken over is a note.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pliant/scene/urdf_parts.h"

namespace pliant::scene {

struct UrdfImport {
  std::filesystem::path file;    // the URDF file: names of meshes are relative to it
  std::filesystem::path output;  // the scene file to be: meshes are named relative to it
  UrdfBase base = UrdfBase::free;
  std::map<std::string, double> pose;  // of joints at t = 0, degrees or m
};

struct ImportedScene {
  std::string text;  // YAML
  std::vector<std::string> notes;
  int body_count = 0, joint_count = 0;
};

// Reads no file. Throws InputError.
[[nodiscard]] ImportedScene import_urdf(const io::UrdfRobot& robot, const UrdfImport& wanted);

// Reads the URDF file, checks the scene and writes it; never over a file that exists.
// Throws InputError and io::WriteError.
ImportedScene import_urdf_file(const UrdfImport& wanted);

}  // namespace pliant::scene
