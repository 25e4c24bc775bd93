// Energies of rods and springs: rest shapes without force, twisted rings, viscosity, and the stiffness of each link.
#include "pliant/scene/rod_energies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::evaluate;
using pliant::testing::largest;
using pliant::testing::ThinScene;
using std::numbers::pi;

// E = 1 MPa, G = 0.4 MPa; I₁ = a³b/12, I₂ = ab³/12.
const std::string kStrip =
    "model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {rectangle: [0.01, "
    "0.02]}";
constexpr double kYoung = 1e6, kShear = 4e5, kArea = 2e-4, kFirstMoment = 1e-6 * 0.02 / 12,
                 kSecondMoment = 0.01 * 8e-6 / 12;

BuiltScene built_rod(const std::string& strand, const std::string& body = "", const std::string& material = "") {
  return ThinScene{.kind = "rod", .mesh = "{strand: {" + strand + "}}", .material = kStrip + material, .body = body}
      .built();
}

// Forces of a body of this size, for scale.
constexpr double kNone = 1e-9;

TEST(RodEnergies, StraightRestIsStraight) {
  const BuiltScene line = built_rod("length: 1, segments: 5");
  EXPECT_LT(largest(evaluate(line, line.state.positions).gradient), kNone);
  const BuiltScene coil = built_rod("helix: {radius: 0.1, pitch: 0.05, turns: 2, segments: 60}");
  EXPECT_GT(largest(evaluate(coil, coil.state.positions).gradient), 1e-3);
}

TEST(RodEnergies, AsGivenRestsWhereItLies) {
  for (const char* strand : {"helix: {radius: 0.1, pitch: 0.05, turns: 2, segments: 60}",
                             "helix: {pitch: 0, turns: 1, segments: 7}, closed: true",
                             "points: [[0, 0, 0], [0.1, 0, 0], [0.1, 0.2, 0], [0.3, 0.2, 0.1]]"}) {
    const BuiltScene built = built_rod(strand, ", rest: as_given, up: [1, 2, 3]");
    EXPECT_LT(largest(evaluate(built, built.state.positions).gradient), kNone) << strand;
    EXPECT_NEAR(evaluate(built, built.state.positions).value, 0, 1e-15) << strand;
  }
}

// A regular polygon turns by 2π/n at each vertex: its curvature is that over the length of an edge, and the rod is at
// rest curved towards the axis that points to its middle: across for up along y, up for up towards the middle.
TEST(RodEnergies, GivenCurvatureTurnsTowardsTheAxesOfTheSection) {
  const int n = 9;
  const double length = 2 * 0.3 * std::sin(pi / n), curvature = 2 * pi / n / length;
  const std::string ring = "helix: {radius: 0.3, pitch: 0, turns: 1, segments: 9}, closed: true";
  // Stored per unit of length, over that of a ring bent from straight. (A wrong curvature is no force in a ring: an even
  // moment is in balance.)
  const auto energy = [&](const std::string& up, double first, double second) {
    const std::string curved = fmt::format(", up: {}, rest: {{curvature: [{:.17g}, {:.17g}]}}", up, first, second);
    const BuiltScene built = built_rod(ring, curved);
    const double moment = up == "[0, 1, 0]" ? kFirstMoment : kSecondMoment;
    return evaluate(built, built.state.positions).value /
           (n * 0.5 * kYoung * moment * std::pow(2 * std::tan(pi / n), 2) / length);
  };
  EXPECT_NEAR(energy("[0, 1, 0]", 0, 0), 1, 1e-12);
  EXPECT_NEAR(energy("[0, 1, 0]", curvature, 0), 0, 1e-12);
  EXPECT_NEAR(energy("[0, 1, 0]", -curvature, 0), 4, 1e-11);
  EXPECT_NEAR(energy("[0, 1, 0]", 0, curvature), 1 + kSecondMoment / kFirstMoment, 1e-11);
  // From the middle of the first edge to the middle of the ring; the ring turns from x to −z.
  const std::string inwards = fmt::format("[{:.17g}, 0, {:.17g}]", -std::cos(pi / n), std::sin(pi / n));
  EXPECT_NEAR(energy(inwards, 0, curvature), 0, 1e-12);
  EXPECT_NEAR(energy(inwards, 0, -curvature), 4, 1e-11);
}

