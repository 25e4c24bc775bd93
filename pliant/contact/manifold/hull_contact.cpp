#include "pliant/contact/manifold/hull_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/contact/distance/closest_points.h"
#include "pliant/contact/manifold/face_clip.h"

namespace pliant::contact {
namespace {

// b's frame to a's.
Pose seen_from(const Pose& a, const Pose& b) {
  return {a.turn.transpose() * b.turn, a.turn.transpose() * (b.shift - a.shift)};
}
Pose inverse(const Pose& p) { return {p.turn.transpose(), -(p.turn.transpose() * p.shift)}; }

struct FaceAxis {
  double separation = -1e300;  // m
  int face = -1;
};

// The face of the reference that is farthest from the other hull; stops beyond reach.
FaceAxis find_face_axis(const ConvexHull& reference, const ConvexHull& other, const Pose& reference_from_other,
                        double reach) {
  FaceAxis best;
  for (int f = 0; f < reference.face_count(); ++f) {
    const Plane& plane = reference.planes[f];
    const double lowest = other.lowest_along(reference_from_other.turn.transpose() * plane.normal);
    const double separation = lowest + plane.normal.dot(reference_from_other.shift) - plane.offset;
    if (separation > best.separation) best = {separation, f};
    if (separation > reach) break;
  }
  return best;
}

// An edge in a's frame. The normals of a body that another approaches are those of its faces; of that other, reversed.
struct PlacedEdge {
  Vec3 from, along;  // m
  Vec3 left, right;  // normals
  int index;
};

struct Region {
  Vec3 low, high;  // m
  [[nodiscard]] bool misses(const Vec3& p, const Vec3& q) const {
    return (p.cwiseMax(q).array() < low.array()).any() || (p.cwiseMin(q).array() > high.array()).any();
  }
};

// Around the other hull where the pose puts it, and `margin` [m] more.
Region region_of(const ConvexHull& hull, const Pose& pose, double margin) {
  const Vec3 half = (pose.turn.cwiseAbs() * (hull.high - hull.low) / 2).array() + margin;
  const Vec3 centre = pose.to_world((hull.high + hull.low) / 2);
  return {centre - half, centre + half};
}

// Visits blocks of the hull's edges that reach into the region, placed by the pose: visit(span). No allocation.
constexpr int kEdgeBlock = 64;
template <class Visit>
void for_edge_blocks(const ConvexHull& hull, const Pose& pose, double sign, const Region& region, const Visit& visit) {
  std::array<PlacedEdge, kEdgeBlock> block;
  int count = 0;
  for (int e = 0; e < static_cast<int>(hull.edges.size()); ++e) {
    const HullEdge& edge = hull.edges[e];
    const Vec3 from = pose.to_world(hull.vertices[edge.from]), to = pose.to_world(hull.vertices[edge.to]);
    if (region.misses(from, to)) continue;
    block[count++] = {from, to - from, sign * (pose.turn * hull.planes[edge.left].normal),
                      sign * (pose.turn * hull.planes[edge.right].normal), e};
    if (count == kEdgeBlock) {
      visit(std::span<const PlacedEdge>(block.data(), count));
      count = 0;
    }
  }
  if (count > 0) visit(std::span<const PlacedEdge>(block.data(), count));
}

struct EdgeAxis {
  double separation = -1e300;  // m
  Vec3 normal;                 // unit, out of a
  PlacedEdge a, b;
  bool found = false;
};

// Do the arcs of normals of the two edges cross? left × right is along the edge, for b with normals reversed too.
bool arcs_cross(const PlacedEdge& a, const PlacedEdge& b) {
  const double b_left = b.left.dot(a.along), b_right = b.right.dot(a.along);
  if (!(b_left * b_right < 0)) return false;
  const double a_left = a.left.dot(b.along), a_right = a.right.dot(b.along);
  return a_left * a_right < 0 && b_left * a_right > 0;
}

// The normals of a block of edges, one array per component: the first test of arcs_cross for all of them at once.
struct BlockNormals {
  std::array<std::array<double, kEdgeBlock>, 3> left, right;
  std::array<double, kEdgeBlock> product;  // of what the two normals have along a direction; negative: may cross
  int count = 0;

