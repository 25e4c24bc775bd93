#include "pliant/contact/manifold/mesh_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "pliant/contact/distance/closest_points.h"
#include "pliant/contact/manifold/face_clip.h"

namespace pliant::contact {
namespace {

constexpr double kSameDirection = 0.95;  // cosine of 18°: one cluster
constexpr double kOnTip = 1e-9;          // relative: neighbours as high as the tip do not count against it

// A possible point, in the mesh's frame.
struct MeshTouch {
  Vec3 on_mesh;  // m
  Vec3 normal;   // unit, out of the mesh
  double gap;    // m
  std::uint32_t feature;
  double separation;  // m, of the whole shape from the mesh here, along the normal; kNotKnown
};
constexpr double kNotKnown = -1e300;

// Collects touches; when there are too many, the deepest and outermost of every cluster stay.
class TouchList {
 public:
  explicit TouchList(double margin) : margin_(margin) {}

  void add(const MeshTouch& touch) {
    // A vertex of the shape above a seam of the mesh is one point, at its lowest.
    for (int i = 0; i < count_; ++i) {
      if (touches_[i].feature == touch.feature && touches_[i].normal.dot(touch.normal) > kSameDirection) {
        if (touch.gap < touches_[i].gap) touches_[i] = touch;
        return;
      }
    }
    if (count_ == kMost) compress();
    touches_[count_++] = touch;
  }

  // Clusters, deepest first; at most four touches each. After compress() the list consists of them.
  void compress() {
    std::array<bool, kMost> taken{};
    std::array<MeshTouch, 4 * kMostClusters> kept;
    int kept_count = 0;
    cluster_count_ = 0;
    while (cluster_count_ < kMostClusters) {
      int seed = -1;
      for (int i = 0; i < count_; ++i) {
        if (!taken[i] && (seed < 0 || touches_[i].gap < touches_[seed].gap)) seed = i;
      }
      if (seed < 0) break;
      const Vec3 normal = touches_[seed].normal;
      const Vec3 along_u = normal.unitOrthogonal(), along_v = normal.cross(along_u);
      FacePolygon cluster;
      for (int i = 0; i < count_; ++i) {
        if (taken[i] || touches_[i].normal.dot(normal) < kSameDirection) continue;
        taken[i] = true;
        const MeshTouch& t = touches_[i];
        cluster.points[cluster.count++] = {along_u.dot(t.on_mesh), along_v.dot(t.on_mesh), t.gap, t.feature, i};
      }
      reduce_to_four(cluster, margin_);
      std::sort(cluster.points.begin(), cluster.points.begin() + cluster.count,
                [](const FacePoint& p, const FacePoint& q) {
                  return p.height < q.height || (p.height == q.height && p.edge < q.edge);
                });
      cluster_begin_[cluster_count_++] = kept_count;
      for (int k = 0; k < cluster.count; ++k) kept[kept_count++] = touches_[cluster.points[k].edge];
    }
    cluster_begin_[cluster_count_] = kept_count;
    std::copy_n(kept.begin(), kept_count, touches_.begin());
    count_ = kept_count;
  }

  // The deepest of every cluster, then the second of every cluster, …
  void write(const Pose& mesh, Manifold& out) {
    compress();
    std::array<bool, kMost> dropped{};
    for (int i = 0; i < count_; ++i) dropped[i] = enters_elsewhere(i);
    if (std::all_of(dropped.begin(), dropped.begin() + count_, [](bool d) { return d; })) dropped.fill(false);
    for (int round = 0; round < 4; ++round) {
      for (int c = 0; c < cluster_count_; ++c) {
        if (cluster_begin_[c] + round >= cluster_begin_[c + 1] || dropped[cluster_begin_[c] + round]) continue;
        const MeshTouch& t = touches_[cluster_begin_[c] + round];
        const Vec3 normal = mesh.turn * t.normal, on_mesh = mesh.to_world(t.on_mesh);
        out.add({on_mesh, on_mesh + t.gap * normal, -normal, t.gap, t.feature});
      }
    }
  }

