#include "pliant/contact/judge/judge.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"
#include "pliant/contact/judge/edge_triangle.h"
#include "pliant/contact/judge/exact_predicates.h"
#include "pliant/contact/judge/triangle_tree.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {

namespace {

constexpr int kEdgesPerPart = 1024;  // a thread's portion; results are put together in order of the portions

// Positions in the range of the exact predicates; NaN where that is impossible.
std::vector<Vec3> positions_in_range(std::span<const Vec3> positions) {
  std::vector<Vec3> x(positions.begin(), positions.end());
  for (Vec3& point : x) {
    for (double& coordinate : point) {
      const double size = std::abs(coordinate);
      if (size < kSmallestExact) coordinate = 0;
      if (!(size <= kLargestExact)) coordinate = std::nan("");
    }
  }
  return x;
}

bool indices_are_valid(const JudgedSurface& surface) {
  const int vertex_count = static_cast<int>(surface.positions.size());
  const auto valid = [vertex_count](int v) { return 0 <= v && v < vertex_count; };
  return std::ranges::all_of(surface.triangles,
                             [&](const Vec3i& t) { return valid(t[0]) && valid(t[1]) && valid(t[2]); }) &&
         std::ranges::all_of(surface.edges, [&](const std::array<int, 2>& e) { return valid(e[0]) && valid(e[1]); }) &&
         (surface.body_of_vertex.empty() || surface.body_of_vertex.size() == surface.positions.size());
}

bool pair_intersects(std::span<const Vec3> x, const std::array<int, 2>& edge, const Vec3i& triangle) {
  // The corner that is an end of the edge, if there is one.
  int corner_of_first = -1, corner_of_second = -1;
  for (int i = 0; i < 3; ++i) {
    if (triangle[i] == edge[0]) corner_of_first = i;
    if (triangle[i] == edge[1]) corner_of_second = i;
  }
  if (corner_of_first >= 0 && corner_of_second >= 0) return false;
  if (corner_of_first < 0 && corner_of_second < 0) {
    return edge_meets_triangle(x[edge[0]], x[edge[1]], x[triangle[0]], x[triangle[1]], x[triangle[2]]);
  }
  const int corner = std::max(corner_of_first, corner_of_second);
  const int other_end = corner_of_first >= 0 ? edge[1] : edge[0];
  return edge_reenters_triangle(x[triangle[corner]], x[other_end], x[triangle[(corner + 1) % 3]],
                                x[triangle[(corner + 2) % 3]]);
}

// Where the edge passes the plane of the triangle; within the plane, the middle of what their boxes have in common.
Vec3 place_of(std::span<const Vec3> x, const std::array<int, 2>& edge, const Vec3i& triangle) {
  const Vec3 &p = x[edge[0]], &q = x[edge[1]];
  const Vec3 &a = x[triangle[0]], &b = x[triangle[1]], &c = x[triangle[2]];
  const Vec3 u = b - a, v = c - a;
  const Vec3 normal(u.y() * v.z() - u.z() * v.y(), u.z() * v.x() - u.x() * v.z(), u.x() * v.y() - u.y() * v.x());
  const double p_height = normal.dot(p - a), q_height = normal.dot(q - a);
  const double along = p_height / (p_height - q_height);
  if (along >= 0 && along <= 1) return p + along * (q - p);
  const Vec3 low = p.cwiseMin(q).cwiseMax(a.cwiseMin(b).cwiseMin(c));
  const Vec3 high = p.cwiseMax(q).cwiseMin(a.cwiseMax(b).cwiseMax(c));
  return low + 0.5 * (high - low);
}

// One judgement, with the arrays it looks at.
class Judge {
 public:
  explicit Judge(const JudgedSurface& surface)
      : surface_(surface),
        positions_(positions_in_range(surface.positions)),
        judged_triangles_(triangles_in_range()),
        tree_(positions_, surface.triangles, judged_triangles_) {}

