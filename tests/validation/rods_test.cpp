// Rods against the theory of slender rods: sag, buckling under weight and force, twist, the twisted ring, helices.
// [validation.md 4]
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tests/validation/rod_measures.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::rods_test {
namespace {

using std::numbers::pi;

// --- Bending and twisting ---

// Sag of the tip of rod_cantilever.yaml over ρ g A L⁴/(8 E I), L from the middle of the clamped edge.
double sag_ratio(int segments) {
  SceneCase rod("rod_cantilever.yaml", {fmt::format("bodies.rod.mesh.strand.segments={}", segments),
                                        fmt::format("probes.tip.where.vertices=[{}]", segments)});
  rod.run();
  const double density = 1000, young = 1e10, radius = 0.01, length = 1 - 0.5 / segments;
  const double area = pi * radius * radius, inertia = 0.25 * area * radius * radius;
  EXPECT_NEAR(rod.value("clamp.y"), density * 9.81 * area, 1e-6 * density * 9.81 * area);
  return -rod.value("tip.y") / (density * 9.81 * area * std::pow(length, 4) / (8 * young * inertia));
}

TEST(RodCantilever, SagsAsAnElasticBeam) {
  for (const int segments : {10, 50}) {
    const double ratio = sag_ratio(segments);
    record(fmt::format("ratio_{}", segments), ratio);
    EXPECT_NEAR(ratio, 1, segments == 50 ? 0.005 : 0.02);
  }
}

// A flat rod bends about either axis of its section as that axis says.
TEST(RodCantilever, BendsAboutBothAxesOfARectangle) {
  const double across = 0.03, along_up = 0.01, length = 0.99;  // m
  for (const bool sideways : {false, true}) {
    SceneCase rod("rod_cantilever.yaml",
                  {fmt::format("materials.rod.section={{rectangle: [{}, {}]}}", across, along_up),
                   sideways ? "gravity=[0, 0, -9.81]" : "gravity=[0, -9.81, 0]"});
    rod.run();
    const double height = sideways ? across : along_up;
    const double expected = 1000 * 9.81 * 12 / (height * height) * std::pow(length, 4) / (8 * 1e10);
    const double ratio = -rod.value(sideways ? "tip.z" : "tip.y") / expected;
    record(sideways ? "ratio_across" : "ratio_up", ratio);
    EXPECT_NEAR(ratio, 1, 0.005);
  }
}

TEST(RodTwist, EndTorqueTurnsTheEndByTheory) {
  for (const int segments : {3, 100}) {
    SceneCase rod("rod_twist.yaml",
                  {fmt::format("bodies.rod.mesh.strand.segments={}", segments),
                   fmt::format("loads.0.where.vertices=[{}, {}]", segments - 1, segments), "probes=[]", "expect=[]"});
    rod.run();
    const double moment = 3.21699e-4, shear = 2e6, radius = 4e-3;
    const double expected = moment * (1 - 1.0 / segments) / (shear * pi * std::pow(radius, 4) / 2);
    // All joints of a straight rod: the turn of the section from the first edge to the last.
    const double angle = total_twist(rod.simulation());
    record(fmt::format("error_{}", segments), angle / expected - 1);
    EXPECT_NEAR(angle, expected, 1e-6 * expected);
  }
}

// A torque that is small against the forces of the scene, in numbers: a taut wire is twisted in the second step.
TEST(RodTwist, SmallTorqueBesideALargeForce) {
  SceneCase wire(
      "rod_twist.yaml",
      {"time={step: 1, end: 2, integrator: quasi_static}", "solver.tolerance=1.0e-6", "probes=[]", "expect=[]",
       "materials.rod={model: elastic_rod, density: 1300, young: 3.9e9, shear: 1.0e9, section: {circle: 1.0e-4}}",
       "loads=[{body: rod, where: {vertices: [100]}, force: [1, 0, 0]}, {body: rod, where: {vertices: [99, 100]}, "
       "torque: [1.0e-7, 0, 0], from: 1}]"});
  wire.run();
  const double expected = 1e-7 * 0.99 / (1e9 * pi * std::pow(1e-4, 4) / 2);
  record("error", total_twist(wire.simulation()) / expected - 1);
  EXPECT_NEAR(total_twist(wire.simulation()), expected, 1e-3 * expected);
}

// --- Columns ---

constexpr double kColumnYoung = 2e8, kColumnRadius = 5e-3, kColumnDensity = 1000, kColumnLength = 1;  // as in the scene
constexpr double kRadiusSquared = kColumnRadius * kColumnRadius;

// How far a column leans over at rest [m]. Beyond the critical load it is let go, and falls until it is at rest:
// quasi-static steps leave a state that has just become unstable only slowly.
enum class Way { still, falling };
double lean(Way way, std::vector<std::string> overrides) {
  if (way == Way::falling) overrides.push_back("time={step: 0.2, end: 60}");
  overrides.push_back("expect=[]");
  SceneCase column("column.yaml", overrides);
  column.run();
  return column.value("tip.x");
}
double lean_under_weight(double gravity, Way way) { return lean(way, {fmt::format("gravity=[0, {}, 0]", -gravity)}); }
double lean_under_force(double force, Way way) {
  return lean(way, {"gravity=[0, 0, 0]", fmt::format("loads.0.force=[1.0e-7, {}, 0]", -force)});
}

// Southwell's plot: near the critical load, the lean caused by a small force sideways is as 1/(1 − load/critical).
// Where 1/lean from two loads below, 0.97 and 0.99 of the expected one, becomes zero.
template <class Lean>
double critical_ratio(const Lean& lean_at) {
  const double first = 1 / lean_at(0.97), second = 1 / lean_at(0.99);
  return 0.99 + 0.02 * second / (first - second);
}

TEST(ColumnBuckling, UnderItsOwnWeightAtGreenhillsLength) {
  // Critical lengths are as the cube root of gravity: gravity is varied instead of length.
  const double critical = 7.8373 * kColumnYoung * 0.25 * kRadiusSquared / kColumnDensity / std::pow(kColumnLength, 3);
  const double ratio = critical_ratio([&](double load) { return lean_under_weight(load * critical, Way::still); });
  record("length_ratio", std::cbrt(ratio));
  EXPECT_NEAR(std::cbrt(ratio), 1, 0.02);
  // 2 % shorter it stands, 2 % longer it falls.
  const double shorter = lean_under_weight(std::pow(0.98, 3) * critical, Way::falling);
  const double longer = lean_under_weight(std::pow(1.02, 3) * critical, Way::falling);
  record("lean_shorter", shorter);
  record("lean_longer", longer);
  EXPECT_LT(shorter, 1e-4 * kColumnLength);
  EXPECT_GT(longer, 0.1 * kColumnLength);
}

TEST(ColumnBuckling, UnderEulersForce) {
  const double inertia = pi * kRadiusSquared * kRadiusSquared / 4;
  const double critical = pi * pi * kColumnYoung * inertia / (4 * kColumnLength * kColumnLength);
  const double ratio = critical_ratio([&](double load) { return lean_under_force(load * critical, Way::still); });
  record("force_ratio", ratio);
  EXPECT_NEAR(ratio, 1, 0.02);
  EXPECT_LT(lean_under_force(0.98 * critical, Way::falling), 1e-4 * kColumnLength);
  // Beyond it, the elastica: F/F_c = (2/π K(sin α/2))² with α the angle of the tip; x = 2 sin(α/2)/√(F/(E I)).
  const double modulus = std::sin(0.5 * pi / 4.5);  // α = 40°
  const double quarter = std::comp_ellint_1(modulus), load = std::pow(2 / pi * quarter, 2);
  const double above = lean_under_force(load * critical, Way::falling),
               elastica = 2 * modulus * kColumnLength / quarter;
  record("elastica_load", load);
  record("elastica_ratio", above / elastica);
  EXPECT_NEAR(above, elastica, 0.02 * elastica);
}

// --- The ring of Michell and Zajac ---

// At the start all of the twist is there, the same at every joint, also where the ends were joined: n joints of angle
// 2π/n. Curvature is measured along the mean of two directors, which are apart by the joint's twist.
void expect_even_twist(SceneCase& ring, int segments, double twist, double shear) {
  const double n = segments, edge = 2 * 0.2 * std::sin(pi / n), fourth = std::pow(5e-3, 4);
  const double bend = 2 * std::tan(pi / n) * std::cos(twist / (2 * n)), bend_stiffness = 3e6 * pi * fourth / 4;
  const double energy =
      n / (2 * edge) * (bend_stiffness * bend * bend + shear * pi * fourth / 2 * std::pow(twist / n, 2));
  EXPECT_NEAR(ring.simulation().energies().elastic, energy, 1e-9 * energy);
}

// By how much what is out of plane has grown from the middle of the run to its end, of a ring twisted by a multiple of
// the critical twist.
double ring_growth(int segments, double twist_ratio, double shear) {
  const double critical = 2 * pi * std::sqrt(3.0) * 3e6 / (2 * shear);  // rad; E I/(G J) of a circle is E/(2 G)
  const double twist = twist_ratio * critical;
  SceneCase ring("ring.yaml", {"time.end=4", fmt::format("bodies.ring.mesh.strand.helix.segments={}", segments),
                               fmt::format("loads.0.where.vertices=[0, {}]", segments / 2),
                               fmt::format("loads.1.where.vertices=[{}, {}]", segments / 4, 3 * segments / 4),
                               fmt::format("bodies.ring.mesh.strand.initial_twist={:.17g}", twist * 180 / pi),
                               fmt::format("materials.rod.shear={}", shear), "expect=[]"});
  expect_even_twist(ring, segments, twist, shear);
  // The mode that becomes unstable first has two waves around the ring.
  const auto out_of_plane = [&] {
    Vec2 sum = Vec2::Zero();
    for (int v = 0; v < segments; ++v) {
      const double phase = 4 * pi * v / segments;
      sum += ring.position(0, v).y() * Vec2(std::cos(phase), std::sin(phase));
    }
    return sum.norm();
  };
  double middle = 0;
  ring.run([&] {
    if (middle == 0 && ring.simulation().state().time >= 0.5 * ring.scene().time.end) middle = out_of_plane();
  });
  return out_of_plane() / middle;
}

// Where it begins to grow, by bisection, over Michell's twist.
double ring_threshold(int segments, double shear) {
  double low = 0.95, high = 1.05;
  while (high - low > 0.002) {
    const double middle = 0.5 * (low + high);
    (ring_growth(segments, middle, shear) > 1 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

TEST(TwistedRing, BucklesAtMichellsTwist) {
  for (const double shear : {1e6, 1.5e6}) {  // E I/(G J) 1.5 and 1
    const double ratio = ring_threshold(96, shear);
    record(fmt::format("twist_ratio_{:g}", shear), ratio);
    EXPECT_NEAR(ratio, 1, 0.03);
  }
  if (is_fine()) {
    const double ratio = ring_threshold(192, 1e6);
    record("twist_ratio_192_segments", ratio);
    EXPECT_NEAR(ratio, 1, 0.01);
  }
}

// --- Helices ---

struct HelixShape {
  double radius = 0, pitch = 0;  // m
};

// Of the helix through four neighbouring vertices: second differences point to the axis and turn with it.
HelixShape helix_at(const SceneCase& rod, int vertex) {
  const Vec3 p = rod.position(0, vertex - 1), q = rod.position(0, vertex), r = rod.position(0, vertex + 1),
             s = rod.position(0, vertex + 2);
  const Vec3 first = p - 2 * q + r, second = q - 2 * r + s, axis = first.cross(second).normalized();
  const double angle = std::atan2(first.cross(second).norm(), first.dot(second));
  return {first.norm() / (2 * (1 - std::cos(angle))), 2 * pi / angle * (r - q).dot(axis)};
}

void expect_helix(double curvature, double twist) {
  SceneCase rod("helix.yaml",
                {fmt::format("bodies.rod.rest={{curvature: [{}, 0], twist: {}}}", curvature, twist), "expect=[]"});
  rod.run();
  HelixShape mean;
  for (int v = 1; v < 99; ++v) {
    const HelixShape shape = helix_at(rod, v);
    mean.radius += shape.radius / 98;
    mean.pitch += shape.pitch / 98;
  }
  const double square = curvature * curvature + twist * twist;
  record(fmt::format("radius_ratio_{}_{}", curvature, twist), mean.radius / (curvature / square));
  record(fmt::format("pitch_ratio_{}_{}", curvature, twist), mean.pitch / (2 * pi * twist / square));
  record("elastic", rod.value("energy.elastic"));
  EXPECT_NEAR(mean.radius, curvature / square, 0.005 * curvature / square);
  EXPECT_NEAR(mean.pitch, 2 * pi * twist / square, 0.005 * 2 * pi * std::abs(twist) / square);
}

TEST(Helix, RestCurvatureAndTwistGiveRadiusAndPitch) {
  expect_helix(8, 3);
  expect_helix(6, -2);  // left-handed
}

}  // namespace
}  // namespace pliant::validation::rods_test