 private:
  // Beside a ridge, a shape that enters through one side is behind the other side too, and deeper: that touch would
  // throw it out the long way. True if the shape as a whole is less deep behind another face across a ridge, or at the
  // ridge itself.
  [[nodiscard]] bool enters_elsewhere(int i) const {
    const MeshTouch& own = touches_[i];
    for (int j = 0; j < count_; ++j) {
      const MeshTouch& other = touches_[j];
      if (own.gap + margin_ >= std::min(other.separation, 0.0)) continue;
      if (other.normal.dot(own.normal) > kSameDirection) continue;
      // Each is behind the other or, being on the ridge itself, level with it.
      const Vec3 between = other.on_mesh - own.on_mesh;
      const double level = kOnTip * between.norm();
      if (own.normal.dot(between) <= level && other.normal.dot(-between) <= level) return true;
    }
    return false;
  }

  static constexpr int kMost = 128;
  static constexpr int kMostClusters = 8;
  std::array<MeshTouch, kMost> touches_;
  std::array<int, kMostClusters + 1> cluster_begin_{};
  int count_ = 0;
  int cluster_count_ = 0;
  double margin_;  // m, see reduce_to_four
};

struct MeshSide {
  Vec3 from, along;  // m
  Vec3 out;          // unit, out of the triangle in its plane
};
struct PlacedTriangle {
  const CollisionMesh& mesh;
  const CollisionMesh::Triangle& triangle;
  int index;
  std::array<MeshSide, 3> sides;
  // The shape reaches behind the triangle's plane beside it. Then it touches here only what is really behind: on a floor of many
  // triangles its deep end is, beside the wall of something small it is not.
  bool is_passed_beside = false;

  PlacedTriangle(const CollisionMesh& a, int t) : mesh(a), triangle(a.triangles()[t]), index(t) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 &p = mesh.vertices()[triangle.vertex[k]], &q = mesh.vertices()[triangle.vertex[(k + 1) % 3]];
      sides[k] = {p, q - p, (q - p).cross(triangle.normal).normalized()};
    }
  }
  [[nodiscard]] double height(const Vec3& p) const { return triangle.normal.dot(p - sides[0].from); }
  // May the mesh be touched along the direction at this edge? Between the normals of its two triangles.
  [[nodiscard]] bool edge_carries(int k, const Vec3& direction) const {
    const Vec3& across = triangle.across[k];
    if (across.isZero()) return false;
    return sides[k].out.dot(direction) >= -kOnTip && across.cross(sides[k].along).dot(direction) >= 0;
  }
  // Is there something of the mesh to push the point of the shape out of? An open mesh cannot tell.
  [[nodiscard]] bool admits(const Vec3& p) const {
    return !is_passed_beside || mesh.distance() == nullptr || mesh.distance()->inside(p);
  }
  [[nodiscard]] int edge_name(int k) const { return 3 * index + k; }
};

// --- Balls and capsules: a segment (or point) and a radius ---

struct RoundCore {
  Vec3 from, to;  // m, in the mesh's frame
  double radius;  // m
};

// Both ends of the part of the segment above or below the triangle.
void add_round_on_face(PlacedTriangle t, const RoundCore& core, double reach, TouchList& list) {
  double begin = 0, end = 1;
  for (const MeshSide& side : t.sides) {
    const double at_from = side.out.dot(core.from - side.from), at_to = side.out.dot(core.to - side.from);
    if (at_from > 0 && at_to > 0) return;
    if (at_from > 0) begin = std::max(begin, at_from / (at_from - at_to));
    if (at_to > 0) end = std::min(end, at_from / (at_from - at_to));
  }
  if (begin > end) return;
  const Vec3 along = core.to - core.from;
  t.is_passed_beside = std::max(t.height(core.from + begin * along), t.height(core.from + end * along)) < 0;
  const double lowest = std::min(t.height(core.from), t.height(core.to)) - core.radius;
  const int point_count = core.from == core.to ? 1 : 2;
  for (int k = 0; k < point_count; ++k) {
    const double s = k == 0 ? begin : end;
    const Vec3 p = core.from + s * along;
    const double height = t.height(p), gap = height - core.radius;
    if (gap > reach || !t.admits(p)) continue;
    // An end keeps its name from triangle to triangle; where the segment is cut, the point belongs to the triangle.
    const bool is_end = k == 0 ? begin == 0 : end == 1;
    list.add({p - height * t.triangle.normal, t.triangle.normal, gap,
              is_end ? feature_id(Touch::vertex_of_b, 0, k) : feature_id(Touch::other, t.index, k), lowest});
  }
}

