#include "pliant/contact/manifold/collide.h"

#include <array>

#include "pliant/contact/manifold/box_contact.h"
#include "pliant/contact/manifold/face_clip.h"
#include "pliant/contact/manifold/hull_contact.h"
#include "pliant/contact/manifold/round_contact.h"

namespace pliant::contact {
namespace {

using CollidePair = void (*)(const ConvexShape&, const Pose&, const ConvexShape&, const Pose&, double, Manifold&);

void collide_hull_shapes(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                         double reach, Manifold& out) {
  collide_hulls(*a.hull, pose_a, *b.hull, pose_b, reach, out);
}

// A sphere of a ball or a capsule's end on a half-space.
void add_sphere_on_plane(const Vec3& centre, double radius, const Pose& plane, double reach, int end, Manifold& out) {
  const Vec3 normal = plane.turn.col(1);
  const double gap = normal.dot(centre - plane.shift) - radius;
  if (gap > reach) return;
  const Vec3 on_a = centre - radius * normal;
  out.add({on_a, on_a - gap * normal, normal, gap, feature_id(Touch::vertex_of_a, end, 0)});
}

void collide_ball_plane(const ConvexShape& a, const Pose& pose_a, const ConvexShape&, const Pose& pose_b, double reach,
                        Manifold& out) {
  add_sphere_on_plane(pose_a.shift, a.radius, pose_b, reach, 0, out);
}

void collide_capsule_plane(const ConvexShape& a, const Pose& pose_a, const ConvexShape&, const Pose& pose_b,
                           double reach, Manifold& out) {
  const Vec3 half = a.half_height * pose_a.turn.col(1);
  add_sphere_on_plane(pose_a.shift - half, a.radius, pose_b, reach, 0, out);
  add_sphere_on_plane(pose_a.shift + half, a.radius, pose_b, reach, 1, out);
}

void collide_hull_plane(const ConvexShape& a, const Pose& pose_a, const ConvexShape&, const Pose& pose_b, double reach,
                        Manifold& out) {
  const Mat3 turn = pose_b.turn.transpose() * pose_a.turn;
  const Vec3 shift = pose_b.to_own(pose_a.shift);
  const double margin = kPreference * a.hull->width;
  FacePolygon low;
  for (int v = 0; v < static_cast<int>(a.hull->vertices.size()); ++v) {
    const Vec3 x = turn * a.hull->vertices[v] + shift;
    if (x[1] > reach) continue;
    // The outermost and deepest of the points so far stay when there is no room for more.
    if (low.count == FacePolygon::kMostPoints) reduce_to_four(low, margin);
    low.points[low.count++] = {x[0], x[2], x[1], feature_id(Touch::vertex_of_a, v, 0), 0};
  }
  reduce_to_four(low, margin);
  const Vec3 normal = pose_b.turn.col(1);
  for (int k = 0; k < low.count; ++k) {
    const FacePoint& p = low.points[k];
    const Vec3 on_b = pose_b.to_world({p.u, 0, p.v});
    out.add({on_b + p.height * normal, on_b, normal, p.height, p.feature});
  }
}

void collide_planes(const ConvexShape&, const Pose&, const ConvexShape&, const Pose&, double, Manifold&) {
  // Half-spaces belong to the scenery: they do not move, so nothing could be done about them.
}

// Row: kind of a, column: kind of b, in the order of ConvexKind. Below the diagonal a and b are exchanged.
constexpr CollidePair kNone = nullptr;
constexpr CollidePair kPairs[5][5] = {
    // ball          capsule               box                   hull                  half-space
    {collide_balls, collide_ball_capsule, collide_ball_box, collide_ball_hull, collide_ball_plane},
    {kNone, collide_capsules, collide_capsule_hull, collide_capsule_hull, collide_capsule_plane},
    {kNone, kNone, collide_boxes, collide_hull_shapes, collide_hull_plane},
    {kNone, kNone, kNone, collide_hull_shapes, collide_hull_plane},
    {kNone, kNone, kNone, kNone, collide_planes},
};

}  // namespace

void collide(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
             Manifold& out) {
  out.count = 0;
  const auto kind_a = static_cast<int>(a.kind), kind_b = static_cast<int>(b.kind);
  if (kind_a <= kind_b) {
    kPairs[kind_a][kind_b](a, pose_a, b, pose_b, reach, out);
    return;
  }
  kPairs[kind_b][kind_a](b, pose_b, a, pose_a, reach, out);
  for (int k = 0; k < out.count; ++k) out.points[k] = exchanged(out.points[k]);
}

}  // namespace pliant::contact
