// projection at a tight tolerance ends where newton ends, over a run: link cloth, cloth of triangles and hinges, FEM solids.
// [validation/agreement.md]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/validation/scene_case.h"

namespace pliant::validation::projection_agreement_test {
namespace {

struct Body {
  std::string name, body, pin;
};

Scene scene_of(const Body& body, const std::string& solver) {
  return parse_scene(fmt::format("pliant: 1\ntime: {{step: 0.01, end: 0.5}}\nsolver: {}\ncontact: {{method: none}}\n"
                                 "bodies:\n  - {{name: a, {}}}\npins: [{{body: a, where: {}}}]\n",
                                 solver, body.body, body.pin),
                     "agreement.yaml");
}

TEST(ProjectionAgreement, EndsWhereNewtonEnds) {
  const std::string box = "mesh: {box: {size: [0.3, 0.1, 0.1], cells: [4, 2, 2]}}";
  const std::string solid = ", young: 1.0e5, poisson: 0.3, density: 1000}, velocity: [0.1, 0, 0.5]";
  const std::string held = "{box: {min: [-1, -1, -1], max: [-0.149, 1, 1]}}";
  const Body bodies[] = {
      {"link cloth",
       "kind: springs, mesh: {grid: {size: [0.4, 0.4], cells: [8, 8]}}, material: {model: springs, surface_density: "
       "0.3, stretch_stiffness: 20, shear_stiffness: 6, bend_stiffness: 1}",
       "{vertices: [0, 8]}"},
      {"solid, St. Venant-Kirchhoff", box + ", material: {model: st_venant_kirchhoff" + solid, held},
      {"solid, corotated", box + ", material: {model: corotated" + solid, held},
      {"solid, linear", box + ", material: {model: linear" + solid, held}};
  for (const Body& body : bodies) {
    SceneCase newton(scene_of(body, "{method: newton, tolerance: 1.0e-9}"));
    SceneCase projection(scene_of(
        body, "{method: projection, tolerance: 1.0e-9, max_iterations: 200000, projection: {iterations: null}}"));
    const BlockVector start = newton.simulation().state().positions;
    newton.run();
    projection.run();
    const State &a = newton.simulation().state(), &b = projection.simulation().state();
    double farthest = 0, way = 0, speed = 0, fastest = 0;
    for (int k = 0; k < start.size(); ++k) {
      farthest = std::max(farthest, (a.positions[k] - b.positions[k]).norm());
      way = std::max(way, (a.positions[k] - start[k]).norm());
      speed = std::max(speed, (a.velocities[k] - b.velocities[k]).norm());
      fastest = std::max(fastest, a.velocities[k].norm());
    }
    record(body.name + ": largest distance / largest way", farthest / way);
    record("largest difference of speed / largest speed", speed / fastest);
    EXPECT_GT(way, 0.01) << body.name;
    EXPECT_LT(farthest, 1e-5 * way) << body.name;
  }
}

}  // namespace
}  // namespace pliant::validation::projection_agreement_test
