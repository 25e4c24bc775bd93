#include "pliant/contact/manifold/round_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/contact/distance/closest_points.h"
#include "pliant/contact/manifold/face_clip.h"

namespace pliant::contact {
namespace {

// Capsules turned against each other by less than this [rad] lie along each other, at two points.
constexpr double kParallel = 0.05;

struct Segment {
  Vec3 from, to;  // m
  [[nodiscard]] Vec3 along() const { return to - from; }
  [[nodiscard]] Vec3 at(double s) const { return from + s * (to - from); }
};
Segment segment_of(const ConvexShape& capsule, const Pose& pose) {
  const Vec3 half = capsule.half_height * pose.turn.col(1);
  return {pose.shift - half, pose.shift + half};
}

// Points of the two cores, and the unit normal from b to a; core_gap = normal · (core_a − core_b).
struct CorePoints {
  Vec3 core_a, core_b, normal;
  std::uint32_t feature;
};
void add_rounded(const CorePoints& core, double radius_a, double radius_b, double reach, Manifold& out) {
  const double gap = core.normal.dot(core.core_a - core.core_b) - radius_a - radius_b;
  if (gap > reach) return;
  const Vec3 on_a = core.core_a - radius_a * core.normal;
  out.add({on_a, on_a - gap * core.normal, core.normal, gap, core.feature});
}

// Unit, at a right angle to a direction that need not be unit.
Vec3 any_perpendicular(const Vec3& direction) {
  int smallest = 0;
  direction.cwiseAbs().minCoeff(&smallest);
  const Vec3 p = direction.cross(Vec3::Unit(smallest));
  return p.squaredNorm() > 0 ? Vec3(p.normalized()) : Vec3::UnitY();
}
// r made unit, or the other if there is nothing of it.
Vec3 direction_or(const Vec3& r, double size, const Vec3& other) {
  const double length = r.norm();
  return length > 1e-12 * size ? Vec3(r / length) : other;
}

double foot_on(const Segment& segment, const Vec3& p) {
  const double length_squared = segment.along().squaredNorm();
  if (length_squared == 0) return 0;
  return std::clamp(segment.along().dot(p - segment.from) / length_squared, 0.0, 1.0);
}

// Two points where capsules lie along each other: the ends of the part of a's segment beside b's.
void add_parallel_capsules(const Segment& a, const Segment& b, const Vec3& normal, const std::array<double, 2>& radii,
                           double reach, Manifold& out) {
  const double length_squared = a.along().squaredNorm();
  const double s0 = std::clamp(a.along().dot(b.from - a.from) / length_squared, 0.0, 1.0);
  const double s1 = std::clamp(a.along().dot(b.to - a.from) / length_squared, 0.0, 1.0);
  for (int k = 0; k < 2; ++k) {
    // First the end nearer to a's start, whichever way b points.
    const Vec3 p = a.at(k == 0 ? std::min(s0, s1) : std::max(s0, s1));
    const Vec3 q = b.at(foot_on(b, p));
    // Heights along the common normal only: the axes are nearly parallel.
    add_rounded({p, p - normal.dot(p - q) * normal, normal, feature_id(Touch::other, k, 0)}, radii[0], radii[1], reach,
                out);
  }
}

// The best axis between a segment inside a hull and the hull, all in the hull's frame.
struct SegmentAxis {
  double separation = -1e300;   // m
  Vec3 normal = Vec3::UnitY();  // out of the hull
  int face = -1;                // or −1
  int edge = -1;
};
SegmentAxis find_segment_axis(const ConvexHull& hull, const Segment& segment) {
  SegmentAxis best;
  for (int f = 0; f < hull.face_count(); ++f) {
    const Plane& plane = hull.planes[f];
    const double separation = std::min(plane.normal.dot(segment.from), plane.normal.dot(segment.to)) - plane.offset;
    if (separation > best.separation) best = {separation, plane.normal, f, -1};
  }
  const double preference = kPreference * hull.width;
  const Vec3 along = segment.along();
  double most = best.separation + preference;
  for (int e = 0; e < static_cast<int>(hull.edges.size()); ++e) {
    const HullEdge& edge = hull.edges[e];
    const Vec3 &left = hull.planes[edge.left].normal, &right = hull.planes[edge.right].normal;
    // The great circle at a right angle to the segment must cross the edge's arc of normals.
    if (!(left.dot(along) * right.dot(along) < 0)) continue;
    const Vec3 edge_along = hull.vertices[edge.to] - hull.vertices[edge.from];
    Vec3 normal = edge_along.cross(along);
    const double length_squared = normal.squaredNorm();
    if (length_squared < 1e-8 * edge_along.squaredNorm() * along.squaredNorm()) continue;
    normal *= (normal.dot(left + right) < 0 ? -1 : 1) / std::sqrt(length_squared);
    const double separation = normal.dot(segment.from - hull.vertices[edge.from]);
    if (separation > most) {
      most = separation;
      best = {separation, normal, -1, e};
    }
  }
  return best;
}

// Closest points of a segment and a hull that are apart.
struct SegmentPoint {
  double distance = 1e300;      // m
  Vec3 on_segment, on_hull;     // m
  Vec3 normal = Vec3::UnitY();  // out of the hull
  int feature = 0;              // as HullPoint's
};
SegmentPoint closest_on_segment(const ConvexHull& hull, const Segment& segment, double reach) {
  SegmentPoint best;
  for (const Vec3& p : {segment.from, segment.to}) {
    const HullPoint q = closest_point(hull, p, reach);
    if (q.distance < best.distance) best = {q.distance, p, q.point, q.normal, q.feature};
  }
  for (int e = 0; e < static_cast<int>(hull.edges.size()); ++e) {
    const Vec3 &from = hull.vertices[hull.edges[e].from], &to = hull.vertices[hull.edges[e].to];
    const ClosestPoints closest = closest_edges(segment.from, segment.to, from, to);
    // Clearly nearer: of equals the first stays, whatever the rounding.
    if (!(closest.squared_distance < (1 - 1e-12) * best.distance * best.distance)) continue;
    const Vec3 p = segment.at(closest.weight[1]), q = from - closest.weight[3] * (to - from);
    const double distance = closest.distance();
    if (distance == 0) continue;
    best = {distance, p, q, (p - q) / distance, hull.face_count() + e};
  }
  return best;
}

struct HullCapsule {
  const ConvexHull& hull;
  const Pose& pose;  // of the hull
  double radius;     // m
  double reach;      // m
};
// Both ends of the part of the segment above a face.
void add_on_face(const HullCapsule& pair, const Segment& segment, int face, Manifold& out) {
  const Plane& plane = pair.hull.planes[face];
  double begin = 0, end = 1;
  const double snap = kSnap * pair.hull.width;
  for (const HullCorner& corner : pair.hull.face(face)) {
    const double at_from = corner.side.normal.dot(segment.from) - corner.side.offset - snap;
    const double at_to = corner.side.normal.dot(segment.to) - corner.side.offset - snap;
    if (at_from > 0 && at_to > 0) return;
    if (at_from > 0) begin = std::max(begin, at_from / (at_from - at_to));
    if (at_to > 0) end = std::min(end, at_from / (at_from - at_to));
  }
  if (begin > end) return;
  const Vec3 normal = pair.pose.turn * plane.normal;
  for (int k = 0; k < 2; ++k) {
    const Vec3 p = segment.at(k == 0 ? begin : end);
    const Vec3 q = p - (plane.normal.dot(p) - plane.offset) * plane.normal;
    add_rounded({pair.pose.to_world(p), pair.pose.to_world(q), normal, feature_id(Touch::vertex_of_a, k, face)},
                pair.radius, 0, pair.reach, out);
  }
}

}  // namespace

void collide_balls(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                   Manifold& out) {
  const Vec3 r = pose_a.shift - pose_b.shift;
  const double far = a.radius + b.radius + reach;
  if (r.squaredNorm() > far * far) return;
  const Vec3 normal = direction_or(r, a.radius + b.radius, Vec3::UnitY());
  add_rounded({pose_a.shift, pose_b.shift, normal, 0}, a.radius, b.radius, reach, out);
}

void collide_ball_capsule(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                          double reach, Manifold& out) {
  const Segment segment = segment_of(b, pose_b);
  const Vec3 q = segment.at(foot_on(segment, pose_a.shift));
  const Vec3 normal = direction_or(pose_a.shift - q, b.radius, any_perpendicular(pose_b.turn.col(1)));
  add_rounded({pose_a.shift, q, normal, 0}, a.radius, b.radius, reach, out);
}

void collide_ball_box(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                      Manifold& out) {
  Shape box;
  box.kind = ShapeKind::box;
  box.half_size = b.half_size;
  const SignedHeight height = height_above(box, pose_b.to_own(pose_a.shift));
  if (height.distance > a.radius + reach) return;
  const Vec3 normal = pose_b.turn * height.normal;
  add_rounded({pose_a.shift, pose_a.shift - height.distance * normal, normal, 0}, a.radius, 0, reach, out);
}

void collide_ball_hull(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                       Manifold& out) {
  const HullPoint p = closest_point(*b.hull, pose_b.to_own(pose_a.shift), a.radius + reach);
  if (p.distance > a.radius + reach) return;
  add_rounded({pose_a.shift, pose_b.to_world(p.point), pose_b.turn * p.normal, 0}, a.radius, 0, reach, out);
}

void collide_capsules(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                      Manifold& out) {
  const Segment sa = segment_of(a, pose_a), sb = segment_of(b, pose_b);
  const ClosestPoints closest = closest_edges(sa.from, sa.to, sb.from, sb.to);
  if (closest.distance() > a.radius + b.radius + reach) return;
  const Vec3 p = sa.at(closest.weight[1]), q = sb.at(-closest.weight[3]);
  const Vec3 across = sa.along().cross(sb.along());
  const double lengths = sa.along().norm() * sb.along().norm();
  const bool parallel = across.norm() <= kParallel * lengths;
  const Vec3 fallback = parallel ? any_perpendicular(pose_a.turn.col(1)) : across.normalized();
  const Vec3 normal = direction_or(p - q, a.radius + b.radius, fallback);
  // Beside each other, and not end to end.
  if (parallel && lengths > 0 && std::abs(normal.dot(pose_a.turn.col(1))) < 2 * kParallel) {
    const int before = out.count;
    add_parallel_capsules(sa, sb, normal, {a.radius, b.radius}, reach, out);
    if (out.count > before) return;
  }
  add_rounded({p, q, normal, feature_id(Touch::edges, 0, 0)}, a.radius, b.radius, reach, out);
}

void collide_capsule_hull(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                          double reach, Manifold& out) {
  const ConvexHull& hull = *b.hull;
  const Segment world = segment_of(a, pose_a);
  const Segment segment = {pose_b.to_own(world.from), pose_b.to_own(world.to)};
  const HullCapsule pair = {hull, pose_b, a.radius, reach};
  const SegmentAxis axis = find_segment_axis(hull, segment);
  if (axis.separation > a.radius + reach) return;
  if (axis.separation <= 0) {
    if (axis.face >= 0) {
      add_on_face(pair, segment, axis.face, out);
      return;
    }
    // The segment cuts through an edge: where the two lines are closest.
    const HullEdge& edge = hull.edges[axis.edge];
    const Vec3 &from = hull.vertices[edge.from], along = hull.vertices[edge.to] - hull.vertices[edge.from];
    const Vec3 d = from - segment.from, p = segment.along();
    const double pp = p.squaredNorm(), qq = along.squaredNorm(), pq = p.dot(along);
    const double s = std::clamp((qq * p.dot(d) - pq * along.dot(d)) / (pp * qq - pq * pq), 0.0, 1.0);
    const Vec3 on_segment = segment.at(s);
    const Vec3 on_hull = on_segment - axis.separation * axis.normal;
    add_rounded({pose_b.to_world(on_segment), pose_b.to_world(on_hull), pose_b.turn * axis.normal,
                 feature_id(Touch::edges, 0, axis.edge)},
                a.radius, 0, reach, out);
    return;
  }
  // Apart: the closest points; along a face both ends.
  const SegmentPoint closest = closest_on_segment(hull, segment, a.radius + reach);
  if (closest.distance > a.radius + reach) return;
  if (closest.feature < hull.face_count()) {
    const int before = out.count;
    add_on_face(pair, segment, closest.feature, out);
    if (out.count > before) return;
  }
  add_rounded({pose_b.to_world(closest.on_segment), pose_b.to_world(closest.on_hull), pose_b.turn * closest.normal,
               feature_id(Touch::edges, 0, closest.feature)},
              a.radius, 0, reach, out);
}

}  // namespace pliant::contact
