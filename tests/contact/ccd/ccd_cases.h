// Moving pairs of every kind that has ever troubled continuous collision detection.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "tests/contact/ccd/ccd_oracle.h"

namespace pliant::contact {

// `is_whole`: coordinates are small whole numbers, which the algebraic judge needs.
struct CcdClass {
  const char* name;
  bool is_whole;
  MovingPair (*make)(class CcdCases&);
};

class CcdCases {
 public:
  explicit CcdCases(CcdKind kind, unsigned seed) : kind_(kind), generator_(seed) {}

  double uniform() { return distribution_(generator_); }  // [−1, 1]
  int whole(int limit) { return std::uniform_int_distribution<int>(-limit, limit)(generator_); }
  Vec3 point() { return {uniform(), uniform(), uniform()}; }
  Vec3 whole_point(int limit) { return Vec3(whole(limit), whole(limit), whole(limit)); }

  MovingPair empty() {
    MovingPair pair;
    pair.kind = kind_;
    return pair;
  }

  MovingPair random(double motion = 2) {
    MovingPair pair = empty();
    for (Vec3& x : pair.x) x = point();
    for (Vec3& d : pair.d) d = motion * point();
    return pair;
  }

  MovingPair lattice() {
    MovingPair pair = empty();
    for (Vec3& x : pair.x) x = whole_point(4);
    for (Vec3& d : pair.d) d = whole_point(6);
    return pair;
  }

  // No area or length, at the start or all the way.
  MovingPair degenerate() {
    MovingPair pair = random();
    const bool is_all_the_way = whole(1) > 0;
    const double along = whole(1);  // −1, 0, 1: the last two give two vertices in one place
    auto flatten = [&](std::array<Vec3, 4>& v) {
      if (kind_ == CcdKind::point_triangle) v[3] = v[1] + along * (v[2] - v[1]);
      if (kind_ == CcdKind::edges) v[1] = v[0];
      if (kind_ == CcdKind::edges && along > 0) v[3] = v[2];
      if (kind_ == CcdKind::point_edge) v[2] = v[1];
    };
    flatten(pair.x);
    if (is_all_the_way) flatten(pair.d);
    return pair;
  }

  // Parallel edges, or a point above a level triangle, at the start; half of them all the way. Whole coordinates.
  MovingPair parallel() {
    MovingPair pair = lattice();
    const bool is_all_the_way = whole(1) > 0;
    const int factor = whole(2);
    auto align = [&](std::array<Vec3, 4>& v) {
      if (kind_ == CcdKind::edges) v[3] = v[2] + factor * (v[1] - v[0]);
      if (kind_ == CcdKind::point_triangle) v[2].z() = v[3].z() = v[1].z();
    };
    align(pair.x);
    if (is_all_the_way) align(pair.d);
    return pair;
  }

  // The first primitive is sent through the second, on a way 1 to 1000 times their size.
  MovingPair tunnelling() {
    MovingPair pair = random(0.2);
    std::array<double, 4> weight{};
    for (int i = 0; i < pair.count(); ++i) weight[i] = 1 + uniform();
    const int second = pair.first_count();
    double first_sum = 0;
    double second_sum = 0;
    for (int i = 0; i < pair.count(); ++i) (i < second ? first_sum : second_sum) += weight[i];
    const double when = 0.5 + 0.5 * uniform();
    Vec3 apart = Vec3::Zero();  // of a point of each, then
    for (int i = 0; i < pair.count(); ++i) {
      apart += weight[i] / (i < second ? first_sum : -second_sum) * (pair.x[i] + when * pair.d[i]);
    }
    const Vec3 way = std::pow(10.0, 1.5 + 1.5 * uniform()) * point();
    for (int i = 0; i < second; ++i) {
      pair.x[i] -= apart + when * way;
      pair.d[i] += way;
    }
    return pair;
  }

  // All in one plane, which moves along.
  MovingPair coplanar() {
    MovingPair pair = whole(1) > 0 ? lattice() : random();
    for (Vec3& x : pair.x) x.z() = 1;
    for (Vec3& d : pair.d) d.z() = 3;
    return pair;
  }

