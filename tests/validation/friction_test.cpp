// What friction does over many steps, measured from the forces and slips that contacts report: it takes energy and gives none
// but what its springs hold, takes all that a thrown body has, and comes nearer to its cone the more often it is renewed.
// [validation/contact.md]
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "pliant/contact/contact_force.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::friction_test {
namespace {

const std::string kBarrier = "solver: {tolerance: 1.0e-7}\n",
                  kPenalty =
                      "solver: {method: quasi_newton, tolerance: 1.0e-7, max_iterations: 2000, quasi_newton: "
                      "{iterations: null}}\n";
// A soft block, and a sheet, thrown along a floor just above which they start.
const std::string kSolid =
    "  - {name: thrown, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [3, 2, 3]}}, position: [0, 0.0508, 0], velocity: "
    "[1, 0, 0.5], material: {model: neo_hookean, young: 2.0e5, poisson: 0.3, density: 1000, damping: "
    "{stiffness_proportional: 0.01}}}\n";
const std::string kCloth =
    "  - {name: thrown, kind: cloth, mesh: {grid: {size: [0.4, 0.4], cells: [6, 6], pattern: alternating}}, position: "
    "[0, 0.0012, 0], velocity: [1, 0, 0.5], material: {model: st_venant_kirchhoff, young: 1.0e5, poisson: 0.3, "
    "thickness: 5.0e-4, surface_density: 0.2, bending: {stiffness: 2.0e-5}, damping: {stiffness_proportional: "
    "0.005}}}\n";

struct Thrown {
  std::string name, solver, body;
  friend std::ostream& operator<<(std::ostream& out, const Thrown& thrown) { return out << thrown.name; }
};

class FrictionWork : public ::testing::TestWithParam<Thrown> {};

// Friction's work in a step is Σ f·s. What is positive of it comes out of springs: of one contact at most its energy at its
// stick displacement, ⅔ μ λ ε (friction.h). Over the run it is the kinetic energy along the floor.
TEST_P(FrictionWork, IsNeverMoreThanSpringsGaveBack) {
  SceneCase scene(parse_scene("pliant: 1\ntitle: " + GetParam().name + "\ntime: {step: 0.0025, end: 0.8}\n" +
                                  GetParam().solver + "contact: {friction: 0.3, distance: 1.0e-3}\nbodies:\n" +
                                  GetParam().body + "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n",
                              "scene.yaml"));
  const Simulation& simulation = scene.simulation();
  double total = 0, back = 0, worst = 0;
  int sliding = 0;
  scene.run([&] {
    double work = 0, springs = 0;
    for (const contact::ContactForce& f : simulation.contact_forces()) {
      const double normal = f.normal.dot(f.force - f.friction);
      work += f.friction.dot(f.slip);
      springs += 2.0 / 3 * std::max(f.friction.norm(), f.friction_coefficient * normal) * f.stick_displacement;
    }
    total += work;
    sliding += work < 0;
    back += std::max(0.0, work);
    EXPECT_LE(work, springs * (1 + 1e-9)) << simulation.state().time;
    if (springs > 0) worst = std::max(worst, work / springs);
  });
  double mass = 0;
  for (int i = 0; i < simulation.state().positions.size(); ++i) mass += simulation.model().inertia.masses()[i];
  const double kinetic = 0.5 * mass * (1 + 0.25);
  record("work over kinetic energy", total / kinetic);
  record("given back in all, over kinetic energy", back / kinetic);
  record("most work in a step over what springs hold", worst);
  EXPECT_GT(sliding, 50);
  EXPECT_LT(back, 1e-3 * kinetic);
  // Backward Euler takes the way at the end of each step: h μ g / v less.
  EXPECT_NEAR(total, -kinetic, 0.02 * kinetic);
}

INSTANTIATE_TEST_SUITE_P(Contact, FrictionWork,
                         ::testing::Values(Thrown{"barrier_solid", kBarrier, kSolid},
                                           Thrown{"barrier_cloth", kBarrier, kCloth},
                                           Thrown{"penalty_solid", kPenalty, kSolid},
                                           Thrown{"penalty_cloth", kPenalty, kCloth}),
                         [](const auto& tested) { return tested.param.name; });

// A block that lands on a slope: its normal forces change within steps, and friction follows as often as it is renewed.
TEST(Friction, MoreRenewalsComeNearerToTheCone) {
  std::vector<double> violation;
  for (const int renewals : {1, 2, 4, 8}) {
    SceneCase block("block_on_slope.yaml", {"bodies.block.position=[0, 0.06, 0]", "time.end=0.3",
                                            fmt::format("contact.friction_iterations={}", renewals)});
    double worst = 0;
    block.run([&] { worst = std::max(worst, block.simulation().contact_quality().relative_cone_violation); });
    record(fmt::format("relative cone violation, {} renewals", renewals), worst);
    violation.push_back(worst);
  }
  EXPECT_GT(violation[0], 1e-3);
  EXPECT_LT(violation[1], 0.7 * violation[0]);
  EXPECT_LT(violation[2], 0.3 * violation[0]);
  EXPECT_LT(violation[3], 0.05 * violation[0]);
}

}  // namespace
}  // namespace pliant::validation::friction_test
