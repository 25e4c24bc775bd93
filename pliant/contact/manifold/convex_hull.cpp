#include "pliant/contact/manifold/convex_hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "pliant/input_error.h"

namespace pliant::contact {
namespace {

// Relative to the size of the cloud. Points nearer than kOutside to a face do not count as outside: rounding of a
// plane's distance is below 1e-14. Triangles whose corners are nearer than kFlat to a neighbour's plane join it; ten
// times larger would flatten round shapes of a few hundred faces, much smaller would leave single precision meshes in
// triangles.
constexpr double kOutside = 1e-10;
constexpr double kFlat = 1e-5;

struct HullTriangle {
  std::array<int, 3> vertex{};
  std::array<int, 3> across{};  // triangle beyond the edge vertex[k] → vertex[k + 1]
  Plane plane;
  std::vector<int> outside;  // points that this triangle sees
  bool alive = true;
};

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3> points) : points_(points) {
    make_first_tet();
    // New triangles are appended, so that this reaches all of them.
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      while (triangles_[t].alive && !triangles_[t].outside.empty()) add_farthest(t);
    }
  }
  [[nodiscard]] std::vector<HullTriangle> result() const {
    std::vector<int> number(triangles_.size(), -1);
    std::vector<HullTriangle> alive;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (!triangles_[t].alive) continue;
      number[t] = static_cast<int>(alive.size());
      alive.push_back(triangles_[t]);
    }
    for (HullTriangle& triangle : alive) {
      for (int& t : triangle.across) t = number[t];
    }
    return alive;
  }
  [[nodiscard]] double size() const { return size_; }

 private:
  [[nodiscard]] double height(const Plane& plane, int point) const {
    return plane.normal.dot(points_[point]) - plane.offset;
  }
  [[nodiscard]] Plane plane_of(const std::array<int, 3>& v) const {
    const Vec3 normal = (points_[v[1]] - points_[v[0]]).cross(points_[v[2]] - points_[v[0]]).stableNormalized();
    return {normal, normal.dot(points_[v[0]])};
  }

  template <class Measure>
  [[nodiscard]] int best_point(const Measure& measure) const {
    int best = 0;
    double most = -1;
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
      const double m = measure(points_[i]);
      if (m > most) most = m, best = i;
    }
    return best;
  }

  // The farthest pair along an axis, the point farthest from their line, the one farthest from their plane.
  void make_first_tet() {
    if (points_.size() < 4) throw InputError("a convex hull needs at least four points");
    Vec3 low = points_[0], high = points_[0];
    for (const Vec3& p : points_) low = low.cwiseMin(p), high = high.cwiseMax(p);
    size_ = (high - low).maxCoeff();
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const int a = best_point([&](const Vec3& p) { return high[axis] - p[axis]; });
    const int b = best_point([&](const Vec3& p) { return p[axis] - low[axis]; });
    const Vec3 line = (points_[b] - points_[a]).stableNormalized();
    const int c = best_point([&](const Vec3& p) { return line.cross(p - points_[a]).norm(); });
    const Plane plane = plane_of({a, b, c});
    const int d = best_point([&](const Vec3& p) { return std::abs(plane.normal.dot(p) - plane.offset); });
    const double depth = height(plane, d);
    if (!(std::abs(depth) > kFlat * size_)) {
      throw InputError("the points of a convex hull lie in a plane; give it a thickness");
    }
    std::array<int, 4> v = {a, b, c, d};
    if (depth > 0) std::swap(v[1], v[2]);  // so that d is behind the first triangle
    triangles_.push_back({{v[0], v[1], v[2]}, {1, 2, 3}, {}, {}, true});
    triangles_.push_back({{v[1], v[0], v[3]}, {0, 3, 2}, {}, {}, true});
    triangles_.push_back({{v[2], v[1], v[3]}, {0, 1, 3}, {}, {}, true});
    triangles_.push_back({{v[0], v[2], v[3]}, {0, 2, 1}, {}, {}, true});
    for (HullTriangle& t : triangles_) t.plane = plane_of(t.vertex);
    std::vector<int> all(points_.size());
    for (int i = 0; i < static_cast<int>(all.size()); ++i) all[i] = i;
    hand_out(all, 0);
  }

  // Each point goes to the first triangle from `first` on that sees it.
  void hand_out(const std::vector<int>& points, int first) {
    for (const int p : points) {
      for (int t = first; t < static_cast<int>(triangles_.size()); ++t) {
        if (triangles_[t].alive && height(triangles_[t].plane, p) > kOutside * size_) {
          triangles_[t].outside.push_back(p);
          break;
        }
      }
    }
  }

  void add_farthest(int seed) {
    const std::vector<int>& outside = triangles_[seed].outside;
    const int apex = *std::max_element(outside.begin(), outside.end(), [&](int p, int q) {
      return height(triangles_[seed].plane, p) < height(triangles_[seed].plane, q);
    });
    // The region that the apex sees, grown from the seed, and its border as a map from → (to, triangle beyond).
    std::vector<int> seen = {seed};
    std::vector<int> orphans;
    std::map<int, std::pair<int, int>> border;
    triangles_[seed].alive = false;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      for (const int t : triangles_[seen[k]].across) {
        if (!triangles_[t].alive || !(height(triangles_[t].plane, apex) > kOutside * size_)) continue;
        triangles_[t].alive = false;
        seen.push_back(t);
      }
    }
    for (const int t : seen) {
      const HullTriangle& triangle = triangles_[t];
      for (int k = 0; k < 3; ++k) {
        if (triangles_[triangle.across[k]].alive) {
          border[triangle.vertex[k]] = {triangle.vertex[(k + 1) % 3], triangle.across[k]};
        }
      }
      orphans.insert(orphans.end(), triangle.outside.begin(), triangle.outside.end());
    }
    std::sort(orphans.begin(), orphans.end());
    close_with(apex, border);
    std::erase(orphans, apex);
    hand_out(orphans, static_cast<int>(triangles_.size() - border.size()));
  }

  // A fan of triangles from the border to the apex.
  void close_with(int apex, const std::map<int, std::pair<int, int>>& border) {
    const int first = static_cast<int>(triangles_.size());
    std::map<int, int> fan;  // from which border vertex a new triangle starts
    for (const auto& [from, beyond] : border) {
      fan[from] = first + static_cast<int>(fan.size());
    }
    std::map<int, int> fan_to;
    for (const auto& [from, beyond] : border) fan_to[beyond.first] = fan[from];
    for (const auto& [from, beyond] : border) {
      const auto& [to, neighbour] = beyond;
      HullTriangle triangle{{from, to, apex}, {neighbour, fan[to], fan_to[from]}, {}, {}, true};
      triangle.plane = plane_of(triangle.vertex);
      for (int k = 0; k < 3; ++k) {
        if (triangles_[neighbour].vertex[k] == to && triangles_[neighbour].vertex[(k + 1) % 3] == from) {
          triangles_[neighbour].across[k] = fan[from];
        }
      }
      triangles_.push_back(std::move(triangle));
    }
  }

  std::span<const Vec3> points_;
  std::vector<HullTriangle> triangles_;
  double size_ = 0;  // m
};

