// Presets are usable materials with a source.
#include "pliant/scene/presets.h"

#include <gtest/gtest.h>

#include <cmath>

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
  for (const char* name : {"rubber", "silicone", "gelatin", "jelly", "foam", "muscle", "steel", "aluminium", "wood",
                           "cork", "cotton", "denim", "silk", "hair"}) {
    ASSERT_NE(find_preset(name), nullptr) << name;
    EXPECT_EQ(find_preset(name)->material.name, name);
  }
  EXPECT_EQ(find_preset("linen"), nullptr);
  EXPECT_EQ(find_preset(""), nullptr);
}

// Each preset makes a body of some kind: it has what that kind needs.
TEST(Presets, OfThinBodiesAreComplete) {
  for (const char* name : {"cotton", "denim", "silk"}) {
    const Material& m = find_preset(name)->material;
    EXPECT_EQ(m.model, MaterialModel::orthotropic_st_venant_kirchhoff);
    ASSERT_TRUE(m.thickness && m.surface_density && m.bending.stiffness) << name;
    EXPECT_NEAR(m.density * *m.thickness, *m.surface_density, 1e-12);
    // Threads slide: far below the plate of the same moduli.
    EXPECT_LT(*m.bending.stiffness, m.young_warp * std::pow(*m.thickness, 3)) << name;
    EXPECT_LT(m.poisson * m.poisson * m.young_weft, m.young_warp) << name;
  }
  const Material& hair = find_preset("hair")->material;
  EXPECT_EQ(hair.model, MaterialModel::elastic_rod);
  EXPECT_DOUBLE_EQ(hair.shear, hair.young / 3);  // incompressible
  EXPECT_DOUBLE_EQ(std::get<CircleSection>(hair.section).radius, 3.7e-5);
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
