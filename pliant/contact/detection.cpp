#include "pliant/contact/detection.h"

#include <algorithm>

#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

// A refitted tree is built anew when its groups have become so much looser.
constexpr double kWorstDecay = 1.5;

void refit_or_build(Bvh& tree, std::span<const Box> boxes, bool is_new) {
  if (!is_new) tree.refit(boxes);
  if (is_new || tree.decay() > kWorstDecay) tree.build(boxes);
}

}  // namespace

Detection::Detection(const ContactSurface& surface, double slack)
    : surface_(surface),
      slack_(slack),
      used_(surface.used_points()),
      has_faces_(static_cast<std::size_t>(surface.body_count()), 0),
      is_meshed_(static_cast<std::size_t>(surface.body_count()), 1) {
  for (const Vec3i& t : surface.triangles) has_faces_[surface.body_of_point[t[0]]] = 1;
  for (const ObstacleShape& shape : surface.shapes) is_meshed_[static_cast<std::size_t>(shape.body)] = 0;
}

// A primitive is fixed when all its points are.
bool Detection::sort_out(std::span<const unsigned char> is_fixed) {
  if (std::equal(is_fixed.begin(), is_fixed.end(), is_fixed_.begin(), is_fixed_.end())) return false;
  is_fixed_.assign(is_fixed.begin(), is_fixed.end());
  moving_ = fixed_ = {};
  rest_.clear();
  const auto is_met = [&](int point) {
    return is_fixed[point] != kNotThere && is_meshed_[static_cast<std::size_t>(surface_.body_of_point[point])] != 0;
  };
  for (const int i : used_) {
    if (is_met(i)) (is_fixed[i] != 0 ? fixed_ : moving_).points.push_back(i);
  }
  moving_bodies_.clear();
  for (const int i : moving_.points) moving_bodies_.push_back(surface_.body_of_point[i]);
  std::sort(moving_bodies_.begin(), moving_bodies_.end());
  moving_bodies_.erase(std::unique(moving_bodies_.begin(), moving_bodies_.end()), moving_bodies_.end());
  for (int e = 0; e < static_cast<int>(surface_.edges.size()); ++e) {
    const auto& [a, b] = surface_.edges[e];
    if (!is_met(a)) continue;
    Part& part = is_fixed[a] != 0 && is_fixed[b] != 0 ? fixed_ : moving_;
    part.edges.push_back(e);
    part.ends.push_back({{a, b, b}, surface_.body_of_point[a]});
  }
  for (int t = 0; t < static_cast<int>(surface_.triangles.size()); ++t) {
    const Vec3i& v = surface_.triangles[t];
    if (!is_met(v[0])) continue;
    Part& part = is_fixed[v[0]] != 0 && is_fixed[v[1]] != 0 && is_fixed[v[2]] != 0 ? fixed_ : moving_;
    part.triangles.push_back(t);
    part.corners.push_back({{v[0], v[1], v[2]}, surface_.body_of_point[v[0]]});
  }
  return true;
}

Box Detection::box_of_way(int point, std::span<const Vec3> from, std::span<const Vec3> to, double reach) {
  const Vec3 wider = Vec3::Constant(reach);
  // Zero, but for what is not finite: a comparison would lose it, and with it the contacts of that point.
  const Vec3 poison = 0 * (from[point] + to[point]);
  return Box::of(from[point].cwiseMin(to[point]) - wider + poison, from[point].cwiseMax(to[point]) + wider + poison);
}

// What is not finite lies within nothing.
bool Detection::are_within_boxes(const Part& part, std::span<const Vec3> from, std::span<const Vec3> to,
                                 const std::vector<double>& margins) const {
  return std::all_of(part.points.begin(), part.points.end(), [&](int point) {
    return swept_[point].contains(box_of_way(point, from, to, margins[surface_.body_of_point[point]]));
  });
}

