#include "pliant/contact/detection.h"

#include <algorithm>

#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

// A refitted tree is built anew when its groups have become so much looser.
constexpr double kWorstDecay = 1.5;
constexpr int kPointGrain = 512, kItemGrain = 1024;  // per piece: 10 to 20 µs of work

}  // namespace

// A step begins with the tree of places at rest.
void Detection::Tree::follow(std::span<const Box> boxes, bool is_new) {
  if (is_new) is_rebuilt = false;
  Bvh& tree = is_rebuilt ? rebuilt : at_rest;
  tree.refit(boxes);
  if (!(tree.decay() > kWorstDecay)) return;
  rebuilt.build(boxes);
  is_rebuilt = true;
}

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
  build_at_rest(fixed_);
  build_at_rest(moving_);
  return true;
}

void Detection::build_at_rest(Part& part) {
  find_boxes(part, surface_.rest_points, surface_.rest_points);
  for (Primitives* items : {&part.of_points, &part.of_edges, &part.of_triangles})
    items->tree.at_rest.build(items->boxes);
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
  const auto is_within = [&](int point) {
    return swept_[point].contains(box_of_way(point, from, to, margins[surface_.body_of_point[point]]));
  };
  const auto first = part.points.begin();
  const int count = static_cast<int>(part.points.size());
  std::vector<unsigned char> is_outside(static_cast<std::size_t>((count + kPointGrain - 1) / kPointGrain), 0);
  parallel_for(count, kPointGrain, [&](int begin, int end) {
    is_outside[static_cast<std::size_t>(begin / kPointGrain)] =
        std::all_of(first + begin, first + end, is_within) ? 0 : 1;
  });
  return std::find(is_outside.begin(), is_outside.end(), 1) == is_outside.end();
}

void Detection::find_boxes(Part& part, std::span<const Vec3> from, std::span<const Vec3> to) {
  // Points first: those of edges and triangles are unions.
  part.of_points.boxes.resize(part.points.size());
  part.of_points.diagonals.resize(part.points.size());
  swept_.resize(from.size());
  swept_diagonals_.resize(from.size());
  parallel_for(static_cast<int>(part.points.size()), kPointGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int point = part.points[i];
      const double reach = margins_[surface_.body_of_point[point]] + 0.5 * slack_;
      part.of_points.boxes[i] = swept_[point] = box_of_way(point, from, to, reach);
      part.of_points.diagonals[i] = swept_diagonals_[point] = Diagonals::of(swept_[point]);
    }
  });
  const auto fill = [&](const std::vector<PointsOfItem>& points, Primitives& items) {
    items.boxes.resize(points.size());
    items.diagonals.resize(points.size());
    parallel_for(static_cast<int>(points.size()), kItemGrain, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const auto [a, b, c] = points[i].point;
        Box box = swept_[a];
        box.include(swept_[b]);
        box.include(swept_[c]);
        items.boxes[i] = box;
        items.diagonals[i] = swept_diagonals_[a];
        items.diagonals[i].include(swept_diagonals_[b]);
        items.diagonals[i].include(swept_diagonals_[c]);
      }
    });
  };
  fill(part.ends, part.of_edges);
  fill(part.corners, part.of_triangles);
}

bool Detection::may_meet_each_other() const { return surface_.rules.let_any_touch(moving_bodies_); }

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
  for (Primitives* items : {&part.of_points, &part.of_edges, &part.of_triangles})
    items->tree.follow(items->boxes, is_new);
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
      points.of_points.tree.now(), triangles.of_triangles.tree.now(),
      [&](int i, int j) {
        const int point = points.points[i];
        const auto& [t, body] = triangles.corners[j];
        // Whether it is one cannot be predicted: all is asked, without branches.
        const unsigned is_corner = unsigned{point == t[0]} | unsigned{point == t[1]} | unsigned{point == t[2]};
        const bool overlap = points.of_points.diagonals[i].overlap(triangles.of_triangles.diagonals[j]);
        return ((is_corner ^ 1U) & unsigned{overlap} & unsigned{s.rule(s.body_of_point[point], body).is_enabled}) != 0;
      },
      found_);
  take(PairKind::point_triangle, [&](int i, int j) -> Pair { return {points.points[i], triangles.triangles[j]}; });
}

void Detection::meet_edges(bool each_other) {
  const auto may_touch = [&](const PointsOfItem& first, const PointsOfItem& second, bool overlap) {
    const auto &a = first.point, &b = second.point;
    // Of a sphere, an edge without length, faces meet the point: only lines and other spheres need the edge.
    if (b[0] == b[1] && has_faces_[first.body] != 0) return false;
    if (a[0] == a[1] && has_faces_[second.body] != 0) return false;
    // As in meet().
    const unsigned shares_point =
        unsigned{a[0] == b[0]} | unsigned{a[0] == b[1]} | unsigned{a[1] == b[0]} | unsigned{a[1] == b[1]};
    return ((shares_point ^ 1U) & unsigned{overlap} & unsigned{surface_.rule(first.body, second.body).is_enabled}) != 0;
  };
  const auto take_edges = [&](const std::vector<int>& first, const std::vector<int>& second) {
    take(PairKind::edges, [&](int i, int j) -> Pair { return std::minmax(first[i], second[j]); });
  };
  if (each_other) {
    const std::vector<Diagonals>& diagonals = moving_.of_edges.diagonals;
    overlapping_pairs(
        moving_.of_edges.tree.now(),
        [&](int i, int j) { return may_touch(moving_.ends[i], moving_.ends[j], diagonals[i].overlap(diagonals[j])); },
        found_);
    take_edges(moving_.edges, moving_.edges);
  }
  overlapping_pairs(
      moving_.of_edges.tree.now(), fixed_.of_edges.tree.now(),
      [&](int i, int j) {
        return may_touch(moving_.ends[i], fixed_.ends[j],
                         moving_.of_edges.diagonals[i].overlap(fixed_.of_edges.diagonals[j]));
      },
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
  if (!is_same_distance) margins_ = surface_.margins(distance);
  const bool is_other = sort_out(is_fixed) || !is_same_distance || is_new;
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
