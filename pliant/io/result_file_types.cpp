#include "pliant/io/result_file_types.h"

#include <Eigen/Geometry>
#include <array>
#include <numeric>
#include <utility>

namespace pliant::io {
namespace {

constexpr std::array<std::pair<BodyKind, const char*>, 7> kKinds = {{{BodyKind::solid, "solid"},
                                                                     {BodyKind::cloth, "cloth"},
                                                                     {BodyKind::rod, "rod"},
                                                                     {BodyKind::springs, "springs"},
                                                                     {BodyKind::rigid, "rigid"},
                                                                     {BodyKind::particles, "particles"},
                                                                     {BodyKind::obstacle, "obstacle"}}};
constexpr std::array<std::pair<CellShape, const char*>, 4> kShapes = {{{CellShape::point, "point"},
                                                                       {CellShape::segment, "segment"},
                                                                       {CellShape::triangle, "triangle"},
                                                                       {CellShape::tetrahedron, "tetrahedron"}}};

template <typename Table, typename Value>
std::string name_in(const Table& table, Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "";
}

template <typename Value, std::size_t n>
std::optional<Value> value_in(const std::array<std::pair<Value, const char*>, n>& table, const std::string& name) {
  for (const auto& [value, known] : table)
    if (name == known) return value;
  return std::nullopt;
}

}  // namespace

BodyMesh body_mesh(const TetMesh& mesh) {
  BodyMesh result{mesh.vertices, CellShape::tetrahedron, {}, {}, {}, {}, {}};
  result.cells.reserve(4 * mesh.tets.size());
  for (const Vec4i& tet : mesh.tets) result.cells.insert(result.cells.end(), tet.data(), tet.data() + 4);
  return result;
}

BodyMesh body_mesh(const TriangleMesh& mesh) {
  BodyMesh result{mesh.vertices, CellShape::triangle, {}, mesh.texture, {}, {}, {}};
  result.cells.reserve(3 * mesh.triangles.size());
  for (const Vec3i& corners : mesh.triangles)
    result.cells.insert(result.cells.end(), corners.data(), corners.data() + 3);
  return result;
}

BodyMesh segment_mesh(std::vector<Vec3> rest_positions, std::vector<int> segments) {
  return {std::move(rest_positions), CellShape::segment, std::move(segments), {}, {}, {}, {}};
}

BodyMesh point_mesh(std::vector<Vec3> rest_positions) {
  std::vector<int> points(rest_positions.size());
  std::iota(points.begin(), points.end(), 0);
  return {std::move(rest_positions), CellShape::point, std::move(points), {}, {}, {}, {}};
}

Vec3 Pose::apply(const Vec3& point) const {
  const double w = quaternion[0];
  const Vec3 v = quaternion.tail<3>();
  const Vec3 turned = 2 * v.cross(point);
  return point + w * turned + v.cross(turned) + position;
}

int BodyOutline::revision_at(std::int64_t frame) const {
  int revision = 0;
  for (int k = 1; k < static_cast<int>(revisions.size()); ++k)
    if (revisions[static_cast<std::size_t>(k)].first_frame <= frame) revision = k;
  return revision;
}

std::string name_of(BodyKind kind) { return name_in(kKinds, kind); }
std::string name_of(CellShape shape) { return name_in(kShapes, shape); }
std::optional<BodyKind> body_kind_from(const std::string& name) { return value_in(kKinds, name); }
std::optional<CellShape> cell_shape_from(const std::string& name) { return value_in(kShapes, name); }

}  // namespace pliant::io