void Detection::find_boxes(Part& part, std::span<const Vec3> from, std::span<const Vec3> to) {
  // Points first: those of edges and triangles are unions.
  part.point_boxes.resize(part.points.size());
  swept_.resize(from.size());
  parallel_for(static_cast<int>(part.points.size()), 2048, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int point = part.points[i];
      const double reach = margins_[surface_.body_of_point[point]] + 0.5 * slack_;
      part.point_boxes[i] = swept_[point] = box_of_way(point, from, to, reach);
    }
  });
  const auto fill = [&](const std::vector<int>& items, std::vector<Box>& boxes, const auto& points_of_item) {
    boxes.resize(items.size());
    parallel_for(static_cast<int>(items.size()), 2048, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        boxes[i] = {};
        for (const int point : points_of_item(items[i])) boxes[i].include(swept_[point]);
      }
    });
  };
  fill(part.edges, part.edge_boxes, [&](int e) { return surface_.edges[e]; });
  fill(part.triangles, part.triangle_boxes, [&](int t) {
    const Vec3i& v = surface_.triangles[t];
    return std::array{v[0], v[1], v[2]};
  });
}

bool Detection::may_meet_each_other() const {
  for (const int a : moving_bodies_) {
    for (const int b : moving_bodies_) {
      if (surface_.rule(a, b).is_enabled) return true;
    }
  }
  return false;
}

// Fixed points at rest are where they were, at both ends of the way.
bool Detection::is_at_rest(std::span<const Vec3> from, std::span<const Vec3> to) {
  bool is_same = rest_.size() == fixed_.points.size();
  rest_.resize(fixed_.points.size());
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const int point = fixed_.points[i];
    is_same = is_same && rest_[i] == from[point] && rest_[i] == to[point];
    rest_[i] = to[point];
  }
  return is_same;
}

void Detection::follow(Part& part, std::span<const Vec3> from, std::span<const Vec3> to, bool is_new) {
  find_boxes(part, from, to);
  refit_or_build(part.point_tree, part.point_boxes, is_new);
  refit_or_build(part.edge_tree, part.edge_boxes, is_new);
  refit_or_build(part.triangle_tree, part.triangle_boxes, is_new);
}

// Appends what was found, in the order of the lists.
template <class Items>
void Detection::take(PairKind kind, const Items& items) {
  std::vector<std::size_t> first(static_cast<std::size_t>(found_.list_count()) + 1, pairs_.size());
  for (int k = 0; k < found_.list_count(); ++k) first[k + 1] = first[k] + found_.list(k).size();
  pairs_.resize(first.back());
  parallel_for(found_.list_count(), 1, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      Candidate* next = pairs_.data() + first[k];
      for (const auto& [i, j] : found_.list(k)) {
        const auto [a, b] = items(i, j);
        *next++ = {kind, a, b};
      }
    }
  });
}

// Points of one part with triangles of another.
void Detection::meet(const Part& points, const Part& triangles) {
  const ContactSurface& s = surface_;
  overlapping_pairs(
      points.point_tree, triangles.triangle_tree,
      [&](int i, int j) {
        const int point = points.points[i];
        const auto& [t, body] = triangles.corners[j];
        const bool is_corner = point == t[0] || point == t[1] || point == t[2];
        return !is_corner && s.rule(s.body_of_point[point], body).is_enabled;
      },
      found_);
  take(PairKind::point_triangle, [&](int i, int j) -> Pair { return {points.points[i], triangles.triangles[j]}; });
}

