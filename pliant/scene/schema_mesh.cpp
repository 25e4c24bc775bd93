// Schema of meshes: generators, files, lines of rods.
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

// Counts far beyond any machine's memory are refused here, before a mesh is made.
constexpr double kMostCells = 10000;
constexpr double kMostSegments = 100000;

void describe_sphere(SettingVisitor& v, SphereMesh& sphere) {
  v.value({"radius", sphere.radius, {.unit = "m", .above = 0, .text = "of the sphere"}});
  v.value({"cells",
           sphere.cells,
           {.at_least = 2,
            .at_most = 368,
            .text = "across the diameter, rounded up to even: a solid; 8 when subdivisions is not given"}});
  v.value({"subdivisions",
           sphere.subdivisions,
           {.at_least = 0, .at_most = 10, .text = "of an icosahedron: a surface, tetrahedralised for a solid"}});
}

void describe_grid(SettingVisitor& v, GridMesh& grid) {
  v.value({"size", grid.size, {.unit = "m", .above = 0, .text = "along x and z"}});
  v.value({"cells", grid.cells, {.at_least = 1, .at_most = kMostCells, .text = "along x and z"}});
  v.value({"pattern", choice_of(grid.pattern), {.text = "of the triangles"}});
}

// cylinder and capsule have the same keys.
template <class Shape>
void describe_tube(SettingVisitor& v, Shape& shape) {
  v.value({"radius", shape.radius, {.unit = "m", .above = 0, .text = "around y"}});
  v.value({"height", shape.height, {.unit = "m", .above = 0, .text = "along y, without the caps of a capsule"}});
  v.value({"segments", shape.segments, {.at_least = 3, .at_most = kMostSegments, .text = "around y"}});
}

void describe_open_tube(SettingVisitor& v, TubeMesh& tube) {
  v.value({"radius", tube.radius, {.unit = "m", .above = 0, .text = "around y, at the bottom"}});
  v.value({"top_radius", tube.top_radius, {.unit = "m", .above = 0, .text = "null is radius"}});
  v.value({"height", tube.height, {.unit = "m", .above = 0, .text = "along y"}});
  v.value({"segments", tube.segments, {.at_least = 3, .at_most = kMostSegments, .text = "around y"}});
  v.value({"rows",
           tube.rows,
           {.at_least = 1, .at_most = kMostCells, .text = "along y; null makes cells about as high as wide"}});
}

void describe_straight(SettingVisitor& v, StraightLine& line) {
  v.value({"length", line.length, {.unit = "m", .above = 0, .text = "of a straight line from the origin"}});
  v.value({"segments", line.segments, {.at_least = 1, .at_most = 1e6, .text = "edges"}});
  v.value({"direction", line.direction, {.not_all_zero = true, .text = "of the line; any length but 0"}});
}

void describe_helix(SettingVisitor& v, HelixLine& helix) {
  v.value({"radius", helix.radius, {.unit = "m", .above = 0, .text = "around y"}});
  v.value({"pitch", helix.pitch, {.unit = "m", .text = "rise per turn; negative winds left-handed"}});
  v.value({"turns", helix.turns, {.above = 0, .text = "in all"}});
  v.value({"segments", helix.segments, {.at_least = 1, .at_most = 1e6, .text = "edges in all"}});
}

void describe_strand(SettingVisitor& v, StrandMesh& strand) {
  const auto points = [](SettingVisitor& w, PointLine& line) {
    w.value({"points", PlaceList{&line.points}, {.unit = "m", .text = "vertices, root first"}});
  };
  const auto file = [](SettingVisitor& w, FileLine& line) {
    w.value({"file", &line.file, {.text = "a text file with x y z on each line, relative to the scene file"}});
  };
  v.one_of({{.text = "the line: length, segments, direction; or helix, points or file"},
            {alternative_of<StraightLine>(strand.line, {"length", "segments", "direction"}, describe_straight),
             map_alternative<HelixLine>("helix", strand.line, "a coil", describe_helix),
             alternative_of<PointLine>(strand.line, {"points"}, points),
             alternative_of<FileLine>(strand.line, {"file"}, file)}});
  v.value({"closed", &strand.closed, {.text = "the last vertex is joined to the first"}});
  v.value({"initial_twist",
           strand.initial_twist,
           {.unit = "degrees", .text = "turn of the section from the first edge to the last at t = 0"}});
}

