// The queries of signed_distance.h. All of them walk the box tree with a small stack of their own, so that many threads
// can ask at once.
#include "pliant/mesh/signed_distance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pliant/parallel/parallel.h"

namespace pliant::mesh {
namespace {

constexpr int kGrain = 256;  // query points per piece of work: each costs some microseconds

// Solid angle of triangle abc seen from the origin, divided by 2: the arctangent formula of van Oosterom and Strackee.
double half_solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double volume = a.dot(b.cross(c));
  const double base = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  // A point in the triangle's plane sees no angle; atan2(0, negative) would say ±π at random.
  return volume == 0 ? 0 : std::atan2(volume, base);
}

std::vector<Box> boxes_of(const TriangleMesh& surface) {
  std::vector<Box> boxes(surface.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) {
    for (int k = 0; k < 3; ++k) boxes[t].include(surface.vertices[surface.triangles[t][k]]);
  }
  return boxes;
}

// Whether the edges, each with the direction its triangles run through it, cancel.
bool is_closed(const TriangleMesh& surface) {
  std::vector<std::array<int, 3>> edges;  // low vertex, high vertex, ±1
  edges.reserve(3 * surface.triangles.size());
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    int sum = 0;
    for (; j < edges.size() && edges[j][0] == edges[i][0] && edges[j][1] == edges[i][1]; ++j) sum += edges[j][2];
    if (sum != 0 && edges[i][0] != edges[i][1]) return false;
  }
  return true;
}

}  // namespace

Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a;
  // Inside the triangle's prism: the foot of the perpendicular.
  const Vec3 normal = ab.cross(ac);
  const double area_squared = normal.squaredNorm();
  const Vec3 ap = p - a;
  if (area_squared > 0) {
    const double v = ap.cross(ac).dot(normal) / area_squared;
    const double w = ab.cross(ap).dot(normal) / area_squared;
    if (v >= 0 && w >= 0 && v + w <= 1) return a + v * ab + w * ac;
  }
  // Otherwise the nearest of the three edges; this also serves triangles without area.
  Vec3 best = a;
  double best_squared = std::numeric_limits<double>::infinity();
  const auto try_edge = [&](const Vec3& from, const Vec3& along) {
    const double length_squared = along.squaredNorm();
    const double t = length_squared > 0 ? std::clamp((p - from).dot(along) / length_squared, 0.0, 1.0) : 0.0;
    const Vec3 q = from + t * along;
    const double d = (p - q).squaredNorm();
    if (d < best_squared) {
      best_squared = d;
      best = q;
    }
  };
  try_edge(a, ab);
  try_edge(b, c - b);
  try_edge(a, ac);
  return best;
}

SignedDistance::SignedDistance(const TriangleMesh& surface) : closed_(is_closed(surface)), tree_(boxes_of(surface)) {
  corners_.reserve(surface.triangles.size());
  for (const Vec3i& t : surface.triangles) {
    corners_.push_back({surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]});
  }
  leaves_.reserve(corners_.size());
  for (const int item : tree_.items()) leaves_.push_back(corners_[item]);
  dipoles_.resize(tree_.nodes().size());
  for (int node = 0; node < static_cast<int>(dipoles_.size()); ++node) gather_dipole(node);
}

Vec3 SignedDistance::area_vector(int triangle) const {
  const auto& [a, b, c] = corners_[static_cast<std::size_t>(triangle)];
  return 0.5 * (b - a).cross(c - a);
}

void SignedDistance::gather_dipole(int index) {
  const BoxTree::Node& node = tree_.nodes()[index];
  Vec3 area = Vec3::Zero(), moment = Vec3::Zero();
  double total = 0;
  for (int k = node.begin; k < node.end; ++k) {
    const auto& [a, b, c] = leaves_[k];
    const Vec3 triangle = 0.5 * (b - a).cross(c - a);
    const double size = triangle.norm();
    area += triangle;
    moment += size / 3 * (a + b + c);
    total += size;
  }
  const Vec3 centre = total > 0 ? Vec3(moment / total) : Vec3(0.5 * (node.box.low + node.box.high));
  double radius_squared = 0;
  for (int k = node.begin; k < node.end; ++k) {
    for (const Vec3& x : {leaves_[k].a, leaves_[k].b, leaves_[k].c}) {
      radius_squared = std::max(radius_squared, (x - centre).squaredNorm());
    }
  }
  dipoles_[index] = {centre, area, kFarFactor * kFarFactor * radius_squared};
}

