// From a body of the scene to a mesh in the world: generated or read, tetrahedralised if a solid is given as a surface,
// checked, copied, scaled, turned and moved.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pliant/mesh/meshes.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// Vertices of a rod in order; the closing edge of a closed one leads from the last to the first.
struct Chain {
  std::vector<int> vertices;
  bool closed = false;
  double initial_twist = 0;  // rad, from the first edge to the last
  int root_triangle = -1;    // strands: the triangle of the body they grow on
};

// A spring between two vertices.
struct Link {
  enum class Kind { stretch, shear, bend };
  int from = 0, to = 0;
  Kind kind = Kind::stretch;
};

// One instance of a body (bodies with `copies` have several). What a kind does not have is empty.
struct PlacedBody {
  const Body* body = nullptr;                     // in the scene
  std::string name;                               // "sheet", or "sheet.0", "sheet.1", …
  TetMesh mesh;                                   // m, in the world: vertices of every kind, tets of solids
  std::vector<Vec3i> triangles;                   // cloth, sheets of springs, rigid bodies, obstacles
  std::vector<Vec2> texture;                      // per vertex, for pictures
  std::vector<std::array<Vec2, 3>> corners;       // cloth with UV: flat rest shape of each triangle, m
  std::vector<Chain> chains;                      // rods
  std::vector<Link> links;                        // springs
  std::vector<double> radii;                      // particles: m, per vertex
  std::vector<double> births;                     // particles of an emitter: s, per vertex, ascending
  std::vector<std::vector<Vec3>> rest_keyframes;  // cloth with animated rest: vertices at each keyframe, m
  std::optional<EmbeddedSurface> embedded;        // m, in the world; when a surface was given for a solid
  Mat3 turn = Mat3::Identity();                   // from the mesh's own frame to the world
  Vec3 shift = Vec3::Zero();                      // m, where the origin of that frame is
  // After tears: the vertex that each one comes from, the border before the first of them (ascending), where vertices
  // stood at t = 0, and the mass of elements that were taken out, at their vertices. Empty before.
  std::vector<int> origin, first_border;
  std::vector<Vec3> start;         // m
  std::vector<double> loose_mass;  // kg
  std::vector<std::string> notes;  // what the user should know about the mesh
};

[[nodiscard]] std::vector<PlacedBody> place_bodies(const Scene& scene);

}  // namespace pliant::scene