void describe_strands(SettingVisitor& v, StrandsMesh& strands) {
  v.value({"on", strands.on, {.required = true, .text = "the obstacle on whose surface they grow"}});
  v.value({"count", strands.count, {.at_least = 1, .at_most = 1e6, .text = "strands, spread evenly by area"}});
  v.value({"length", strands.length, {.unit = "m", .above = 0, .text = "of each"}});
  v.value({"segments", strands.segments, {.at_least = 2, .at_most = kMostSegments, .text = "edges of each"}});
  v.value({"curl_radius", strands.curl_radius, {.unit = "m", .at_least = 0, .text = "0 is straight, above: a helix"}});
  v.value({"curl_pitch", strands.curl_pitch, {.unit = "m", .above = 0, .text = "rise of the helix per turn"}});
  describe_where(v, strands.where, {.text = "where on the surface: all three corners of a triangle selected"});
}

bool is_surface(const MeshSource& mesh) {
  const auto* sphere = std::get_if<SphereMesh>(&mesh.shape);
  if (sphere != nullptr) return sphere->subdivisions.has_value();
  return std::holds_alternative<CylinderMesh>(mesh.shape) || std::holds_alternative<CapsuleMesh>(mesh.shape) ||
         std::holds_alternative<TorusMesh>(mesh.shape) || std::holds_alternative<FileMesh>(mesh.shape);
}

}  // namespace

void describe(SettingVisitor& v, MeshSource& mesh) {
  v.value({"source", &mesh.source, {}});
  const auto describe_box = [](SettingVisitor& w, BoxMesh& box) {
    w.value({"size", box.size, {.unit = "m", .above = 0, .text = "along x, y, z"}});
    w.value({"cells",
             box.cells,
             {.at_least = 1,
              .at_most = kMostCells,
              .text = "along x, y, z; five tets each. Even: the mesh is its own mirror image along that axis, and "
                      "symmetric loads give symmetric answers"}});
  };
  const auto describe_torus = [](SettingVisitor& w, TorusMesh& torus) {
    w.value({"radius", torus.radius, {.unit = "m", .above = 0, .text = "of the centre line around y"}});
    w.value({"tube", torus.tube, {.unit = "m", .above = 0, .text = "radius of the tube, below radius"}});
    w.value({"segments", torus.segments, {.at_least = 3, .at_most = kMostSegments, .text = "around y"}});
  };
  const auto describe_file = [](SettingVisitor& w, FileMesh& file) {
    w.value({"file", &file.file, {.text = "OBJ, PLY, .msh, .mesh or .node/.ele, relative to the scene file"}});
    w.value({"subdivide",
             file.subdivide,
             {.at_least = 0, .at_most = 8, .text = "how often every triangle of a surface is cut in four (for file)"}});
  };
  v.one_of(
      {{.required = true, .text = "where the mesh comes from"},
       {map_alternative<BoxMesh>("box", mesh.shape, "a block of tets", describe_box),
        map_alternative<SphereMesh>("sphere", mesh.shape, "a ball", describe_sphere),
        map_alternative<CylinderMesh>("cylinder", mesh.shape, "a surface", describe_tube<CylinderMesh>),
        map_alternative<CapsuleMesh>("capsule", mesh.shape, "a surface", describe_tube<CapsuleMesh>),
        map_alternative<TorusMesh>("torus", mesh.shape, "a surface", describe_torus),
        map_alternative<GridMesh>("grid", mesh.shape, "a sheet in the xz-plane; not for solids", describe_grid),
        map_alternative<PlaneMesh>("plane", mesh.shape, "the half-space y ≤ 0; for obstacles only",
                                   [](SettingVisitor&, PlaneMesh&) {}),
        alternative_of<FileMesh>(mesh.shape, {"file", "subdivide"}, describe_file),
        map_alternative<TubeMesh>("tube", mesh.shape, "an open sheet around y, for cloth", describe_open_tube),
        map_alternative<StrandMesh>("strand", mesh.shape, "a line, for rods and chains", describe_strand),
        map_alternative<StrandsMesh>("strands", mesh.shape, "many lines on a surface, for rods", describe_strands)}});
  Group tetrahedralize = group_of("tetrahedralize", mesh.tetrahedralize, "how a closed surface becomes a solid");
  tetrahedralize.meaning.applies = is_surface(mesh);
  tetrahedralize.meaning.applies_when = "a surface: file, sphere with subdivisions, cylinder, capsule, torus";
  v.group(tetrahedralize);
}

void describe(SettingVisitor& v, Tetrahedralize& tetrahedralize) {
  v.value({"cell_size",
           tetrahedralize.cell_size,
           {.unit = "m", .above = 0, .text = "size of the tets; null is 1/30 of the diagonal of the surface's box"}});
  v.value({"method", choice_of(tetrahedralize.method), {.text = "conforming follows the surface, voxels embeds it"}});
  v.value({"repair",
           &tetrahedralize.repair,
           {.text = "merge vertices that coincide, drop degenerate and doubled triangles, turn those that face the "
                    "wrong way; holes stay open"}});
}

}  // namespace pliant::scene
