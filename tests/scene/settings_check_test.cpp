// Scenes made in code are checked like files: ranges by the schema, names and combinations by hand.
#include "pliant/scene/settings_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/input_error.h"
#include "pliant/scene/presets.h"

namespace pliant::scene {
namespace {

Scene one_block() {
  Scene scene;
  scene.time.end = 1.0;
  scene.bodies.resize(1);
  scene.bodies[0].name = "block";
  scene.materials.push_back(find_preset("rubber")->material);
  return scene;
}

std::string error_of(const Scene& scene) {
  try {
    check_scene(scene);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SettingsCheck, AcceptsAPlainScene) { EXPECT_EQ(error_of(one_block()), ""); }

TEST(SettingsCheck, RangesHoldInNestedValues) {
  Scene scene = one_block();
  scene.time.step = 0.0;
  EXPECT_EQ(error_of(scene), "time.step must be above 0 s, got 0");
  scene = one_block();
  scene.bodies[0].position[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(scene).find("bodies[0].position must be finite"), std::string::npos) << error_of(scene);
  scene = one_block();
  std::get<BoxMesh>(scene.bodies[0].mesh.shape).cells[2] = 0;
  EXPECT_NE(error_of(scene).find("bodies[0].mesh.box.cells every component must be"), std::string::npos);
  scene = one_block();
  scene.materials[0].poisson = 0.5;
  EXPECT_NE(error_of(scene).find("materials[0].poisson"), std::string::npos);
  // What does not apply is not looked at.
  scene.materials[0].model = MaterialModel::arap;
  scene.materials[0].stiffness = 1.0;
  EXPECT_EQ(error_of(scene), "");
}

TEST(SettingsCheck, ALoadIsExactlyOneValue) {
  Scene scene = one_block();
  scene.loads.resize(1);
  scene.loads[0].body = "block";
  EXPECT_NE(error_of(scene).find("exactly one of"), std::string::npos);
  scene.loads[0].force = VectorCurve{{{0.0, Vec3(0, 0, 1)}}};
  EXPECT_EQ(error_of(scene), "");
  scene.loads[0].pressure = ScalarCurve{{{0.0, 1.0}}};
  EXPECT_NE(error_of(scene).find("exactly one of"), std::string::npos);
}

TEST(SettingsCheck, PlacesAreThoseOfTheItem) {
  Scene scene = one_block();
  scene.pins.resize(1);
  scene.pins[0].body = "brick";
  scene.pins[0].source.place = "scene.yaml:9";
  EXPECT_EQ(error_of(scene).find("scene.yaml:9: "), 0u) << error_of(scene);
}

TEST(SettingsCheck, KindsThatAreNotBuiltAreRefused) {
  Scene scene = one_block();
  scene.bodies[0].kind = BodyKind::cloth;
  EXPECT_NE(error_of(scene).find("cloth is not built yet"), std::string::npos);
}

}  // namespace
}  // namespace pliant::scene
