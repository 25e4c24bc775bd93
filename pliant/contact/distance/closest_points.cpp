#include "pliant/contact/distance/closest_points.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/contact/distance/closest_thresholds.h"

namespace pliant::contact {
namespace {

// A point and an edge a + t e, from w = p − a.
struct OnEdge {
  double t = 0;
  double squared_distance = 0;  // m²
};

OnEdge project_on_edge(const Vec3& w, const Vec3& e) {
  const double length_squared = e.squaredNorm();
  const double t = length_squared > 0 ? std::clamp(w.dot(e) / length_squared, 0.0, 1.0) : 0.0;
  return {t, (w - t * e).squaredNorm()};
}

bool is_within_edge(double t) { return t > 0 && t < 1; }

// The closest points are vertex `point` of one primitive and the edge (first, second) of the other; `sign` is +1 if the
// point belongs to the first primitive.
ClosestPoints point_on_edge(const OnEdge& found, int point, int first, int second, double sign) {
  ClosestPoints closest;
  closest.squared_distance = found.squared_distance;
  closest.weight[point] = sign;
  closest.weight[first] = sign * (found.t - 1);
  closest.weight[second] = -sign * found.t;
  // −0 to +0: nothing should see a sign there.
  for (double& w : closest.weight) w += 0.0;
  closest.feature = is_within_edge(found.t) ? Feature::point_edge : Feature::point_point;
  return closest;
}

}  // namespace

ClosestPoints closest_point_edge(const Vec3& p, const Vec3& a, const Vec3& b) {
  OnEdge found = project_on_edge(p - a, b - a);
  if (found.t == 1) found.squared_distance = (p - b).squaredNorm();  // with all its digits
  return point_on_edge(found, 0, 1, 2, 1);
}

ClosestPoints closest_point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const Vec3 ap = p - a;

  // Inside the face: areas of the triangles that p makes with the edges, along the normal n = ab × ac.
  const Vec3 n = ab.cross(ac);
  const double nn = n.squaredNorm();
  const double at_b = ap.cross(ac).dot(n);
  const double at_c = ab.cross(ap).dot(n);
  const bool is_over_face = at_b > 0 && at_c > 0 && at_b + at_c < nn;
  ClosestPoints over_face;
  if (is_over_face) {
    const double beta1 = at_b / nn;
    const double beta2 = at_c / nn;
    over_face.squared_distance = (ap - beta1 * ab - beta2 * ac).squaredNorm();
    over_face.weight = {1, -(1 - beta1 - beta2), -beta1, -beta2};
    over_face.feature = Feature::point_face;
    const double length_squared = std::max(ab.squaredNorm(), ac.squaredNorm());
    if (nn > kSliver * length_squared * length_squared && over_face.weight[1] < 0) return over_face;
  }

  // Else the best of the three edges.
  const OnEdge on_ab = project_on_edge(ap, ab);
  const OnEdge on_bc = project_on_edge(p - b, c - b);
  const OnEdge on_ca = project_on_edge(p - c, a - c);
  int best = on_bc.squared_distance < on_ab.squared_distance ? 1 : 0;
  OnEdge found = best == 1 ? on_bc : on_ab;
  if (on_ca.squared_distance < found.squared_distance) {
    best = 2;
    found = on_ca;
  }
  if (is_over_face && over_face.squared_distance < found.squared_distance && over_face.weight[1] < 0) return over_face;
  constexpr std::array<int, 3> kFollowing = {2, 3, 1};
  return point_on_edge(found, 0, 1 + best, kFollowing[best], 1);
}

ClosestPoints closest_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 u = a1 - a0;
  const Vec3 v = b1 - b0;
  const Vec3 w = a0 - b0;

  // Inside both: w + s u − t v along the normal n = u × v. Given s, t is projected anew: an error δ of s (nearly
  // parallel edges) then moves r by no more than δ |u| sin(angle).
  const Vec3 n = u.cross(v);
  const double nn = n.squaredNorm();
  const double uu = u.squaredNorm();
  const double vv = v.squaredNorm();
  const double at_s = v.cross(w).dot(n);
  ClosestPoints crossing;
  bool is_crossing = at_s > 0 && at_s < nn;
  if (is_crossing) {
    const double s = at_s / nn;
    const Vec3 from_b0 = w + s * u;
    const double t = from_b0.dot(v) / vv;
    is_crossing = is_within_edge(s) && is_within_edge(t);
    crossing.squared_distance = (from_b0 - t * v).squaredNorm();
    crossing.weight = {1 - s, s, t - 1, -t};
    crossing.feature = Feature::edge_edge;
    if (is_crossing && nn > kNearlyParallel * uu * vv) return crossing;
  }

  // Else the best of the four ends with the other edge.
  const std::array<OnEdge, 4> ends = {project_on_edge(w, v), project_on_edge(a1 - b0, v), project_on_edge(-w, u),
                                      project_on_edge(b1 - a0, u)};
  int best = 0;
  for (int i = 1; i < 4; ++i) {
    if (ends[i].squared_distance < ends[best].squared_distance) best = i;
  }
  if (is_crossing && crossing.squared_distance < ends[best].squared_distance) return crossing;
  return best < 2 ? point_on_edge(ends[best], best, 2, 3, 1) : point_on_edge(ends[best], best, 0, 1, -1);
}

}  // namespace pliant::contact
