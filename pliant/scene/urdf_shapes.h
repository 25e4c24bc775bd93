// Shapes of URDF links as meshes of a scene: generators and files, and where they are.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/dynamics/scripted_motion.h"
#include "pliant/io/urdf.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// A mesh, and where its own coordinates are in the world: place · (scale x).
struct UrdfSurface {
  MeshSource mesh;  // mesh.source: the line of the shape
  RigidTransform place;
  double scale = 1;
};

// What names of mesh files stand for.
struct UrdfFolders {
  std::filesystem::path urdf;   // the file: names are relative to it, packages are folders beside or above it
  std::filesystem::path scene;  // the file to be: what is found is named relative to it
};

// Throws InputError when a mesh is of a kind that is not read, does not exist (it is not opened), or is scaled unevenly.
[[nodiscard]] UrdfSurface urdf_surface(const io::UrdfRobot& robot, const io::UrdfShape& shape,
                                       const RigidTransform& world_from_link, const UrdfFolders& folders);

// The box with this mass and inertia, of one density: sides² = 6 (Iⱼ + Iₖ − Iᵢ)/m along the principal axes.
[[nodiscard]] UrdfSurface inertia_box(const MassProperties& mass);

}  // namespace pliant::scene