void add_round_on_edges(const PlacedTriangle& t, const RoundCore& core, double reach, TouchList& list) {
  for (int k = 0; k < 3; ++k) {
    const MeshSide& side = t.sides[k];
    const ClosestPoints closest = closest_edges(core.from, core.to, side.from, side.from + side.along);
    const double distance = closest.distance(), gap = distance - core.radius;
    if (gap > reach || distance == 0) continue;
    const double s = -closest.weight[3];
    const Vec3 on_mesh = side.from + s * side.along;
    const Vec3 normal = (core.from + closest.weight[1] * (core.to - core.from) - on_mesh) / distance;
    if (s > 0 && s < 1) {
      if (!t.edge_carries(k, normal)) continue;
      list.add({on_mesh, normal, gap, feature_id(Touch::edges, t.edge_name(k), 0), kNotKnown});
    } else {
      const int vertex = t.triangle.vertex[(k + (s < 1 ? 0 : 1)) % 3];
      if (!t.mesh.is_tip(vertex, normal)) continue;
      list.add({on_mesh, normal, gap, feature_id(Touch::vertex_of_a, vertex, 0), kNotKnown});
    }
  }
}

// --- Hulls ---

struct PlacedHull {
  const ConvexHull& hull;
  Pose pose;  // in the mesh's frame
};

struct TriangleAxis {
  double separation;  // m
  enum class Kind { triangle, hull_face, edges } kind;
  int face = -1;                // of the hull
  int side = -1, edge = -1;     // of the triangle, of the hull
  int vertex = -1;              // of the mesh
  Vec3 normal = Vec3::UnitY();  // out of the mesh
};

void try_hull_faces(const PlacedTriangle& t, const PlacedHull& b, double most, TriangleAxis& best) {
  for (int f = 0; f < b.hull.face_count(); ++f) {
    const Vec3 normal = -(b.pose.turn * b.hull.planes[f].normal);
    if (normal.dot(t.triangle.normal) <= 0) continue;
    int tip = 0;
    double highest = -1e300;
    for (int k = 0; k < 3; ++k) {
      const double along = normal.dot(t.sides[k].from);
      if (along > highest) highest = along, tip = t.triangle.vertex[k];
    }
    const double separation = -b.hull.planes[f].offset + normal.dot(b.pose.shift) - highest;
    if (separation <= most || separation <= best.separation || !t.mesh.is_tip(tip, normal)) continue;
    best = {separation, TriangleAxis::Kind::hull_face, f, -1, -1, tip, normal};
  }
}

void try_hull_edges(const PlacedTriangle& t, const PlacedHull& b, double most, TriangleAxis& best) {
  for (int e = 0; e < static_cast<int>(b.hull.edges.size()); ++e) {
    const HullEdge& edge = b.hull.edges[e];
    const Vec3 from = b.pose.to_world(b.hull.vertices[edge.from]);
    const Vec3 along = b.pose.to_world(b.hull.vertices[edge.to]) - from;
    const Vec3 left = -(b.pose.turn * b.hull.planes[edge.left].normal);
    const Vec3 right = -(b.pose.turn * b.hull.planes[edge.right].normal);
    for (int k = 0; k < 3; ++k) {
      const Vec3& across = t.triangle.across[k];
      if (across.isZero()) continue;
      const Vec3& side = t.sides[k].along;
      // Arcs of normals must cross, as in hull_contact.cpp.
      const double b_left = left.dot(side), b_right = right.dot(side);
      if (!(b_left * b_right < 0)) continue;
      const double a_left = t.triangle.normal.dot(along), a_right = across.dot(along);
      if (!(a_left * a_right < 0 && b_left * a_right > 0)) continue;
      Vec3 normal = side.cross(along);
      const double length_squared = normal.squaredNorm();
      if (length_squared < 1e-8 * side.squaredNorm() * along.squaredNorm()) continue;
      normal *= (normal.dot(t.triangle.normal + across) < 0 ? -1 : 1) / std::sqrt(length_squared);
      const double separation = normal.dot(from - t.sides[k].from);
      if (separation > most && separation > best.separation) {
        best = {separation, TriangleAxis::Kind::edges, -1, k, e, -1, normal};
      }
    }
  }
}

