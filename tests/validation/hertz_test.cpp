// An elastic body with a spherical nose pressed on a rigid plane, against Hertz' theory:
//
//   F = 4/3 E* √R δ^{3/2},   E* = E/(1 − ν²),   contact radius a = √(R δ)          [Hertz1882]
//
// F force [N], R radius of the nose [m], δ approach of distant points [m]. The theory takes the body for a half-space: of a
// whole ball of radius R, held by its upper half, distant points are not far enough (at δ = R/50 a is R/7, and the force
// is 11 % above Hertz'; at R/20 17 %). So the nose sits on a body five times as large.
#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <map>

#include "pliant/mesh/ball_mesh.h"
#include "pliant/scene/verification.h"
#include "tests/io/result_scene.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::hertz_test {
namespace {

constexpr double kYoung = 1e5, kPoisson = 0.3;    // Pa, –
constexpr double kBody = 5;                       // m, radius of the body; that of the nose is 1 m
constexpr double kNose = 0.5;                     // m, the nose is a sphere up to here from the axis
constexpr double kCrowding = 0.9;                 // edges at the pole are 1/19 of a regular ball's
constexpr double kDistance = 4e-4;                // m, contact distance: 1/50 of the smallest δ
constexpr double kFirst = 0.02, kThrough = 0.05;  // m, approaches that count

// A quarter of the unit ball, x ≥ 0 and z ≥ 0, whose vertices crowd at the south pole. A Möbius map takes the ball and its
// planes of symmetry to themselves and keeps the shapes of small elements; at the pole lengths shrink by (1 − c)/(1 + c).
TetMesh crowded_quarter_ball(int cells) {
  const TetMesh ball = make_ball({.radius = 1, .cells = cells});
  const Vec3 c(0, -kCrowding, 0);
  const auto is_kept = [&](int v) { return ball.vertices[v].x() > -1e-9 && ball.vertices[v].z() > -1e-9; };
  std::map<int, int> index_of;
  TetMesh quarter;
  for (const Vec4i& tet : ball.tets) {
    if (!is_kept(tet[0]) || !is_kept(tet[1]) || !is_kept(tet[2]) || !is_kept(tet[3])) continue;
    Vec4i corners;
    for (int k = 0; k < 4; ++k) {
      const auto [entry, is_new] = index_of.try_emplace(tet[k], static_cast<int>(quarter.vertices.size()));
      corners[k] = entry->second;
      if (!is_new) continue;
      const Vec3& p = ball.vertices[tet[k]];
      const double pp = p.squaredNorm(), pc = p.dot(c), cc = c.squaredNorm();
      quarter.vertices.emplace_back(((1 + 2 * pc + pp) * c + (1 - cc) * p) / (1 + 2 * pc + cc * pp));
    }
    quarter.tets.push_back(corners);
  }
  return quarter;
}

// Scales the ball, puts its south pole at the origin and shears it along y, which keeps volumes, until its surface is a
// sphere of 1 m around the pole; outside of the nose the shear dies away as 1/r.
void give_a_nose(TetMesh& mesh) {
  const auto shift = [](double r) { return 1 - std::sqrt(1 - r * r) - (kBody - std::sqrt(kBody * kBody - r * r)); };
  const double slope = kNose / std::sqrt(1 - kNose * kNose) - kNose / std::sqrt(kBody * kBody - kNose * kNose);
  for (Vec3& x : mesh.vertices) {
    x *= kBody;
    const double r = std::hypot(x[0], x[2]);
    x[1] += kBody + (r < kNose ? shift(r) : shift(kNose) + slope * kNose * (1 - kNose / r));
  }
}

// In Medit's format.
void write_mesh(const std::filesystem::path& path, const TetMesh& mesh) {
  std::ofstream file(path);
  file << "MeshVersionFormatted 2\nDimension 3\nVertices\n" << mesh.vertices.size() << "\n";
  for (const Vec3& x : mesh.vertices) file << fmt::format("{} {} {} 0\n", x[0], x[1], x[2]);
  file << "Tetrahedra\n" << mesh.tets.size() << "\n";
  for (const Vec4i& t : mesh.tets) file << fmt::format("{} {} {} {} 0\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
  file << "End\n";
}

// Steps of δ = 0.01 m: the body's upper half goes down, the planes of symmetry hold what crosses them.
Scene pressed(const std::string& mesh) {
  return parse_scene(
      fmt::format("pliant: 1\n"
                  "title: A spherical nose on a plane\n"
                  "time: {{step: 1, end: 5, integrator: quasi_static}}\n"
                  "gravity: [0, 0, 0]\n"
                  "materials: {{soft: {{model: neo_hookean, young: {}, poisson: {}, density: 1000}}}}\n"
                  "bodies:\n"
                  "  - {{name: body, mesh: {{file: {}}}, material: soft, position: [0, {}, 0]}}\n"
                  "  - {{name: floor, kind: obstacle, mesh: {{plane: {{}}}}}}\n"
                  "pins:\n"
                  "  - {{body: body, where: {{box: {{min: [-20, {}, -20], max: [20, 20, 20]}}}}, motion: {{keyframes: "
                  "[{{t: 0}}, {{t: 1, position: [0, {}, 0]}}, {{t: 5, position: [0, {}, 0]}}]}}}}\n"
                  "  - {{body: body, where: {{box: {{min: [-1.0e-6, -1, -20], max: [1.0e-6, 20, 20]}}}}, axes: [x]}}\n"
                  "  - {{body: body, where: {{box: {{min: [-20, -1, -1.0e-6], max: [20, 20, 1.0e-6]}}}}, axes: [z]}}\n"
                  "contact: {{friction: 0, distance: {}}}\n"
                  "probes: [{{name: push, quantity: contact_force, bodies: [body, floor]}}]\n",
                  kYoung, kPoisson, mesh, kDistance, kBody, -0.01 - kDistance, -0.05 - kDistance, kDistance),
      "scene.yaml");
}

TEST(Hertz, ForceGrowsWithThePower3Over2OfTheApproach) {
  // At the pole edges are (π/2)(2/cells) kBody/19 = 0.026 m long: 5 per contact radius at the smallest δ.
  TetMesh mesh = crowded_quarter_ball(is_fine() ? 44 : 32);
  give_a_nose(mesh);
  const io::testing::TemporaryFolder folder;
  write_mesh(folder / "nose.mesh", mesh);
  SceneCase nose(pressed((folder / "nose.mesh").string()));
  double first = 0, last = 0;
  nose.run([&] {
    const double approach = 0.01 * nose.simulation().state().time;  // R is 1 m
    if (approach < kFirst - 1e-9) return;
    last = 4 * nose.value("push.y");
    if (first == 0) first = last;
    const double theory = 4.0 / 3 * kYoung / (1 - kPoisson * kPoisson) * std::pow(approach, 1.5);
    record(fmt::format("force / theory at {:.2f} R", approach), last / theory);
    EXPECT_NEAR(last, theory, 0.1 * theory);
  });
  const double exponent = std::log(last / first) / std::log(kThrough / kFirst);
  record("exponent", exponent);
  EXPECT_NEAR(exponent, 1.5, 0.05);
  const Simulation& simulation = nose.simulation();
  EXPECT_TRUE(scene::judge_state(simulation.model(), simulation.state().positions, simulation.state().time).is_clean());
}

}  // namespace
}  // namespace pliant::validation::hertz_test
