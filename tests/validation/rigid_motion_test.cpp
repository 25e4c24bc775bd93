// A body that is carried 3.7 m away and turned by 137° about an oblique axis is not strained: no energy, no stress and
// no force, at any moment on the way. [validation.md 1: within 1e-10 of the forces of a stretch by 10 %]
#include "tests/validation/scene_case.h"

namespace pliant::validation::rigid_motion_test {
namespace {

const char* const kTurningLaws[] = {"neo_hookean", "stable_neo_hookean", "corotated",  "st_venant_kirchhoff",
                                    "arap",        "mooney_rivlin",      "polynomial", "spline",
                                    "fibres"};

double largest_force(SceneCase& block) {
  const BlockVector forces = block.simulation().pin_forces();
  double largest = 0;
  for (int i = 0; i < forces.size(); ++i) largest = std::max(largest, forces[i].norm());
  return largest;
}

// Largest force during the motion, over that on the same mesh at 10 % strain.
double relative_force(const std::string& material) {
  const std::vector<std::string> choice = {"bodies.block.material=" + material};
  SceneCase stretched("patch.yaml", choice);
  stretched.run();
  SceneCase moved("rigid_motion.yaml", choice);
  double force = 0;
  moved.run([&] { force = std::max(force, largest_force(moved)); });
  // It did go there.
  EXPECT_NEAR((moved.position(0, 0) - moved.body(0).rest.vertices[0]).norm(), 3.95, 0.5);
  return force / largest_force(stretched);
}

class RigidMotion : public ::testing::TestWithParam<const char*> {};

TEST_P(RigidMotion, MeetsNoResistance) {
  const double force = relative_force(GetParam());
  record("relative_force", force);
  EXPECT_LE(force, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Laws, RigidMotion, ::testing::ValuesIn(kTurningLaws),
                         [](const auto& test) { return std::string(test.param); });

// The one law for which this does not hold, as its page says.
TEST(RigidMotionOfLinearLaw, IsResisted) { EXPECT_GT(relative_force("linear"), 1); }

}  // namespace
}  // namespace pliant::validation::rigid_motion_test
