// A rigid body or an obstacle as contact between them takes it: a convex shape, or a mesh (contact/manifold/).
#pragma once

#include <memory>
#include <optional>

#include "pliant/contact/manifold/convex_shape.h"
#include "pliant/contact/manifold/mesh_contact.h"
#include "pliant/contact/shapes/shape.h"

namespace pliant::contact {

struct ContactPiece {
  int body = 0;                      // of the contact surface
  int rigid = -1;                    // the rigid body that carries it, or
  int obstacle = -1;                 // the obstacle
  std::optional<ConvexShape> shape;  // or
  std::shared_ptr<const CollisionMesh> mesh;
  Pose own;  // of the piece: in principal coordinates of the rigid body, or in the world at t = 0
  // m, from the centre of mass, or of obstacles the origin of `own`, to its farthest point; 0 where turning is not seen.
  double size = 0;
  double thickness = 0;  // m, half of the least extent; of rigid bodies
};

}  // namespace pliant::contact