// Whether the hull does not meet the triangle. All axes count here, not only those that carry.
bool is_beside(const PlacedTriangle& t, const PlacedHull& b) {
  const double margin = kSnap * b.hull.width;
  std::array<Vec3, 3> corner;  // in the hull's frame
  for (int k = 0; k < 3; ++k) corner[k] = b.pose.to_own(t.sides[k].from);
  for (int f = 0; f < b.hull.face_count(); ++f) {
    const auto& plane = b.hull.planes[f];
    const auto is_above = [&](const Vec3& p) { return plane.normal.dot(p) > plane.offset + margin; };
    if (std::all_of(corner.begin(), corner.end(), is_above)) return true;
  }
  for (const HullEdge& edge : b.hull.edges) {
    const Vec3 &from = b.hull.vertices[edge.from], along = b.hull.vertices[edge.to] - from;
    const Vec3 left = along.cross(b.hull.planes[edge.left].normal),
               right = b.hull.planes[edge.right].normal.cross(along);
    for (int k = 0; k < 3; ++k) {
      const Vec3 side = corner[(k + 1) % 3] - corner[k], across = side.cross(along);
      const double length_squared = across.squaredNorm();
      if (length_squared < 1e-8 * side.squaredNorm() * along.squaredNorm()) continue;
      // The hull is highest at this edge along directions between the normals of its faces.
      const double turn = left.dot(across), back = right.dot(across);
      if (!(turn * back > 0)) continue;
      const Vec3 axis = (turn > 0 ? 1 : -1) / std::sqrt(length_squared) * across;
      const auto is_above = [&](const Vec3& p) { return axis.dot(p - from) > margin; };
      if (std::all_of(corner.begin(), corner.end(), is_above)) return true;
    }
  }
  return false;
}

// The hull's face most opposed to the triangle, clipped to it. lowest: m, of all of the hull.
void add_hull_on_face(const PlacedTriangle& t, const PlacedHull& b, double reach, double lowest, TouchList& list) {
  const Vec3& normal = t.triangle.normal;
  const Vec3 own_normal = b.pose.turn.transpose() * normal;
  int incident = 0;
  double least = 1e300;
  for (int f = 0; f < b.hull.face_count(); ++f) {
    const double along = own_normal.dot(b.hull.planes[f].normal);
    if (along < least) least = along, incident = f;
  }
  const Vec3 &origin = t.sides[0].from, along_u = t.sides[0].out, along_v = normal.cross(along_u);
  const auto loop = b.hull.face(incident);
  const int stride = (static_cast<int>(loop.size()) + 63) / 64;
  FacePolygon polygon;
  for (int k = 0; k < static_cast<int>(loop.size()); k += stride) {
    const Vec3 d = b.pose.to_world(b.hull.vertices[loop[k].vertex]) - origin;
    polygon.points[polygon.count++] = {along_u.dot(d), along_v.dot(d), normal.dot(d),
                                       feature_id(Touch::vertex_of_b, 0, loop[k].vertex), loop[k].edge};
  }
  std::array<FaceSide, 3> sides;
  for (int k = 0; k < 3; ++k) {
    const MeshSide& side = t.sides[k];
    sides[k] = {side.out.dot(along_u), side.out.dot(along_v), side.out.dot(side.from - origin), t.edge_name(k),
                t.triangle.vertex[(k + 1) % 3]};
  }
  // A corner about on a seam is within both triangles: the same point twice, not a corner and a crossing beside it.
  clip_to_face(polygon, sides, kOnTip * t.sides[0].along.norm(), {t.index, incident});
  for (int k = 0; k < polygon.count; ++k) {
    const FacePoint& p = polygon.points[k];
    const Vec3 on_mesh = origin + p.u * along_u + p.v * along_v;
    if (p.height > reach || !t.admits(on_mesh + p.height * normal)) continue;
    list.add({on_mesh, normal, p.height, p.feature, lowest});
  }
}

