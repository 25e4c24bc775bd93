#include "pliant/contact/detection.h"

#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

// A refitted tree is built anew when its groups have become so much looser.
constexpr double kWorstDecay = 1.5;

void follow(Bvh& tree, std::span<const Box> boxes, bool is_new) {
  if (!is_new) tree.refit(boxes);
  if (is_new || tree.decay() > kWorstDecay) tree.build(boxes);
}

bool shares_point(const std::array<int, 2>& a, const std::array<int, 2>& b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

}  // namespace

std::array<int, 4> points_of(const ContactSurface& surface, const Candidate& pair) {
  if (pair.kind == PairKind::edges) {
    const auto &a = surface.edges[pair.first], &b = surface.edges[pair.second];
    return {a[0], a[1], b[0], b[1]};
  }
  if (pair.kind == PairKind::point_plane) return {pair.first, -1, -1, -1};
  const Vec3i& t = surface.triangles[pair.second];
  return {pair.first, t[0], t[1], t[2]};
}

Detection::Detection(const ContactSurface& surface) : surface_(surface) {
  std::vector<unsigned char> is_used(surface.points.size(), 0);
  for (const auto& edge : surface.edges) is_used[edge[0]] = is_used[edge[1]] = 1;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i] != 0) used_.push_back(static_cast<int>(i));
  }
  point_boxes_.resize(used_.size());
  edge_boxes_.resize(surface.edges.size());
  triangle_boxes_.resize(surface.triangles.size());
}

void Detection::find_boxes(std::span<const Vec3> from, std::span<const Vec3> to, double distance) {
  const auto swept = [&](int point, Box& box) {
    box.include(from[point]);
    box.include(to[point]);
  };
  const auto widen = [&](int point, Box& box) {
    box.inflate(surface_.thickness[surface_.body_of_point[point]] + 0.5 * distance);
  };
  parallel_for(static_cast<int>(used_.size()), 2048, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Box box;
      swept(used_[i], box);
      widen(used_[i], box);
      point_boxes_[i] = box;
    }
  });
  parallel_for(static_cast<int>(surface_.edges.size()), 2048, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Box box;
      for (const int point : surface_.edges[i]) swept(point, box);
      widen(surface_.edges[i][0], box);
      edge_boxes_[i] = box;
    }
  });
  parallel_for(static_cast<int>(surface_.triangles.size()), 2048, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Box box;
      for (const int point : surface_.triangles[i]) swept(point, box);
      widen(surface_.triangles[i][0], box);
      triangle_boxes_[i] = box;
    }
  });
}

void Detection::find_trees(bool is_new) {
  follow(point_tree_, point_boxes_, is_new);
  follow(triangle_tree_, triangle_boxes_, is_new);
  follow(edge_tree_, edge_boxes_, is_new);
}

void Detection::find(std::span<const Vec3> from, std::span<const Vec3> to, double distance,
                     std::span<const unsigned char> is_fixed, bool is_new) {
  find_boxes(from, to, distance);
  find_trees(is_new);
  pairs_.clear();
  const ContactSurface& s = surface_;
  overlapping_pairs(
      point_tree_, triangle_tree_,
      [&](int i, int triangle) {
        const int point = used_[i];
        const Vec3i& t = s.triangles[triangle];
        if (point == t[0] || point == t[1] || point == t[2]) return false;
        if (is_fixed[point] != 0 && is_fixed[t[0]] != 0 && is_fixed[t[1]] != 0 && is_fixed[t[2]] != 0) return false;
        return s.rule(s.body_of_point[point], s.body_of_point[t[0]]).is_enabled;
      },
      found_);
  for (int k = 0; k < found_.list_count(); ++k) {
    for (const auto& [i, triangle] : found_.list(k)) pairs_.push_back({PairKind::point_triangle, used_[i], triangle});
  }
  overlapping_pairs(
      edge_tree_,
      [&](int first, int second) {
        const auto &a = s.edges[first], &b = s.edges[second];
        if (shares_point(a, b)) return false;
        if (is_fixed[a[0]] != 0 && is_fixed[a[1]] != 0 && is_fixed[b[0]] != 0 && is_fixed[b[1]] != 0) return false;
        return s.rule(s.body_of_point[a[0]], s.body_of_point[b[0]]).is_enabled;
      },
      found_);
  for (int k = 0; k < found_.list_count(); ++k) {
    for (const auto& [a, b] : found_.list(k)) pairs_.push_back({PairKind::edges, a, b});
  }
  // Every point may meet a half-space: few planes, and the test is one product.
  for (std::size_t p = 0; p < s.planes.size(); ++p) {
    for (const int point : used_) {
      if (is_fixed[point] == 0 && s.rule(s.body_of_point[point], s.planes[p].body).is_enabled)
        pairs_.push_back({PairKind::point_plane, point, static_cast<int>(p)});
    }
  }
}

}  // namespace pliant::contact
