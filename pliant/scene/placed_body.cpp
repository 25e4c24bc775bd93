#include "pliant/scene/placed_body.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/io/mesh_file.h"
#include "pliant/math/rotation.h"
#include "pliant/mesh/generators.h"
#include "pliant/mesh/mesh_check.h"
#include "pliant/mesh/tetrahedralize.h"
#include "pliant/scene/random.h"

namespace pliant::scene {
namespace {

struct SolidMesh {
  TetMesh mesh;
  std::optional<EmbeddedSurface> embedded;
  std::vector<std::string> notes;
};

SolidMesh solid_from_surface(const TriangleMesh& surface, const MeshSource& source) {
  // A scan that is to be repaired may have faults; tetrahedralize checks what it relies on.
  if (!source.tetrahedralize.repair) check_triangle_mesh(surface, source.source);
  TetrahedralizeOptions options;
  options.cell_size = source.tetrahedralize.cell_size.value_or(0);
  options.method = source.tetrahedralize.method == TetrahedralizeMethod::voxels
                       ? TetrahedralizeOptions::Method::voxels
                       : TetrahedralizeOptions::Method::conforming;
  options.repair = source.tetrahedralize.repair;
  TetrahedralizeResult result = tetrahedralize(surface, options, source.source);
  result.notes.push_back(fmt::format("{} tets of cell size {:.4g} m, dihedral angles {:.1f}° to {:.1f}°",
                                     result.mesh.tets.size(), result.cell_size, result.min_dihedral_degrees,
                                     result.max_dihedral_degrees));
  return {std::move(result.mesh), std::move(result.embedded), std::move(result.notes)};
}

SolidMesh solid_from_file(const FileMesh& file, const MeshSource& source) {
  io::AnyMesh any = io::read_mesh(file.file.resolved);
  if (auto* surface = std::get_if<TriangleMesh>(&any)) return solid_from_surface(*surface, source);
  SolidMesh solid{std::get<TetMesh>(std::move(any)), {}, {}};
  check_no_overlap(solid.mesh, source.source);
  return solid;
}

SolidMesh make_solid(const MeshSource& source) {
  const std::string& place = source.source;
  struct Maker {
    const MeshSource& source;
    const std::string& place;
    SolidMesh operator()(const BoxMesh& b) const {
      return {make_box({b.size, {b.cells[0], b.cells[1], b.cells[2]}}, place), {}, {}};
    }
    SolidMesh operator()(const SphereMesh& s) const {
      if (s.subdivisions) return solid_from_surface(make_sphere_surface({s.radius, *s.subdivisions}, place), source);
      return {make_ball({s.radius, s.cells.value_or(8)}, place), {}, {}};
    }
    SolidMesh operator()(const CylinderMesh& c) const {
      return solid_from_surface(make_cylinder({c.radius, c.height, c.segments}, place), source);
    }
    SolidMesh operator()(const CapsuleMesh& c) const {
      return solid_from_surface(make_capsule({c.radius, c.height, c.segments}, place), source);
    }
    SolidMesh operator()(const TorusMesh& t) const {
      return solid_from_surface(make_torus({t.radius, t.tube, t.segments}, place), source);
    }
    SolidMesh operator()(const FileMesh& f) const { return solid_from_file(f, source); }
    SolidMesh operator()(const GridMesh&) const {
      throw InputError(
          place, "a grid is a sheet without volume; a solid needs a box, sphere, cylinder, capsule, torus or file");
    }
    SolidMesh operator()(const PlaneMesh&) const {
      throw InputError(place,
                       "a plane is for obstacles; a solid needs a box, sphere, cylinder, capsule, torus or file");
    }
  };
  SolidMesh solid = std::visit(Maker{source, place}, source.shape);
  check_tet_mesh(solid.mesh, place);
  return solid;
}

void transform(std::vector<Vec3>& points, const Mat3& linear, const Vec3& translation) {
  for (Vec3& x : points) x = linear * x + translation;
}

PlacedBody place_copy(const Body& body, const SolidMesh& solid, const std::string& name, const Mat3& turn,
                      const Vec3& position) {
  PlacedBody placed{&body, name, solid.mesh, solid.embedded, turn, solid.notes};
  transform(placed.mesh.vertices, body.scale * turn, position);
  if (placed.embedded) transform(placed.embedded->surface.vertices, body.scale * turn, position);
  return placed;
}

}  // namespace

std::vector<PlacedBody> place_bodies(const Scene& scene) {
  std::vector<PlacedBody> placed;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const SolidMesh solid = make_solid(body.mesh);
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
          placed.push_back(place_copy(body, solid, one ? body.name : fmt::format("{}.{}", body.name, index), copy_turn,
                                      body.position + offset));
        }
      }
    }
  }
  return placed;
}

}  // namespace pliant::scene
