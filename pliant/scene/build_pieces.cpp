#include "pliant/scene/build_pieces.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace pliant::scene {
namespace {

using contact::ContactPiece;
using contact::ConvexShape;

// Of the size of a mesh: how far from its convex hull its surface may be to count as convex.
constexpr double kConvexTolerance = 1e-4;

// Of a mesh whose vertices are given in the piece's own frame.
void set_hull_or_mesh(const TriangleMesh& mesh, bool is_hull, ContactPiece& piece) {
  if (is_hull) {
    piece.shape = contact::hull_shape(contact::convex_hull(mesh.vertices));
  } else {
    piece.mesh = std::make_shared<contact::CollisionMesh>(mesh);
  }
}

ContactPiece piece_of(const Model& model, std::size_t k) {
  const RigidBody& rigid = model.rigids[k];
  const RigidShape& shape = rigid.shape;
  ContactPiece piece;
  piece.body = rigid.body;
  piece.rigid = static_cast<int>(k);
  piece.own = {shape.rotation, shape.centre};
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Vec3& xi : rigid.vertices) {
    piece.size = std::max(piece.size, xi.norm());
    low = low.cwiseMin(xi);
    high = high.cwiseMax(xi);
  }
  piece.thickness = 0.5 * (high - low).minCoeff();
  switch (shape.kind) {
    case RigidShapeKind::sphere:
      piece.shape = contact::ball_shape(shape.radius);
      break;
    case RigidShapeKind::box:
      piece.shape = contact::box_shape(shape.half_size);
      break;
    case RigidShapeKind::capsule:
      piece.shape = contact::capsule_shape(shape.half_height, shape.radius);
      break;
    default:
      set_hull_or_mesh({rigid.vertices, model.bodies[static_cast<std::size_t>(rigid.body)].triangles, {}},
                       shape.kind == RigidShapeKind::convex, piece);
  }
  return piece;
}

ContactPiece piece_of(const PlacedBody& placed, const Obstacle& obstacle) {
  ContactPiece piece;
  const double scale = placed.body->scale;
  const auto& mesh = placed.body->mesh.shape;
  piece.own = {placed.turn, placed.shift};
  if (std::holds_alternative<PlaneMesh>(mesh)) {
    piece.shape = contact::half_space_shape();
  } else if (const auto* sphere = std::get_if<SphereMesh>(&mesh)) {
    piece.shape = contact::ball_shape(scale * sphere->radius);
  } else if (const auto* box = std::get_if<BoxMesh>(&mesh)) {
    piece.shape = contact::box_shape(0.5 * scale * box->size);
  } else if (const auto* capsule = std::get_if<CapsuleMesh>(&mesh)) {
    piece.shape = contact::capsule_shape(0.5 * scale * capsule->height, scale * capsule->radius);
  } else {
    piece.own = {};
    const Eigen::AlignedBox3d box_around = [&] {
      Eigen::AlignedBox3d all;
      for (const Vec3& x : obstacle.mesh.vertices) all.extend(x);
      return all;
    }();
    const double size = box_around.isEmpty() ? 0 : box_around.diagonal().norm();
    const bool is_flat = box_around.isEmpty() || box_around.sizes().minCoeff() < kConvexTolerance * size;
    set_hull_or_mesh(obstacle.mesh, !is_flat && contact::is_convex(obstacle.mesh, kConvexTolerance * size), piece);
  }
  // A plane and a ball are the same however they turn.
  const bool is_seen_turning = !std::holds_alternative<PlaneMesh>(mesh) && !std::holds_alternative<SphereMesh>(mesh);
  for (std::size_t v = 0; is_seen_turning && v < obstacle.mesh.vertices.size(); ++v)
    piece.size = std::max(piece.size, piece.own.to_own(obstacle.mesh.vertices[v]).norm());
  return piece;
}

}  // namespace

std::vector<ContactPiece> contact_pieces(const std::vector<PlacedBody>& placed, const Model& model) {
  std::vector<ContactPiece> pieces;
  for (std::size_t k = 0; k < model.rigids.size(); ++k) pieces.push_back(piece_of(model, k));
  if (pieces.empty()) return pieces;
  int obstacle = 0;
  for (const PlacedBody& body : placed) {
    if (body.body->kind != BodyKind::obstacle) continue;
    pieces.push_back(piece_of(body, model.obstacles[static_cast<std::size_t>(obstacle)]));
    pieces.back().obstacle = obstacle;
    pieces.back().body = static_cast<int>(model.bodies.size()) + obstacle;
    ++obstacle;
  }
  return pieces;
}

}  // namespace pliant::scene
