#include "pliant/scene/separate_bodies.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <utility>

#include "pliant/scene/verification.h"

namespace pliant::scene {
namespace {

using contact::ContactSurface;

// Bodies that overlap by half of their size are apart after ten; the others are for piles, in which one push makes the next.
constexpr int kMostRounds = 200;
constexpr double kLongestPush = 0.1;    // of the smaller body's size
constexpr double kGapAfterwards = 0.5;  // of the contact distance
// Directions that cancel to less than this of their sum say nothing: middles of bodies do.
constexpr double kNoDirection = 0.05;
constexpr double kSameWay = 0.7;  // cosine of the angle between ways that count as one
constexpr int kMostMeetings = 100000;

// What the meetings of two bodies, lower number first, want the first to do.
struct Wish {
  std::vector<Vec3> ways;  // m, d_i n_i
  bool is_judged = false;  // they intersect
};

class Parting {
 public:
  Parting(const Model& model, const contact::ContactOptions& options, const Controls& controls, BlockVector& positions)
      : model_(model),
        surface_(*model.contact),
        options_(options),
        controls_(controls),
        positions_(positions),
        potential_(model.contact, options) {
    find_closed();
    find_fixed();
  }

  Separation go() {
    Separation result;
    result.moved.assign(model_.bodies.size(), Vec3::Zero());
    for (; result.rounds < kMostRounds; ++result.rounds) {
      wishes_.clear();
      find_middles();
      add_intersections();
      add_touches();
      if (wishes_.empty()) {
        result.is_apart = true;
        return result;
      }
      if (!push(result.moved)) return result;
    }
    return result;
  }

 private:
  // Every edge has two triangles.
  void find_closed() {
    std::vector<int> balance(static_cast<std::size_t>(surface_.body_count()), 0);
    is_closed_.assign(balance.size(), 0);
    for (const Vec3i& t : surface_.triangles) {
      balance[surface_.body_of_point[t[0]]] += 3;
      is_closed_[surface_.body_of_point[t[0]]] = 1;
    }
    for (const auto& edge : surface_.edges) balance[surface_.body_of_point[edge[0]]] -= 2;
    for (std::size_t b = 0; b < balance.size(); ++b) {
      if (balance[b] != 0) is_closed_[b] = 0;
    }
  }

  // Obstacles, and bodies that a pin holds from the start.
  void find_fixed() {
    std::vector<unsigned char> is_held(static_cast<std::size_t>(model_.layout.block_count()), 0);
    for (const ScriptedPin& pin : model_.pins) {
      if (pin.from > 0) continue;
      for (const int block : pin.blocks) is_held[block] = 1;
    }
    is_fixed_.assign(static_cast<std::size_t>(surface_.body_count()), 1);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const std::vector<int> blocks = model_.bodies[b].place_blocks();
      is_fixed_[b] = std::any_of(blocks.begin(), blocks.end(), [&](int block) { return is_held[block] != 0; }) ? 1 : 0;
    }
  }

  void find_middles() {
    x_ = surface_points(model_, positions_, 0);
    boxes_.assign(static_cast<std::size_t>(surface_.body_count()), {});
    for (std::size_t i = 0; i < x_.size(); ++i) boxes_[surface_.body_of_point[i]].extend(x_[i]);
  }

  void add(int first, int second, const Vec3& way, bool is_judged) {
    const bool is_ordered = first < second;
    Wish& wish = wishes_[std::minmax(first, second)];
    wish.ways.push_back(is_ordered ? way : Vec3(-way));
    wish.is_judged = wish.is_judged || is_judged;
  }

  double gap_afterwards(int a, int b) const {
    const contact::PairReach reach = surface_.reach(a, b, options_.distance);
    return reach.offset + kGapAfterwards * reach.distance;
  }

