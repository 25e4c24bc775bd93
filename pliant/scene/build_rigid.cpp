#include "pliant/scene/build_rigid.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/input_error.h"
#include "pliant/mesh/surface.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

constexpr double kFlat = 1e-9;  // of the size: how far in front of a plane rounding may put a vertex

Vec3 centre_of_area(const TriangleMesh& surface) {
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (const Vec3i& t : surface.triangles) {
    const Vec3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    const double area = (b - a).cross(c - a).norm();
    sum += area * (a + b + c) / 3;
    total += area;
  }
  return sum / total;
}

double extent_of(const std::vector<Vec3>& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& x : points) box.extend(x);
  return box.diagonal().norm();
}

// From principal coordinates to the world. The mesh's own axes where they are principal, so that nothing depends on how an
// eigenvalue solver breaks ties.
Mat3 principal_axes(const Mat3& inertia, const Mat3& turn, Vec3& moments) {
  const Mat3 own = turn.transpose() * inertia * turn;
  Mat3 off = own;
  off.diagonal().setZero();
  Mat3 axes = turn;
  moments = own.diagonal();
  if (off.norm() > 1e-12 * own.norm()) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(own);
    moments = eigen.eigenvalues();
    axes = turn * eigen.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  }
  return axes;
}

[[noreturn]] void refuse_shape(const PlacedBody& placed, const char* generator) {
  throw InputError(placed.body->source,
                   fmt::format("bodies.{}.shape: {} needs a mesh made by the generator {}; use convex or mesh",
                               placed.body->name, word_for(placed.body->shape), generator));
}

RigidShapeKind kind_of(const PlacedBody& placed) {
  const auto& mesh = placed.body->mesh.shape;
  switch (placed.body->shape) {
    case RigidForm::mesh:
      return RigidShapeKind::mesh;
    case RigidForm::convex:
      return RigidShapeKind::convex;
    case RigidForm::sphere:
      if (!std::holds_alternative<SphereMesh>(mesh)) refuse_shape(placed, "sphere");
      return RigidShapeKind::sphere;
    case RigidForm::box:
      if (!std::holds_alternative<BoxMesh>(mesh)) refuse_shape(placed, "box");
      return RigidShapeKind::box;
    case RigidForm::capsule:
      if (!std::holds_alternative<CapsuleMesh>(mesh)) refuse_shape(placed, "capsule");
      return RigidShapeKind::capsule;
    case RigidForm::automatic:
      break;
  }
  if (std::holds_alternative<SphereMesh>(mesh)) return RigidShapeKind::sphere;
  if (std::holds_alternative<BoxMesh>(mesh)) return RigidShapeKind::box;
  if (std::holds_alternative<CapsuleMesh>(mesh)) return RigidShapeKind::capsule;
  return is_convex(placed.mesh.vertices, placed.triangles) ? RigidShapeKind::convex : RigidShapeKind::mesh;
}

RigidShape shape_of_rigid(const PlacedBody& placed, const RigidBody& rigid) {
  RigidShape shape;
  shape.kind = kind_of(placed);
  const double scale = placed.body->scale;
  const auto& mesh = placed.body->mesh.shape;
  switch (shape.kind) {
    case RigidShapeKind::mesh:
    case RigidShapeKind::convex:
      return shape;  // vertices are in principal coordinates
    case RigidShapeKind::sphere:
      shape.radius = scale * std::get<SphereMesh>(mesh).radius;
      break;
    case RigidShapeKind::box:
      shape.half_size = 0.5 * scale * std::get<BoxMesh>(mesh).size;
      break;
    case RigidShapeKind::capsule:
      shape.radius = scale * std::get<CapsuleMesh>(mesh).radius;
      shape.half_height = 0.5 * scale * std::get<CapsuleMesh>(mesh).height;
      break;
  }
  shape.rotation = rigid.rest_rotation.transpose() * placed.turn;
  shape.centre = rigid.rest_rotation.transpose() * (placed.shift - rigid.rest_centre);
  return shape;
}

}  // namespace

MassProperties rigid_mass(const PlacedBody& placed, const Material& material) {
  const TriangleMesh surface{placed.mesh.vertices, placed.triangles, {}, {}};
  const bool knows_all = material.total_mass && !material.inertia.empty();
  MassProperties mass;
  if (knows_all && material.center_of_mass) {
    mass.center = placed.shift + placed.turn * *material.center_of_mass;
  } else if (knows_all && !inspect_surface(surface).closed()) {
    mass.center = centre_of_area(surface);
  } else {
    mass = mass_properties(surface, material.density, placed.body->mesh.source);
  }
  if (!material.total_mass) return mass;
  mass.inertia = knows_all ? Mat3(placed.turn * inertia_matrix(material) * placed.turn.transpose())
                           : Mat3(mass.inertia * (*material.total_mass / mass.mass));
  mass.mass = *material.total_mass;
  return mass;
}

void add_rigid_body(const PlacedBody& placed, const Material& material, ModelBody& body, Model& model) {
  const MassProperties mass = rigid_mass(placed, material);
  RigidBody rigid;
  rigid.body = static_cast<int>(model.bodies.size());
  Vec3 moments;
  rigid.rest_rotation = principal_axes(mass.inertia, placed.turn, moments);
  rigid.rest_centre = mass.center;
  rigid.frame = rigid_frame(model.layout.block_count(), mass.mass, moments);
  const Vec3 extent = rigid.frame.extent();
  model.layout.add_rigid_body(body.name, std::span<const double, 3>(extent.data(), 3));
  for (const Vec3& x : body.rest.vertices) {
    rigid.vertices.emplace_back(rigid.rest_rotation.transpose() * (x - rigid.rest_centre));
    body.rigid_points.push_back(rigid.frame.point(rigid.vertices.back()));
  }
  rigid.shape = shape_of_rigid(placed, rigid);
  body.rigid = static_cast<int>(model.rigids.size());
  model.rigids.push_back(std::move(rigid));
}

bool is_convex(const std::vector<Vec3>& vertices, const std::vector<Vec3i>& triangles) {
  const double allowed = kFlat * extent_of(vertices);
  return std::all_of(triangles.begin(), triangles.end(), [&](const Vec3i& t) {
    const Vec3& a = vertices[t[0]];
    const Vec3 normal = (vertices[t[1]] - a).cross(vertices[t[2]] - a).normalized();
    return std::all_of(vertices.begin(), vertices.end(), [&](const Vec3& x) { return normal.dot(x - a) <= allowed; });
  });
}

}  // namespace pliant::scene
