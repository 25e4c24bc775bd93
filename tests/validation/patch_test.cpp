// Patch test: when the boundary of an irregular mesh is moved by an affine map x = A X, the inside must follow it, and
// every part must carry the same stress. Elements that fail it do not converge. [validation.md 1: within 1e-9]
#include <Eigen/Dense>

#include "pliant/mesh/surface.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::patch_test {
namespace {

const char* const kMaterials[] = {"neo_hookean",   "stable_neo_hookean",
                                  "corotated",     "st_venant_kirchhoff",
                                  "linear",        "arap",
                                  "mooney_rivlin", "polynomial",
                                  "spline",        "fibres"};

class Patch : public ::testing::TestWithParam<const char*> {
 protected:
  static Scene scene() { return read_case("patch.yaml", {std::string("bodies.block.material=") + GetParam()}); }
};

// Largest distance between a vertex and the affine image of its rest place [m]; the block is 1 m wide.
double deviation(const SceneCase& patch, const Mat3& affine) {
  const std::vector<Vec3>& rest = patch.body(0).rest.vertices;
  double worst = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    worst = std::max(worst, (patch.position(0, static_cast<int>(v)) - affine * rest[v]).norm());
  }
  return worst;
}

// How far the forces of the pins are from those of a uniform stress. Mean stress and forces on the boundary are
//   P V = Σ f_i X_iᵀ,    f_i = P Σ (area vectors around i)/3,
// the second only if P is the same everywhere. Relative to the largest force.
double stress_deviation(SceneCase& patch) {
  const ModelBody& body = patch.body(0);
  const BlockVector forces = patch.simulation().pin_forces();
  const std::vector<Vec3i> triangles = boundary_triangles(body.rest);
  std::vector<Vec3> normals(body.rest.vertices.size(), Vec3::Zero());
  const std::vector<Vec3> areas = area_vectors(body.rest.vertices, triangles);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const int v : triangles[t]) normals[v] += areas[t] / 3;
  }
  Mat3 stress = Mat3::Zero();  // the volume is 1 m³
  for (std::size_t v = 0; v < normals.size(); ++v) {
    stress += forces[body.block_of_vertex[v]] * body.rest.vertices[v].transpose();
  }
  double worst = 0, largest = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const Vec3 force = forces[body.block_of_vertex[v]];
    worst = std::max(worst, (force - stress * normals[v]).norm());
    largest = std::max(largest, force.norm());
  }
  return worst / largest;
}

// As a user runs it: faces slide, edges and corners follow, the inside follows. Fibres must lie along an axis here:
// oblique ones shear the block, which sliding faces let happen.
TEST_P(Patch, SlidingFaces) {
  SceneCase patch(read_case("patch.yaml", {std::string("bodies.block.material=") + GetParam(),
                                           "materials.fibres.fibre.direction=[1, 0, 0]"}));
  ASSERT_NO_FATAL_FAILURE(patch.run());
  EXPECT_LE(deviation(patch, Vec3(1.10, 1.06, 1.04).asDiagonal()), 1e-9);
}

// Every boundary vertex is held where a stretch of 10 % with shear and a rotation puts it; inside, the solver starts at
// the rest places. The rotation is kept small for the sake of the linear law, which counts it as strain.
TEST_P(Patch, AffineBoundary) {
  Mat3 affine;
  affine << 1.10, 0.03, -0.02,  //
      0.01, 1.06, 0.02,         //
      0.00, -0.03, 1.05;
  Scene all_held = scene();
  scene::Pin pin;
  pin.body = "block";
  pin.where = scene::BoundarySelection{};
  all_held.pins = {pin};
  std::vector<bool> inside(125, true);
  SceneCase patch(all_held, [&](const Model& model, State& state) {
    const ModelBody& body = model.bodies[0];
    for (const Vec3i& triangle : boundary_triangles(body.rest)) {
      for (const int v : triangle) {
        inside[v] = false;
        state.positions[body.block_of_vertex[v]] = affine * body.rest.vertices[v];
      }
    }
  });
  ASSERT_EQ(std::count(inside.begin(), inside.end(), true), 27);
  EXPECT_GT(deviation(patch, affine), 0.05);
  ASSERT_NO_FATAL_FAILURE(patch.run());
  const double position = deviation(patch, affine), stress = stress_deviation(patch);
  record("deviation_m", position);
  record("stress_deviation", stress);
  EXPECT_LE(position, 1e-9);
  EXPECT_LE(stress, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Materials, Patch, ::testing::ValuesIn(kMaterials),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace pliant::validation::patch_test