  // An edge through a triangle, or a point below a half-space. Of round obstacles and grains the contacts know better.
  void add_intersections() {
    const int known = static_cast<int>(x_.size());
    for (const contact::Intersection& i : judge_state(model_, positions_, 0, kMostMeetings).first) {
      const auto [a, b] = i.body;
      if (a == b || i.edge[0] >= known || i.triangle[0] >= known) continue;
      Vec3 out, place;
      double lowest = 0;
      if (i.triangle[0] < 0) {
        const auto plane = std::find_if(surface_.planes.begin(), surface_.planes.end(), [&, body = b](const auto& p) {
          return surface_.body_of_point[p.point] == body;
        });
        if (plane == surface_.planes.end()) continue;  // a grain in something else
        out = plane->normal;
        place = x_[plane->point];
        lowest = out.dot(x_[i.edge[0]] - place);
      } else {
        place = x_[i.triangle[0]];
        const Vec3 normal = (x_[i.triangle[1]] - place).cross(x_[i.triangle[2]] - place);
        if (normal.isZero(0)) continue;
        out = normal.normalized();
        if (is_closed_[b] == 0 && out.dot(boxes_[a].center() - place) < 0) out = -out;
        lowest = std::min(out.dot(x_[i.edge[0]] - place), out.dot(x_[i.edge[1]] - place));
      }
      add(a, b, (gap_afterwards(a, b) - std::min(0.0, lowest)) * out, true);
    }
  }

  // Pairs that the judge has spoken about have gaps of zero without a direction.
  void add_touches() {
    potential_.begin_step({positions_, controls_, 1, StickMemory{}});
    for (const contact::ContactForce& f : potential_.forces()) {
      if (f.gap > 0 || f.first_body == f.second_body) continue;
      const auto known = wishes_.find(std::minmax(f.first_body, f.second_body));
      if (known != wishes_.end() && known->second.is_judged) continue;
      const Vec3 way = (kGapAfterwards * f.distance - f.gap) * f.normal;
      add(f.first_body, f.second_body, way.allFinite() ? way : Vec3(Vec3::Zero()), false);
    }
  }

  [[nodiscard]] double size_of(int body) const { return boxes_[body].diagonal().norm(); }

  // How the first of two bodies goes against the second.
  [[nodiscard]] Vec3 way_of(int a, int b, const Wish& wish) const {
    const double sizes[] = {size_of(a), size_of(b)};
    double longest =
        kLongestPush * (std::min(sizes[0], sizes[1]) > 0 ? std::min(sizes[0], sizes[1]) : std::max(sizes[0], sizes[1]));
    longest = std::max(longest, gap_afterwards(a, b));
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (const Vec3& way : wish.ways) {
      const double depth = way.norm();
      if (depth == 0) continue;
      sum += way / (depth * depth * depth);
      total += 1 / (depth * depth);
    }
    if (sum.norm() <= kNoDirection * total) {
      const Vec3 between = boxes_[a].center() - boxes_[b].center();
      return longest * (between.isZero(0) ? Vec3(Vec3::UnitY()) : Vec3(between.normalized()));
    }
    const Vec3 direction = sum.normalized();
    double wanted = 0;
    for (const Vec3& way : wish.ways) {
      if (direction.dot(way) > kSameWay * way.norm()) wanted = std::max(wanted, way.norm());
    }
    return std::min(wanted > 0 ? wanted : longest, longest) * direction;
  }

  // False when nothing can move.
  bool push(std::vector<Vec3>& moved) {
    std::vector<Vec3> step(moved.size(), Vec3::Zero());
    bool moves = false;
    for (const auto& [bodies, wish] : wishes_) {
      const auto [a, b] = bodies;
      const bool first_is_free = is_fixed_[a] == 0, second_is_free = is_fixed_[b] == 0;
      const Vec3 way = way_of(a, b, wish) * (first_is_free && second_is_free ? 0.5 : 1.0);
      if (first_is_free) step[static_cast<std::size_t>(a)] += way;
      if (second_is_free) step[static_cast<std::size_t>(b)] -= way;
      moves = moves || first_is_free || second_is_free;
    }
    for (std::size_t b = 0; b < step.size(); ++b) {
      moved[b] += step[b];
      for (const int block : model_.bodies[b].place_blocks()) {
        if (model_.layout.kind(block) != BlockKind::rigid_axis) positions_[block] += step[b];
      }
    }
    return moves;
  }

  const Model& model_;
  const ContactSurface& surface_;
  const contact::ContactOptions& options_;
  const Controls& controls_;
  BlockVector& positions_;
  contact::ContactPotential potential_;
  std::vector<unsigned char> is_closed_, is_fixed_;  // per body of the surface
  std::vector<Vec3> x_;                              // m, all points of the surface
  std::vector<Eigen::AlignedBox3d> boxes_;           // m, per body of the surface
  std::map<std::pair<int, int>, Wish> wishes_;
};

}  // namespace

Separation separate_bodies(const Model& model, const contact::ContactOptions& options, const Controls& controls,
                           BlockVector& positions) {
  return Parting(model, options, controls, positions).go();
}

}  // namespace pliant::scene