void Detection::meet_edges(bool each_other) {
  const auto may_touch = [&](const PointsOfItem& first, const PointsOfItem& second) {
    const auto &a = first.point, &b = second.point;
    // Of a sphere, an edge without length, faces meet the point: only lines and other spheres need the edge.
    if (b[0] == b[1] && has_faces_[first.body] != 0) return false;
    if (a[0] == a[1] && has_faces_[second.body] != 0) return false;
    const bool shares_point = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
    return !shares_point && surface_.rule(first.body, second.body).is_enabled;
  };
  const auto take_edges = [&](const std::vector<int>& first, const std::vector<int>& second) {
    take(PairKind::edges, [&](int i, int j) -> Pair { return std::minmax(first[i], second[j]); });
  };
  if (each_other) {
    overlapping_pairs(
        moving_.edge_tree, [&](int i, int j) { return may_touch(moving_.ends[i], moving_.ends[j]); }, found_);
    take_edges(moving_.edges, moving_.edges);
  }
  overlapping_pairs(
      moving_.edge_tree, fixed_.edge_tree, [&](int i, int j) { return may_touch(moving_.ends[i], fixed_.ends[j]); },
      found_);
  take_edges(moving_.edges, fixed_.edges);
}

// The height above a plane is linear along the way: its ends tell.
void Detection::meet_planes(std::span<const Vec3> from, std::span<const Vec3> to) {
  const ContactSurface& s = surface_;
  for (std::size_t p = 0; p < s.planes.size(); ++p) {
    const auto& [carrier, normal] = s.planes[p];
    const int body = s.body_of_point[carrier];
    for (const int point : moving_.points) {
      const double reach = margins_[s.body_of_point[point]] + margins_[body] + slack_;
      const double height = std::min(normal.dot(from[point] - from[carrier]), normal.dot(to[point] - to[carrier]));
      if (!(height > reach) && s.rule(s.body_of_point[point], body).is_enabled)
        pairs_.push_back({PairKind::point_plane, point, static_cast<int>(p)});
    }
  }
}

void Detection::search(std::span<const Vec3> from, std::span<const Vec3> to, bool is_new) {
  follow(moving_, from, to, is_new);  // after the fixed part: edges and triangles may have points of both
  pairs_.clear();
  // A sheet overlaps itself along every edge: where it may not touch itself, as nothing else that moves, that search
  // would be most of the work.
  const bool each_other = may_meet_each_other();
  if (each_other) meet(moving_, moving_);
  meet(moving_, fixed_);
  meet(fixed_, moving_);
  meet_edges(each_other);
  meshed_count_ = static_cast<int>(pairs_.size());
}

bool Detection::find(std::span<const Vec3> from, std::span<const Vec3> to, double distance,
                     std::span<const unsigned char> is_fixed, bool is_new) {
  const bool is_same_distance = distance == distance_;
  const bool is_other = sort_out(is_fixed) || !is_same_distance || is_new;
  if (!is_same_distance) margins_ = surface_.margins(distance);
  distance_ = distance;
  const bool is_resting = is_at_rest(from, to);
  has_rested_ = has_rested_ && is_resting && is_same_distance;
  const bool must_search = is_other || !are_within_boxes(moving_, from, to, margins_) ||
                           !(is_resting || are_within_boxes(fixed_, from, to, margins_));
  if (must_search) {
    // What rests keeps its boxes and trees, which are those that would be built anew: an obstacle at rest costs nothing.
    if (!is_resting || !is_same_distance) {
      follow(fixed_, from, to, is_new);
    } else if (!has_rested_) {
      follow(fixed_, from, to, true);
      has_rested_ = true;
    }
    search(from, to, is_new);
  }
  pairs_.resize(static_cast<std::size_t>(meshed_count_));
  meet_planes(from, to);
  return must_search;
}

// What does not move on its own goes the ways of the first search.
bool Detection::find_touching(std::span<const Vec3> from, std::span<const Vec3> to) {
  if (touch_margins_.empty()) touch_margins_ = surface_.margins(0);
  const bool must_search = !are_within_boxes(moving_, from, to, touch_margins_);
  if (must_search) search(from, to, false);
  pairs_.resize(static_cast<std::size_t>(meshed_count_));
  meet_planes(from, to);
  return must_search;
}

}  // namespace pliant::contact