double area_of(const HullTriangle& t, std::span<const Vec3> points) {
  return (points[t.vertex[1]] - points[t.vertex[0]]).cross(points[t.vertex[2]] - points[t.vertex[0]]).norm();
}

// A face number per triangle: the largest triangle first takes all that lie in its plane.
std::vector<int> flat_regions(const std::vector<HullTriangle>& triangles, std::span<const Vec3> points, double size) {
  std::vector<int> by_area(triangles.size());
  for (int t = 0; t < static_cast<int>(by_area.size()); ++t) by_area[t] = t;
  std::stable_sort(by_area.begin(), by_area.end(),
                   [&](int s, int t) { return area_of(triangles[s], points) > area_of(triangles[t], points); });
  std::vector<int> region(triangles.size(), -1);
  int count = 0;
  for (const int start : by_area) {
    if (region[start] >= 0) continue;
    const Plane& plane = triangles[start].plane;
    std::vector<int> todo = {start};
    region[start] = count;
    for (std::size_t k = 0; k < todo.size(); ++k) {
      for (const int t : triangles[todo[k]].across) {
        if (region[t] >= 0) continue;
        bool flat = triangles[t].plane.normal.dot(plane.normal) > 0;
        for (const int v : triangles[t].vertex) {
          flat = flat && std::abs(plane.normal.dot(points[v]) - plane.offset) < kFlat * size;
        }
        if (!flat) continue;
        region[t] = count;
        todo.push_back(t);
      }
    }
    ++count;
  }
  return region;
}

