#include "pliant/contact/judge/edge_triangle.h"

#include <algorithm>
#include <cmath>

#include "pliant/contact/judge/exact_predicates.h"

namespace pliant::contact {

namespace {

// The point seen along an axis: its other two coordinates.
Vec2 seen_along(int axis, const Vec3& x) { return {x[(axis + 1) % 3], x[(axis + 2) % 3]}; }

int orient_seen_along(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
  return orient2d(seen_along(axis, a), seen_along(axis, b), seen_along(axis, c));
}

// The axis along which the triangle looks largest, up to rounding.
int likely_view(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = b - a, v = c - a;
  const Vec3 n(std::abs(u.y() * v.z() - u.z() * v.y()), std::abs(u.z() * v.x() - u.x() * v.z()),
               std::abs(u.x() * v.y() - u.y() * v.x()));
  return n.x() >= n.y() ? (n.x() >= n.z() ? 0 : 2) : (n.y() >= n.z() ? 1 : 2);
}

// An axis along which the three points are not seen on one line; −1 if they are on one line in space.
int view_with_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const int first = likely_view(a, b, c);
  for (const int axis : {first, (first + 1) % 3, (first + 2) % 3}) {
    if (orient_seen_along(axis, a, b, c) != 0) return axis;
  }
  return -1;
}

// A box around r and s contains x. For x on the line through r and s: x is on the segment.
bool within_box(const Vec2& x, const Vec2& r, const Vec2& s) {
  return (r.cwiseMin(s).array() <= x.array()).all() && (x.array() <= r.cwiseMax(s).array()).all();
}

bool segments_meet_2d(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  const int p_side = orient2d(r, s, p), q_side = orient2d(r, s, q);
  const int r_side = orient2d(p, q, r), s_side = orient2d(p, q, s);
  if (p_side * q_side < 0 && r_side * s_side < 0) return true;
  // Otherwise they meet only if an end of one lies on the other.
  return (p_side == 0 && within_box(p, r, s)) || (q_side == 0 && within_box(q, r, s)) ||
         (r_side == 0 && within_box(r, p, q)) || (s_side == 0 && within_box(s, p, q));
}

// The triangle has area.
bool triangle_contains_2d(const Vec2& x, const Vec2& a, const Vec2& b, const Vec2& c) {
  const int i = orient2d(a, b, x), j = orient2d(b, c, x), k = orient2d(c, a, x);
  return (i >= 0 && j >= 0 && k >= 0) || (i <= 0 && j <= 0 && k <= 0);
}

// All in one plane, seen along an axis that is not in it; the triangle has area.
bool meet_within_plane(int axis, const Vec3& p3, const Vec3& q3, const Vec3& a3, const Vec3& b3, const Vec3& c3) {
  const Vec2 p = seen_along(axis, p3), q = seen_along(axis, q3);
  const Vec2 a = seen_along(axis, a3), b = seen_along(axis, b3), c = seen_along(axis, c3);
  return triangle_contains_2d(p, a, b, c) || triangle_contains_2d(q, a, b, c) || segments_meet_2d(p, q, a, b) ||
         segments_meet_2d(p, q, b, c) || segments_meet_2d(p, q, c, a);
}

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  if (orient3d(p, q, r, s) != 0) return false;
  // In one plane: look from where the plane is not seen from its edge.
  int axis = view_with_area(p, q, r);
  if (axis < 0) axis = view_with_area(p, q, s);
  if (axis < 0) axis = view_with_area(r, s, p);
  if (axis < 0) axis = view_with_area(r, s, q);
  if (axis >= 0) {
    return segments_meet_2d(seen_along(axis, p), seen_along(axis, q), seen_along(axis, r), seen_along(axis, s));
  }
  // On one line (or both of no length): coordinates are monotone along it, intervals decide.
  return (p.cwiseMin(q).array() <= r.cwiseMax(s).array()).all() &&
         (r.cwiseMin(s).array() <= p.cwiseMax(q).array()).all();
}

// A certificate that needs no plane: seen along an axis, the line through one side has the edge strictly on one side and
// the triangle on the other. It spares the third dimension's exact arithmetic in flat cloth, where every neighbour is
// in the plane.
bool seen_apart(const Vec3& p3, const Vec3& q3, const Vec3& a3, const Vec3& b3, const Vec3& c3) {
  const int axis = likely_view(a3, b3, c3);
  const Vec2 p = seen_along(axis, p3), q = seen_along(axis, q3);
  const Vec2 a = seen_along(axis, a3), b = seen_along(axis, b3), c = seen_along(axis, c3);
  const int turn = orient2d(a, b, c);
  if (turn == 0) return false;
  const auto outside = [&](const Vec2& from, const Vec2& to) {
    return orient2d(from, to, p) == -turn && orient2d(from, to, q) == -turn;
  };
  if (outside(a, b) || outside(b, c) || outside(c, a)) return true;
  const int side = orient2d(p, q, a);
  return side != 0 && orient2d(p, q, b) == side && orient2d(p, q, c) == side;
}

// x lies from `origin` on the side of `other`, and not at origin. The three are on one line, and other ≠ origin.
bool same_direction(const Vec3& origin, const Vec3& other, const Vec3& x) {
  for (int i = 0; i < 3; ++i) {
    if (other[i] != origin[i]) return other[i] > origin[i] ? x[i] > origin[i] : x[i] < origin[i];
  }
  return false;
}

}  // namespace

bool edge_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  if (seen_apart(p, q, a, b, c)) return false;
  const int p_side = orient3d(a, b, c, p);
  const int q_side = orient3d(a, b, c, q);
  if (p_side * q_side > 0) return false;
  if (p_side != 0 || q_side != 0) {
    // One point of the edge is in the plane; it is in the triangle if all sides pass the edge's line the same way.
    const int ab = orient3d(p, q, a, b), bc = orient3d(p, q, b, c), ca = orient3d(p, q, c, a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
  }
  const int axis = view_with_area(a, b, c);
  if (axis >= 0) return meet_within_plane(axis, p, q, a, b, c);
  // No area: the triangle is its longest side, whichever that is.
  return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

// With W = other − shared, B = b − shared, C = c − shared: is t W = β B + γ C for a t > 0 and β, γ ≥ 0? Lengths do not
// matter, since points near the shared corner will do.
bool edge_reenters_triangle(const Vec3& shared, const Vec3& other, const Vec3& b, const Vec3& c) {
  if (shared == other) return true;
  const int axis = view_with_area(shared, b, c);
  if (axis >= 0) {
    // W between B and C as seen along the axis (Cramer: γ = B × W / B × C, β = W × C / B × C), and in their plane.
    const int turn = orient_seen_along(axis, shared, b, c);
    if (orient_seen_along(axis, shared, b, other) == -turn) return false;
    if (orient_seen_along(axis, shared, other, c) == -turn) return false;
    return orient3d(shared, b, c, other) == 0;
  }
  // No area: along B or along C.
  const auto runs_along = [&](const Vec3& x) {
    return same_direction(shared, other, x) && view_with_area(shared, other, x) < 0;
  };
  return runs_along(b) || runs_along(c);
}

}  // namespace pliant::contact
