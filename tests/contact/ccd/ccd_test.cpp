// Conservative advancement never passes a touch: every answer for hundred thousands of pairs is proved by the judges of
// ccd_oracle.h. PLIANT_FINE=1 runs 10⁶ points with triangles and edges with edges, half as many others, and prints the table
// of docs/contact/continuous_detection.md.
#include "pliant/contact/ccd/ccd.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/contact/ccd/ccd_judge.h"

namespace pliant::contact {
namespace {

constexpr std::array<CcdKind, 4> kCcdKinds = {CcdKind::point_triangle, CcdKind::edges, CcdKind::point_edge,
                                              CcdKind::points};

struct CcdCounts {
  int cases = 0;
  int misses = 0;       // the way returned is not proved free, or surely has a touch
  int free = 0;         // answered 1
  int at_start = 0;     // answered 0
  int early = 0;        // stopped, but surely keeps twice what must be kept to the end
  int early_apart = 0;  // those of them that start further apart than 1e-12 of their size
  int by_algebra = 0;   // decided by the algebraic judge too
  int touching = 0;     // surely touch on the whole way, by algebra
};

void judge_case(const MovingPair& pair, bool is_whole, CcdCounts& counts) {
  const CcdOptions options;
  const double t = pair.safe_fraction(options);
  const CcdStart start(pair);
  ++counts.cases;
  counts.free += t == 1;
  counts.at_start += t == 0;

  // Proof that nine tenths of what must be kept is kept; very close to each other, that there is no touch.
  if (t > 0) {
    const double kept = start.is_close() ? 0 : 0.9 * options.kept * start.gap;
    const CcdVerdict verdict = judge_claim(pair, is_whole, pair.offset + kept, t);
    counts.misses += verdict.is_missed;
    counts.by_algebra += verdict.is_by_algebra;
  } else {
    counts.misses += t != 0;  // also what is not a number
  }
  if (is_whole && (pair.kind == CcdKind::point_triangle || pair.kind == CcdKind::edges))
    counts.touching += TouchAlgebra(pair).judge(1) == Touching::certain;

  if (t < 1 && start.gap > 0 && SeparationProof(pair).stays_above(pair.offset + 2 * options.kept * start.gap, 1)) {
    ++counts.early;
    counts.early_apart += start.gap > 1e-12 * start.size;
  }
}

TEST(Ccd, NeverPassesATouch) {
  for (const CcdClass& type : kCcdClasses) {
    CcdCounts counts;
    for (const CcdKind kind : kCcdKinds) {
      const bool is_of_four = kind == CcdKind::point_triangle || kind == CcdKind::edges;
      const int count = is_of_four || !is_ccd_fine() ? ccd_case_count() : ccd_case_count() / 2;
      CcdCases cases(kind, 11);
      for (int i = 0; i < count; ++i) judge_case(type.make(cases), type.is_whole, counts);
    }
    EXPECT_EQ(counts.misses, 0) << type.name;
    RecordProperty(std::string("early ") + type.name, counts.early);
    if (is_ccd_fine()) {
      print_ccd_row(type.name, {counts.cases, counts.misses, counts.free, counts.at_start, counts.early,
                                counts.early_apart, counts.by_algebra, counts.touching});
    }
  }
}

// A judge that never finds a touch would be of no use.
TEST(Ccd, JudgesFindTouchesAndAgree) {
  int certain = 0;
  for (const CcdKind kind : kCcdKinds) {
    CcdCases cases(kind, 5);
    for (int i = 0; i < 500; ++i) {
      const MovingPair sent_through = cases.tunnelling();
      EXPECT_FALSE(SeparationProof(sent_through).stays_above(1e-12, 1));
      const MovingPair hitting = cases.hit();
      EXPECT_FALSE(SeparationProof(hitting).stays_above(0, 1));
      if (kind == CcdKind::point_edge || kind == CcdKind::points) continue;
      EXPECT_NE(TouchAlgebra(hitting).judge(1), Touching::none);
      const MovingPair pair = cases.lattice();
      const Touching touch = TouchAlgebra(pair).judge(1);
      const bool is_apart = SeparationProof(pair).stays_above(0, 1);
      EXPECT_FALSE(is_apart && touch == Touching::certain);
      EXPECT_FALSE(!is_apart && touch == Touching::none);
      certain += touch == Touching::certain;
    }
  }
  EXPECT_GT(certain, 50);
}

TEST(Ccd, GoesAllTheWayToWhatMustBeKept) {
  // A point falls onto a triangle from height 1: it may go down to 0.1, to within a tenth of that.
  const std::array<Vec3, 4> x = {Vec3(0.2, 0.2, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const std::array<Vec3, 4> d = {Vec3(0, 0, -2), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  EXPECT_NEAR(safe_fraction_point_triangle(x, d, 0), 0.45, 1e-12);
  EXPECT_NEAR(safe_fraction_point_triangle(x, d, 0.5), 0.225, 1e-12);
  EXPECT_NEAR(safe_fraction_point_triangle(x, d, 0, {.kept = 0.5}), 0.25, 1e-12);
  EXPECT_EQ(safe_fraction_point_triangle(x, {Vec3(5, 5, 0), d[1], d[2], d[3]}, 0), 1);  // sliding
  EXPECT_EQ(safe_fraction_point_triangle(x, {Vec3(0, 0, 9), d[1], d[2], d[3]}, 0), 1);  // leaving
  EXPECT_EQ(safe_fraction_point_triangle(x, d, 1), 0);                                  // touching

  EXPECT_NEAR(safe_fraction_edges({Vec3(-1, 0, 1), Vec3(1, 0, 1), Vec3(0, -1, 0), Vec3(0, 1, 0)},
                                  {Vec3(0, 0, -2), Vec3(0, 0, -2), Vec3::Zero(), Vec3::Zero()}, 0),
              0.45, 1e-12);
  EXPECT_NEAR(safe_fraction_point_edge({x[0], x[1], x[2]}, {Vec3(0, -0.4, -2), d[1], d[2]}, 0), 0.45, 1e-12);
  EXPECT_NEAR(safe_fraction_points({x[0], x[1]}, {Vec3(-0.4, -0.4, -2), d[1]}, 0), 0.45, 1e-12);
}

TEST(Ccd, StopsWhatIsNotFinite) {
  const std::array<Vec3, 4> x = {Vec3(0.2, 0.2, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), 1e308}) {
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        std::array<Vec3, 4> broken = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        broken[i][k] = bad;
        EXPECT_EQ(safe_fraction_point_triangle(x, broken, 0), 0);
        EXPECT_EQ(safe_fraction_edges(x, broken, 0), 0);
        EXPECT_EQ(safe_fraction_point_triangle(broken, x, 0), 0);
      }
    }
    if (bad > 0 || std::isnan(bad)) {
      EXPECT_EQ(safe_fraction_point_triangle(x, x, bad), 0);
    }
  }
  const std::array<Vec3, 4> huge = {1e200 * x[0], 1e200 * x[1], 1e200 * x[2], 1e200 * x[3]};
  EXPECT_EQ(safe_fraction_point_triangle(huge, huge, 0), 0);
}

TEST(Ccd, ManyStopsNeverCross) {
  // Again and again towards the same triangle, with stored positions: the gap shrinks to rounding and stays positive.
  std::array<Vec3, 4> x = {Vec3(100.3, 100.2, 1), Vec3(100, 100, 0.5), Vec3(101, 100, 0.4), Vec3(100, 101, 0.3)};
  const std::array<Vec3, 4> d = {Vec3(0.1, 0.2, -3), Vec3(0, 0, 1), Vec3(0.1, 0, 1), Vec3(0, 0.3, 1)};
  const auto volume = [&] { return (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]); };
  const bool is_above = volume() > 0;
  for (int step = 0; step < 100; ++step) {
    const double t = safe_fraction_point_triangle(x, d, 0);
    ASSERT_LT(t, 1);
    for (int i = 0; i < 4; ++i) x[i] += t * d[i];
    ASSERT_EQ(volume() > 0, is_above);
    ASSERT_GT(closest_point_triangle(x[0], x[1], x[2], x[3]).distance(), 1e-14);
  }
}

TEST(Ccd, KeepsTheFractionReachedWhenStepsAreUsedUp) {
  CcdCases cases(CcdKind::edges, 3);
  for (int i = 0; i < 1000; ++i) {
    const MovingPair pair = cases.random();
    double before = 0;
    for (const int limit : {0, 1, 2, 4, 64}) {
      const double t = pair.safe_fraction({.iteration_limit = limit});
      EXPECT_GE(t, before);
      before = t;
    }
  }
}

TEST(Ccd, SmallMotionNeedsNoTest) {
  EXPECT_TRUE(is_motion_too_small(1, 0.89, 0));
  EXPECT_FALSE(is_motion_too_small(1, 0.91, 0));
  EXPECT_FALSE(is_motion_too_small(1, 0.5, 0.5));
  EXPECT_FALSE(is_motion_too_small(1, std::numeric_limits<double>::quiet_NaN(), 0));
}

// What is said to be left of a gap is left, at 64 moments of the way.
TEST(Ccd, KnowsWhatGapIsLeft) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  int known = 0;
  for (int n = 0; n < 4000; ++n) {
    std::array<Vec3, 4> x, d;
    for (Vec3& p : x) p = Vec3(number(random), number(random), number(random));
    for (Vec3& p : d) p = 0.2 * Vec3(number(random), number(random), number(random));
    const double offset = 0.05 * (1 + number(random));
    const bool are_edges = n % 2 == 0;
    const SafeWay way = are_edges ? safe_way_edges(x, d, offset) : safe_way_point_triangle(x, d, offset);
    EXPECT_EQ(way.fraction, are_edges ? safe_fraction_edges(x, d, offset) : safe_fraction_point_triangle(x, d, offset));
    if (way.least_gap == 0) continue;
    ++known;
    EXPECT_EQ(way.fraction, 1);
    for (int k = 0; k <= 64; ++k) {
      std::array<Vec3, 4> y;
      for (std::size_t j = 0; j < 4; ++j) y[j] = x[j] + k / 64.0 * d[j];
      const ClosestPoints closest =
          are_edges ? closest_edges(y[0], y[1], y[2], y[3]) : closest_point_triangle(y[0], y[1], y[2], y[3]);
      EXPECT_GE(closest.distance() - offset, way.least_gap * (1 - 1e-12)) << n << ' ' << k;
    }
  }
  EXPECT_GT(known, 2000);
}

}  // namespace
}  // namespace pliant::contact