// Twice the area times the normal of a closed loop of corners (Newell).
Vec3 loop_normal(const ConvexHull& hull, std::span<const HullCorner> loop) {
  Vec3 normal = Vec3::Zero();
  const Vec3& origin = hull.vertices[loop[0].vertex];
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    normal += (hull.vertices[loop[k].vertex] - origin).cross(hull.vertices[loop[k + 1].vertex] - origin);
  }
  return normal;
}

// Planes, edges and measures, once vertices and loops are there.
void complete(ConvexHull& hull) {
  std::map<std::pair<int, int>, int> edge_of;
  hull.low = hull.high = hull.vertices[0];
  for (const Vec3& v : hull.vertices) {
    hull.low = hull.low.cwiseMin(v);
    hull.high = hull.high.cwiseMax(v);
    hull.centre += v / static_cast<double>(hull.vertices.size());
  }
  const std::size_t last = hull.vertices.size() - 1;
  for (std::size_t first = 0; first <= last; first += 4) {
    VertexBlock& block = hull.blocks.emplace_back();
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const Vec3& v = hull.vertices[std::min(first + lane, last)];
      block.x[lane] = v[0], block.y[lane] = v[1], block.z[lane] = v[2];
    }
  }
  hull.width = std::numeric_limits<double>::max();
  for (int f = 0; f + 1 < static_cast<int>(hull.face_begin.size()); ++f) {
    const int begin = hull.face_begin[f], end = hull.face_begin[f + 1];
    Plane plane;
    plane.normal = loop_normal(hull, std::span(hull.corners).subspan(begin, end - begin)).stableNormalized();
    plane.offset = plane.normal.dot(hull.vertices[hull.support(plane.normal)]);
    hull.planes.push_back(plane);
    hull.width = std::min(hull.width, plane.offset - plane.normal.dot(hull.centre));
    for (int k = begin; k < end; ++k) {
      HullCorner& corner = hull.corners[k];
      const int next = hull.corners[k + 1 < end ? k + 1 : begin].vertex;
      const Vec3& at = hull.vertices[corner.vertex];
      corner.side.normal = (hull.vertices[next] - at).cross(plane.normal).stableNormalized();
      corner.side.offset = corner.side.normal.dot(at);
      const auto back = edge_of.find({next, corner.vertex});
      if (back != edge_of.end()) {
        corner.edge = back->second;
        hull.edges[corner.edge].right = f;
      } else {
        corner.edge = static_cast<int>(hull.edges.size());
        edge_of[{corner.vertex, next}] = corner.edge;
        hull.edges.push_back({corner.vertex, next, f, f});
      }
    }
  }
}

}  // namespace

double ConvexHull::lowest_along(const Vec3& direction) const {
  const double x = direction[0], y = direction[1], z = direction[2];
  VertexBlock::Doubles4 lowest = x * blocks[0].x + y * blocks[0].y + z * blocks[0].z;
  for (const VertexBlock& block : std::span(blocks).subspan(1)) {
    const VertexBlock::Doubles4 along = x * block.x + y * block.y + z * block.z;
    lowest = along < lowest ? along : lowest;
  }
  return std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3]));
}

int ConvexHull::support(const Vec3& direction) const {
  int best = 0;
  double most = direction.dot(vertices[0]);
  for (int v = 1; v < static_cast<int>(vertices.size()); ++v) {
    const double along = direction.dot(vertices[v]);
    if (along > most) most = along, best = v;
  }
  return best;
}

ConvexHull convex_hull(std::span<const Vec3> points) {
  const Quickhull quickhull(points);
  const std::vector<HullTriangle> triangles = quickhull.result();
  const std::vector<int> region = flat_regions(triangles, points, quickhull.size());
  const int count = *std::max_element(region.begin(), region.end()) + 1;

  // The border of every region: from a vertex to the next. Vertices inside a region, or inside a straight edge between
  // two regions, belong to fewer than three regions and are left out.
  std::vector<std::map<int, int>> border(count);
  std::map<int, std::vector<int>> regions_at;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int from = triangles[t].vertex[k];
      std::vector<int>& around = regions_at[from];
      if (std::find(around.begin(), around.end(), region[t]) == around.end()) around.push_back(region[t]);
      if (region[triangles[t].across[k]] != region[t]) border[region[t]][from] = triangles[t].vertex[(k + 1) % 3];
    }
  }
  ConvexHull hull;
  std::map<int, int> number;  // of a point among the hull's vertices
  for (const auto& [point, around] : regions_at) {
    if (around.size() < 3) continue;
    number[point] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[point]);
  }
  hull.face_begin.push_back(0);
  for (const auto& next : border) {
    const int start = next.begin()->first;
    int at = start;
    do {
      if (const auto vertex = number.find(at); vertex != number.end()) hull.corners.push_back({vertex->second, 0, {}});
      at = next.at(at);
    } while (at != start);
    // Of a sliver between two flat regions nothing may be left.
    if (static_cast<int>(hull.corners.size()) - hull.face_begin.back() < 3) hull.corners.resize(hull.face_begin.back());
    if (static_cast<int>(hull.corners.size()) > hull.face_begin.back()) {
      hull.face_begin.push_back(static_cast<int>(hull.corners.size()));
    }
  }
  complete(hull);
  return hull;
}

