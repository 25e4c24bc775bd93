#include "pliant/scene/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pliant/input_error.h"
#include "pliant/mesh/surface.h"

namespace pliant::scene {
MappedPoint embedded_point(const ModelBody& body, int vertex) {
  MappedPoint point;
  const Vec4i tet = body.rest.tets[body.embedded->tet[vertex]];
  for (int c = 0; c < 4; ++c) {
    point.block[c] = body.block_of_vertex[tet[c]];
    point.weight[c] = body.embedded->weights[vertex][c];
  }
  point.count = 4;
  return point;
}

namespace {

// A border of a box or sphere drawn exactly through vertices still takes them in, in spite of rounding.
constexpr double kBorder = 1e-9;  // of the scene's diagonal

// Whether a vertex of the simulation mesh is selected.
struct Contains {
  const Vec3& x;
  bool on_boundary;
  double border;
  bool operator()(const AllSelection&) const { return true; }
  bool operator()(const VertexSelection&) const { return false; }
  bool operator()(const BoundarySelection&) const { return on_boundary; }
  bool operator()(const BoxSelection& box) const {
    return ((x - box.min).array() >= -border).all() && ((box.max - x).array() >= -border).all();
  }
  bool operator()(const SphereSelection& sphere) const { return (x - sphere.center).norm() <= sphere.radius + border; }
};

}  // namespace

std::set<int> border_vertices(const ModelBody& body) {
  std::set<int> vertices;
  if (!body.rest.tets.empty()) {
    for (const Vec3i& t : boundary_triangles(body.rest)) vertices.insert(t.begin(), t.end());
  } else if (!body.triangles.empty()) {
    for (const Edge& edge : inspect_surface({body.rest.vertices, body.triangles, {}}).boundary_edges)
      vertices.insert(edge.begin(), edge.end());
  } else {
    std::vector<int> uses(body.rest.vertices.size());
    for (const auto& segment : body.segments) ++uses[segment[0]], ++uses[segment[1]];
    for (std::size_t v = 0; v < uses.size(); ++v) {
      if (uses[v] == 1) vertices.insert(static_cast<int>(v));
    }
  }
  return vertices;
}

namespace {

// Of revision 0: tears make new borders, and nobody has selected those.
std::set<int> first_border(const ModelBody& body) {
  if (body.origin.empty()) return border_vertices(body);
  std::set<int> vertices;
  for (int v = 0; v < static_cast<int>(body.origin.size()); ++v) {
    if (std::binary_search(body.first_border.begin(), body.first_border.end(), body.origin[v])) vertices.insert(v);
  }
  return vertices;
}

std::vector<SelectedPoint> by_number(const ModelBody& body, const VertexSelection& where, const std::string& place) {
  const int count =
      static_cast<int>(body.embedded ? body.embedded->surface.vertices.size() : body.rest.vertices.size());
  std::vector<SelectedPoint> points;
  for (const int v : where.vertices) {
    if (v < 0 || v >= count) {
      throw InputError(
          place, fmt::format("vertex {} does not exist: body '{}' has vertices 0 to {}", v, body.name, count - 1));
    }
    points.push_back({v, body.embedded ? embedded_point(body, v) : body.point(v)});
    for (int copy = 0; copy < static_cast<int>(body.origin.size()); ++copy) {
      if (body.origin[copy] == v && copy != v)
        points.push_back({copy, MappedPoint::vertex(body.block_of_vertex[copy])});
    }
  }
  return points;
}

}  // namespace

bool is_selected(const Selection& where, int vertex, const Vec3& x, double border) {
  if (const auto* listed = std::get_if<VertexSelection>(&where))
    return std::find(listed->vertices.begin(), listed->vertices.end(), vertex) != listed->vertices.end();
  return std::visit(Contains{x, true, border}, where);
}

std::vector<SelectedPoint> select(const Model& model, const State& start, int body_index, const Selection& where,
                                  const std::string& place) {
  const ModelBody& body = model.bodies[body_index];
  if (const auto* numbers = std::get_if<VertexSelection>(&where)) {
    std::vector<SelectedPoint> points = by_number(body, *numbers, place);
    if (points.empty()) throw InputError(place, "the list of vertices is empty; name at least one");
    return points;
  }
  std::set<int> boundary;
  if (std::holds_alternative<BoundarySelection>(where)) {
    boundary = first_border(body);
  }
  std::vector<SelectedPoint> points;
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) {
    const MappedPoint point = body.point(static_cast<int>(v));
    const Vec3 x = point.evaluate(start.positions);
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
    const Contains contains{x, boundary.contains(static_cast<int>(v)), kBorder * model.diagonal};
    if (std::visit(contains, where)) points.push_back({static_cast<int>(v), point});
  }
  if (points.empty()) {
    throw InputError(
        place,
        fmt::format("no vertex of body '{}' is selected; at the start it extends from [{:.4g}, {:.4g}, {:.4g}] to "
                    "[{:.4g}, {:.4g}, {:.4g}]",
                    body.name, low[0], low[1], low[2], high[0], high[1], high[2]));
  }
  return points;
}

std::vector<int> blocks_of(const std::vector<SelectedPoint>& points) {
  std::set<int> blocks;
  for (const SelectedPoint& p : points) blocks.insert(p.point.block.begin(), p.point.block.begin() + p.point.count);
  return {blocks.begin(), blocks.end()};
}

std::vector<Vec3i> boundary_triangles_of(const Model& model, int body_index, const std::vector<int>& blocks) {
  const ModelBody& body = model.bodies[body_index];
  std::vector<Vec3i> selected;
  for (const Vec3i& t : surface_triangles(body)) {
    const Vec3i triangle(body.block_of_vertex[t[0]], body.block_of_vertex[t[1]], body.block_of_vertex[t[2]]);
    const bool all = std::all_of(triangle.begin(), triangle.end(),
                                 [&](int b) { return std::binary_search(blocks.begin(), blocks.end(), b); });
    if (all) selected.push_back(triangle);
  }
  return selected;
}

std::vector<int> bodies_named(const Model& model, const std::string& name) {
  std::vector<int> found;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const std::string& candidate = model.bodies[b].name;
    const bool copy = candidate.size() > name.size() + 1 && candidate.compare(0, name.size() + 1, name + ".") == 0 &&
                      std::all_of(candidate.begin() + static_cast<std::ptrdiff_t>(name.size()) + 1, candidate.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
    if (candidate == name || copy) found.push_back(static_cast<int>(b));
  }
  return found;
}

}  // namespace pliant::scene
