// Comparison of methods: errors that fall, the same end, refusals and their sentences.
#include "pliant/scene/compare.h"

#include <gtest/gtest.h>

#include "pliant/input_error.h"
#include "pliant/scene/reader.h"

namespace pliant {
namespace {

Scene bar() {
  return parse_scene(R"(
pliant: 1
title: bar
time: {step: 0.02, end: 0.2}
solver: {quasi_newton: {iterations: 40}}
bodies:
  - {name: bar, mesh: {box: {size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}, material: {model: corotated, young: 5.0e4, poisson: 0.3, density: 1000}}
pins:
  - {body: bar, where: {box: {min: [-0.2, -1, -1], max: [-0.2, 1, 1]}}}
)",
                     "bar.yaml");
}

TEST(Compare, ErrorsFallAndMethodsEndAlike) {
  CompareOptions options;
  options.iterations = {1, 5, 40};
  options.at = 0.1;
  const Comparison comparison = compare(bar(), options);
  EXPECT_NEAR(comparison.at, 0.1, 1e-12);
  EXPECT_GT(comparison.start_value, comparison.best_value);
  ASSERT_EQ(comparison.methods.size(), 2u);
  for (const CompareMethod& method : comparison.methods) {
    ASSERT_EQ(method.points.size(), 3u) << method.name;
    EXPECT_LT(method.points[1].error, method.points[0].error) << method.name;
    EXPECT_LT(std::abs(method.points[2].error), 1e-6) << method.name;
    EXPECT_GT(method.points[2].seconds, 0);
    EXPECT_EQ(method.steps, 10);
    EXPECT_TRUE(method.reached_end);
    EXPECT_LT(method.end_error, 1e-4 * comparison.diagonal) << method.name;
  }
  EXPECT_LT(comparison.methods[0].points[0].error, comparison.methods[1].points[0].error);  // Newton, per iteration
  const std::string steps = points_csv(comparison), runs = runs_csv(comparison);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), '\n'), 7);
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 3);
  EXPECT_NE(steps.find("quasi_newton,40,"), std::string::npos);
}

TEST(Compare, FollowsTheQualityOfContact) {
  Scene scene = bar();
  scene.bodies[0].contact.thickness = 0.01;
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "other";
  scene.bodies[1].position = Vec3(0, -0.125, 0);
  CompareOptions options;
  options.methods = {"newton"};
  options.iterations = {1};
  const Comparison comparison = compare(scene, options);
  const CompareMethod& method = comparison.methods[0];
  ASSERT_EQ(method.contacts.size(), 10u);
  EXPECT_NEAR(method.contacts.back().time, 0.2, 1e-12);
  int most = 0;
  for (const auto& point : method.contacts) {
    most = std::max(most, point.count);
    if (point.count == 0) continue;
    EXPECT_GT(point.smallest_gap, 0);
    EXPECT_GT(point.quality.complementarity, 0);
  }
  EXPECT_GT(most, 0);
  EXPECT_TRUE(has_contacts(comparison));
  EXPECT_NE(advice(comparison).find("This one step is without contact"), std::string::npos) << advice(comparison);
  EXPECT_GT(method.seconds.contact, 0);
  const std::string table = contacts_csv(comparison);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 11);
}

TEST(Compare, SaysWhyAMethodCannotDoAScene) {
  CompareOptions options;
  options.methods = {"newton", "projection"};
  options.iterations = {1};
  Scene scene = bar();
  scene.materials[0].model = scene::MaterialModel::neo_hookean;
  const Comparison comparison = compare(scene, options);
  EXPECT_EQ(comparison.methods[0].refusal, "");
  EXPECT_NE(
      comparison.methods[1].refusal.find("body 'bar': solver.method: projection cannot take the energy 'neo_hookean'"),
      std::string::npos)
      << comparison.methods[1].refusal;
  EXPECT_TRUE(comparison.methods[1].points.empty());
  EXPECT_NE(runs_csv(comparison).find("\nprojection,,,,,,,,,,,,\""), std::string::npos);
}

// Real-time steps cannot turn rigid bodies; the other methods are compared all the same.
TEST(Compare, GoesOnWithoutAMethodThatRefuses) {
  const Scene scene = parse_scene(R"(
pliant: 1
time: {step: 0.01, end: 0.05}
bodies:
  - {name: box, kind: rigid, mesh: {box: {size: [0.2, 0.1, 0.1], cells: [1, 1, 1]}}, material: {density: 500}, angular_velocity: [1, 0, 2]}
)",
                                  "box.yaml");
  CompareOptions options;
  options.methods = {"newton", "quasi_newton", "projection"};
  options.iterations = {1, 5};
  const Comparison comparison = compare(scene, options);
  EXPECT_NE(comparison.methods[1].refusal.find("rigid"), std::string::npos) << comparison.methods[1].refusal;
  EXPECT_TRUE(comparison.methods[1].points.empty());
  for (const int m : {0, 2}) {
    EXPECT_EQ(comparison.methods[m].refusal, "");
    EXPECT_EQ(comparison.methods[m].steps, 5);
    EXPECT_LT(comparison.methods[m].end_error, 1e-6 * comparison.diagonal) << comparison.methods[m].name;
  }
  EXPECT_GT(comparison.methods[2].seconds.projection, 0);
  EXPECT_FALSE(has_contacts(comparison));
}

TEST(Compare, AdvisesTheQuickestForEveryError) {
  Comparison c;
  c.methods.resize(3);
  c.methods[0].name = "slow";
  c.methods[0].points = {{1, 0.05, 0.010}, {2, 1e-5, 0.020}, {5, -1e-17, 0.050}};
  c.methods[1].name = "quick";
  c.methods[1].points = {{1, 0.5, 0.001}, {10, 0.002, 0.010}};
  c.methods[2].refusal = "cannot";
  EXPECT_EQ(advice(c),
            "To an error of 0.1: quick 10 ms (10 iterations), slow 10 ms (1 iteration).\n"
            "To an error of 0.01: quick 10 ms (10 iterations), slow 20 ms (2 iterations).\n"
            "To an error of 0.0001: slow 20 ms (2 iterations).\nTo an error of 1e-08: slow 50 ms (5 iterations).\n");
}

TEST(Compare, RefusesTears) {
  Scene scene = bar();
  scene.bodies[0].tearing.emplace();
  EXPECT_THROW((void)compare(scene, {}), InputError);
}

TEST(Compare, RefusesUnknownMethodsAndTimesBeyondTheEnd) {
  CompareOptions options;
  options.methods = {"newtn"};
  try {
    (void)compare(bar(), options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'newton'?"), std::string::npos);
  }
  options.methods = {"newton"};
  options.at = 5;
  EXPECT_THROW((void)compare(bar(), options), InputError);
}

}  // namespace
}  // namespace pliant