ConvexHull box_hull(const Vec3& half_size) {
  ConvexHull hull;
  // Bit a of a vertex's number: is it on the positive side of axis a?
  for (int v = 0; v < 8; ++v) {
    hull.vertices.emplace_back((v & 1) != 0 ? half_size[0] : -half_size[0], (v & 2) != 0 ? half_size[1] : -half_size[1],
                               (v & 4) != 0 ? half_size[2] : -half_size[2]);
  }
  constexpr int kLoops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  hull.face_begin.push_back(0);
  for (const auto& loop : kLoops) {
    for (const int v : loop) hull.corners.push_back({v, 0, {}});
    hull.face_begin.push_back(static_cast<int>(hull.corners.size()));
  }
  complete(hull);
  return hull;
}

bool is_convex(const TriangleMesh& mesh, double tolerance) {
  if (mesh.vertices.size() < 4) return false;
  const ConvexHull hull = convex_hull(mesh.vertices);
  const auto on_hull = [&](const Vec3& p) {
    return std::any_of(hull.planes.begin(), hull.planes.end(),
                       [&](const Plane& plane) { return plane.normal.dot(p) - plane.offset >= -tolerance; });
  };
  return std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Vec3i& t) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    return on_hull((a + b + c) / 3) && on_hull(a) && on_hull(b) && on_hull(c);
  });
}

HullPoint closest_point(const ConvexHull& hull, const Vec3& p, double reach) {
  // The face farthest in front of the hull: the nearest one, if the point is inside.
  HullPoint found;
  found.distance = -std::numeric_limits<double>::max();
  for (int f = 0; f < hull.face_count(); ++f) {
    const double height = hull.planes[f].normal.dot(p) - hull.planes[f].offset;
    if (height > found.distance) found.distance = height, found.feature = f;
  }
  found.normal = hull.planes[found.feature].normal;
  found.point = p - found.distance * found.normal;
  if (found.distance <= 0 || found.distance > reach) return found;

  // Outside: the one face that has the foot of the perpendicular within, or the nearest edge of those that have not.
  double nearest_squared = std::numeric_limits<double>::max();
  int nearest_edge = -1;
  Vec3 on_edge = Vec3::Zero();
  for (int f = 0; f < hull.face_count(); ++f) {
    const double height = hull.planes[f].normal.dot(p) - hull.planes[f].offset;
    if (height <= 0) continue;
    bool within = true;
    for (const HullCorner& corner : hull.face(f)) {
      if (corner.side.normal.dot(p) <= corner.side.offset) continue;
      within = false;
      const Vec3 &a = hull.vertices[hull.edges[corner.edge].from], &b = hull.vertices[hull.edges[corner.edge].to];
      const Vec3 along = b - a;
      const Vec3 q = a + std::clamp(along.dot(p - a) / along.squaredNorm(), 0.0, 1.0) * along;
      // Clearly nearer: of edges that share the nearest vertex the first stays, whatever the rounding.
      if ((p - q).squaredNorm() < (1 - 1e-12) * nearest_squared) {
        nearest_squared = (p - q).squaredNorm();
        nearest_edge = corner.edge;
        on_edge = q;
      }
    }
    if (within) {
      const Vec3& normal = hull.planes[f].normal;
      return {height, p - height * normal, normal, f};
    }
  }
  // Rounding may leave a point so close to an edge that it has no direction: the face's normal serves.
  if (nearest_edge < 0 || !(nearest_squared > 1e-24 * (hull.high - hull.low).squaredNorm())) return found;
  const double distance = std::sqrt(nearest_squared);
  return {distance, on_edge, (p - on_edge) / distance, hull.face_count() + nearest_edge};
}

}  // namespace pliant::contact
