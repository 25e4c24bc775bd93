#include "pliant/contact/manifold/box_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/contact/manifold/face_clip.h"
#include "pliant/contact/manifold/hull_contact.h"

namespace pliant::contact {
namespace {

// Numbers of parts: a vertex has bit a set on the positive side of axis a; an edge along axis a is 4 a plus one bit for
// each of the two axes after a; face 2 a + (positive side).
int box_edge(int axis, int next_bit, int second_bit) { return 4 * axis + next_bit + 2 * second_bit; }
int box_vertex(int axis, int bit, int next_bit, int second_bit) {
  return bit << axis | next_bit << (axis + 1) % 3 | second_bit << (axis + 2) % 3;
}

struct BoxPair {
  Vec3 half_reference, half_incident;  // m
  Mat3 turn;                           // incident to reference
  Vec3 shift;                          // m, of the incident box in the reference's frame
};

struct BoxAxis {
  double separation;   // m
  int i = -1, j = -1;  // face: i of the reference body; edges: i of a, j of b
};

// The face of the incident box that looks most against face (axis, positive) of the reference, clipped to it. Heights
// are above the face. Returns the lowest of all, also of those beyond reach.
double clip_boxes(const BoxPair& pair, int axis, bool positive, double snap, FacePolygon& polygon) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const int bit = positive ? 1 : 0;
  // The incident face.
  int j = 0;
  pair.turn.row(axis).cwiseAbs().maxCoeff(&j);
  const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  const bool j_positive = (pair.turn(axis, j) > 0) != positive;
  const int j_bit = j_positive ? 1 : 0;
  const Vec3 centre = pair.shift + (j_positive ? pair.half_incident[j] : -pair.half_incident[j]) * pair.turn.col(j);
  const Vec3 first = pair.half_incident[j1] * pair.turn.col(j1);
  const Vec3 second = pair.half_incident[j2] * pair.turn.col(j2);
  const FaceNames names = {2 * axis + bit, 2 * j + j_bit};
  const double sign = positive ? 1 : -1;
  const auto set = [&](int k, const Vec3& x, int vertex, int edge) {
    polygon.points[k] = {x[u], x[v], sign * x[axis] - pair.half_reference[axis],
                         feature_id(Touch::vertex_of_b, names.reference, vertex), edge};
  };
  set(0, centre + first + second, box_vertex(j, j_bit, 1, 1), box_edge(j1, 1, j_bit));
  set(1, centre - first + second, box_vertex(j, j_bit, 0, 1), box_edge(j2, j_bit, 0));
  set(2, centre - first - second, box_vertex(j, j_bit, 0, 0), box_edge(j1, 0, j_bit));
  set(3, centre + first - second, box_vertex(j, j_bit, 1, 0), box_edge(j2, j_bit, 1));
  polygon.count = 4;
  // Sides in the order +u, +v, −u, −v.
  const double half_u = pair.half_reference[u], half_v = pair.half_reference[v];
  const std::array<FaceSide, 4> sides = {{{1, 0, half_u, box_edge(v, bit, 1), box_vertex(axis, bit, 1, 1)},
                                          {0, 1, half_v, box_edge(u, 1, bit), box_vertex(axis, bit, 0, 1)},
                                          {-1, 0, half_u, box_edge(v, bit, 0), box_vertex(axis, bit, 0, 0)},
                                          {0, -1, half_v, box_edge(u, 0, bit), box_vertex(axis, bit, 1, 0)}}};
  clip_to_face(polygon, sides, snap, names);
  double lowest = 1e300;
  for (int k = 0; k < polygon.count; ++k) lowest = std::min(lowest, polygon.points[k].height);
  return lowest;
}

// The points of a clipped face, back in the world.
void add_face_points(const Pose& reference, double half, int axis, bool positive, const FacePolygon& polygon,
                     Manifold& out) {
  const double sign = positive ? 1 : -1;
  const Vec3 normal = sign * reference.turn.col(axis);
  const Vec3 along_u = reference.turn.col((axis + 1) % 3), along_v = reference.turn.col((axis + 2) % 3);
  const Vec3 centre = reference.shift + half * normal;
  for (int k = 0; k < polygon.count; ++k) {
    const FacePoint& p = polygon.points[k];
    const Vec3 on_reference = centre + p.u * along_u + p.v * along_v;
    out.add({on_reference, on_reference + p.height * normal, -normal, p.height, p.feature});
  }
}

// Separation along face normals of the reference box, m.
Vec3 face_separations(const Vec3& half, const Vec3& other_half, const Mat3& turn_size, const Vec3& shift) {
  return shift.cwiseAbs() - half - turn_size * other_half;
}

// The edges whose separation exceeds `most`, if any; separation infinite if it exceeds reach.
BoxAxis find_edge_axis(const BoxPair& pair, const Mat3& size, double most, double reach) {
  BoxAxis best{most};
  const Vec3 &half_a = pair.half_reference, &half_b = pair.half_incident, &t = pair.shift;
  const Mat3& R = pair.turn;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      // |Aᵢ × Bⱼ|², by components: 1 − R² would lose digits. Nearly parallel edges have no direction of their own, and
      // faces part what they would.
      const double length_squared = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (length_squared < 1e-8) continue;
      const double raw = std::abs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) - half_a[i1] * size(i2, j) -
                         half_a[i2] * size(i1, j) - half_b[j1] * size(i, j2) - half_b[j2] * size(i, j1);
      // raw / length > best without the root.
      const double bound_squared = best.separation * best.separation * length_squared;
      const bool better =
          best.separation >= 0 ? raw > 0 && raw * raw > bound_squared : raw >= 0 || raw * raw < bound_squared;
      if (!better) continue;
      best = {raw / std::sqrt(length_squared), i, j};
      if (best.separation > reach) return best;
    }
  }
  return best;
}

