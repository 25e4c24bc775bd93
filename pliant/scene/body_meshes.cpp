#include "pliant/scene/body_meshes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/number_rows.h"
#include "pliant/io/plain_text.h"
#include "pliant/mesh/generators.h"
#include "pliant/mesh/mesh_check.h"
#include "pliant/mesh/subdivision.h"
#include "pliant/mesh/surface.h"
#include "pliant/mesh/tetrahedralize.h"
#include "pliant/scene/random.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

// --- Solids ---

PlacedBody from_tets(TetMesh mesh) {
  PlacedBody body;
  body.mesh = std::move(mesh);
  return body;
}

PlacedBody solid_from_surface(const TriangleMesh& surface, const MeshSource& source) {
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
  PlacedBody solid;
  solid.mesh = std::move(result.mesh);
  solid.embedded = std::move(result.embedded);
  solid.notes = std::move(result.notes);
  return solid;
}

// Tets are refused: their boundary would no longer be what moves.
io::AnyMesh read_file(const FileMesh& file, const std::string& place) {
  io::AnyMesh any = io::read_mesh(file.file.resolved);
  if (file.subdivide == 0) return any;
  auto* surface = std::get_if<TriangleMesh>(&any);
  if (surface == nullptr) throw InputError(place, "subdivide is for surfaces; this file holds tets");
  check_triangle_mesh(*surface, place);
  for (int level = 0; level < file.subdivide; ++level) *surface = subdivided(*surface);
  return any;
}

PlacedBody solid_from_file(const FileMesh& file, const MeshSource& source) {
  io::AnyMesh any = read_file(file, source.source);
  if (auto* surface = std::get_if<TriangleMesh>(&any)) return solid_from_surface(*surface, source);
  PlacedBody solid = from_tets(std::get<TetMesh>(std::move(any)));
  check_no_overlap(solid.mesh, source.source);
  return solid;
}

struct SolidMaker {
  const MeshSource& source;
  const std::string& place;
  PlacedBody operator()(const BoxMesh& b) const {
    return from_tets(make_box({b.size, {b.cells[0], b.cells[1], b.cells[2]}}, place));
  }
  PlacedBody operator()(const SphereMesh& s) const {
    if (s.subdivisions) return solid_from_surface(make_sphere_surface({s.radius, *s.subdivisions}, place), source);
    return from_tets(make_ball({s.radius, s.cells.value_or(8)}, place));
  }
  PlacedBody operator()(const CylinderMesh& c) const {
    return solid_from_surface(make_cylinder({c.radius, c.height, c.segments}, place), source);
  }
  PlacedBody operator()(const CapsuleMesh& c) const {
    return solid_from_surface(make_capsule({c.radius, c.height, c.segments}, place), source);
  }
  PlacedBody operator()(const TorusMesh& t) const {
    return solid_from_surface(make_torus({t.radius, t.tube, t.segments}, place), source);
  }
  PlacedBody operator()(const FileMesh& f) const { return solid_from_file(f, source); }
  template <class Other>
  PlacedBody operator()(const Other&) const {
    throw InputError(place, "this shape has no volume; a solid needs a box, sphere, cylinder, capsule, torus or file");
  }
};

// --- Sheets ---

struct SurfaceMaker {
  const std::string& place;
  TriangleMesh operator()(const GridMesh& g) const {
    return make_grid({g.size, {g.cells[0], g.cells[1]}, g.pattern}, place);
  }
  TriangleMesh operator()(const SphereMesh& s) const {
    return make_sphere_surface({s.radius, s.subdivisions.value_or(3)}, place);
  }
  TriangleMesh operator()(const CylinderMesh& c) const {
    return make_cylinder({c.radius, c.height, c.segments}, place);
  }
  TriangleMesh operator()(const CapsuleMesh& c) const { return make_capsule({c.radius, c.height, c.segments}, place); }
  TriangleMesh operator()(const TorusMesh& t) const { return make_torus({t.radius, t.tube, t.segments}, place); }
  TriangleMesh operator()(const TubeMesh& t) const {
    return make_tube({t.radius, t.top_radius.value_or(t.radius), t.height, t.segments, t.rows.value_or(0)}, place);
  }
  TriangleMesh operator()(const BoxMesh& b) const {
    return boundary_surface(make_box({b.size, {b.cells[0], b.cells[1], b.cells[2]}}, place)).surface;
  }
  TriangleMesh operator()(const FileMesh& f) const {
    io::AnyMesh any = read_file(f, place);
    if (auto* surface = std::get_if<TriangleMesh>(&any)) return std::move(*surface);
    return boundary_surface(std::get<TetMesh>(any)).surface;
  }
  TriangleMesh operator()(const PlaneMesh&) const {
    throw InputError(place, "a plane is a half-space and has no mesh; only obstacles can be planes");
  }
  TriangleMesh operator()(const StrandMesh&) const { return refuse_line(); }
  TriangleMesh operator()(const StrandsMesh&) const { return refuse_line(); }
  [[nodiscard]] TriangleMesh refuse_line() const {
    throw InputError(place, "a line has no area; cloth and obstacles need a grid, tube, sphere, cylinder or file");
  }
};

}  // namespace