// A straight rod whose section turns by t per metre is at rest with that twist.
TEST(RodEnergies, GivenTwistTurnsTheSection) {
  const BuiltScene built = built_rod("length: 1, segments: 10, initial_twist: 90",  // over 0.9 m between middles
                                     ", rest: {twist: " + std::to_string(pi / 2 / 0.9) + "}");
  EXPECT_LT(largest(evaluate(built, built.state.positions).gradient), 1e-6);
  const BuiltScene other =
      built_rod("length: 1, segments: 10, initial_twist: -90", ", rest: {twist: " + std::to_string(pi / 2 / 0.9) + "}");
  EXPECT_GT(largest(evaluate(other, other.state.positions).gradient), 1e-3);
}

// A curved and twisted rod relaxes without any energy left: the two do not contradict each other.
TEST(RodEnergies, CurvatureAndTwistMakeAHelix) {
  ThinScene text{.kind = "rod",
                 .mesh = "{strand: {length: 0.6, segments: 30}}",
                 .material = "model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {circle: 0.01}",
                 .body = ", rest: {curvature: [6, 0], twist: 8}",
                 .more = "pins: [{body: thing, where: {vertices: [0, 1]}}]\n"};
  Scene scene = text.parse();
  scene.time.integrator = Integrator::quasi_static;
  scene.solver.tolerance = 1e-8;
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), built.state, built.options);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.advance(0.1).reached);
  EXPECT_LT(simulation.energies().elastic, 1e-10);
  // Radius k/(k² + t²) and pitch 2π t/(k² + t²) of the curve: a turn of it is 2π/√(k² + t²) = 0.628 m long.
  const ModelBody& rod = simulation.model().bodies[0];
  const auto x = [&](int v) { return Vec3(simulation.state().positions[rod.block_of_vertex[v]]); };
  const auto turning = [&](int v) {
    return std::acos((x(v + 1) - x(v)).normalized().dot((x(v) - x(v - 1)).normalized()));
  };
  // A joint measures its curvature along the mean of the directors of both edges, 8 · 0.02 rad apart.
  for (int v = 1; v < 30; ++v) EXPECT_NEAR(turning(v), 2 * std::atan(std::tan(0.06) / std::cos(0.08)), 1e-6);
  // Torsion: the turn of the osculating plane from one joint to the next.
  for (int v = 1; v < 29; ++v) {
    const Vec3 e = (x(v + 1) - x(v)).normalized();
    const Vec3 first = (x(v) - x(v - 1)).cross(e).normalized(), second = e.cross(x(v + 2) - x(v + 1)).normalized();
    EXPECT_NEAR(std::atan2(e.dot(first.cross(second)), first.dot(second)), 8 * 0.02, 2e-3);
  }
}

// A ring closed after its ends were turned against each other: the twist is even, so no edge wants to turn, and the
// energy is G J Tw²/2L.
TEST(RodEnergies, RingsAreTwistedEvenly) {
  const int n = 24;
  const double length = n * 2 * 0.3 * std::sin(pi / n), torsion = pi / 2 * 1e-8;  // of a circle of 1 cm
  const auto ring = [](double degrees) {
    return ThinScene{
        .kind = "rod",
        .mesh = fmt::format("{{strand: {{helix: {{radius: 0.3, pitch: 0, turns: 1, segments: 24}}, closed: "
                            "true, initial_twist: {}}}}}",
                            degrees),
        .material = "model: elastic_rod, density: 1, young: 1.0e6, shear: 4.0e5, section: {circle: 0.01}"}
        .built();
  };
  const BuiltScene untwisted = ring(0);
  const double bent = evaluate(untwisted, untwisted.state.positions).value;
  for (const double degrees : {360.0, 1080.0, -720.0, 180.0, 77.0}) {
    const BuiltScene built = ring(degrees);
    const pliant::testing::Evaluated at = evaluate(built, built.state.positions);
    for (const RodEdge& edge : built.model.rods.edges) EXPECT_NEAR(at.gradient[edge.twist][0], 0, 1e-12);
    const double twist = degrees * pi / 180, wanted = 0.5 * kShear * torsion * twist * twist / length;
    // Joints measure their curvature along the mean of directors that are Tw/n apart.
    const double mean = std::cos(0.5 * twist / n);
    EXPECT_NEAR(at.value - mean * mean * bent, wanted, 1e-10 * wanted) << degrees;
  }
}