void add_hull_touch(PlacedTriangle t, const PlacedHull& b, double reach, TouchList& list) {
  // Along the triangle's normal first, which is preferred.
  const Vec3 own_normal = b.pose.turn.transpose() * t.triangle.normal;
  const Vec3 lowest = b.pose.to_world(b.hull.vertices[b.hull.support(-own_normal)]);
  TriangleAxis axis{t.height(lowest), TriangleAxis::Kind::triangle};
  if (axis.separation > reach) return;
  const double most = axis.separation + kPreference * b.hull.width;
  try_hull_faces(t, b, most, axis);
  try_hull_edges(t, b, most, axis);
  if (axis.separation > reach) return;
  t.is_passed_beside = axis.separation < 0 && is_beside(t, b);
  if (axis.kind == TriangleAxis::Kind::triangle) {
    add_hull_on_face(t, b, reach, axis.separation, list);
    return;
  }
  if (axis.kind == TriangleAxis::Kind::hull_face) {
    // The tip must be above the face, else an edge or another triangle touches.
    const Vec3& tip = t.mesh.vertices()[axis.vertex];
    const Vec3 own = b.pose.to_own(tip);
    for (const HullCorner& corner : b.hull.face(axis.face)) {
      if (corner.side.normal.dot(own) > corner.side.offset + kSnap * b.hull.width) return;
    }
    if (!t.admits(tip + axis.separation * axis.normal)) return;
    list.add(
        {tip, axis.normal, axis.separation, feature_id(Touch::vertex_of_a, axis.vertex, axis.face), axis.separation});
    return;
  }
  const HullEdge& edge = b.hull.edges[axis.edge];
  const Vec3 from = b.pose.to_world(b.hull.vertices[edge.from]), to = b.pose.to_world(b.hull.vertices[edge.to]);
  const MeshSide& side = t.sides[axis.side];
  // Closest points of the lines; beyond an end another pair touches.
  const Vec3 d = from - side.from, q = to - from;
  const double pp = side.along.squaredNorm(), qq = q.squaredNorm(), pq = side.along.dot(q);
  const double denominator = pp * qq - pq * pq;
  const double s = (qq * side.along.dot(d) - pq * q.dot(d)) / denominator;
  const double r = (pq * side.along.dot(d) - pp * q.dot(d)) / denominator;
  if (s < 0 || s > 1 || r < 0 || r > 1 || !t.admits(from + r * q)) return;
  list.add({side.from + s * side.along, axis.normal, axis.separation,
            feature_id(Touch::edges, t.edge_name(axis.side), axis.edge), axis.separation});
}

void collide_mesh_plane(const CollisionMesh& a, const Pose& pose_a, const Pose& pose_b, double reach, Manifold& out) {
  const Vec3 normal = pose_b.turn.col(1);
  FacePolygon low;
  for (int v = 0; v < static_cast<int>(a.vertices().size()); ++v) {
    const Vec3 x = pose_b.to_own(pose_a.to_world(a.vertices()[v]));
    if (x[1] > reach) continue;
    if (low.count == FacePolygon::kMostPoints) reduce_to_four(low, 0);
    low.points[low.count++] = {x[0], x[2], x[1], feature_id(Touch::vertex_of_a, v, 0), 0};
  }
  reduce_to_four(low, 0);
  for (int k = 0; k < low.count; ++k) {
    const FacePoint& p = low.points[k];
    const Vec3 on_b = pose_b.to_world({p.u, 0, p.v});
    out.add({on_b + p.height * normal, on_b, normal, p.height, p.feature});
  }
}

}  // namespace

