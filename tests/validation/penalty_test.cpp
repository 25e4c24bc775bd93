// Penalty contact under quasi_newton against theory: sticking and sliding on a slope, weight, momentum, no glue; one
// factorisation; the same bits for any number of threads and after a resume; no intersection where steps are limited.
#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "pliant/parallel/parallel.h"
#include "pliant/scene/verification.h"
#include "tests/validation/slope_case.h"

namespace pliant::validation::penalty_test {
namespace {

std::vector<std::string> on_slope(double angle, std::vector<std::string> more) {
  more.insert(more.begin(), {tilted(angle), "solver.method=quasi_newton"});
  return more;
}

int factor_count(SceneCase& scene) {
  return dynamic_cast<const solver::QuasiNewton&>(*scene.simulation().solver()).factor_count();
}

class PenaltySlope : public ::testing::TestWithParam<double> {};

TEST_P(PenaltySlope, HoldsBelowTheFrictionAngle) {
  const double mu = GetParam(), angle = 0.9 * std::atan(mu);
  SceneCase block("block_on_slope.yaml", on_slope(angle, {fmt::format("contact.friction={}", mu), "time.end=2"}));
  expect_holds(block, angle);
  EXPECT_EQ(factor_count(block), 1);
}

TEST_P(PenaltySlope, SlidesAboveIt) {
  const double mu = GetParam(), angle = 1.2 * std::atan(mu);
  SceneCase block("block_on_slope.yaml", on_slope(angle, {fmt::format("contact.friction={}", mu)}));
  expect_slides(block, angle, mu);
  EXPECT_EQ(factor_count(block), 1);
}

INSTANTIATE_TEST_SUITE_P(Penalty, PenaltySlope, ::testing::Values(0.1, 0.3, 0.5, 0.8),
                         [](const auto& tested) { return fmt::format("mu{:.0f}", 10 * tested.param); });

// Two free blocks that collide, as in contact_test.cpp, solved to a tolerance.
std::string collision(const std::string& penalty, const std::string& iterations = "null") {
  return "pliant: 1\n"
         "title: Two blocks collide\n"
         "time: {step: 0.002, end: 0.4}\n"
         "gravity: [0, 0, 0]\n"
         "solver: {method: quasi_newton, tolerance: 1.0e-9, max_iterations: 2000, quasi_newton: {iterations: " +
         iterations +
         "}}\n"
         "materials: {soft: {model: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
         "bodies:\n"
         "  - {name: a, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: soft, velocity: [1, 0, 0]}\n"
         "  - {name: b, mesh: {box: {size: [0.12, 0.2, 0.1], cells: [2, 3, 2]}}, material: soft, position: [0.2, 0.04, "
         "0.01], velocity: [-0.5, 0.1, 0], rotation: {axis: [1, 1, 0], degrees: 30}}\n"
         "contact: {friction: 0.4, distance: 2.0e-3" +
         penalty +
         "}\n"
         "probes: [{name: contacts, quantity: contacts}, {name: energy, quantity: energy}]\n";
}

Vec3 momentum_of(SceneCase& scene) {
  const State& s = scene.simulation().state();
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < s.positions.size(); ++i)
    sum += scene.simulation().model().inertia.masses()[i] * Vec3(s.velocities[i]);
  return sum;
}

TEST(Penalty, CollidingBodiesKeepTheirMomentum) {
  SceneCase both(parse_scene(collision(""), "scene.yaml"));
  const Vec3 before = momentum_of(both);
  double most = 0;
  for (int i = 1; i <= 200; ++i) {
    ASSERT_TRUE(both.simulation().advance(0.002).reached);
    most = std::max(most, both.value("contacts.count"));
  }
  EXPECT_GT(most, 3);
  const double change = (momentum_of(both) - before).norm() / before.norm();
  record("change of momentum", change);
  EXPECT_LT(change, 1e-6);
  EXPECT_EQ(factor_count(both), 1);
}

// A block that is thrown up from the floor leaves it at the speed that it has: nothing holds it back. By both readings of
// when a term ends.
TEST(Penalty, DoesNotGlue) {
  for (const char* const release : {"open", "separating"}) {
    SceneCase block("block_on_slope.yaml",
                    on_slope(0, {"time.end=0.12", std::string("contact.penalty.release=") + release,
                                 "bodies.block.velocity=[0, 1, 0]", "solver.quasi_newton.iterations=20"}));
    block.run();
    record(std::string("speed / free flight, ") + release, block.value("speed.y") / (1 - 0.12 * kGravity));
    EXPECT_GT(block.value("speed.y"), 1 - 0.12 * kGravity - 1e-3);
    EXPECT_EQ(block.value("push.y"), 0);
  }
}

// Why terms last until their gap is open: ended by the letter, as pairs separate, they leave a resting block restless.
TEST(Penalty, TermsThatEndBySeparationLeaveABlockRestless) {
  double speed[2] = {0, 0};
  int index = 0;
  for (const char* const release : {"open", "separating"}) {
    SceneCase block("block_on_slope.yaml", on_slope(0, {"time.end=1", std::string("contact.penalty.release=") + release,
                                                        "solver.quasi_newton.iterations=20"}));
    double fastest = 0;
    block.run([&] {
      if (block.simulation().state().time > 0.5) fastest = std::max(fastest, std::abs(block.value("speed.y")));
    });
    record(std::string("speed at rest, ") + release, fastest);
    speed[index++] = fastest;
  }
  EXPECT_LT(speed[0], 1e-6);
  EXPECT_GT(speed[1], 10 * speed[0]);
}

TEST(Penalty, ThreadsDoNotChangeABit) {
  std::uint64_t hashes[2];
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    SceneCase both(parse_scene(collision(""), "scene.yaml"));
    for (int i = 1; i <= 80; ++i) ASSERT_TRUE(both.simulation().advance(0.002).reached);
    hashes[threads - 1] = hash(both.simulation().state());
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

// A run that is taken up from a state has the bits of one that was not interrupted.
TEST(Penalty, ResumesWithTheSameBits) {
  const Scene scene = read_case("block_on_slope.yaml", on_slope(0.3, {"contact.friction=0.5"}));
  BuiltScene first = build(scene), second = build(scene);
  Simulation whole(std::move(first.model), std::move(first.state), first.options);
  State half;
  for (int i = 1; i <= 40; ++i) {
    ASSERT_TRUE(whole.advance(0.01, 0.01 * i, [] {}).reached);
    if (i == 20) half = whole.state();
  }
  EXPECT_FALSE(half.stick.keys.empty());
  Simulation resumed(std::move(second.model), half, second.options);
  for (int i = 21; i <= 40; ++i) ASSERT_TRUE(resumed.advance(0.01, 0.01 * i, [] {}).reached);
  EXPECT_EQ(hash(whole.state()), hash(resumed.state()));
}

// With limited steps no accepted state intersects, whatever the budget.
TEST(Penalty, LimitedStepsNeverIntersect) {
  SceneCase both(parse_scene(collision(", penalty: {step_limit: true}", "20"), "scene.yaml"));
  double most = 0;
  for (int i = 1; i <= 120; ++i) {
    ASSERT_TRUE(both.simulation().advance(0.002).reached);
    const Simulation& s = both.simulation();
    ASSERT_TRUE(scene::judge_state(s.model(), s.state().positions, s.state().time).is_clean()) << s.state().time;
    most = std::max(most, both.value("contacts.count"));
  }
  EXPECT_GT(most, 3);
}

}  // namespace
}  // namespace pliant::validation::penalty_test