// --- Viscosity ---

struct Viscous {
  BuiltScene plain, thick;
  Viscous(const std::string& strand, const std::string& material)
      : plain(built_rod(strand)), thick(built_rod(strand, "", material)) {}
  // What a step of h from rest to x costs beyond the elastic energy.
  [[nodiscard]] double excess(const BlockVector& x, double h) const {
    return evaluate(thick, x, thick.state.positions, h).value - evaluate(plain, x).value;
  }
};

TEST(RodEnergies, ViscosityResistsStretchingBendingAndTwisting) {
  constexpr double kViscosity = 50, kStep = 0.1;
  const Viscous rods("length: 0.4, segments: 2", ", viscosity: 50");
  const RodTopology& topology = rods.plain.model.rods;
  const BlockVector rest = rods.plain.state.positions;
  // Stretched by 1 %: ½ 3η A ε²/h per length, Trouton's three.
  BlockVector x = rest;
  for (int i = 0; i < x.size(); i += 2) x[i] *= 1.01;
  double wanted = 0.5 * 3 * kViscosity * kArea * 1e-4 / kStep * 0.4;
  EXPECT_NEAR(rods.excess(x, kStep), wanted, 1e-9 * wanted);
  // Bent by 0.3 rad in either plane: κ = 2 tan 0.15 over the joint's 0.2 m.
  const double kappa = 2 * std::tan(0.15);
  for (int axis = 1; axis < 3; ++axis) {
    x = rest;
    x[4] = Vec3(0.2 + 0.2 * std::cos(0.3), 0, 0);
    x[4][axis] = 0.2 * std::sin(0.3);
    // The second axis of the section points along y, so bending towards y is I₂.
    wanted = 0.5 * 3 * kViscosity * (axis == 1 ? kSecondMoment : kFirstMoment) * kappa * kappa / 0.2 / kStep;
    EXPECT_NEAR(rods.excess(x, kStep), wanted, 1e-9 * wanted) << axis;
  }
  // Twisted by 0.3 rad.
  x = rest;
  x[topology.edges[1].twist][0] = 0.3;
  const double torsion = evaluate(rods.plain, x).value / kShear;  // J 0.3²/2L
  wanted = kViscosity * torsion / kStep;
  EXPECT_NEAR(rods.excess(x, kStep), wanted, 1e-9 * wanted);
}

TEST(RodEnergies, DampingIsProportionalToStiffness) {
  const Viscous rods("length: 0.4, segments: 4", ", damping: {stiffness_proportional: 0.02}");
  BlockVector x = rods.plain.state.positions;
  for (int i = 0; i < x.size(); i += 2) x[i] += 1e-2 * Vec3(std::sin(i), std::cos(2 * i), std::sin(3 * i));
  for (const RodEdge& edge : rods.plain.model.rods.edges) x[edge.twist][0] = 0.1 * std::sin(5 * edge.twist);
  const double elastic = evaluate(rods.plain, x).value;
  EXPECT_NEAR(rods.excess(x, 0.01), 2 * elastic, 1e-9 * elastic);
}