  [[nodiscard]] Judgement all() const {
    const int edge_count = static_cast<int>(surface_.edges.size());
    std::vector<Judgement> parts((edge_count + kEdgesPerPart - 1) / kEdgesPerPart);
    parallel_for(static_cast<int>(parts.size()), 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        parts[i] = of_edges(i * kEdgesPerPart, std::min((i + 1) * kEdgesPerPart, edge_count));
      }
    });
    Judgement total;
    total.not_judged = static_cast<std::int64_t>(surface_.triangles.size() - judged_triangles_.size());
    for (const Judgement& part : parts) {
      total.count += part.count;
      total.not_judged += part.not_judged;
      const std::size_t room = static_cast<std::size_t>(surface_.most_listed) - total.first.size();
      total.first.insert(total.first.end(), part.first.begin(), part.first.begin() + std::min(room, part.first.size()));
    }
    return total;
  }

 private:
  [[nodiscard]] std::vector<int> triangles_in_range() const {
    std::vector<int> chosen;
    chosen.reserve(surface_.triangles.size());
    for (int t = 0; t < static_cast<int>(surface_.triangles.size()); ++t) {
      const Vec3i& v = surface_.triangles[t];
      const bool has_nan = positions_[v[0]].hasNaN() || positions_[v[1]].hasNaN() || positions_[v[2]].hasNaN();
      if (!has_nan) chosen.push_back(t);
    }
    return chosen;
  }

  [[nodiscard]] Judgement of_edges(int begin, int end) const {
    Judgement part;
    std::vector<int> hits;
    for (int e = begin; e < end; ++e) {
      const std::array<int, 2>& edge = surface_.edges[e];
      if (positions_[edge[0]].hasNaN() || positions_[edge[1]].hasNaN()) {
        ++part.not_judged;
        continue;
      }
      hits.clear();
      tree_.for_each_overlap(JudgeBox::around(positions_[edge[0]], positions_[edge[1]]), [&](int t) {
        const Vec3i& triangle = surface_.triangles[t];
        if (pair_intersects(positions_, edge, triangle) && !is_ignored(edge, triangle)) hits.push_back(t);
      });
      part.count += static_cast<std::int64_t>(hits.size());
      std::ranges::sort(hits);
      for (const int t : hits) {
        if (static_cast<int>(part.first.size()) == surface_.most_listed) break;
        const Vec3i& triangle = surface_.triangles[t];
        part.first.push_back({edge, triangle, bodies_of(edge, triangle), place_of(positions_, edge, triangle)});
      }
    }
    return part;
  }

  [[nodiscard]] std::array<int, 2> bodies_of(const std::array<int, 2>& edge, const Vec3i& triangle) const {
    if (surface_.body_of_vertex.empty()) return {-1, -1};
    return {surface_.body_of_vertex[edge[0]], surface_.body_of_vertex[triangle[0]]};
  }
  [[nodiscard]] bool is_ignored(const std::array<int, 2>& edge, const Vec3i& triangle) const {
    if (!surface_.ignores_bodies || surface_.body_of_vertex.empty()) return false;
    const auto [body_of_edge, body_of_triangle] = bodies_of(edge, triangle);
    return surface_.ignores_bodies(body_of_edge, body_of_triangle);
  }

  const JudgedSurface& surface_;
  std::vector<Vec3> positions_;
  std::vector<int> judged_triangles_;
  TriangleTree tree_;
};

}  // namespace

Judgement judge(const JudgedSurface& surface) {
  PLIANT_ASSERT(indices_are_valid(surface), "edges, triangles and bodies speak of the vertices given");
  return Judge(surface).all();
}

std::vector<std::array<int, 2>> edges_of(std::span<const Vec3i> triangles) {
  std::vector<std::array<int, 2>> edges;
  edges.reserve(3 * triangles.size());
  for (const Vec3i& t : triangles) {
    for (int i = 0; i < 3; ++i) {
      const int from = t[i], to = t[(i + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to)});
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace pliant::contact
