// What is fixed while a scene runs: bodies, masses, energies, scripts, and the layout of the unknowns. Built once
// (scene/build_model.h, or by hand), never changed; a change of topology makes a model of the next revision.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/configuration/dof_layout.h"
#include "pliant/configuration/rod_frames.h"
#include "pliant/configuration/state.h"
#include "pliant/constraint/joint.h"
#include "pliant/contact/contact_piece.h"
#include "pliant/contact/contact_surface.h"
#include "pliant/contact/surface_map.h"
#include "pliant/dynamics/rigid_body.h"
#include "pliant/dynamics/scripted_motion.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/inertia.h"
#include "pliant/mesh/body_kind.h"
#include "pliant/mesh/meshes.h"

namespace pliant {

// What an energy counts as in the balance that users see.
enum class EnergyRole { elastic, gravity, load, dissipation };

// What a kind of body does not have is empty.
struct ModelBody {
  std::string name;
  BodyKind kind = BodyKind::solid;
  TetMesh rest;                  // as placed, in the user's vertex order: vertices of every kind, tets of solids
  std::vector<Vec3i> triangles;  // cloth, sheets of springs, rigid bodies
  std::vector<std::array<Vec2, 3>> flat;     // cloth: the rest shape of each triangle, u along x [m]
  std::vector<std::array<int, 2>> segments;  // edges of rods, links of springs along edges
  std::vector<double> segment_length;        // m, at rest
  std::vector<Vec2> texture;                 // per vertex, or empty: for pictures
  double radius = 0;                         // m, of rods and particles: half the thickness of their pictures
  std::vector<double> radii;                 // m, of particles: per vertex; `radius` is the largest
  bool is_poured = false;                    // particles that are born over time
  int first_rod_edge = 0;                    // rods: of segment 0, in Model::rods
  std::vector<int> block_of_vertex;          // per vertex of `rest`; empty for rigid bodies
  std::vector<int> vertex_of_block;       // per block of the body, counted from its first; −1 − e: twist of edge e
  std::vector<MappedPoint> rigid_points;  // rigid bodies, per vertex of `rest`
  int rigid = -1;                         // rigid bodies: into Model::rigids
  std::optional<EmbeddedSurface> embedded;  // the surface the user gave, when it was tetrahedralised
  // After tears: the vertex of revision 0 that each one comes from (itself, if it was there), and the vertices that were
  // on its border, ascending. Empty before.
  std::vector<int> origin, first_border;

  // A vertex of `rest` as a function of the unknowns.
  [[nodiscard]] MappedPoint point(int vertex) const {
    return rigid_points.empty() ? MappedPoint::vertex(block_of_vertex[vertex]) : rigid_points[vertex];
  }
  // The blocks that say where the body is, in an order of their own: those of its vertices, or a rigid body's four.
  [[nodiscard]] std::vector<int> place_blocks() const;
};

// A sphere around one point, or a capsule around the segment between two: what contact takes instead of an obstacle's mesh.
struct RoundShape {
  std::vector<Vec3> axis;  // m, in the world at t = 0
  double radius = 0;       // m
};

// A body that only scripts move; it has no unknowns.
struct Obstacle {
  std::string name;
  TriangleMesh mesh;  // m, in the world at t = 0
  ScriptedMotion motion;
  std::optional<Vec3> half_space = {};  // its outward normal; the mesh is then one vertex on its border
  std::optional<RoundShape> round = {};

  // What scripts move for contact, m: vertices of the mesh, or a round shape's axis.
  [[nodiscard]] const std::vector<Vec3>& contact_points() const { return round ? round->axis : mesh.vertices; }
};

// Vertices that are held together, and how they move.
struct ScriptedPin {
  std::vector<int> blocks;
  int first_anchor = 0;  // into State::pin_anchors: places of the blocks, then material directors of the edges
  // Edges of rods whose both ends are in `blocks`: their material frames are held too and turn with the motion.
  struct ClampedEdge {
    int edge = 0;          // into Model::rods
    int from = 0, to = 0;  // into `blocks`
  };
  std::vector<ClampedEdge> edges;
  bool holds_all = true;         // all three directions
  std::vector<Vec3> directions;  // otherwise: held unit directions
  ScriptedMotion motion;
  double from = 0;                                         // s
  double until = std::numeric_limits<double>::infinity();  // s
  int soft_pin = -1;                                       // into Controls::soft_pin_active; −1 = hard
};

// A grain of an emitter: until its birth it is held where it is going to be, with the velocity that it is going to have,
// and nothing touches it.
struct Birth {
  int block = 0;
  double time = 0;  // s
};

// A rest state of cloth that changes with time: edge lengths (1 − w) of its own and w of an animated mesh. Both sets of
// lengths are those of triangles, so every mix of them is.
struct RestAnimation {
  struct Key {
    double time = 0;              // s
    std::vector<double> lengths;  // m, three per triangle, edge i opposite corner i
  };
  std::vector<double> own;      // m, as in Key
  std::vector<Key> keys;        // ascending in time, at least one; linear in between, held outside
  std::vector<double> factors;  // of w, per triangle; empty = 1
  LoadCurve weight;             // w in the first entry, 0 to 1

  // Lengths at a time [m].
  [[nodiscard]] std::vector<double> at(double time) const;
};

struct Model {
  int revision = 0;
  DofLayout layout;
  std::vector<ModelBody> bodies;
  std::vector<Obstacle> obstacles;
  SurfaceMap surface;
  std::shared_ptr<const contact::ContactSurface> contact;  // what can touch; null = nothing does
  std::vector<contact::ContactPiece>
      pieces;  // rigid bodies and obstacles as projection takes them; empty: no rigid body
  RodTopology rods;
  std::vector<RigidBody> rigids;  // in the order of their bodies

  Inertia inertia;
  std::vector<std::unique_ptr<Energy>> energies;
  std::vector<EnergyRole> roles;                        // one per energy
  std::shared_ptr<const sparse::BlockPattern> pattern;  // shared with the matrices and solvers made from it

  std::vector<ScriptedPin> pins;
  std::vector<Birth> births;  // ascending in time
  std::vector<constraint::Joint> joints;
  std::vector<LoadCurve> loads;
  std::vector<RestAnimation> rest_animations;
  int soft_pin_count = 0;

  Vec3 gravity = Vec3::Zero();  // m/s²
  double drag = 0;              // 1/s
  double diagonal = 1;          // m, of the box around everything at the start

  // Whether what a block stands for is there at a time [s]: grains that are still to be born are not.
  [[nodiscard]] std::vector<unsigned char> presence(double time) const;
  // "body 'bar', vertex 12", for messages about a block.
  [[nodiscard]] std::string describe_block(int block) const;
  [[nodiscard]] int anchor_count() const;
  // kg
  [[nodiscard]] double mass_of(const ModelBody& body) const;
  // What contact knows of all obstacles at a time [m]: Obstacle::contact_points.
  [[nodiscard]] std::vector<Vec3> obstacle_points(double time) const;
};

// Joints of a body, as indices into Model::rods: first, and one past the last. Only rods have any.
[[nodiscard]] std::array<int, 2> rod_joints(const Model& model, const ModelBody& body);

// The outside of a body as vertices of `rest`: the boundary of tets, or its triangles.
[[nodiscard]] std::vector<Vec3i> surface_triangles(const ModelBody& body);

}  // namespace pliant