TriangleMesh make_surface(const MeshSource& source) {
  TriangleMesh surface = std::visit(SurfaceMaker{source.source}, source.shape);
  check_triangle_mesh(surface, source.source);
  return surface;
}

namespace {

// Cloth bends over edges: every edge must have one or two triangles that agree which side is up.
void check_sheet(const TriangleMesh& mesh, const std::string& place) {
  const SurfaceTopology topology = inspect_surface(mesh);
  if (!topology.non_manifold_edges.empty()) {
    const Edge edge = topology.non_manifold_edges.front();
    throw InputError(place, fmt::format("the edge between vertices {} and {} has three or more triangles, and {} other "
                                        "edges like it; cloth needs a surface with at most two at each edge",
                                        edge[0], edge[1], topology.non_manifold_edges.size() - 1));
  }
  if (!topology.misoriented_edges.empty()) {
    const Edge edge = topology.misoriented_edges.front();
    throw InputError(place, fmt::format("the triangles at the edge between vertices {} and {} face opposite sides (and "
                                        "at {} other edges); turn them the same way round",
                                        edge[0], edge[1], topology.misoriented_edges.size() - 1));
  }
}

double area_of(const std::array<Vec2, 3>& c) {
  const Vec2 a = c[1] - c[0], b = c[2] - c[0];
  return 0.5 * (a[0] * b[1] - a[1] * b[0]);
}

// The flat rest shape of each triangle [m], before the body's scale; empty when there is no UV or it is not wanted.
std::vector<std::array<Vec2, 3>> flat_corners(const TriangleMesh& mesh, const Body& body, PlacedBody& out) {
  std::vector<std::array<Vec2, 3>> corners = mesh.corner_texture;
  if (corners.empty() && !mesh.texture.empty()) {
    for (const Vec3i& t : mesh.triangles)
      corners.push_back({mesh.texture[t[0]], mesh.texture[t[1]], mesh.texture[t[2]]});
  }
  if (corners.empty() || body.uv.use == UvUse::ignore) return {};
  double flat = 0;
  for (std::size_t t = 0; t < corners.size(); ++t) {
    const double area = std::abs(area_of(corners[t]));  // a panel may be seen from behind: nothing needs the sign
    const double size = std::max((corners[t][1] - corners[t][0]).norm(), (corners[t][2] - corners[t][0]).norm());
    if (area <= 1e-12 * size * size) {
      throw InputError(body.mesh.source,
                       fmt::format("triangle {} has no area in texture coordinates, which are the rest "
                                   "state; mend them or set uv: ignore",
                                   t));
    }
    flat += area;
  }
  double scale = body.uv.metres / body.scale;  // the body's scale is applied to the rest state as well
  if (body.uv.use == UvUse::fit) {
    scale = std::sqrt(surface_area(mesh.vertices, mesh.triangles) / flat);
    if (std::abs(scale - 1) > 1e-6)
      out.notes.push_back(
          fmt::format("texture coordinates are the rest state, at {:.6g} m per unit", body.scale * scale));
  }
  for (auto& triangle : corners) {
    for (Vec2& c : triangle) c *= scale;
  }
  return corners;
}

PlacedBody from_surface(const TriangleMesh& surface) {
  PlacedBody body;
  body.mesh.vertices = surface.vertices;
  body.triangles = surface.triangles;
  body.texture = surface.texture;
  return body;
}

// --- Lines ---

Polyline read_polyline(const FileLine& line, PolylineEnds ends, const std::string& place) {
  constexpr const char* kCoordinates[] = {"the x coordinate", "the y coordinate", "the z coordinate"};
  const std::vector<double> numbers = io::read_number_rows(
      io::read_text_file(line.file.resolved, "check the name in the scene"), line.file.written, kCoordinates);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < numbers.size(); i += 3) points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return make_polyline(std::move(points), ends, place);
}

struct LineMaker {
  bool closed;
  const std::string& place;
  Polyline operator()(const StraightLine& l) const {
    if (closed) throw InputError(place, "a straight strand cannot be closed; use helix with pitch 0, points or file");
    return make_strand({l.length, l.segments, l.direction}, place);
  }
  Polyline operator()(const HelixLine& h) const {
    return make_helix({h.radius, h.pitch, h.turns, h.segments, closed}, place);
  }
  Polyline operator()(const PointLine& p) const { return make_polyline(p.points, ends(), place); }
  Polyline operator()(const FileLine& f) const { return read_polyline(f, ends(), place); }
  [[nodiscard]] PolylineEnds ends() const { return closed ? PolylineEnds::closed : PolylineEnds::open; }
};