ClosestPoint SignedDistance::closest_point(const Vec3& p, double reach) const {
  const BoxTree::Nearest nearest = tree_.nearest(p, reach * reach, [&](int t) {
    return (closest_point_on_triangle(p, corners_[t].a, corners_[t].b, corners_[t].c) - p).squaredNorm();
  });
  if (nearest.item < 0) return {p, reach, -1};
  const auto& [a, b, c] = corners_[nearest.item];
  return {closest_point_on_triangle(p, a, b, c), std::sqrt(nearest.distance_squared), nearest.item};
}

double SignedDistance::winding_number(const Vec3& p) const {
  if (tree_.nodes().empty()) return 0;
  double near_angle = 0, far_angle = 0;  // near: half solid angles; far: whole ones
  int stack[64];
  int height = 0;
  stack[height++] = 0;
  while (height > 0) {
    const int index = stack[--height];
    const BoxTree::Node& node = tree_.nodes()[index];
    const Dipole& dipole = dipoles_[index];
    const Vec3 to_centre = dipole.centre - p;
    const double distance_squared = to_centre.squaredNorm();
    if (distance_squared > dipole.far_squared) {
      far_angle += dipole.area.dot(to_centre) / (distance_squared * std::sqrt(distance_squared));
    } else if (node.leaf()) {
      for (int k = node.begin; k < node.end; ++k) {
        near_angle += half_solid_angle(leaves_[k].a - p, leaves_[k].b - p, leaves_[k].c - p);
      }
    } else {
      stack[height++] = node.right;
      stack[height++] = index + 1;
    }
  }
  return (2 * near_angle + far_angle) / (4 * std::numbers::pi);
}

void SignedDistance::find_inside(std::span<const Vec3> points, std::span<char> result) const {
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool may_change = i == 0 || !closed_;
    if (!may_change) {
      Box between;
      between.include(points[i - 1]);
      between.include(points[i]);
      tree_.for_each_overlapping(between, [&](int) { may_change = true; });
    }
    result[i] = may_change ? (inside(points[i]) ? 1 : 0) : result[i - 1];
  }
}

double SignedDistance::signed_distance(const Vec3& p) const {
  const double distance = closest_point(p).distance;
  return inside(p) ? -distance : distance;
}

std::vector<double> SignedDistance::signed_distances(std::span<const Vec3> points) const {
  std::vector<double> distances(points.size());
  parallel_for(static_cast<int>(points.size()), kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) distances[i] = signed_distance(points[i]);
  });
  return distances;
}

std::vector<double> SignedDistance::crossings(const Vec3& a, const Vec3& b) const {
  std::vector<double> found;
  Box box;
  box.include(a);
  box.include(b);
  const Vec3 ab = b - a;
  tree_.for_each_overlapping(box, [&](int t) {
    const auto& [x, y, z] = corners_[t];
    // Solve a + t ab = x + v (y−x) + w (z−x) by Cramer's rule.
    const Vec3 e = y - x, f = z - x;
    const Vec3 h = ab.cross(f);
    const double determinant = e.dot(h);
    if (determinant == 0) return;  // parallel: the crossing belongs to a neighbour
    const Vec3 s = a - x;
    const Vec3 q = s.cross(e);
    const double v = s.dot(h) / determinant, w = ab.dot(q) / determinant, at = f.dot(q) / determinant;
    // The slack closes the seams between triangles against rounding; doubles are merged below.
    constexpr double kSeam = 1e-12;
    if (v >= -kSeam && w >= -kSeam && v + w <= 1 + kSeam && at >= 0 && at <= 1) found.push_back(at);
  });
  std::sort(found.begin(), found.end());
  constexpr double kSame = 1e-9;  // of the segment: crossings this near are one crossing, through a shared edge
  found.erase(std::unique(found.begin(), found.end(), [](double s, double t) { return t - s < kSame; }), found.end());
  return found;
}

double SignedDistance::boundary_crossing(const Vec3& a, const Vec3& b, bool a_inside) const {
  // Usual case: the segment pierces the surface once.
  const std::vector<double> all = crossings(a, b);
  if (all.size() == 1) return all[0];
  // Several sheets, a hole or an endpoint on the surface: halve the segment, keeping a change of side.
  double low = 0, high = 1;
  constexpr int kHalvings = 24;  // to 6·10⁻⁸ of the segment
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (inside(a + middle * (b - a)) == a_inside ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace pliant::mesh
