#include "pliant/scene/placed_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/scene/body_meshes.h"
#include "pliant/scene/grains.h"
#include "pliant/scene/random.h"

namespace pliant::scene {
namespace {

void transform(std::vector<Vec3>& points, const Mat3& linear, const Vec3& translation) {
  for (Vec3& x : points) x = linear * x + translation;
}

// Coordinates are numbers of 16 digits: a body must be large enough to have a shape where it stands.
void check_place(const Body& body, const std::vector<Vec3>& vertices) {
  constexpr double kFarthest = 1e12, kSmallest = 1e-12;  // m; volumes of tets stay far from over- and underflow
  constexpr double kLeastShare = 1e-9;  // of the distance from the origin: seven digits are left for the shape
  if (vertices.empty()) return;
  Vec3 low = vertices[0], high = low;
  for (const Vec3& x : vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const double distance = std::max(low.lpNorm<Eigen::Infinity>(), high.lpNorm<Eigen::Infinity>());
  const double extent = (high - low).norm();
  const bool is_point = vertices.size() == 1;  // a grain
  if (distance <= kFarthest && (is_point || extent >= std::max(kSmallest, kLeastShare * distance))) return;
  throw InputError(body.source,
                   fmt::format("body '{}' is {:.3g} m large and {:.3g} m from the origin; a body must be larger than "
                               "{:g} m and than {:g} of that distance, which must be below {:g} m: check position, "
                               "scale, copies.spacing and the unit of the mesh",
                               body.name, extent, distance, kSmallest, kLeastShare, kFarthest));
}

PlacedBody place_copy(const Body& body, const PlacedBody& shape, const std::string& name, const Mat3& turn,
                      const Vec3& position) {
  PlacedBody placed = shape;
  placed.body = &body;
  placed.name = name;
  placed.turn = turn;
  placed.shift = position;
  transform(placed.mesh.vertices, body.scale * turn, position);
  check_place(body, placed.mesh.vertices);
  if (placed.embedded) transform(placed.embedded->surface.vertices, body.scale * turn, position);
  for (std::vector<Vec3>& rest : placed.rest_keyframes) transform(rest, body.scale * turn, position);
  for (std::array<Vec2, 3>& triangle : placed.corners) {
    for (Vec2& corner : triangle) corner *= body.scale;
  }
  return placed;
}

PlacedBody make_shape(const Body& body) {
  switch (body.kind) {
    case BodyKind::cloth:
      return make_cloth(body);
    case BodyKind::rod:
      return make_rod(body.mesh);
    case BodyKind::springs:
      return make_springs(body.mesh);
    case BodyKind::rigid:
      return make_rigid(body.mesh);
    case BodyKind::obstacle:
      return make_obstacle(body.mesh);
    default:
      return make_solid(body.mesh);
  }
}

// Strands stand where the obstacle stands that they grow on; it comes earlier or later in the scene.
PlacedBody place_strands(const Scene& scene, const Body& body, const StrandsMesh& strands) {
  const auto ground =
      std::find_if(scene.bodies.begin(), scene.bodies.end(), [&](const Body& b) { return b.name == strands.on; });
  if (ground == scene.bodies.end() || ground->kind != BodyKind::obstacle) {
    throw InputError(body.mesh.source,
                     fmt::format("strands.on must name a body of kind obstacle, and '{}' is {}; strands "
                                 "on deformable bodies are not built yet in this version",
                                 strands.on, ground == scene.bodies.end() ? "no body" : "another kind"));
  }
  if (!(ground->copies == Copies{})) {
    throw InputError(
        body.mesh.source,
        fmt::format("strands cannot grow on '{}', which has copies; give each obstacle with strands a name "
                    "of its own",
                    strands.on));
  }
  const PlacedBody shape = make_shape(*ground);
  const PlacedBody placed =
      place_copy(*ground, shape, ground->name, rotation_matrix(ground->rotation), ground->position);
  PlacedBody result = make_strands(strands, placed, scene.seed, body.mesh.source);
  result.body = &body;
  result.name = body.name;
  return result;
}

}  // namespace

std::vector<PlacedBody> place_bodies(const Scene& scene) {
  std::vector<PlacedBody> placed;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (const auto* strands = std::get_if<StrandsMesh>(&body.mesh.shape);
        strands != nullptr && body.kind == BodyKind::rod) {
      placed.push_back(place_strands(scene, body, *strands));
      continue;
    }
    if (body.emitter) {
      placed.push_back(emitted_grains(scene, body, static_cast<std::uint64_t>(b)));
      continue;
    }
    const PlacedBody shape = body.kind == BodyKind::particles
                                 ? filling_grains(scene, body, static_cast<std::uint64_t>(b))
                                 : make_shape(body);
    const Mat3 turn = rotation_matrix(body.rotation);
    Random random(scene.seed, static_cast<std::uint64_t>(b));
    const Vec3i count = body.copies.count;
    const bool one = count.prod() == 1;
    int index = 0;
    // Copies stand on a lattice around the body's position, x fastest.
    for (int k = 0; k < count[2]; ++k) {
      for (int j = 0; j < count[1]; ++j) {
        for (int i = 0; i < count[0]; ++i, ++index) {
          Vec3 offset(i * body.copies.spacing[0], j * body.copies.spacing[1], k * body.copies.spacing[2]);
          for (int axis = 0; axis < 3; ++axis) offset[axis] += body.copies.jitter * random.between(-1, 1);
          Mat3 copy_turn = turn;
          if (body.copies.random_rotation) copy_turn = random.rotation() * turn;
          placed.push_back(place_copy(body, shape, one ? body.name : fmt::format("{}.{}", body.name, index), copy_turn,
                                      body.position + offset));
        }
      }
    }
  }
  return placed;
}

}  // namespace pliant::scene
