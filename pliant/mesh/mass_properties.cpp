// The sums of mass_properties.h.
#include "pliant/mesh/mass_properties.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "pliant/input_error.h"
#include "pliant/mesh/readable_number.h"
#include "pliant/mesh/surface.h"

namespace pliant {
namespace {

double tet_volume(const std::array<Vec3, 4>& x) { return (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0])) / 6; }

// Integrates over tets given by corners(i). Corners come relative to a point near the body, so that moments do not lose
// their digits to the distance from the origin.
template <class Corners>
MassProperties integrate(std::size_t count, double density, const Vec3& near, const Corners& corners) {
  // Mass and centre.
  MassProperties body;
  Vec3 first_moment = Vec3::Zero();
  for (std::size_t i = 0; i < count; ++i) {
    const std::array<Vec3, 4> x = corners(i);
    const double volume = tet_volume(x);
    body.volume += volume;
    first_moment += volume * (x[0] + x[1] + x[2] + x[3]) / 4;
  }
  const Vec3 center = first_moment / body.volume;
  body.center = near + center;
  body.mass = density * body.volume;

  // Second moment about the centre: each tet's own, and its centroid's.
  Mat3 second_moment = Mat3::Zero();
  for (std::size_t i = 0; i < count; ++i) {
    const std::array<Vec3, 4> x = corners(i);
    const double mass = density * tet_volume(x);
    const Vec3 centroid = (x[0] + x[1] + x[2] + x[3]) / 4;
    for (const Vec3& corner : x) second_moment += mass / 20 * (corner - centroid) * (corner - centroid).transpose();
    second_moment += mass * (centroid - center) * (centroid - center).transpose();
  }
  body.inertia = second_moment.trace() * Mat3::Identity() - second_moment;
  return body;
}

void check_density(double density, const std::string& place) {
  if (std::isfinite(density) && density > 0) return;
  throw InputError(place, "density is " + mesh::readable(density) + " kg/m³; give a finite number above 0.");
}

void check_encloses_volume(const TriangleMesh& surface, const std::string& place) {
  const SurfaceTopology topology = inspect_surface(surface);
  if (!topology.closed()) {
    const std::size_t open = topology.boundary_edges.size(), shared = topology.non_manifold_edges.size();
    throw InputError(place,
                     "the surface is not closed (" + std::to_string(open) + " edges with one triangle, " +
                         std::to_string(shared) +
                         " with more than two), so it has no volume; close its holes, or give mass and inertia.");
  }
  if (!topology.oriented()) {
    const Edge edge = topology.misoriented_edges.front();
    throw InputError(place, "the two triangles at the edge of vertices " + std::to_string(edge[0]) + " and " +
                                std::to_string(edge[1]) +
                                " face opposite sides; orient all triangles counter-clockwise seen from outside.");
  }
}

}  // namespace

MassProperties mass_properties(const TriangleMesh& surface, double density, const std::string& place) {
  check_density(density, place);
  check_encloses_volume(surface, place);
  const Vec3 near = surface.vertices[surface.triangles[0][0]];
  MassProperties body = integrate(surface.triangles.size(), density, near, [&](std::size_t i) {
    const Vec3i& t = surface.triangles[i];
    return std::array<Vec3, 4>{Vec3::Zero(), surface.vertices[t[0]] - near, surface.vertices[t[1]] - near,
                               surface.vertices[t[2]] - near};
  });
  if (!(body.volume > 0))
    throw InputError(place, "the surface encloses a volume of " + mesh::readable(body.volume) +
                                " m³; reverse its triangles, so that they are counter-clockwise seen from outside.");
  return body;
}

MassProperties mass_properties(const TetMesh& mesh, double density, const std::string& place) {
  check_density(density, place);
  if (mesh.tets.empty()) throw InputError(place, "the mesh has no tets; give a mesh with at least one.");
  const Vec3 near = mesh.vertices[mesh.tets[0][0]];
  return integrate(mesh.tets.size(), density, near, [&](std::size_t i) {
    const Vec4i& t = mesh.tets[i];
    return std::array<Vec3, 4>{mesh.vertices[t[0]] - near, mesh.vertices[t[1]] - near, mesh.vertices[t[2]] - near,
                               mesh.vertices[t[3]] - near};
  });
}

std::vector<double> tet_volumes(const TetMesh& mesh) {
  std::vector<double> volumes;
  volumes.reserve(mesh.tets.size());
  for (const Vec4i& t : mesh.tets)
    volumes.push_back(tet_volume({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]}));
  return volumes;
}

std::vector<double> lumped_masses(const TetMesh& mesh, double density) {
  std::vector<double> masses(mesh.vertices.size(), 0.0);
  const std::vector<double> volumes = tet_volumes(mesh);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (int c = 0; c < 4; ++c) masses[mesh.tets[t][c]] += density * volumes[t] / 4;
  return masses;
}

}  // namespace pliant
