// The functions of embedding.h: a nearest-tet search per surface vertex, and a weighted sum per evaluation.
#include "pliant/mesh/embedding.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pliant/assert.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

constexpr int kGrain = 256;  // surface vertices per piece of work

double distance_squared_to_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  if (mesh::barycentric_weights(p, a, b, c, d).minCoeff() >= 0) return 0;
  const auto to_face = [&p](const Vec3& x, const Vec3& y, const Vec3& z) {
    return (mesh::closest_point_on_triangle(p, x, y, z) - p).squaredNorm();
  };
  return std::min({to_face(a, b, c), to_face(a, b, d), to_face(a, c, d), to_face(b, c, d)});
}

}  // namespace

namespace mesh {

Vec4 barycentric_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a, x = p - a;
  const double volume = u.dot(v.cross(w));
  const double beta = x.dot(v.cross(w)) / volume, gamma = u.dot(x.cross(w)) / volume,
               delta = u.dot(v.cross(x)) / volume;
  return {1 - beta - gamma - delta, beta, gamma, delta};
}

double distance_to_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return std::sqrt(distance_squared_to_tet(p, a, b, c, d));
}

}  // namespace mesh

EmbeddedSurface embed(TriangleMesh surface, const TetMesh& tets) {
  PLIANT_ASSERT(!tets.tets.empty(), "a surface is embedded in at least one tet");
  std::vector<mesh::Box> boxes(tets.tets.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) {
    for (int k = 0; k < 4; ++k) boxes[t].include(tets.vertices[tets.tets[t][k]]);
  }
  const mesh::BoxTree tree(boxes);

  EmbeddedSurface embedded;
  embedded.surface = std::move(surface);
  const std::vector<Vec3>& points = embedded.surface.vertices;
  embedded.tet.resize(points.size());
  embedded.weights.resize(points.size());
  const auto corner = [&tets](int t, int k) -> const Vec3& { return tets.vertices[tets.tets[t][k]]; };
  parallel_for(static_cast<int>(points.size()), kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const mesh::BoxTree::Nearest nearest =
          tree.nearest(points[i], std::numeric_limits<double>::infinity(), [&](int t) {
            return distance_squared_to_tet(points[i], corner(t, 0), corner(t, 1), corner(t, 2), corner(t, 3));
          });
      const int t = nearest.item;
      embedded.tet[i] = t;
      embedded.weights[i] =
          mesh::barycentric_weights(points[i], corner(t, 0), corner(t, 1), corner(t, 2), corner(t, 3));
    }
  });
  return embedded;
}

std::vector<Vec3> evaluate(const EmbeddedSurface& embedded, std::span<const Vec4i> tets,
                           std::span<const Vec3> tet_positions) {
  std::vector<Vec3> points(embedded.tet.size());
  parallel_for(static_cast<int>(points.size()), 4 * kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec4i& tet = tets[embedded.tet[i]];
      const Vec4& weight = embedded.weights[i];
      points[i] = weight[0] * tet_positions[tet[0]] + weight[1] * tet_positions[tet[1]] +
                  weight[2] * tet_positions[tet[2]] + weight[3] * tet_positions[tet[3]];
    }
  });
  return points;
}

}  // namespace pliant
