// Expectations: which row is judged, bounds, NaN and moments that never come.
#include "pliant/scene/expectations.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

Expectation make(Moment at, double seconds = 0) {
  Expectation e;
  e.probe = "a.x";
  e.at = at;
  e.at_seconds = seconds;
  return e;
}
Expectation above(double bound, Moment at = Moment::end, double seconds = 0) {
  Expectation e = make(at, seconds);
  e.above = bound;
  return e;
}
Expectation below(double bound, Moment at = Moment::end, double seconds = 0) {
  Expectation e = make(at, seconds);
  e.below = bound;
  return e;
}
Expectation between(double low, double high, Moment at = Moment::end) {
  Expectation e = make(at);
  e.between = Vec2(low, high);
  return e;
}

// Rows 3, 7, 5 at t = 0, 1, 2.
std::vector<ExpectationResult> judged(const std::vector<Expectation>& wanted) {
  Scene scene;
  scene.expect = wanted;
  Expectations expectations(scene, {"other", "a.x"});
  double time = 0;
  for (const double value : {3.0, 7.0, 5.0}) expectations.observe(time++, {100, value});
  return expectations.results();
}

bool passes(const Expectation& wanted) { return judged({wanted})[0].passed; }

TEST(Expectations, TheEndIsTheLastRow) {
  EXPECT_TRUE(passes(above(4.9)));
  EXPECT_FALSE(passes(above(5)));  // excludes its bound
  EXPECT_TRUE(passes(below(5.1)));
  EXPECT_FALSE(passes(below(5)));
  EXPECT_TRUE(passes(between(5, 6)));  // includes its bounds
  EXPECT_TRUE(passes(between(4, 5)));
  EXPECT_FALSE(passes(between(5.1, 6)));
  EXPECT_EQ(judged({above(4.9)})[0].value, 5);
}

TEST(Expectations, AlwaysJudgesTheWorstRow) {
  EXPECT_TRUE(passes(above(2.9, Moment::always)));
  EXPECT_FALSE(passes(above(3, Moment::always)));
  EXPECT_EQ(judged({above(2, Moment::always)})[0].value, 3);
  EXPECT_EQ(judged({below(9, Moment::always)})[0].value, 7);
  EXPECT_TRUE(passes(between(3, 7, Moment::always)));
  EXPECT_FALSE(passes(between(3, 6.9, Moment::always)));
}

TEST(Expectations, ATimeIsTheFirstRowAtOrAfterIt) {
  EXPECT_TRUE(passes(above(6, Moment::at_time, 1)));
  EXPECT_TRUE(passes(above(6, Moment::at_time, 0.4)));
  EXPECT_TRUE(passes(below(6, Moment::at_time, 1.5)));
  EXPECT_TRUE(passes(above(6, Moment::at_time, 1 + 1e-12)));
  // Never reached: not passed.
  EXPECT_FALSE(passes(above(-1e9, Moment::at_time, 2.5)));
}

TEST(Expectations, NotANumberNeverPasses) {
  Scene scene;
  scene.expect = {above(-1e300), below(1e300, Moment::always), between(-1e300, 1e300)};
  Expectations expectations(scene, {"a.x"});
  expectations.observe(0, {1});
  expectations.observe(1, {std::numeric_limits<double>::quiet_NaN()});
  for (const ExpectationResult& result : expectations.results()) EXPECT_FALSE(result.passed) << result.condition;
}

TEST(Expectations, ANaNInBetweenIsRememberedByAlways) {
  Scene scene;
  scene.expect = {below(1e300, Moment::always)};
  Expectations expectations(scene, {"a.x"});
  expectations.observe(0, {std::numeric_limits<double>::quiet_NaN()});
  expectations.observe(1, {1});
  EXPECT_FALSE(expectations.results()[0].passed);
}

TEST(Expectations, WithoutARowNothingPasses) {
  Scene scene;
  scene.expect = {below(1)};
  EXPECT_FALSE(Expectations(scene, {"a.x"}).results()[0].passed);
}

TEST(Expectations, SayWhatWasAskedInWords) {
  const std::vector<ExpectationResult> results =
      judged({between(0.31, 0.33), above(2, Moment::always), below(1, Moment::at_time, 0.5)});
  EXPECT_EQ(results[0].condition, "between 0.31 and 0.33");
  EXPECT_EQ(results[0].at, "end");
  EXPECT_EQ(results[1].condition, "above 2");
  EXPECT_EQ(results[1].at, "always");
  EXPECT_EQ(results[2].at, "0.5 s");
  EXPECT_EQ(results[2].probe, "a.x");
}

TEST(Expectations, UnknownColumnsAreRefusedWithTheKnownOnes) {
  Scene scene;
  scene.expect = {above(1)};
  scene.expect[0].probe = "a.w";
  scene.expect[0].source = {"scene.yaml:12"};
  EXPECT_INPUT_ERROR(Expectations(scene, {"a.x", "b"}), "scene.yaml:12: no probe has a column 'a.w'");
  EXPECT_INPUT_ERROR(Expectations(scene, {"a.x", "b"}), "a.x");
}

}  // namespace
}  // namespace pliant::scene
