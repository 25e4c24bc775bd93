#include "pliant/contact/manifold/mesh_overlap.h"

#include <algorithm>
#include <vector>

namespace pliant::contact {
namespace {

struct Deep {
  int vertex = 0;
  Vec3 place = Vec3::Zero(), way_out = Vec3::Zero();  // m, world; of the vertex, and the nearest point of the surface
  double depth = 0;                                   // m
};

// Vertices of a that are deeper in b than `shallow`, in their order.
std::vector<Deep> vertices_inside(const CollisionMesh& a, const Pose& pose_a, const CollisionMesh& b,
                                  const Pose& pose_b, double shallow) {
  std::vector<Deep> found;
  const mesh::SignedDistance& surface = *b.distance();
  for (int v = 0; v < static_cast<int>(a.vertices().size()); ++v) {
    const Vec3 place = pose_a.to_world(a.vertices()[static_cast<std::size_t>(v)]), p = pose_b.to_own(place);
    if (!b.may_hold(p)) continue;
    const mesh::ClosestPoint nearest = surface.closest_point(p);
    if (nearest.triangle < 0 || nearest.distance <= shallow) continue;
    // Most are in front of what they are nearest to; the winding number costs more.
    if (surface.area_vector(nearest.triangle).dot(p - nearest.point) > 0 || !surface.inside(p)) continue;
    found.push_back({v, place, pose_b.to_world(nearest.point), nearest.distance});
  }
  return found;
}

// The deepest, then always the one farthest from those before it: the first `most` of the list.
void put_outermost_first(std::vector<Deep>& found, std::size_t most) {
  std::vector<double> apart(found.size(), 1e300);  // m², from what is taken
  for (std::size_t taken = 0; taken < std::min(most, found.size()); ++taken) {
    std::size_t best = taken;
    for (std::size_t i = taken + 1; i < found.size(); ++i) {
      const bool is_better = taken == 0 ? found[i].depth > found[best].depth : apart[i] > apart[best];
      if (is_better) best = i;
    }
    std::swap(found[taken], found[best]);
    std::swap(apart[taken], apart[best]);
    for (std::size_t i = taken + 1; i < found.size(); ++i)
      apart[i] = std::min(apart[i], (found[i].place - found[taken].place).squaredNorm());
  }
  if (found.size() > most) found.resize(most);
}

}  // namespace

void collide_overlap(const CollisionMesh& a, const Pose& pose_a, const CollisionMesh& b, const Pose& pose_b,
                     double shallow, Manifold& out) {
  out.count = 0;
  if (a.distance() == nullptr || b.distance() == nullptr) return;
  for (const bool is_exchanged : {false, true}) {
    std::vector<Deep> found =
        is_exchanged ? vertices_inside(b, pose_b, a, pose_a, shallow) : vertices_inside(a, pose_a, b, pose_b, shallow);
    put_outermost_first(found, Manifold::kMostPoints / 2);
    for (const Deep& deep : found) {
      const ContactPoint point{deep.place, deep.way_out, (deep.way_out - deep.place) / deep.depth, -deep.depth,
                               feature_id(Touch::vertex_of_a, deep.vertex, 0)};
      out.add(is_exchanged ? exchanged(point) : point);
    }
  }
}

}  // namespace pliant::contact