CollisionMesh::CollisionMesh(const TriangleMesh& mesh) : vertices_(mesh.vertices) {
  std::vector<Box> boxes;
  std::map<std::pair<int, int>, Vec3> normal_of;  // of the triangle that walks the edge this way
  for (const Vec3i& t : mesh.triangles) {
    const Vec3 &p = vertices_[t[0]], &q = vertices_[t[1]], &r = vertices_[t[2]];
    const Vec3 normal = (q - p).cross(r - p).stableNormalized();
    if (!(normal.squaredNorm() > 0.5)) continue;
    triangles_.push_back({{t[0], t[1], t[2]}, {normal, normal, normal}, normal});
    for (int k = 0; k < 3; ++k) normal_of[{t[k], t[(k + 1) % 3]}] = normal;
    boxes.push_back(Box::of(p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)));
  }
  for (Triangle& t : triangles_) {
    for (int k = 0; k < 3; ++k) {
      const int from = t.vertex[k], to = t.vertex[(k + 1) % 3];
      const Vec3 along = (vertices_[to] - vertices_[from]).stableNormalized();
      const auto beyond = normal_of.find({to, from});
      // The border of an open surface can be touched from above and from its side.
      t.across[k] = beyond != normal_of.end() ? beyond->second : along.cross(t.normal);
      // Flat or hollow: left × right is not along the edge.
      if (t.normal.cross(t.across[k]).dot(along) < 1e-4) t.across[k].setZero();
    }
  }
  // Neighbours of vertices.
  std::vector<std::pair<int, int>> links;
  for (const Triangle& t : triangles_) {
    for (int k = 0; k < 3; ++k) {
      links.emplace_back(t.vertex[k], t.vertex[(k + 1) % 3]);
      links.emplace_back(t.vertex[(k + 1) % 3], t.vertex[k]);
    }
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  ring_begin_.assign(vertices_.size() + 1, 0);
  for (const auto& [from, to] : links) {
    ++ring_begin_[from + 1];
    ring_.push_back(to);
  }
  for (std::size_t v = 0; v < vertices_.size(); ++v) ring_begin_[v + 1] += ring_begin_[v];
  tree_.build(boxes);
  if (vertices_.empty()) return;
  distance_.emplace(mesh);
  if (!distance_->closed()) distance_.reset();
  low_ = high_ = vertices_[0];
  for (const Vec3& v : vertices_) low_ = low_.cwiseMin(v), high_ = high_.cwiseMax(v);
}

Box CollisionMesh::bounds(const Pose& pose) const {
  const Vec3 half = pose.turn.cwiseAbs() * (high_ - low_) / 2, centre = pose.to_world((high_ + low_) / 2);
  return Box::of(centre - half, centre + half);
}

bool CollisionMesh::is_tip(int vertex, const Vec3& direction) const {
  for (int k = ring_begin_[vertex]; k < ring_begin_[vertex + 1]; ++k) {
    const Vec3 along = vertices_[ring_[k]] - vertices_[vertex];
    if (along.dot(direction) > kOnTip * along.norm()) return false;
  }
  return true;
}

void collide_mesh(const CollisionMesh& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                  Manifold& out) {
  out.count = 0;
  if (b.kind == ConvexKind::half_space) {
    collide_mesh_plane(a, pose_a, pose_b, reach, out);
    return;
  }
  const Pose a_from_b = {pose_a.turn.transpose() * pose_b.turn, pose_a.to_own(pose_b.shift)};
  Box near = bounds(b, a_from_b);
  near.inflate(reach);
  const Vec3 middle = b.hull ? a_from_b.to_world(b.hull->centre) : a_from_b.shift;
  TouchList list(b.hull ? kPreference * b.hull->width : 0);
  a.tree().query(near, [&](int index) {
    const PlacedTriangle t(a, index);
    if (t.height(middle) <= 0) return;
    if (b.hull) {
      add_hull_touch(t, {*b.hull, a_from_b}, reach, list);
      return;
    }
    const Vec3 half = b.half_height * a_from_b.turn.col(1);
    const RoundCore core = {a_from_b.shift - half, a_from_b.shift + half, b.radius};
    if (std::min(t.height(core.from), t.height(core.to)) - core.radius > reach) return;
    add_round_on_face(t, core, reach, list);
    add_round_on_edges(t, core, reach, list);
  });
  list.write(pose_a, out);
}

}  // namespace pliant::contact
