// Presets are usable materials with a source.
#include "pliant/scene/presets.h"

#include <gtest/gtest.h>

#include "pliant/scene/settings_check.h"

namespace pliant::scene {
namespace {

TEST(Presets, AreValidMaterialsWithAReference) {
  Scene scene;
  scene.time.end = 1.0;
  for (const MaterialPreset& preset : material_presets()) {
    scene.materials.push_back(preset.material);
    EXPECT_GT(std::string(preset.reference).size(), 10u) << preset.material.name;
  }
  EXPECT_NO_THROW(check_scene(scene));
  EXPECT_GE(scene.materials.size(), 9u);
}

TEST(Presets, AreFoundByName) {
  for (const char* name :
       {"rubber", "silicone", "gelatin", "jelly", "foam", "muscle", "steel", "aluminium", "wood", "cork"}) {
    ASSERT_NE(find_preset(name), nullptr) << name;
    EXPECT_EQ(find_preset(name)->material.name, name);
  }
  EXPECT_EQ(find_preset("cotton"), nullptr);
}

// Orders of magnitude that a mistyped exponent would break.
TEST(Presets, StiffnessAndWeightAreOrdered) {
  const auto young = [](const char* name) { return find_preset(name)->material.young; };
  EXPECT_LT(young("jelly"), young("gelatin"));
  EXPECT_LT(young("gelatin"), young("rubber"));
  EXPECT_LT(young("rubber"), young("cork"));
  EXPECT_LT(young("cork"), young("wood"));
  EXPECT_LT(young("wood"), young("aluminium"));
  EXPECT_LT(young("aluminium"), young("steel"));
  EXPECT_LT(find_preset("wood")->material.density, 1000.0);  // floats
  EXPECT_GT(find_preset("muscle")->material.density, 1000.0);
}

}  // namespace
}  // namespace pliant::scene
