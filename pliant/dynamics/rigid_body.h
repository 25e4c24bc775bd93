// A rigid body of a model: its frame among the unknowns, its vertices, and what contact may take instead of them.
#pragma once

#include <vector>

#include "pliant/configuration/rigid_frames.h"
#include "pliant/math/types.h"

namespace pliant {

// What contact takes under `projection`: the mesh, or a shape with a formula of its own.
//   mesh      the triangles
//   sphere    radius
//   box       half_size along its axes
//   capsule   radius, half_height of the cylindrical part along its y axis
//   convex    the hull of the vertices
enum class RigidShapeKind { mesh, sphere, box, capsule, convex };
struct RigidShape {
  RigidShapeKind kind = RigidShapeKind::mesh;
  double radius = 0;              // m
  double half_height = 0;         // m
  Vec3 half_size = Vec3::Zero();  // m
  // Where the shape stands in the body: principal coordinates = rotation × the shape's own + centre.
  Mat3 rotation = Mat3::Identity();
  Vec3 centre = Vec3::Zero();  // m
};

struct RigidBody {
  RigidFrame frame;
  int body = 0;                // into Model::bodies
  std::vector<Vec3> vertices;  // m, principal coordinates of the vertices of ModelBody::rest
  // Where ModelBody::rest stands: principal coordinates to the world as placed.
  Mat3 rest_rotation = Mat3::Identity();
  Vec3 rest_centre = Vec3::Zero();  // m
  RigidShape shape;
};

}  // namespace pliant
