// What a result holds: bodies with their meshes, frames with what moved, contacts. Shared by writer, reader and XDMF.
//
// result.h5, format version 1 (lengths: F frames, f frames of one revision, V vertices, C cells, S surface vertices):
//   attributes                format "pliant result", format_version, pliant_version, units, up
//   times (F), steps (F)      s; number of the time step
//   bodies/<name>             attributes kind, index (the number used in contacts/pair)
//     revisions/<k>/          one per topology; a body that is never cut has only 0; attribute cell_shape
//       cells (C, 1..4)       corners, indices into rest_positions
//       rest_positions (V, 3) m
//       first_frame           its row 0 is this frame
//       positions (f, V, 3)   m
//       poses (f, 7)          bodies moved as a whole: x y z [m], then the quaternion w x y z; world from body
//       <field> (f, V|C, n)   velocities, material_frames, active, stress, normal_forces, friction_forces, …; attributes
//                             place, unit, index (order)
//       texture (V, 2)        when the mesh has one
//       radius (V)            m, of rods and particles
//       pinned (n)            vertices that pins hold at some time, ascending
//       surface/              when embedded: triangles (T, 3), rest_positions (S, 3), tet (S), weights (S, 4),
//                             texture (S, 2)
//   contacts/                 of frame i: rows offsets[i] to offsets[i+1]
//     offsets (F+1), pair (n, 2) body indices or −1, point (n, 3) m, normal (n, 3), force (n, 3) N
// Numbers are 64-bit floats unless a field asks otherwise; indices 32-bit, offsets and steps 64-bit integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/mesh/body_kind.h"
#include "pliant/mesh/meshes.h"

namespace pliant::io {

using pliant::BodyKind;
enum class CellShape { point = 1, segment = 2, triangle = 3, tetrahedron = 4 };  // the value is the number of corners

// A body's mesh in one revision.
struct BodyMesh {
  std::vector<Vec3> rest_positions;  // m
  CellShape shape = CellShape::point;
  std::vector<int> cells;                  // corner_count(shape) indices per cell, cell after cell
  std::vector<Vec2> texture;               // per vertex, or empty
  std::vector<double> radius;              // m, per vertex of rods and particles: half their thickness; or empty
  std::vector<int> pinned;                 // vertices that pins of the scene hold at some time; or empty
  std::optional<EmbeddedSurface> surface;  // tetrahedra only: what is drawn and exported instead of the tets' boundary

  [[nodiscard]] std::size_t cell_count() const { return cells.size() / static_cast<std::size_t>(shape); }
};
[[nodiscard]] BodyMesh body_mesh(const TetMesh& mesh);
[[nodiscard]] BodyMesh body_mesh(const TriangleMesh& mesh);
[[nodiscard]] BodyMesh segment_mesh(std::vector<Vec3> rest_positions, std::vector<int> segments);
[[nodiscard]] BodyMesh point_mesh(std::vector<Vec3> rest_positions);

// Numbers that come with every frame, beyond positions: `velocities` per vertex, `material_frames` and `active` per
// cell, and whatever else is worth looking at.
enum class FieldPlace { vertex, cell };
enum class StoredAs { float64, float32, uint8 };
struct FieldDescription {
  std::string name;
  FieldPlace place = FieldPlace::vertex;
  int components = 1;
  std::string unit = "1";
  StoredAs stored_as = StoredAs::float64;
  bool operator==(const FieldDescription&) const = default;
};

// posed: moved as a whole (rigid bodies, obstacles); frames give a pose, and positions are computed from it.
enum class BodyMotion { vertices, posed };
struct BodyDescription {
  std::string name;
  BodyKind kind = BodyKind::solid;
  BodyMotion motion = BodyMotion::vertices;
  BodyMesh mesh;
  std::vector<FieldDescription> fields;
};

// World from body: rotate by the unit quaternion, then move.
struct Pose {
  Vec3 position = Vec3::Zero();        // m
  Vec4 quaternion = Vec4(1, 0, 0, 0);  // w x y z
  [[nodiscard]] Vec3 apply(const Vec3& point) const;
};

// One body in one frame; spans refer to the caller's arrays.
struct BodyFrame {
  std::span<const Vec3> positions;              // motion `vertices`: one per vertex
  Pose pose;                                    // motion `posed`
  std::vector<std::span<const double>> fields;  // in the order described; components of row 0, of row 1, …
};

struct Contact {
  int first_body = -1;  // index in the scene's order; −1: none
  int second_body = -1;
  Vec3 point = Vec3::Zero();   // m
  Vec3 normal = Vec3::Zero();  // unit, from the second body to the first
  Vec3 force = Vec3::Zero();   // N, on the first body
};

struct Frame {
  double time = 0;                // s
  std::int64_t step = 0;          // number of the time step it shows
  std::vector<BodyFrame> bodies;  // in the scene's order
  std::span<const Contact> contacts;
};

// The table of contents of a result.
struct RevisionOutline {
  std::int64_t first_frame = 0;
  std::int64_t vertex_count = 0;
  std::int64_t cell_count = 0;
  CellShape shape = CellShape::point;
  BodyMotion motion = BodyMotion::vertices;
  std::vector<FieldDescription> fields;
};
struct BodyOutline {
  std::string name;
  BodyKind kind = BodyKind::solid;
  std::vector<RevisionOutline> revisions;  // at least one; first_frame does not decrease
  // The revision that shows a frame.
  [[nodiscard]] int revision_at(std::int64_t frame) const;
};
struct ResultOutline {
  std::string pliant_version;
  std::vector<double> times;        // s, per frame
  std::vector<std::int64_t> steps;  // per frame
  std::vector<BodyOutline> bodies;  // in the scene's order
  [[nodiscard]] std::int64_t frame_count() const { return static_cast<std::int64_t>(times.size()); }
};

// The words of the file format; unknown ones give nothing.
[[nodiscard]] std::string name_of(BodyKind kind);
[[nodiscard]] std::string name_of(CellShape shape);
[[nodiscard]] std::optional<BodyKind> body_kind_from(const std::string& name);
[[nodiscard]] std::optional<CellShape> cell_shape_from(const std::string& name);

}  // namespace pliant::io