  explicit BlockNormals(std::span<const PlacedEdge> edges) : count(static_cast<int>(edges.size())) {
    for (int k = 0; k < count; ++k) {
      for (int a = 0; a < 3; ++a) left[a][k] = edges[k].left[a], right[a][k] = edges[k].right[a];
    }
  }
  void multiply_along(const Vec3& direction) {
    const double x = direction[0], y = direction[1], z = direction[2];
    for (int k = 0; k < count; ++k) {
      product[k] =
          (x * left[0][k] + y * left[1][k] + z * left[2][k]) * (x * right[0][k] + y * right[1][k] + z * right[2][k]);
    }
  }
};

// The pair of edges whose separation exceeds `most` by the most.
EdgeAxis find_hull_edge_axis(const ConvexHull& a, const ConvexHull& b, const Pose& a_from_b, double most,
                             double reach) {
  EdgeAxis best;
  best.separation = most;
  // Only edges that touch once the bodies are moved by the separation can carry it.
  const double margin = std::max(reach, -most) + 1e-9 * (a.width + b.width);
  const Region around_b = region_of(b, a_from_b, margin);
  const Region around_a = region_of(a, Pose{}, margin);
  for_edge_blocks(b, a_from_b, -1, around_a, [&](std::span<const PlacedEdge> of_b) {
    BlockNormals normals(of_b);
    for_edge_blocks(a, Pose{}, 1, around_b, [&](std::span<const PlacedEdge> of_a) {
      for (const PlacedEdge& ea : of_a) {
        normals.multiply_along(ea.along);
        for (int k = 0; k < normals.count; ++k) {
          const PlacedEdge& eb = of_b[k];
          if (!(normals.product[k] < 0) || !arcs_cross(ea, eb)) continue;
          Vec3 normal = ea.along.cross(eb.along);
          const double length_squared = normal.squaredNorm();
          // Nearly parallel: faces part what these would.
          if (length_squared < 1e-8 * ea.along.squaredNorm() * eb.along.squaredNorm()) continue;
          normal *= (normal.dot(ea.left + ea.right) < 0 ? -1 : 1) / std::sqrt(length_squared);
          const double separation = normal.dot(eb.from - ea.from);
          if (separation > best.separation) best = {separation, normal, ea, eb, true};
        }
      }
    });
  });
  return best;
}

// False if the hulls are apart and the lines of the edges are closest beyond an end.
bool add_hull_edge_point(const EdgeAxis& axis, const Pose& pose_a, Manifold& out) {
  const Vec3 d = axis.b.from - axis.a.from;
  const Vec3 &p = axis.a.along, &q = axis.b.along;
  const double pp = p.squaredNorm(), qq = q.squaredNorm(), pq = p.dot(q);
  const double denominator = pp * qq - pq * pq;
  const double s = (qq * p.dot(d) - pq * q.dot(d)) / denominator;
  const double r = (pq * p.dot(d) - pp * q.dot(d)) / denominator;
  if (axis.separation > 0 && (s < 0 || s > 1 || r < 0 || r > 1)) return false;
  const Vec3 on_a = pose_a.to_world(axis.a.from + std::clamp(s, 0.0, 1.0) * p);
  const Vec3 normal = pose_a.turn * axis.normal;
  out.add({on_a, on_a + axis.separation * normal, -normal, axis.separation,
           feature_id(Touch::edges, axis.a.index, axis.b.index)});
  return true;
}

// The face of the hull that looks most against the direction.
int opposed_face(const ConvexHull& hull, const Vec3& direction) {
  int best = 0;
  double least = 1e300;
  for (int f = 0; f < hull.face_count(); ++f) {
    const double along = direction.dot(hull.planes[f].normal);
    if (along < least) least = along, best = f;
  }
  return best;
}

struct ClippedFace {
  Vec3 origin, along_u, along_v, normal;  // of the reference's frame
  double lowest = 1e300;                  // m, of all heights
  FacePolygon polygon;
};

// Loops longer than this take every second, third, … vertex: the ends of smooth round bars.
constexpr int kMostCorners = 64;

void clip_hulls(const ConvexHull& reference, int face, const ConvexHull& other, const Pose& reference_from_other,
                double snap, ClippedFace& clipped) {
  const auto corners = reference.face(face);
  clipped.normal = reference.planes[face].normal;
  clipped.along_u = corners[0].side.normal;
  clipped.along_v = clipped.normal.cross(clipped.along_u);
  clipped.origin = reference.vertices[corners[0].vertex];
  clipped.origin -= (clipped.normal.dot(clipped.origin) - reference.planes[face].offset) * clipped.normal;

  // The incident face in the reference's plane.
  const int incident = opposed_face(other, reference_from_other.turn.transpose() * clipped.normal);
  const auto loop = other.face(incident);
  const int stride = (static_cast<int>(loop.size()) + kMostCorners - 1) / kMostCorners;
  FacePolygon& polygon = clipped.polygon;
  polygon.count = 0;
  for (int k = 0; k < static_cast<int>(loop.size()); k += stride) {
    const Vec3 d = reference_from_other.to_world(other.vertices[loop[k].vertex]) - clipped.origin;
    polygon.points[polygon.count++] = {clipped.along_u.dot(d), clipped.along_v.dot(d), clipped.normal.dot(d),
                                       feature_id(Touch::vertex_of_b, face, loop[k].vertex), loop[k].edge};
  }
  // Sides, at most kMostCorners at a time.
  std::array<FaceSide, kMostCorners> sides;
  const int side_stride = (static_cast<int>(corners.size()) + kMostCorners - 1) / kMostCorners;
  int count = 0;
  for (int k = 0; k < static_cast<int>(corners.size()); k += side_stride) {
    const Plane& side = corners[k].side;
    sides[count++] = {side.normal.dot(clipped.along_u), side.normal.dot(clipped.along_v),
                      side.offset - side.normal.dot(clipped.origin), corners[k].edge,
                      corners[(k + 1) % corners.size()].vertex};
  }
  clip_to_face(polygon, std::span<const FaceSide>(sides.data(), count), snap, {face, incident});
  for (int k = 0; k < polygon.count; ++k) clipped.lowest = std::min(clipped.lowest, polygon.points[k].height);
}

// Where the deepest vertex is not over the reference face (small faces beside its rim), it is taken all the same.
void add_deepest_vertex(int face, const ConvexHull& other, const Pose& reference_from_other, ClippedFace& clipped) {
  const int vertex = other.support(-(reference_from_other.turn.transpose() * clipped.normal));
  const Vec3 d = reference_from_other.to_world(other.vertices[vertex]) - clipped.origin;
  clipped.polygon.points[clipped.polygon.count++] = {clipped.along_u.dot(d), clipped.along_v.dot(d),
                                                     clipped.normal.dot(d),
                                                     feature_id(Touch::vertex_of_b, face, vertex), -1};
}

void add_hull_face_points(const ClippedFace& clipped, const Pose& reference, Manifold& out) {
  const Vec3 normal = reference.turn * clipped.normal;
  for (int k = 0; k < clipped.polygon.count; ++k) {
    const FacePoint& p = clipped.polygon.points[k];
    const Vec3 on_reference = reference.to_world(clipped.origin + p.u * clipped.along_u + p.v * clipped.along_v);
    out.add({on_reference, on_reference + p.height * normal, -normal, p.height, p.feature});
  }
}

}  // namespace

void collide_hulls(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double reach,
                   Manifold& out) {
  // The axis: a's faces, b's faces, edges.
  const Pose a_from_b = seen_from(pose_a, pose_b);
  const FaceAxis face_a = find_face_axis(a, b, a_from_b, reach);
  if (face_a.separation > reach) return;
  const Pose b_from_a = inverse(a_from_b);
  const FaceAxis face_b = find_face_axis(b, a, b_from_a, reach);
  if (face_b.separation > reach) return;
  const double width = std::min(a.width, b.width);
  const double preference = kPreference * width;
  const bool b_is_reference = face_b.separation > face_a.separation + preference;
  const FaceAxis& face = b_is_reference ? face_b : face_a;
  const double most = std::max(face_a.separation, face_b.separation);
  const EdgeAxis edges = find_hull_edge_axis(a, b, a_from_b, most + preference, reach);
  if (edges.found) {
    if (edges.separation > reach || add_hull_edge_point(edges, pose_a, out)) return;
    add_closest_points(a, pose_a, b, pose_b, reach, out);
    return;
  }

  // A face: clip, and keep what is near.
  ClippedFace clipped;
  const ConvexHull &reference = b_is_reference ? b : a, &other = b_is_reference ? a : b;
  const Pose& reference_from_other = b_is_reference ? b_from_a : a_from_b;
  clip_hulls(reference, face.face, other, reference_from_other, kSnap * width, clipped);
  if (face.separation > 0 && clipped.lowest > face.separation + preference) {
    add_closest_points(a, pose_a, b, pose_b, reach, out);
    return;
  }
  keep_near(clipped.polygon, reach);
  if (clipped.lowest > face.separation + preference) {
    // Or apart, across edges that were too far from each other to be looked at.
    constexpr double kAnywhere = std::numeric_limits<double>::infinity();
    if (find_hull_edge_axis(a, b, a_from_b, most + preference, kAnywhere).found) return;
    if (clipped.polygon.count == FacePolygon::kMostPoints) --clipped.polygon.count;
    add_deepest_vertex(face.face, other, reference_from_other, clipped);
  }
  reduce_to_four(clipped.polygon, preference);
  const int first = out.count;
  add_hull_face_points(clipped, b_is_reference ? pose_b : pose_a, out);
  if (b_is_reference) {
    for (int k = first; k < out.count; ++k) out.points[k] = exchanged(out.points[k]);
  }
}

void add_closest_points(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double reach,
                        Manifold& out) {
  const Pose a_from_b = seen_from(pose_a, pose_b);
  // Clearly nearer is by 1e-12: of equals the first stays, whatever the rounding.
  double nearest = reach;
  Vec3 on_a = Vec3::Zero(), normal = Vec3::Zero();  // in a's frame, out of a
  std::uint32_t feature = 0;
  bool found = false;
  // Vertices of b on a, then of a on b.
  for (int v = 0; v < static_cast<int>(b.vertices.size()); ++v) {
    const HullPoint p = closest_point(a, a_from_b.to_world(b.vertices[v]), nearest);
    if (p.distance > (found ? (1 - 1e-12) * nearest : nearest)) continue;
    nearest = p.distance, on_a = p.point, normal = p.normal, found = true;
    feature = feature_id(Touch::vertex_of_b, p.feature, v);
  }
  for (int v = 0; v < static_cast<int>(a.vertices.size()); ++v) {
    const HullPoint p = closest_point(b, a_from_b.to_own(a.vertices[v]), nearest);
    if (p.distance >= (1 - 1e-12) * nearest) continue;
    nearest = p.distance, on_a = a.vertices[v], normal = -(a_from_b.turn * p.normal), found = true;
    feature = feature_id(Touch::vertex_of_a, v, p.feature);
  }
  // Edges.
  const Region around_a = region_of(a, Pose{}, reach), around_b = region_of(b, a_from_b, reach);
  for_edge_blocks(b, a_from_b, -1, around_a, [&](std::span<const PlacedEdge> of_b) {
    for_edge_blocks(a, Pose{}, 1, around_b, [&](std::span<const PlacedEdge> of_a) {
      for (const PlacedEdge& ea : of_a) {
        for (const PlacedEdge& eb : of_b) {
          const ClosestPoints closest = closest_edges(ea.from, ea.from + ea.along, eb.from, eb.from + eb.along);
          if (closest.feature != Feature::edge_edge || !(closest.squared_distance < (1 - 1e-12) * nearest * nearest))
            continue;
          nearest = closest.distance();
          on_a = ea.from + closest.weight[1] * ea.along;
          const Vec3 to_b = eb.from - closest.weight[3] * eb.along - on_a;
          normal = to_b.stableNormalized();
          feature = feature_id(Touch::edges, ea.index, eb.index);
          found = true;
        }
      }
    });
  });
  if (!found || !(normal.squaredNorm() > 0.5)) return;
  const Vec3 world_normal = pose_a.turn * normal, world_on_a = pose_a.to_world(on_a);
  out.add({world_on_a, world_on_a + nearest * world_normal, -world_normal, nearest, feature});
}

}  // namespace pliant::contact