PlacedBody from_line(const StrandMesh& strand, const std::string& place) {
  const Polyline line = std::visit(LineMaker{strand.closed, place}, strand.line);
  PlacedBody body;
  body.mesh.vertices = line.points;
  Chain chain{{}, strand.closed, kRadiansPerDegree * strand.initial_twist, -1};
  for (std::size_t v = 0; v < line.points.size(); ++v) chain.vertices.push_back(static_cast<int>(v));
  body.chains.push_back(std::move(chain));
  return body;
}

// --- Springs ---

// Links of a grid of quads: along its lines, across its cells, over one vertex.
std::vector<Link> grid_links(const GridMesh& grid) {
  const int columns = grid.cells[0] + 1, rows = grid.cells[1] + 1;
  std::vector<Link> links;
  const auto add = [&](int i, int j, int di, int dj, Link::Kind kind) {
    const int k = i + di, l = j + dj;
    if (k >= 0 && k < columns && l < rows) links.push_back({j * columns + i, l * columns + k, kind});
  };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      add(i, j, 1, 0, Link::Kind::stretch);
      add(i, j, 0, 1, Link::Kind::stretch);
      add(i, j, 1, 1, Link::Kind::shear);
      add(i, j, -1, 1, Link::Kind::shear);
      add(i, j, 2, 0, Link::Kind::bend);
      add(i, j, 0, 2, Link::Kind::bend);
    }
  }
  return links;
}

// Links of a triangle mesh: along its edges, and between the two vertices opposite each inner edge. Each pair once:
// around a vertex with four edges, opposite edges have the same pair.
std::vector<Link> surface_links(const TriangleMesh& mesh) {
  std::map<Edge, int> opposite;
  std::vector<Link> links, over;
  for (const Vec3i& t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      const int a = t[(c + 1) % 3], b = t[(c + 2) % 3];
      const auto [place, is_new] = opposite.try_emplace(Edge{std::min(a, b), std::max(a, b)}, t[c]);
      if (is_new) {
        links.push_back({a, b, Link::Kind::stretch});
      } else {
        over.push_back({place->second, t[c], Link::Kind::bend});
      }
    }
  }
  for (const Link& link : over) {
    const Edge ends{std::min(link.from, link.to), std::max(link.from, link.to)};
    if (opposite.try_emplace(ends, -1).second) links.push_back(link);
  }
  return links;
}

std::vector<Link> chain_links(const Chain& chain) {
  std::vector<Link> links;
  const std::size_t n = chain.vertices.size();
  for (std::size_t skip = 1; skip <= 2; ++skip) {
    std::size_t count = chain.closed ? n : n - std::min(n, skip);
    // Short rings: over one vertex lies a neighbour, or the same vertex from both sides.
    if (chain.closed && skip == 2 && n < 5) count = n == 4 ? 2 : 0;
    for (std::size_t v = 0; v < count; ++v) {
      links.push_back(
          {chain.vertices[v], chain.vertices[(v + skip) % n], skip == 1 ? Link::Kind::stretch : Link::Kind::bend});
    }
  }
  return links;
}

}  // namespace

PlacedBody make_solid(const MeshSource& source) {
  const std::string& place = source.source;
  PlacedBody solid = std::visit(SolidMaker{source, place}, source.shape);
  check_tet_mesh(solid.mesh, place);
  return solid;
}

PlacedBody make_cloth(const Body& body) {
  const TriangleMesh surface = make_surface(body.mesh);
  check_sheet(surface, body.mesh.source);
  PlacedBody cloth = from_surface(surface);
  cloth.corners = flat_corners(surface, body, cloth);
  if (!body.animated_rest) return cloth;
  for (const RestKeyframe& key : body.animated_rest->keyframes) {
    const TriangleMesh shape = make_surface(key.mesh);
    if (shape.triangles != surface.triangles) {
      throw InputError(
          key.mesh.source,
          fmt::format("the animated rest shape at t = {:.6g} s has other triangles than body '{}'; it must "
                      "have the same ones in the same order",
                      key.t, body.name));
    }
    cloth.rest_keyframes.push_back(shape.vertices);
  }
  return cloth;
}

PlacedBody make_rigid(const MeshSource& source) { return from_surface(make_surface(source)); }

