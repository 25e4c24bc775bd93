// What four lanes prove of a way is no more than there is, and for most pairs the whole of it. Judged by the oracle of ccd.h,
// on the same pairs: PLIANT_FINE=1 runs 10⁶ and prints the table of docs/contact/continuous_detection.md.
#include "pliant/contact/ccd/ccd_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "pliant/contact/distance/closest_points.h"
#include "pliant/contact/pair_measures.h"
#include "tests/contact/ccd/ccd_judge.h"

namespace pliant::contact {
namespace {

using FourVertices = std::array<Vec3, 4>;

struct Lane {
  FourVertices x, d;
  double offset = 0;
};

SafeWayLanes prove(int first_count, const std::array<Lane, 4>& pairs, const CcdOptions& options) {
  math::LaneVector x[4], d[4];
  math::Lanes offset;
  for (int l = 0; l < 4; ++l) {
    const Lane& pair = pairs[static_cast<std::size_t>(l)];
    for (std::size_t j = 0; j < 4; ++j) {
      x[j].x[l] = pair.x[j][0], x[j].y[l] = pair.x[j][1], x[j].z[l] = pair.x[j][2];
      d[j].x[l] = pair.d[j][0], d[j].y[l] = pair.d[j][1], d[j].z[l] = pair.d[j][2];
    }
    offset[l] = pair.offset;
  }
  ClosestLanes closest;
  first_count == 2 ? closest_edge_pairs(x, closest) : closest_point_triangles(x, closest);
  return first_safe_ways(first_count, x, d, closest, offset, options);
}

double distance_at(int first_count, const Lane& pair, double t) {
  FourVertices x;
  for (std::size_t j = 0; j < 4; ++j) x[j] = pair.x[j] + t * pair.d[j];
  return first_count == 2 ? closest_edges(x[0], x[1], x[2], x[3]).distance()
                          : closest_point_triangle(x[0], x[1], x[2], x[3]).distance();
}

// As the solver asks. A way that is proven, and the gap that is said to be left of it, hold to the proofs of the oracle; four
// pairs that have nothing to do with each other share the lanes.
TEST(CcdLanesOracle, NeverPassATouch) {
  const CcdOptions options{.kept = kKeptOfGap};
  std::size_t cleared = 0;
  for (const CcdClass& type : kCcdClasses) {
    int cases = 0, misses = 0, free = 0, part = 0, none = 0, by_algebra = 0;
    for (const CcdKind kind : kCcdLaneKinds) {
      const int first_count = kind == CcdKind::edges ? 2 : 1;
      CcdCases made(kind, 12);
      for (int i = 0; i < ccd_case_count(); i += 4) {
        std::array<MovingPair, 4> pairs;
        std::array<Lane, 4> lanes;
        for (std::size_t l = 0; l < 4; ++l) {
          pairs[l] = type.make(made);
          lanes[l] = {pairs[l].x, pairs[l].d, pairs[l].offset};
        }
        const SafeWayLanes safe = prove(first_count, lanes, options);
        for (std::size_t l = 0; l < 4; ++l) {
          const MovingPair& pair = pairs[l];
          const CcdStart start(pair);
          const double fraction = safe.fraction[static_cast<int>(l)], left = safe.least_gap[static_cast<int>(l)];
          ++cases;
          free += fraction == 1;
          part += fraction > 0 && fraction < 1;
          none += fraction == 0;
          bool is_missed = !(fraction >= 0 && fraction <= 1 && left >= 0) || (left > 0 && fraction < 1);
          if (fraction > 0) {
            const double kept = start.is_close() ? 0 : std::max(0.9 * options.kept * start.gap, (1 - 1e-9) * left);
            const CcdVerdict verdict = judge_claim(pair, type.is_whole, pair.offset + kept, fraction);
            is_missed |= verdict.is_missed;
            by_algebra += verdict.is_by_algebra;
          }
          misses += is_missed;
        }
      }
    }
    EXPECT_EQ(misses, 0) << type.name;
    cleared += static_cast<std::size_t>(free);
    if (is_ccd_fine()) print_ccd_row(type.name, {cases, misses, free, part, none, by_algebra});
  }
  EXPECT_GT(cleared, 5U * static_cast<std::size_t>(ccd_case_count()));
}

class CcdLanes : public ::testing::TestWithParam<int> {};

TEST_P(CcdLanes, ProveNoMoreThanThereIs) {
  const int first_count = GetParam();
  const CcdOptions options{.kept = 0.2};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  int free = 0, part = 0, none = 0;
  for (int round = 0; round < 4000; ++round) {
    std::array<Lane, 4> pairs;
    for (Lane& pair : pairs) {
      const double way = std::pow(10.0, number(random));
      for (Vec3& x : pair.x) x = Vec3(number(random), number(random), number(random));
      for (Vec3& d : pair.d) d = 0.3 * way * Vec3(number(random), number(random), number(random));
      pair.offset = round % 3 == 0 ? 0.05 : 0;
    }
    const SafeWayLanes safe = prove(first_count, pairs, options);
    for (int l = 0; l < 4; ++l) {
      const Lane& pair = pairs[static_cast<std::size_t>(l)];
      const double gap = distance_at(first_count, pair, 0) - pair.offset, fraction = safe.fraction[l];
      ASSERT_GE(fraction, 0);
      ASSERT_LE(fraction, 1);
      if (fraction == 0) {
        ++none;
        continue;
      }
      fraction == 1 ? ++free : ++part;
      const double kept = fraction == 1 && safe.least_gap[l] > 0 ? safe.least_gap[l] : options.kept * gap;
      for (int k = 0; k <= 40; ++k)
        ASSERT_GE(distance_at(first_count, pair, k / 40.0 * fraction) - pair.offset, kept * (1 - 1e-7)) << round;
      // The exact way begins with the same step.
      const double exact = first_count == 2 ? safe_fraction_edges(pair.x, pair.d, pair.offset, options)
                                            : safe_fraction_point_triangle(pair.x, pair.d, pair.offset, options);
      EXPECT_GE(exact, fraction * (1 - 1e-6));
    }
  }
  EXPECT_GT(free, 4000);
  EXPECT_GT(part, 2000);
  EXPECT_GT(none, 50);  // within the offset from the start
}

TEST_P(CcdLanes, ProveNothingOfWhatIsNotANumber) {
  const int first_count = GetParam();
  Lane pair;
  pair.x = first_count == 2 ? FourVertices{Vec3(-1, 1, 0), Vec3(1, 1, 0), Vec3(0, 0, -1), Vec3(0, 0, 1)}
                            : FourVertices{Vec3(0, 1, 0), Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 1)};
  pair.d.fill(Vec3::Zero());
  const auto proven = [&](const Lane& one) { return prove(first_count, {pair, one, pair, pair}, {}); };
  EXPECT_EQ(proven(pair).fraction[1], 1);
  EXPECT_NEAR(proven(pair).least_gap[1], 1, 1e-12);
  for (std::size_t j = 0; j < 4; ++j) {
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()}) {
      for (int a = 0; a < 3; ++a) {
        Lane there = pair, goes = pair;
        there.x[j][a] = wrong;
        goes.d[j][a] = wrong;
        EXPECT_EQ(proven(there).fraction[1], 0);
        EXPECT_EQ(proven(goes).fraction[1], 0);
        EXPECT_EQ(proven(goes).fraction[2], 1) << "lanes do not touch each other";
      }
    }
  }
  pair.x.fill(Vec3(1, 2, 3));
  EXPECT_EQ(proven(pair).fraction[1], 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CcdLanes, ::testing::Values(1, 2),
                         [](const auto& tested) { return tested.param == 2 ? "edges" : "point_triangle"; });

}  // namespace
}  // namespace pliant::contact
