// A semicircular arch of fifteen stones without mortar against limit analysis: it stands above the least friction with which
// forces in its joints can be in equilibrium, and falls below. [validation/projection.md]
//
// By symmetry the crown bears a horizontal force H alone. With W the weight above a joint at an angle φ from the crown and
// M = Σ w x its moment about the middle, the joint bears
//   N = H cos φ + W sin φ,    T = W cos φ − H sin φ,    |T| ≤ μ N
// at the radius r with N r = H y + M, y where H acts, and r inside the joint: R₁ ≤ r ≤ R₂. Linear in (H, H y): a program of
// two unknowns. Any state in equilibrium and its mirror image have a symmetric mean, so there is none with less friction.
#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/validation/projection_case.h"

namespace pliant::validation::masonry_arch_test {
namespace {

constexpr int kStones = 15;
constexpr double kTurn = std::numbers::pi / kStones;  // rad, of a stone

struct Limits {
  double least_friction = 1e9;
  double least_thrust = 1e9, largest_thrust = 0;  // over the weight of half the arch; none if least > largest
};
// A stone is a triangle of radius R₂ without one of R₁, both with the angle kTurn at the middle.
Limits limits_of(double inner, double outer) {
  const auto area = [](double radius) { return 0.5 * radius * radius * std::sin(kTurn); };
  const auto first_moment = [&](double radius) { return area(radius) * 2 / 3 * radius * std::cos(kTurn / 2); };
  const double stone = area(outer) - area(inner), moment = first_moment(outer) - first_moment(inner);
  // Half the stone at the crown: half a triangle's centre is R sin(kTurn/2)/3 beside its axis.
  const auto half_moment = [&](double radius) { return area(radius) / 2 * radius * std::sin(kTurn / 2) / 3; };
  struct JointLoad {
    double angle, weight, moment;
  };
  std::vector<JointLoad> joints = {{kTurn / 2, stone / 2, half_moment(outer) - half_moment(inner)}};
  for (int k = 1; k <= kStones / 2; ++k)
    joints.push_back(
        {(k + 0.5) * kTurn, joints.back().weight + stone, joints.back().moment + moment * std::sin(k * kTurn)});
  Limits limits;
  const double half = joints.back().weight;
  for (int i = 1; i < 20000; ++i) {
    const double thrust = half * i / 20000;
    double lowest = -1e9, highest = 1e9, friction = 0;
    for (const JointLoad& joint : joints) {
      const double c = std::cos(joint.angle), s = std::sin(joint.angle), normal = thrust * c + joint.weight * s;
      lowest = std::max(lowest, (inner * normal - joint.moment) / thrust);
      highest = std::min(highest, (outer * normal - joint.moment) / thrust);
      friction = std::max(friction, std::abs(joint.weight * c - thrust * s) / normal);
    }
    if (lowest > highest) continue;
    limits.least_friction = std::min(limits.least_friction, friction);
    limits.least_thrust = std::min(limits.least_thrust, thrust / half);
    limits.largest_thrust = std::max(limits.largest_thrust, thrust / half);
  }
  return limits;
}

// A stone around the y axis, 20 microradians less than its share, as a mesh in a file.
std::filesystem::path stone_file(double inner, double outer) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("pliant_stone_{}_{}.obj", inner, outer);
  std::ofstream out(path);
  const double s = std::sin(kTurn / 2 - 1e-5), c = std::cos(kTurn / 2 - 1e-5);
  for (const double z : {-0.15, 0.15}) {
    for (const double r : {inner, outer})
      out << fmt::format("v {0:.12f} {1:.12f} {2}\nv {3:.12f} {1:.12f} {2}\n", r * s, r * c, z, -r * s);
  }
  out << "f 6 5 7\nf 6 7 8\nf 1 2 4\nf 1 4 3\nf 8 7 3\nf 8 3 4\nf 2 1 5\nf 2 5 6\nf 5 1 3\nf 5 3 7\nf 2 6 8\nf 2 8 4\n";
  return path;
}

// m, how far the crown has sunk after a time.
double sinking(double inner, double outer, double friction, double end) {
  const std::filesystem::path stone = stone_file(inner, outer);
  std::string bodies;
  for (int k = 0; k < kStones; ++k)
    bodies += fmt::format(
        "  - {{name: stone_{}, kind: rigid, mesh: {{file: {}}}, material: {{density: 2400}}, position: [0, 1.0e-5, 0], "
        "rotation: {{axis: [0, 0, 1], degrees: {:.12g}}}}}\n",
        k, stone.string(), 90 - (k + 0.5) * 180 / kStones);
  const ProjectionRun run{.step = 0.005, .end = end, .iterations = "100", .friction = friction};
  SceneCase arch(projection_scene(
      run, bodies + "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
                    "probes: [{name: crown, body: stone_7, quantity: mean_position}, {name: energy, quantity: "
                    "energy}]\n"));
  const double start = arch.value("crown.y");
  arch.run();
  record(fmt::format("{} to {} m, friction {:.4f}: crown sank by [m]", inner, outer, friction),
         start - arch.value("crown.y"));
  record("kinetic energy [J]", arch.value("energy.kinetic"));
  return start - arch.value("crown.y");
}

TEST(MasonryArch, LimitAnalysisKnowsTheLeastThickness) {
  // Of a semicircle 0.1075 of the mean radius [Milankovitch1907]; stones with faces are a little more.
  EXPECT_GT(limits_of(0.95, 1.05).least_thrust, limits_of(0.95, 1.05).largest_thrust);
  EXPECT_LT(limits_of(0.945, 1.055).least_thrust, limits_of(0.945, 1.055).largest_thrust);
}

TEST(MasonryArch, StandsAboveItsCriticalFrictionAndFallsBelow) {
  for (const double thickness : {0.15, 0.2}) {
    const double inner = 1 - thickness / 2, outer = 1 + thickness / 2,
                 critical = limits_of(inner, outer).least_friction;
    record(fmt::format("thickness {}: critical friction", thickness), critical);
    EXPECT_LT(sinking(inner, outer, 1.05 * critical, 4), 1e-3) << thickness;
    EXPECT_GT(sinking(inner, outer, 0.95 * critical, 4), 0.02) << thickness;
  }
}

}  // namespace
}  // namespace pliant::validation::masonry_arch_test
