// Rooms are never more than there is, and about as much where there is much. Judged by the oracle of ccd.h, on the same pairs:
// PLIANT_FINE=1 runs 10⁶ and prints the table of docs/contact/continuous_detection.md.
#include "pliant/contact/way_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "pliant/contact/pair_measures.h"
#include "tests/contact/ccd/ccd_judge.h"

namespace pliant::contact {
namespace {

struct Ways {
  std::vector<Vec3> from, to;
  std::vector<PointWay> ways;

  // size: m, of pairs; way: m, all go along together; turn: m, each for itself
  Ways(const Vec3& origin, double size, double way, double turn, double reach) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto vector = [&] { return Vec3(number(random), number(random), number(random)); };
    const Vec3 common = way * vector();
    for (int i = 0; i < 64; ++i) {
      from.push_back(origin + size * vector());
      to.push_back(from.back() + common + turn * vector());
    }
    for (std::size_t i = 0; i < from.size(); ++i) ways.push_back(way_between(from[i], to[i], reach));
  }
  [[nodiscard]] double least_distance(PairKind kind, const std::array<int, 4>& point) const {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= 32; ++k) {
      FourPoints x;
      for (std::size_t j = 0; j < 4; ++j) x[j] = from[point[j]] + k / 32.0 * (to[point[j]] - from[point[j]]);
      least = std::min(least, closest_of(kind, x).distance());
    }
    return least;
  }
};

class WayLanes : public ::testing::TestWithParam<PairKind> {};

TEST_P(WayLanes, RoomIsNeverMoreThanThereIs) {
  const PairKind kind = GetParam();
  struct Case {
    Vec3 origin;
    double size, way, turn, reach;  // m
  };
  int told = 0, tight = 0;
  for (const Case& c : {Case{Vec3::Zero(), 1, 0, 0, 0}, Case{Vec3::Zero(), 1, 5, 0.2, 0.05},
                        Case{Vec3(100, -30, 7), 0.01, 1, 1e-3, 1e-3}, Case{Vec3(1e4, 0, 0), 1, 3, 0.1, 0.1},
                        Case{Vec3::Zero(), 1e-6, 1e-6, 1e-7, 1e-8}, Case{Vec3::Zero(), 1e6, 1e5, 1e5, 1}}) {
    const Ways scene(c.origin, c.size, c.way, c.turn, c.reach);
    std::mt19937 random(9);
    for (int round = 0; round < 500; ++round) {
      EightPairs point;
      for (std::array<int, 8>& vertex : point) {
        for (int& p : vertex) p = static_cast<int>(random() % scene.from.size());
      }
      const math::FloatLanes room = room_on_ways(kind, point, scene.ways);
      for (std::size_t k = 0; k < 8; ++k) {
        const double least = scene.least_distance(kind, {point[0][k], point[1][k], point[2][k], point[3][k]});
        if (room[k] > 0) {
          EXPECT_LE(room[k], least - 2 * c.reach) << c.size;
          ++told;
        }
        if (c.turn == 0 && least > 0.2 * c.size && room[k] > 0.99 * least) ++tight;
      }
    }
  }
  EXPECT_GT(told, 8000);
  // Of those at rest, nearly all that are far apart: the direction is that of the closest points.
  EXPECT_GT(tight, 2000);
}

// A pair that has room stays apart by that on all its way: the oracle proves it. Eight pairs that have nothing to do with each
// other share the lanes. Half of the pairs reach for each other, by their offset or a tenth of their distance.
TEST(WayLanesOracle, RoomIsProved) {
  std::size_t cleared = 0;
  for (const CcdClass& type : kCcdClasses) {
    int cases = 0, misses = 0, apart = 0, by_algebra = 0;
    for (const CcdKind kind : kCcdLaneKinds) {
      const std::size_t second = kind == CcdKind::edges ? 2 : 1;
      CcdCases made(kind, 13);
      for (int i = 0; i < ccd_case_count(); i += 8) {
        std::array<MovingPair, 8> pairs;
        std::array<double, 8> reach;  // m, of both primitives
        std::vector<PointWay> ways(32);
        EightPairs point;
        for (std::size_t k = 0; k < 8; ++k) {
          pairs[k] = type.make(made);
          reach[k] = k % 2 == 0 ? 0 : std::max(pairs[k].offset, 0.1 * CcdStart(pairs[k]).gap);
          for (std::size_t j = 0; j < 4; ++j) {
            point[j][k] = static_cast<int>(4 * k + j);
            const double own = (j < second ? 0.25 : 0.75) * reach[k];
            ways[4 * k + j] = way_between(pairs[k].x[j], pairs[k].x[j] + pairs[k].d[j], own);
          }
        }
        const math::FloatLanes room =
            room_on_ways(kind == CcdKind::edges ? PairKind::edges : PairKind::point_triangle, point, ways);
        for (std::size_t k = 0; k < 8; ++k) {
          ++cases;
          if (!(room[k] > 0)) continue;
          ++apart;
          const CcdVerdict verdict = judge_claim(pairs[k], type.is_whole, reach[k] + static_cast<double>(room[k]), 1);
          misses += verdict.is_missed;
          by_algebra += verdict.is_by_algebra;
        }
      }
    }
    EXPECT_EQ(misses, 0) << type.name;
    cleared += static_cast<std::size_t>(apart);
    if (is_ccd_fine()) print_ccd_row(type.name, {cases, misses, apart, by_algebra});
  }
  EXPECT_GT(cleared, 5U * static_cast<std::size_t>(ccd_case_count()));
}

// A pair that touches, has no extent, or is not a number anywhere has no room.
TEST_P(WayLanes, SaysNothingOfWhatIsNotApart) {
  const PairKind kind = GetParam();
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> apart = {Vec3(0, 1, 0), Vec3(1, 1, 0), Vec3(0, 0, -1), Vec3(0, 0, 1)};
  const std::vector<Vec3> triangle = {Vec3(0, 1, 0), Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 1)};
  const std::vector<Vec3>& x = kind == PairKind::edges ? apart : triangle;
  EightPairs point;
  for (std::size_t j = 0; j < 4; ++j) point[j].fill(static_cast<int>(j));
  const auto room = [&](const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    std::vector<PointWay> ways;
    for (std::size_t j = 0; j < 4; ++j) ways.push_back(way_between(from[j], to[j], 0.1));
    return room_on_ways(kind, point, ways)[3];
  };
  EXPECT_NEAR(room(x, x), 1 - 2 * 0.1, 1e-5);
  EXPECT_LT(room(x, x), 1 - 2 * 0.1);
  for (std::size_t j = 0; j < 4; ++j) {
    for (const double wrong : {nan, infinity, -infinity, 1e30, -1e300}) {
      for (int a = 0; a < 3; ++a) {
        std::vector<Vec3> other = x;
        other[j][a] = wrong;
        EXPECT_FALSE(room(x, other) > 0) << j << " " << wrong;
        EXPECT_FALSE(room(other, x) > 0) << j << " " << wrong;
        EXPECT_FALSE(room(other, other) > 0 && std::abs(wrong) != 1e30) << j << " " << wrong;
      }
    }
  }
  const std::vector<Vec3> one_place(4, Vec3(1, 2, 3));
  EXPECT_FALSE(room(one_place, one_place) > 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WayLanes, ::testing::Values(PairKind::point_triangle, PairKind::edges),
                         [](const auto& tested) {
                           return tested.param == PairKind::edges ? "edges" : "point_triangle";
                         });

}  // namespace
}  // namespace pliant::contact