  // The first primitive slides past the second, and comes as near as 1 to 1e-9 when half way.
  MovingPair grazing() {
    MovingPair pair = random();
    const Vec3 r = approach(pair, std::pow(10.0, -4.5 + 4.5 * uniform()));
    const Vec3 slide = 2 * r.cross(point()).normalized();
    for (int i = 0; i < 4; ++i) {
      const bool is_first = i < pair.first_count();
      pair.d[i] = is_first ? slide : Vec3(Vec3::Zero());
      if (is_first) pair.x[i] -= 0.5 * slide;
    }
    return pair;
  }

  // When half way, a vertex is exactly on a vertex, in the middle of an edge, or (edges) on a crossing.
  MovingPair hit() {
    MovingPair pair = empty();
    std::array<Vec3, 4> half;
    for (Vec3& x : half) x = 2 * whole_point(3);
    const int second = pair.first_count();
    const int last = pair.count() - 1;
    half[0] = whole(1) > 0 ? half[last] : Vec3(0.5 * (half[second] + half[last]));
    for (int i = 0; i < 4; ++i) {
      const Vec3 way = whole_point(5);
      pair.x[i] = half[i] - way;
      pair.d[i] = 2 * way;
    }
    return pair;
  }

  MovingPair tiny_motion() {
    MovingPair pair = random(1e-9);
    if (whole(1) > 0) approach(pair, 1e-9 * (1 + uniform()));
    return pair;
  }

  MovingPair large_motion() { return random(1e3); }

  MovingPair no_motion() {
    MovingPair pair = random();
    const Vec3 common = whole(1) > 0 ? point() : Vec3(Vec3::Zero());
    for (Vec3& d : pair.d) d = common;
    return pair;
  }

  // Starts at a distance of 1e-16 to 1e-4.
  MovingPair near_start() {
    MovingPair pair = random(whole(1) > 0 ? 2 : 1e-3);
    approach(pair, std::pow(10.0, -10 + 6 * uniform()));
    return pair;
  }

  MovingPair thick() {
    MovingPair pair = random();
    pair.offset = 0.05 * (1 + uniform());
    return pair;
  }

  MovingPair far_away() {
    MovingPair pair = random();
    const double size = std::pow(10.0, -3 + 3 * uniform());
    for (Vec3& x : pair.x) x = x * size + Vec3(1e3, -1e3, 500);
    for (Vec3& d : pair.d) d *= size;
    return pair;
  }

 private:
  // Moves the first primitive until it has this distance of the second; returns the direction.
  Vec3 approach(MovingPair& pair, double distance) {
    const ClosestPoints closest = closest_points_of(pair.kind, pair.x);
    Vec3 r = Vec3::Zero();
    for (int i = 0; i < 4; ++i) r += closest.weight[i] * pair.x[i];
    const Vec3 direction = r.normalized();
    for (int i = 0; i < pair.first_count(); ++i) pair.x[i] += (distance - closest.distance()) * direction;
    return direction;
  }

  CcdKind kind_;
  std::mt19937 generator_;
  std::uniform_real_distribution<double> distribution_{-1, 1};
};

inline constexpr std::array<CcdClass, 14> kCcdClasses = {{
    {"random", false, [](CcdCases& c) { return c.random(); }},
    {"lattice", true, [](CcdCases& c) { return c.lattice(); }},
    {"degenerate", false, [](CcdCases& c) { return c.degenerate(); }},
    {"parallel", true, [](CcdCases& c) { return c.parallel(); }},
    {"coplanar", false, [](CcdCases& c) { return c.coplanar(); }},
    {"grazing", false, [](CcdCases& c) { return c.grazing(); }},
    {"exact hit", true, [](CcdCases& c) { return c.hit(); }},
    {"tiny motion", false, [](CcdCases& c) { return c.tiny_motion(); }},
    {"large motion", false, [](CcdCases& c) { return c.large_motion(); }},
    {"tunnelling", false, [](CcdCases& c) { return c.tunnelling(); }},
    {"no motion", false, [](CcdCases& c) { return c.no_motion(); }},
    {"near start", false, [](CcdCases& c) { return c.near_start(); }},
    {"thick", false, [](CcdCases& c) { return c.thick(); }},
    {"far away", false, [](CcdCases& c) { return c.far_away(); }},
}};

}  // namespace pliant::contact