PlacedBody make_obstacle(const MeshSource& source) {
  if (!std::holds_alternative<PlaneMesh>(source.shape)) return from_surface(make_surface(source));
  PlacedBody plane;  // a half-space: one point of its border
  plane.mesh.vertices = {Vec3::Zero()};
  return plane;
}

PlacedBody make_rod(const MeshSource& source) {
  if (const auto* strand = std::get_if<StrandMesh>(&source.shape)) return from_line(*strand, source.source);
  throw InputError(source.source, "a rod is a line: its mesh is a strand or strands");
}

bool has_cells(const MeshSource& source) {
  const auto* grid = std::get_if<GridMesh>(&source.shape);
  return grid != nullptr && grid->pattern != GridPattern::cross && grid->pattern != GridPattern::equilateral;
}

PlacedBody make_springs(const MeshSource& source) {
  if (const auto* strand = std::get_if<StrandMesh>(&source.shape)) {
    PlacedBody chain = from_line(*strand, source.source);
    chain.links = chain_links(chain.chains.front());
    chain.chains.clear();
    return chain;
  }
  const bool is_solid = std::holds_alternative<BoxMesh>(source.shape);
  if (is_solid) {
    PlacedBody block = make_solid(source);
    for (const Edge& edge : mesh_edges(block.mesh)) block.links.push_back({edge[0], edge[1], Link::Kind::stretch});
    return block;
  }
  const TriangleMesh surface = make_surface(source);
  PlacedBody sheet = from_surface(surface);
  sheet.links = has_cells(source) ? grid_links(std::get<GridMesh>(source.shape)) : surface_links(surface);
  return sheet;
}

PlacedBody make_strands(const StrandsMesh& strands, const PlacedBody& ground, int seed, const std::string& place) {
  const std::vector<Vec3>& x = ground.mesh.vertices;
  // Triangles to grow on, and the running sum of their areas.
  std::vector<int> usable;
  std::vector<double> area_up_to;
  double total = 0;
  for (std::size_t t = 0; t < ground.triangles.size(); ++t) {
    const Vec3i& corner = ground.triangles[t];
    const auto in = [&](int v) { return is_selected(strands.where, v, x[v]); };
    if (!in(corner[0]) || !in(corner[1]) || !in(corner[2])) continue;
    total += 0.5 * (x[corner[1]] - x[corner[0]]).cross(x[corner[2]] - x[corner[0]]).norm();
    usable.push_back(static_cast<int>(t));
    area_up_to.push_back(total);
  }
  if (usable.empty()) throw InputError(place, "strands.where selects no triangle of the surface they grow on");

  const std::vector<Vec3> areas = area_vectors(x, ground.triangles);
  std::vector<Vec3> normals(x.size(), Vec3::Zero());
  for (std::size_t t = 0; t < ground.triangles.size(); ++t) {
    for (const int v : ground.triangles[t]) normals[v] += areas[t];
  }
  PlacedBody body;
  Random random(seed, 0x57a4d5);
  for (int s = 0; s < strands.count; ++s) {
    // One strand in each of `count` equal shares of the area.
    const double at = total * (s + random.next()) / strands.count;
    const std::size_t k = std::min(
        usable.size() - 1,
        static_cast<std::size_t>(std::lower_bound(area_up_to.begin(), area_up_to.end(), at) - area_up_to.begin()));
    const Vec3i& corner = ground.triangles[usable[k]];
    const double u = std::sqrt(random.next()), v = random.next();
    const Vec3 weight(1 - u, u * (1 - v), u * v);
    Vec3 root = Vec3::Zero(), normal = Vec3::Zero();
    for (int c = 0; c < 3; ++c) {
      root += weight[c] * x[corner[c]];
      normal += weight[c] * normals[corner[c]].normalized();
    }
    normal.normalize();
    const Vec3 side = normal.unitOrthogonal(), other = normal.cross(side);
    const double start = 2 * std::numbers::pi * random.next();
    // A helix of arc length `length`; its radius grows over the first edge so that the root stands upright.
    const double turn = 2 * std::numbers::pi / strands.curl_pitch;
    const double rise = strands.curl_radius > 0 ? 1 / std::hypot(1.0, strands.curl_radius * turn) : 1.0;
    Chain chain{{}, false, 0, usable[k]};
    for (int i = 0; i <= strands.segments; ++i) {
      const double along = rise * strands.length * i / strands.segments;
      const double radius = i < 2 ? 0 : strands.curl_radius;
      const double angle = start + turn * along;
      chain.vertices.push_back(static_cast<int>(body.mesh.vertices.size()));
      body.mesh.vertices.push_back(root + along * normal + radius * (std::cos(angle) * side + std::sin(angle) * other));
    }
    body.chains.push_back(std::move(chain));
  }
  return body;
}

}  // namespace pliant::scene
