#include "pliant/contact/contact_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <numbers>

namespace pliant::contact {
namespace {

double triangle_area_of(const std::vector<Vec3>& x, const Vec3i& t) {
  return 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
}

void append(const SurfacePart& part, bool is_obstacle, ContactSurface& s) {
  const int body = s.body_count(), first = static_cast<int>(s.points.size());
  s.body_names.push_back(part.name);
  s.thickness.push_back(part.thickness);
  s.is_loose.push_back(part.is_loose ? 1 : 0);
  s.points.insert(s.points.end(), part.points.begin(), part.points.end());
  if (is_obstacle) s.points.resize(s.points.size() + part.rest.size());
  s.rest_points.insert(s.rest_points.end(), part.rest.begin(), part.rest.end());
  s.body_of_point.resize(s.points.size(), body);
  s.point_area.resize(s.points.size(), 0);
  std::vector<std::pair<std::array<int, 2>, double>> edges;  // with their share of area
  for (const Vec3i& t : part.triangles) {
    const double area = triangle_area_of(part.rest, t);
    if (!(area > 0)) continue;
    s.triangles.emplace_back(t[0] + first, t[1] + first, t[2] + first);
    s.triangle_area.push_back(area);
    for (int k = 0; k < 3; ++k) {
      s.point_area[t[k] + first] += area / 3;
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      edges.push_back({{low + first, high + first}, area / 3});
    }
  }
  for (const auto& [a, b] : part.segments) {
    const double width = part.segment_width, of_disc = std::numbers::pi / 4 * width * width;
    const double area = part.is_round ? std::numeric_limits<double>::infinity()
                        : a == b      ? of_disc
                                      : (part.rest[a] - part.rest[b]).norm() * width;
    for (const int v : {a, b}) s.point_area[v + first] += 0.5 * area;
    edges.push_back({{std::min(a, b) + first, std::max(a, b) + first}, area});
  }
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (e > 0 && edges[e].first == edges[e - 1].first) {
      s.edge_area.back() += edges[e].second;
      continue;
    }
    s.edges.push_back(edges[e].first);
    s.edge_area.push_back(edges[e].second);
    const double length = (s.rest_points[edges[e].first[0]] - s.rest_points[edges[e].first[1]]).norm();
    if (length > 0 && !is_obstacle) s.shortest_edge = std::min(s.shortest_edge, length);
  }
}

}  // namespace

std::vector<int> ContactSurface::used_points() const {
  std::vector<unsigned char> is_used(points.size(), 0);
  for (const auto& edge : edges) is_used[edge[0]] = is_used[edge[1]] = 1;
  std::vector<int> used;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i] != 0) used.push_back(static_cast<int>(i));
  }
  return used;
}

// Half of the distance and its own thickness; both bodies of a pair that reaches further add half of the rest. The rest is
// the largest towards the thinnest of a kind.
std::vector<double> ContactSurface::margins(double distance) const {
  std::vector<double> margins;
  margins.reserve(thickness.size());
  for (const double t : thickness) margins.push_back(t + 0.5 * distance);
  const auto reach_for = [&](int a, double other_thickness, const PairRule& pair) {
    if (!pair.is_enabled || (!pair.thickness && !pair.distance)) return;
    const double wanted = pair.thickness.value_or(thickness[a] + other_thickness) + pair.distance.value_or(distance);
    const double own = thickness[a] + 0.5 * distance, other = other_thickness + 0.5 * distance;
    margins[a] = std::max(margins[a], own + 0.5 * (wanted - own - other));
  };
  std::vector<double> thinnest(static_cast<std::size_t>(rules.kind_count()), std::numeric_limits<double>::infinity());
  std::vector<int> count(thinnest.size(), 0);
  for (int b = 0; b < body_count(); ++b) {
    const int kind = rules.kind_of_body()[b];
    thinnest[kind] = std::min(thinnest[kind], thickness[b]);
    ++count[kind];
  }
  for (int a = 0; a < body_count(); ++a) {
    const int kind = rules.kind_of_body()[a];
    reach_for(a, thickness[a], rules.of_itself(kind));
    for (int j = 0; j < rules.kind_count(); ++j) {
      if (j != kind || count[j] > 1) reach_for(a, thinnest[j], rules.of_kinds(kind, j));
    }
  }
  for (const PairRules::Exception& pair : rules.exceptions()) {
    reach_for(pair.a, thickness[pair.b], pair.rule);
    reach_for(pair.b, thickness[pair.a], pair.rule);
  }
  return margins;
}

ContactSurface join(const std::vector<SurfacePart>& moving, const std::vector<SurfacePart>& obstacles) {
  ContactSurface surface;
  surface.shortest_edge = std::numeric_limits<double>::infinity();
  for (const SurfacePart& part : moving) append(part, false, surface);
  surface.first_obstacle_point = static_cast<int>(surface.points.size());
  for (const SurfacePart& part : obstacles) append(part, true, surface);
  surface.rules = PairRules(surface.body_count());
  return surface;
}

}  // namespace pliant::contact