// Moduli reach the stiffnesses: E A of stretching and E I of bending in both planes.
TEST(RodEnergies, StiffnessIsModulusTimesMoment) {
  const BuiltScene built = built_rod("length: 0.4, segments: 2");
  BlockVector x = built.state.positions;
  for (int i = 0; i < x.size(); i += 2) x[i] *= 1.01;
  EXPECT_NEAR(evaluate(built, x).value, 0.5 * kYoung * kArea * 1e-4 * 0.4, 1e-12);
  const double kappa = 2 * std::tan(0.15);
  x = built.state.positions;
  x[4] = Vec3(0.2 + 0.2 * std::cos(0.3), 0.2 * std::sin(0.3), 0);
  const double towards_up = 0.5 * kYoung * kSecondMoment * kappa * kappa / 0.2;
  EXPECT_NEAR(evaluate(built, x).value, towards_up, 1e-9 * towards_up);
}

// --- Springs ---

// Scaled by 1 + ε, a link of length L stores ½ k (ε L)².
TEST(RodEnergies, LinksHaveTheStiffnessOfTheirKind) {
  const auto energy_of = [](const std::string& stiffness) {
    const BuiltScene built = ThinScene{.kind = "springs",
                                       .mesh = "{grid: {size: [3, 2], cells: [3, 2]}}",
                                       .material = "model: springs, surface_density: 0.1, " + stiffness}
                                 .built();
    BlockVector x = built.state.positions;
    EXPECT_LT(largest(evaluate(built, x).gradient), 1e-12);
    for (int i = 0; i < x.size(); ++i) x[i] *= 1.1;
    return evaluate(built, x).value;
  };
  const double stretch = energy_of("stretch_stiffness: 10");
  EXPECT_NEAR(stretch, 0.5 * 10 * 0.01 * 17, 1e-12);  // 3·3 + 2·4 edges of 1 m
  EXPECT_NEAR(energy_of("stretch_stiffness: 10, shear_stiffness: 3") - stretch, 0.5 * 3 * 0.02 * 12, 1e-12);
  EXPECT_NEAR(energy_of("stretch_stiffness: 10, bend_stiffness: 2") - stretch, 0.5 * 2 * 0.04 * 10, 1e-12);
}

TEST(RodEnergies, SpringsAreDampedInProportion) {
  const std::string chain = "model: springs, linear_density: 0.1, stretch_stiffness: 10";
  ThinScene text{.kind = "springs", .mesh = "{strand: {length: 1, segments: 3}}", .material = chain};
  const BuiltScene plain = text.built();
  text.material += ", damping: {stiffness_proportional: 0.02}";
  const BuiltScene damped = text.built();
  BlockVector x = plain.state.positions;
  for (int i = 0; i < x.size(); ++i) x[i] *= 1.01;
  const double elastic = evaluate(plain, x).value;
  EXPECT_NEAR(evaluate(damped, x, damped.state.positions, 0.01).value, 3 * elastic, 1e-9 * elastic);
}

// One energy for all rods and one for all springs, however many bodies there are.
TEST(RodEnergies, BodiesShareOneEnergy) {
  ThinScene text{.kind = "rod",
                 .mesh = "{strand: {segments: 3}}",
                 .material = kStrip,
                 .body = ", copies: {count: [3, 1, 1], spacing: [0, 1, 0]}"};
  text.more =
      "  - {name: net, kind: springs, mesh: {grid: {}}, material: {model: springs, surface_density: 1, "
      "stretch_stiffness: 1}, copies: {count: [2, 1, 1], spacing: [3, 0, 0]}}\n";
  const BuiltScene built = text.built();
  ASSERT_EQ(built.model.energies.size(), 2U);
  EXPECT_EQ(built.model.energies[0]->name(), "elastic_rods");
  EXPECT_EQ(built.model.energies[1]->name(), "springs");
  EXPECT_EQ(built.model.roles, (std::vector{EnergyRole::elastic, EnergyRole::elastic}));
}

}  // namespace
}  // namespace pliant::scene