// Closest points of the two edges that touch along Aᵢ × Bⱼ. False if the boxes are apart and the edges' lines are
// closest beyond their ends.
bool add_edge_point(const BoxPair& pair, const BoxAxis& axis, const Pose& pose_a, Manifold& out) {
  const int i = axis.i, j = axis.j;
  const Vec3 along_b = pair.turn.col(j);
  Vec3 normal = Vec3::Unit(i).cross(along_b).normalized();
  if (normal.dot(pair.shift) < 0) normal = -normal;  // from a to b
  // The middles of the edges: farthest of a along the normal, farthest of b against it.
  Vec3 middle_a = Vec3::Zero(), middle_b = pair.shift;
  std::array<int, 3> bit_a{}, bit_b{};
  for (int k = 0; k < 3; ++k) {
    bit_a[k] = normal[k] > 0 ? 1 : 0;
    bit_b[k] = normal.dot(pair.turn.col(k)) < 0 ? 1 : 0;
    if (k != i) middle_a[k] = bit_a[k] != 0 ? pair.half_reference[k] : -pair.half_reference[k];
    if (k != j) {
      middle_b += (bit_b[k] != 0 ? pair.half_incident[k] : -pair.half_incident[k]) * pair.turn.col(k);
    }
  }
  // Where the common perpendicular meets the lines: s eᵢ − r along_b = d up to the normal.
  const Vec3 d = middle_b - middle_a;
  const double c = along_b[i], e = d[i], f = d.dot(along_b);
  const double denominator = 1 - c * c;
  const double s = (e - c * f) / denominator, r = (c * e - f) / denominator;
  const double half_i = pair.half_reference[i], half_j = pair.half_incident[j];
  if (axis.separation > 0 && (std::abs(s) > half_i || std::abs(r) > half_j)) return false;
  Vec3 on_a = middle_a;
  on_a[i] = std::clamp(s, -half_i, half_i);
  const Vec3 world_normal = pose_a.turn * normal;
  const Vec3 world_on_a = pose_a.to_world(on_a);
  const int edge_a = box_edge(i, bit_a[(i + 1) % 3], bit_a[(i + 2) % 3]);
  const int edge_b = box_edge(j, bit_b[(j + 1) % 3], bit_b[(j + 2) % 3]);
  out.add({world_on_a, world_on_a + axis.separation * world_normal, -world_normal, axis.separation,
           feature_id(Touch::edges, edge_a, edge_b)});
  return true;
}

}  // namespace

void collide_boxes(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                   Manifold& out) {
  // b seen from a, and the separation along the six face normals.
  const Vec3 between = pose_b.shift - pose_a.shift;
  const BoxPair pair = {a.half_size, b.half_size, pose_a.turn.transpose() * pose_b.turn,
                        pose_a.turn.transpose() * between};
  const Vec3 a_from_b = -(pose_b.turn.transpose() * between);
  const Mat3 size = pair.turn.cwiseAbs();
  const Vec3 along_a = face_separations(a.half_size, b.half_size, size, pair.shift);
  const Vec3 along_b = face_separations(b.half_size, a.half_size, size.transpose(), a_from_b);
  BoxAxis face_a, face_b;
  face_a.separation = along_a.maxCoeff(&face_a.i);
  face_b.separation = along_b.maxCoeff(&face_b.i);
  if (face_a.separation > reach || face_b.separation > reach) return;

  // Which axis, with preference for a's face, then for any face.
  const double width = std::min(a.half_size.minCoeff(), b.half_size.minCoeff());
  const double preference = kPreference * width;
  const bool b_is_reference = face_b.separation > face_a.separation + preference;
  const BoxAxis& face = b_is_reference ? face_b : face_a;
  const double most = std::max(face_a.separation, face_b.separation);
  const BoxAxis edges = find_edge_axis(pair, size, most + preference, reach);
  if (edges.i >= 0) {
    if (edges.separation > reach || add_edge_point(pair, edges, pose_a, out)) return;
    add_closest_points(*a.hull, pose_a, *b.hull, pose_b, reach, out);
    return;
  }

  // A face: clip, and keep what is near.
  const BoxPair turned = {b.half_size, a.half_size, pair.turn.transpose(), a_from_b};
  const BoxPair& clipped = b_is_reference ? turned : pair;
  const bool positive = clipped.shift[face.i] > 0;
  FacePolygon polygon;
  const double lowest = clip_boxes(clipped, face.i, positive, kSnap * width, polygon);
  if (face.separation > 0 && lowest > face.separation + preference) {
    add_closest_points(*a.hull, pose_a, *b.hull, pose_b, reach, out);
    return;
  }
  keep_near(polygon, reach);
  reduce_to_four(polygon, preference);
  const int first = out.count;
  add_face_points(b_is_reference ? pose_b : pose_a, clipped.half_reference[face.i], face.i, positive, polygon, out);
  if (b_is_reference) {
    for (int k = first; k < out.count; ++k) out.points[k] = exchanged(out.points[k]);
  }
}

}  // namespace pliant::contact
