// The scene: what the user asked for, as plain values. Field names are the keys of the scene file
// (docs/scene-format.md).
//
// Units are SI; angles are in degrees, as in the file. std::optional is the file's `null`.
// A Scene from read_scene() is checked: ranges hold, names resolve, files exist, and nothing in it is "not built yet".
// Two scenes are equal when they ask for the same; where it stood in a file (Source) does not count.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/mesh/body_kind.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/scene/scene_solver.h"

namespace pliant::scene {

// A file named in a scene: as written, and resolved against the scene file's folder.
struct FilePath {
  std::string written;
  std::filesystem::path resolved;
  bool operator==(const FilePath&) const = default;
};

// ---- materials ----------------------------------------------------------------------------------------------------

enum class MaterialModel {
  neo_hookean,
  stable_neo_hookean,
  corotated,
  st_venant_kirchhoff,
  linear,
  arap,
  mooney_rivlin,
  polynomial,
  spline,
  orthotropic_st_venant_kirchhoff,
  elastic_rod,
  springs
};
enum class MassForm { lumped, consistent };

// A derivative curve of a spline material, as points (stretch, Pa): at least 4, stretch strictly increasing.
// Empty: the term is absent. With `file`, the points were read from it (two columns, # comments).
struct SplineCurve {
  std::vector<Vec2> points;
  std::optional<FilePath> file;
  bool operator==(const SplineCurve&) const = default;
};

struct Fibre {
  Vec3 direction = Vec3::UnitX();  // in the rest pose, any length but 0; turned with the body's rotation
  double stiffness = 0.0;          // Pa
  bool operator==(const Fibre&) const = default;
};

// How cloth resists bending (energy/cloth/hinge_bending.h).
enum class BendingModel { hinge_tan, hinge_angle, willmore, bridson, none };
enum class BendingRest { flat, as_given };
struct Bending {
  BendingModel model = BendingModel::hinge_tan;
  std::optional<double> stiffness;  // N·m, flexural rigidity when bent along the warp; null = from thickness and moduli
  std::optional<double> ratio;  // stiffness when bent along the weft over that along the warp; null = from the moduli
  BendingRest rest = BendingRest::flat;
  double viscosity = 0.0;  // N·m·s, added to what `damping` gives
  bool operator==(const Bending&) const = default;
};

// Stretches outside [min, max] meet a spring.
struct StrainLimit {
  double min = 0.9;
  double max = 1.1;
  double stiffness = 0.0;  // Pa
  bool operator==(const StrainLimit&) const = default;
};

// A spring against changes of volume (energy/solid/volume_preservation.h).
struct VolumeTerm {
  double stiffness = 0.0;  // Pa
  bool operator==(const VolumeTerm&) const = default;
};

// Cross-section of a rod.
struct CircleSection {
  double radius = 1e-3;  // m
  bool operator==(const CircleSection&) const = default;
};
struct EllipseSection {
  Vec2 radii = Vec2::Constant(1e-3);  // m, half axes: across, along `up`
  bool operator==(const EllipseSection&) const = default;
};
struct RectangleSection {
  Vec2 sides = Vec2::Constant(2e-3);  // m: across, along `up`
  bool operator==(const RectangleSection&) const = default;
};
using Section = std::variant<CircleSection, EllipseSection, RectangleSection>;

struct MaterialDamping {
  double stiffness_proportional = 0.0;  // s
  bool operator==(const MaterialDamping&) const = default;
};

struct Material {
  std::string name;
  Source source;
  MaterialModel model = MaterialModel::neo_hookean;
  MassForm mass = MassForm::lumped;
  double density = 1000.0;  // kg/m³
  double young = 1.0e5;  // Pa      neo_hookean, stable_neo_hookean, corotated, st_venant_kirchhoff, linear, elastic_rod
  double poisson = 0.45;   // 1       the same without elastic_rod, and orthotropic_st_venant_kirchhoff
  double stiffness = 0.0;  // Pa      arap
  double c1 = 0.0;         // Pa      mooney_rivlin
  double c2 = 0.0;         // Pa      mooney_rivlin
  double bulk = 0.0;       // Pa      mooney_rivlin
  double mu = 0.0;         // Pa      polynomial
  SplineCurve a, b, c;     // spline: a'(stretch), b'(product of two stretches), c'(volume ratio)
  std::optional<Fibre> fibre;
  std::optional<double> extrapolate_below;  // J: below this volume ratio the energy continues as a quadratic
  // Rigid bodies: instead of density.
  std::optional<double> total_mass;    // kg, the number form of `mass`
  std::vector<double> inertia;         // kg m², about the centre, along the mesh's axes: 3 moments, 9 entries, or none
  std::optional<Vec3> center_of_mass;  // m, from the mesh's origin along its axes, beside inertia; null: the mesh's own
  MaterialDamping damping;
  std::optional<StrainLimit> strain_limit;  // of solids and cloth
  std::optional<VolumeTerm> volume;         // of solids
  // Cloth, and sheets of springs.
  std::optional<double> thickness;        // m
  std::optional<double> surface_density;  // kg/m²; null = density × thickness
  double young_warp = 1.0e6;              // Pa      orthotropic_st_venant_kirchhoff
  double young_weft = 1.0e6;              // Pa      orthotropic_st_venant_kirchhoff
  double shear = 4.0e5;                   // Pa, engineering shear modulus; orthotropic_st_venant_kirchhoff, elastic_rod
  Vec2 warp_direction = Vec2::UnitX();    // in UV space; without UV, of x and −z at rest
  Bending bending;
  // Rods.
  Section section;
  double viscosity = 0.0;  // Pa·s, of the material
  // Springs, N/m each: along links, across cells, over one vertex.
  double stretch_stiffness = 0.0;
  double shear_stiffness = 0.0;
  double bend_stiffness = 0.0;
  std::optional<double> linear_density;  // kg/m of links, for chains and nets
  // Particles.
  std::optional<double> radius;  // m, of the grains
  double radius_spread = 0.0;    // radii are anywhere in radius (1 ± radius_spread)
  bool operator==(const Material&) const = default;
};

// ---- placement, selections, motions ---------------------------------------------------------------------------------

struct AxisRotation {
  Vec3 axis = Vec3::UnitX();  // any length but 0
  double degrees = 0.0;
  bool operator==(const AxisRotation&) const = default;
};
struct Quaternion {
  Vec4 quaternion = Vec4(1, 0, 0, 0);  // w, x, y, z; any length but 0
  bool operator==(const Quaternion&) const = default;
};
// Applied in order: the first entry turns first. Empty: no rotation. As a matrix: rotation_matrix() below.
struct Rotation {
  std::vector<std::variant<AxisRotation, Quaternion>> turns;
  bool operator==(const Rotation&) const = default;
};

// Vertices of a body, in world space at t = 0.
struct VertexSelection {
  std::vector<int> vertices;
  bool operator==(const VertexSelection&) const = default;
};
struct BoxSelection {
  Vec3 min = Vec3::Zero();  // m, borders included
  Vec3 max = Vec3::Zero();  // m
  bool operator==(const BoxSelection&) const = default;
};
struct SphereSelection {
  Vec3 center = Vec3::Zero();  // m
  double radius = 0.0;         // m, border included
  bool operator==(const SphereSelection&) const = default;
};
struct BoundarySelection {
  bool operator==(const BoundarySelection&) const = default;
};
struct AllSelection {
  bool operator==(const AllSelection&) const = default;
};
using Selection = std::variant<AllSelection, VertexSelection, BoxSelection, SphereSelection, BoundarySelection>;

struct MoveMotion {
  Vec3 velocity = Vec3::Zero();  // m/s; zero: held still
  bool operator==(const MoveMotion&) const = default;
};
struct RotateMotion {
  Vec3 axis = Vec3::UnitY();   // any length but 0
  Vec3 center = Vec3::Zero();  // m
  double degrees_per_second = 0.0;
  bool operator==(const RotateMotion&) const = default;
};
struct Keyframe {
  double t = 0.0;                // s
  Vec3 position = Vec3::Zero();  // m, displacement from the place at t = 0
  Rotation rotation;             // from the pose at t = 0, about the centre of what moves
  bool operator==(const Keyframe&) const = default;
};
// Positions are linear between keyframes, rotations turn at constant speed; held before the first and after the last.
struct KeyframeMotion {
  std::vector<Keyframe> keyframes;  // at least one, t strictly increasing
  double speed = 1.0;               // keyframe t is reached at t / speed
  bool repeat = false;              // after the last keyframe they begin again with the first
  bool operator==(const KeyframeMotion&) const = default;
};
using Motion = std::variant<MoveMotion, RotateMotion, KeyframeMotion>;

// ---- meshes -------------------------------------------------------------------------------------------------------

struct BoxMesh {
  Vec3 size = Vec3::Ones();          // m
  Vec3i cells = Vec3i::Constant(4);  // counts along each axis
  bool operator==(const BoxMesh&) const = default;
};
// `cells` across the diameter makes a solid directly; `subdivisions` of an icosahedron makes a surface. Not both.
// A solid with neither has 8 cells.
struct SphereMesh {
  double radius = 0.5;  // m
  std::optional<int> cells;
  std::optional<int> subdivisions;
  bool operator==(const SphereMesh&) const = default;
};
struct CylinderMesh {
  double radius = 0.5;  // m
  double height = 1.0;  // m, along y
  int segments = 32;
  bool operator==(const CylinderMesh&) const = default;
};
struct CapsuleMesh {
  double radius = 0.5;  // m
  double height = 1.0;  // m, along y, of the cylindrical part
  int segments = 32;
  bool operator==(const CapsuleMesh&) const = default;
};
struct TorusMesh {
  double radius = 0.5;  // m, of the centre line, around y
  double tube = 0.2;    // m, below radius
  int segments = 32;    // around the axis
  bool operator==(const TorusMesh&) const = default;
};
// A sheet in the xz-plane (cloth, obstacles).
struct GridMesh {
  Vec2 size = Vec2::Ones();                               // m, along x and z
  Eigen::Vector2i cells = Eigen::Vector2i::Constant(10);  // counts along x and z
  GridPattern pattern = GridPattern::diagonal;
  bool operator==(const GridMesh&) const = default;
};
// The half-space y ≤ 0 (obstacles).
struct PlaneMesh {
  bool operator==(const PlaneMesh&) const = default;
};
// An open tube around y, wider or narrower at the top (cloth: skirts, sleeves).
struct TubeMesh {
  double radius = 0.5;               // m, at the bottom
  std::optional<double> top_radius;  // m; null = radius
  double height = 1.0;               // m
  int segments = 32;                 // around
  std::optional<int> rows;           // along y; null = cells about as high as wide
  bool operator==(const TubeMesh&) const = default;
};

// The line of a rod or a chain; vertex 0 is the root.
struct StraightLine {
  double length = 1.0;  // m
  int segments = 20;
  Vec3 direction = Vec3::UnitX();  // any length but 0
  bool operator==(const StraightLine&) const = default;
};
struct HelixLine {
  double radius = 0.1;  // m
  double pitch = 0.1;   // m per turn
  double turns = 5.0;
  int segments = 200;
  bool operator==(const HelixLine&) const = default;
};
struct PointLine {
  std::vector<Vec3> points;  // m
  bool operator==(const PointLine&) const = default;
};
struct FileLine {
  FilePath file;  // a text file with x y z of one vertex per line
  bool operator==(const FileLine&) const = default;
};
struct StrandMesh {
  std::variant<StraightLine, HelixLine, PointLine, FileLine> line;
  bool closed = false;
  double initial_twist = 0.0;  // degrees, from the first edge to the last at t = 0
  bool operator==(const StrandMesh&) const = default;
};

// Many strands that grow along the normals of a body's surface, their roots clamped to it.
struct StrandsMesh {
  std::string on;  // an obstacle
  int count = 100;
  double length = 0.1;       // m
  int segments = 20;         // per strand
  double curl_radius = 0.0;  // m; above 0: strands are helices around the normal
  double curl_pitch = 0.01;  // m per turn
  Selection where;           // of the surface's vertices: strands grow where all three corners are selected
  bool operator==(const StrandsMesh&) const = default;
};

struct FileMesh {
  FilePath file;      // OBJ, PLY, .msh, .mesh, .node/.ele
  int subdivide = 0;  // how often every triangle of a surface is cut in four
  bool operator==(const FileMesh&) const = default;
};

enum class TetrahedralizeMethod { conforming, voxels };
// How a closed surface becomes a solid.
struct Tetrahedralize {
  std::optional<double> cell_size;  // m; null = 1/30 of the diagonal of the surface's box
  TetrahedralizeMethod method = TetrahedralizeMethod::conforming;
  bool repair = false;  // close holes and drop stray pieces of the surface first
  bool operator==(const Tetrahedralize&) const = default;
};

struct MeshSource {
  std::variant<BoxMesh, SphereMesh, CylinderMesh, CapsuleMesh, TorusMesh, GridMesh, PlaneMesh, FileMesh, TubeMesh,
               StrandMesh, StrandsMesh>
      shape;
  Tetrahedralize tetrahedralize;  // for surfaces only
  Source source;
  bool operator==(const MeshSource&) const = default;
};

// ---- bodies -------------------------------------------------------------------------------------------------------

using pliant::BodyKind;

// What is met of an obstacle: its mesh, or the exact shape that its mesh stands for. auto is the mesh under barrier, the
// shape of spheres, capsules and tori under penalty.
enum class ContactShape { automatic, mesh, analytic };  // `auto` in files

// What contact takes of a rigid body under `projection`: its mesh, or a simpler shape (dynamics/rigid_body.h).
enum class RigidForm { automatic, mesh, sphere, box, capsule, convex };  // `auto` in files

struct BodyContact {
  bool enabled = true;
  std::optional<double> friction;   // null = contact.friction
  std::optional<double> thickness;  // m; null = 0 for solids
  std::optional<double> distance;   // m; null = contact.distance
  bool self = true;
  ContactShape shape = ContactShape::automatic;
  bool operator==(const BodyContact&) const = default;
};

struct Copies {
  Vec3i count = Vec3i::Ones();
  Vec3 spacing = Vec3::Zero();  // m
  double jitter = 0.0;          // m, random shift up to this along each axis
  bool random_rotation = false;
  bool operator==(const Copies&) const = default;
};

enum class Discretization { tets };

// What a rod is when nothing acts on it.
struct StraightRest {
  bool operator==(const StraightRest&) const = default;
};
struct GivenRest {  // the mesh as it is
  bool operator==(const GivenRest&) const = default;
};
struct CurvedRest {
  Vec2 curvature = Vec2::Zero();  // 1/m, towards the two axes of the section: across, `up`
  double twist = 0.0;             // 1/m, turn of the section per length [rad/m]
  bool operator==(const CurvedRest&) const = default;
};
using RodRest = std::variant<StraightRest, GivenRest, CurvedRest>;

// How a cloth's texture coordinates become its rest state.
enum class UvUse { fit, ignore, metres };
struct UvRest {
  UvUse use = UvUse::fit;  // fit: scaled so that the area at rest is that of the mesh
  double metres = 1.0;     // per unit of u and v, for `metres`
  bool operator==(const UvRest&) const = default;
};

struct RestStart {
  bool operator==(const RestStart&) const = default;
};
struct ScatterStart {  // every vertex anywhere in the body's box: a test of robustness
  bool operator==(const ScatterStart&) const = default;
};
struct StateStart {
  FilePath state;
  bool operator==(const StateStart&) const = default;
};
using Start = std::variant<RestStart, ScatterStart, StateStart>;

// A value over time: linear between keyframes, held outside. One keyframe: a constant.
struct ScalarKeyframe {
  double t = 0.0;  // s
  double value = 0.0;
  bool operator==(const ScalarKeyframe&) const = default;
};
struct ScalarCurve {
  std::vector<ScalarKeyframe> keyframes;  // at least one, t strictly increasing
  [[nodiscard]] double at(double t) const;
  bool operator==(const ScalarCurve&) const = default;
};
struct VectorKeyframe {
  double t = 0.0;  // s
  Vec3 value = Vec3::Zero();
  bool operator==(const VectorKeyframe&) const = default;
};
struct VectorCurve {
  std::vector<VectorKeyframe> keyframes;  // at least one, t strictly increasing
  [[nodiscard]] Vec3 at(double t) const;
  bool operator==(const VectorCurve&) const = default;
};

// A cloth whose rest shape follows an animation: rest lengths of edges are (1 − w) of the cloth's own and w of the
// animated mesh's.
struct RestKeyframe {
  double t = 0.0;   // s
  MeshSource mesh;  // with the triangles of the body
  bool operator==(const RestKeyframe&) const = default;
};
struct AnimatedRest {
  std::vector<RestKeyframe> keyframes;  // at least one; linear in between, held outside
  ScalarCurve weight{{{0.0, 1.0}}};     // 0 to 1, of the whole cloth
  std::optional<FilePath> weights;      // a text file with a factor per triangle, 0 to 1
  bool operator==(const AnimatedRest&) const = default;
};

// How a body gives way: along the faces of its elements, or by losing elements.
enum class TearForm { splitting, removal };
struct BodyTearing {
  double stretch = 1.5;  // largest principal stretch an element bears
  TearForm by = TearForm::splitting;
  bool operator==(const BodyTearing&) const = default;
};

// Where grains are born: their centres are somewhere in it.
struct BoxOpening {
  Vec3 min = Vec3::Zero();  // m, in the world
  Vec3 max = Vec3::Zero();  // m
  bool operator==(const BoxOpening&) const = default;
};
struct RoundOpening {
  Vec3 center = Vec3::Zero();  // m, in the world
  double radius = 0.1;         // m
  bool operator==(const RoundOpening&) const = default;
};
// Particles that are poured over time. They wait, unseen and untouched, until they are born.
struct Emitter {
  double rate = 100.0;  // 1/s
  std::variant<BoxOpening, RoundOpening> from;
  Vec3 velocity = Vec3::Zero();  // m/s, at birth
  std::optional<double> until;   // s; null = time.end
  std::optional<int> count;      // at most so many; null = as many as the rate gives
  bool operator==(const Emitter&) const = default;
};

// Placed by: scale, then rotation, then position.
struct Body {
  std::string name;
  Source source;
  BodyKind kind = BodyKind::solid;
  MeshSource mesh;
  std::string material = "rubber";  // a name in Scene::materials (presets used and inline maps are added there)
  Vec3 position = Vec3::Zero();     // m
  Rotation rotation;
  double scale = 1.0;
  Vec3 velocity = Vec3::Zero();          // m/s
  Vec3 angular_velocity = Vec3::Zero();  // degrees/s, about the centre of mass
  BodyContact contact;
  Copies copies;
  Discretization discretization = Discretization::tets;
  Start start;
  Motion motion;                              // obstacles only
  UvRest uv;                                  // cloth
  Vec3 up = Vec3::UnitY();                    // rods: where the second axis of the section points
  RodRest rest;                               // rods
  std::optional<AnimatedRest> animated_rest;  // cloth
  std::optional<BodyTearing> tearing;         // cloth, solids
  std::optional<Emitter> emitter;             // particles, instead of a mesh that is filled
  std::optional<int> count;                   // particles that fill a mesh: at most so many
  RigidForm shape = RigidForm::automatic;     // rigid bodies
  bool operator==(const Body&) const = default;
};

// ---- pins and loads -----------------------------------------------------------------------------------------------

struct HeldAxes {
  bool x = true, y = true, z = true;
  bool operator==(const HeldAxes&) const = default;
};

enum class PinTwist { held, free };

struct Pin {
  std::string body;
  Source source;
  Selection where;
  HeldAxes axes;
  std::optional<Vec3> direction;  // one oblique held direction instead of axes; any length but 0
  Motion motion;
  double from = 0.0;                // s
  std::optional<double> until;      // s, then released
  std::optional<double> stiffness;  // N/m in total, shared by mass; null = hard (`hard` in files)
  PinTwist twist = PinTwist::held;  // of rod edges whose both ends are pinned
  bool operator==(const Pin&) const = default;
};

// Exactly one of force, torque, traction, pressure is set.
struct Load {
  std::string body;
  Source source;
  Selection where;
  std::optional<VectorCurve> force;     // N, in total
  std::optional<VectorCurve> torque;    // N·m, about the selection's centre; on rods, shared by the selected edges
  std::optional<VectorCurve> traction;  // Pa
  std::optional<ScalarCurve> pressure;  // Pa, along the outward surface normal: positive pulls outwards
  double ramp = 0.0;                    // s, grows linearly from 0 at `from` to full at `from` + ramp
  double from = 0.0;                    // s
  std::optional<double> until;          // s
  bool operator==(const Load&) const = default;
};

// ---- joints -------------------------------------------------------------------------------------------------------

enum class JointType { ball, hinge, slider, universal, fixed, distance };

struct JointLimits {
  std::optional<double> lower, upper;  // degrees (ball, hinge) or m (slider, distance); null = none
  bool operator==(const JointLimits&) const = default;
};

// Exactly one of speed and position is set.
struct JointMotor {
  std::optional<double> speed;       // degrees/s (hinge) or m/s (slider)
  std::optional<double> position;    // degrees or m
  std::optional<double> stiffness;   // N·m/rad or N/m, of a motor with a position
  std::optional<double> max_torque;  // N·m, of a hinge; null = no bound
  std::optional<double> max_force;   // N, of a slider; null = no bound
  bool operator==(const JointMotor&) const = default;
};

// What keeps two bodies together; with one body, that body to the world.
struct Joint {
  std::string name;
  Source source;
  JointType type = JointType::ball;
  std::vector<std::string> bodies;  // one or two
  Vec3 at = Vec3::Zero();           // m, in the world at t = 0
  std::optional<Vec3> to;           // m, distance: where the second body is held; null = at
  std::optional<Vec3> axis;         // hinge, slider, universal (the first body's); ball: the middle of the cone
  std::optional<Vec3> second_axis;  // universal: the second body's
  std::optional<double> length;     // m, distance; null = as it is at t = 0
  std::optional<int> vertex;        // of the deformable body; null = the material point nearest to `at`
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  std::optional<double> breaking_force;  // N; null = never
  double compliance = 0;                 // m/N
  double angular_compliance = 0;         // rad/(N·m)
  double damping = 0;                    // s
  bool contact = false;                  // whether the two bodies may touch each other
  bool operator==(const Joint&) const = default;
};

// ---- cuts ---------------------------------------------------------------------------------------------------------

// A plane that parts a body at one moment.
struct Cut {
  std::string body;
  Source source;
  Vec3 point = Vec3::Zero();    // m, of the plane, in space
  Vec3 normal = Vec3::UnitX();  // any length but 0
  double at = 0.0;              // s
  TearForm by = TearForm::splitting;
  Selection where;  // elements with all corners selected
  bool operator==(const Cut&) const = default;
};

// ---- contact ------------------------------------------------------------------------------------------------------

enum class ContactMethod { automatic, none, barrier, penalty, projected };  // `auto` in files
enum class TermRelease { open, separating };
enum class InitialIntersections { error, separate, ignore };

struct ContactPair {
  std::vector<std::string> bodies;  // two names
  Source source;
  std::optional<double> friction;
  std::optional<double> thickness;  // m, of both together; null = the sum of the bodies' own
  std::optional<double> distance;   // m; null = contact.distance
  bool enabled = true;
  bool operator==(const ContactPair&) const = default;
};

// Springs under quasi_newton.
struct PenaltySettings {
  std::optional<double> stiffness;  // Pa/m; null = from masses, step and gravity
  bool step_limit = false;
  TermRelease release = TermRelease::open;
  bool operator==(const PenaltySettings&) const = default;
};

struct ContactSettings {
  ContactMethod method = ContactMethod::automatic;
  double friction = 0.3;
  std::optional<double> distance;  // m; null = 1e-3 × scene diagonal, at most half the shortest surface edge
  double restitution = 0.0;
  int friction_iterations = 3;
  double stick_displacement = 1.0e-6;  // m
  bool friction_memory = true;
  InitialIntersections initial_intersections = InitialIntersections::error;
  PenaltySettings penalty;
  std::vector<ContactPair> pairs;
  bool operator==(const ContactSettings&) const = default;
};

// ---- what is measured and shown -------------------------------------------------------------------------------------

enum class Quantity {
  position,
  velocity,
  mean_position,
  mean_velocity,
  min_position,
  max_position,
  pin_force,
  stretch_max,
  stretch_min,
  volume,
  energy,
  contacts,
  contact_force,
  count_inside,
  pose,
  angular_velocity,
  angular_momentum,
  joint,
  heap_angle,
};

// Of the body as a whole, not of its vertices.
[[nodiscard]] inline bool is_of_rigid_bodies(Quantity quantity) {
  return quantity == Quantity::pose || quantity == Quantity::angular_velocity || quantity == Quantity::angular_momentum;
}

struct Probe {
  std::string name;
  Source source;
  std::string body;                 // empty for `energy` and `contacts`, which are of the whole scene
  std::vector<std::string> bodies;  // contact_force: between these two
  std::string joint;                // joint: its name
  Selection where;
  Quantity quantity = Quantity::position;
  bool operator==(const Probe&) const = default;
};

enum class OutputField { positions, contacts, velocities, stress, contact_forces };

struct OutputSettings {
  double frames_per_second = 60.0;
  std::optional<std::string> folder;
  std::optional<double> checkpoint_every;  // s, simulated
  std::vector<OutputField> fields = {OutputField::positions, OutputField::contacts};
  bool operator==(const OutputSettings&) const = default;
};

struct Camera {
  std::optional<Vec3> from;  // m; null: fitted to the motion
  std::optional<Vec3> to;    // m
  Vec3 up = Vec3::UnitY();
  double degrees = 35.0;  // vertical field of view
  bool operator==(const Camera&) const = default;
};

struct ViewSettings {
  Camera camera;
  bool operator==(const ViewSettings&) const = default;
};

enum class Moment { end, always, at_time };

// Exactly one of above, below, between is set.
struct Expectation {
  std::string probe;  // a column of probes.csv: "corner.y", "energy.total"
  Source source;
  Moment at = Moment::end;
  double at_seconds = 0.0;  // s, for Moment::at_time
  std::optional<double> above;
  std::optional<double> below;
  std::optional<Vec2> between;  // lower and upper bound, both allowed
  bool operator==(const Expectation&) const = default;
};

// Material::inertia, which must not be empty, as a matrix.
[[nodiscard]] Mat3 inertia_matrix(const Material& material);
// The rotation as a matrix.
[[nodiscard]] Mat3 rotation_matrix(const Rotation& rotation);

}  // namespace pliant::scene

namespace pliant {

struct Scene {
  scene::Source source;  // the scene file
  int pliant = 1;        // format version
  std::string title;
  int seed = 1;
  scene::TimeSettings time;
  Vec3 gravity = Vec3(0, -9.81, 0);  // m/s²
  double drag = 0.0;                 // 1/s: v ← v/(1 + drag·h)
  scene::Wind wind;
  scene::SolverSettings solver;
  std::vector<scene::Material> materials;  // the file's, then presets and inline maps that bodies use
  std::vector<scene::Body> bodies;
  std::vector<scene::Pin> pins;
  std::vector<scene::Load> loads;
  std::vector<scene::Cut> cuts;
  std::vector<scene::Joint> joints;
  scene::ContactSettings contact;
  std::vector<scene::Probe> probes;
  scene::OutputSettings output;
  scene::ViewSettings view;
  std::vector<scene::Expectation> expect;
  bool operator==(const Scene&) const = default;

  // By name; the name must exist (it does for names inside a checked scene).
  [[nodiscard]] const scene::Material& material(std::string_view material_name) const;
  [[nodiscard]] const scene::Body& body(std::string_view body_name) const;
};

}  // namespace pliant
