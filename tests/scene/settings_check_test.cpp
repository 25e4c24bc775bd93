// Scenes made in code are checked like files: ranges by the schema, names and combinations by hand.
#include "pliant/scene/settings_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/input_error.h"
#include "pliant/scene/presets.h"
#include "pliant/scene/schema_names.h"

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

TEST(SettingsCheck, StepsCanBeCounted) {
  Scene scene = one_block();
  scene.time.end = 1e9 * scene.time.step;
  EXPECT_EQ(error_of(scene), "");
  scene.time.end = 1e17 * scene.time.step;
  EXPECT_NE(error_of(scene).find("time.end / time.step must be at most 1e+12 steps"), std::string::npos);
}

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
  scene.materials[0].poisson = 0.51;
  EXPECT_NE(error_of(scene).find("materials[0].poisson must be above -1 and at most 0.5, got 0.51"), std::string::npos)
      << error_of(scene);
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

// A sheet may keep its area when stretched; a solid of that ratio would have an infinite bulk modulus.
TEST(SettingsCheck, PoissonsRatioOfAHalfIsForCloth) {
  for (const MaterialModel model :
       {MaterialModel::neo_hookean, MaterialModel::stable_neo_hookean, MaterialModel::corotated,
        MaterialModel::st_venant_kirchhoff, MaterialModel::linear}) {
    Scene scene = one_block();
    scene.materials[0].model = model;
    scene.materials[0].poisson = 0.5;
    scene.materials[0].source.place = "scene.yaml:4";
    EXPECT_EQ(error_of(scene), "scene.yaml:4: materials.rubber.poisson must be below 0.5 for a solid, got 0.5");
    scene.materials[0].poisson = std::nextafter(0.5, 0.0);
    EXPECT_EQ(error_of(scene), "");
  }
  Scene sheet = one_block();
  sheet.bodies[0].kind = BodyKind::cloth;
  sheet.bodies[0].mesh.shape = GridMesh{};
  sheet.materials[0].poisson = 0.5;
  EXPECT_EQ(error_of(sheet), "");
}

std::string error_with(BodyKind kind, MaterialModel model) {
  Scene scene = one_block();
  scene.bodies[0].kind = kind;
  if (kind == BodyKind::cloth || kind == BodyKind::springs) scene.bodies[0].mesh.shape = GridMesh{};
  if (kind == BodyKind::rod) scene.bodies[0].mesh.shape = StrandMesh{};
  Material& m = scene.materials[0];
  m.model = model;
  m.stiffness = m.c1 = m.c2 = m.bulk = m.mu = m.stretch_stiffness = 1;
  m.a.points = {Vec2(0.5, -1), Vec2(0.9, 0), Vec2(1.1, 0), Vec2(2, 1)};
  return error_of(scene);
}

TEST(SettingsCheck, EveryKindHasItsModels) {
  using enum MaterialModel;
  const std::vector<MaterialModel> all = {neo_hookean,   stable_neo_hookean,
                                          corotated,     st_venant_kirchhoff,
                                          linear,        arap,
                                          mooney_rivlin, polynomial,
                                          spline,        orthotropic_st_venant_kirchhoff,
                                          elastic_rod,   MaterialModel::springs};
  ASSERT_EQ(all.size(), words_of(MaterialModel{}).size());
  const auto is_in = [](MaterialModel model, const std::vector<MaterialModel>& some) {
    return std::find(some.begin(), some.end(), model) != some.end();
  };
  for (const MaterialModel model : all) {
    const bool thin = is_in(model, {orthotropic_st_venant_kirchhoff, elastic_rod, MaterialModel::springs});
    const bool cloth = is_in(model, {neo_hookean, corotated, st_venant_kirchhoff, orthotropic_st_venant_kirchhoff});
    EXPECT_EQ(error_with(BodyKind::solid, model).empty(), !thin) << word_for(model);
    EXPECT_EQ(error_with(BodyKind::cloth, model).empty(), cloth) << word_for(model);
    EXPECT_EQ(error_with(BodyKind::rod, model).empty(), model == elastic_rod) << word_for(model);
    EXPECT_EQ(error_with(BodyKind::springs, model).empty(), model == MaterialModel::springs) << word_for(model);
  }
  EXPECT_EQ(error_with(BodyKind::rod, arap),
            "bodies.block: a body of kind rod needs a model elastic_rod, and material 'rubber' is arap");
}

TEST(SettingsCheck, EveryKindHasItsMeshes) {
  Scene scene = one_block();
  Body& body = scene.bodies[0];
  body.kind = BodyKind::rod;
  scene.materials[0].model = MaterialModel::elastic_rod;
  EXPECT_NE(error_of(scene).find("a rod is a line; it needs strand or strands"), std::string::npos);
  body.kind = BodyKind::obstacle;
  body.mesh.shape = StrandMesh{};
  EXPECT_NE(error_of(scene).find("a line has no area"), std::string::npos);
  body.kind = BodyKind::springs;
  body.mesh.shape = StrandsMesh{.on = "x", .where = {}};
  EXPECT_NE(error_of(scene).find("springs need grid, strand, box or a surface"), std::string::npos);
}

// Only a solid has cells across its diameter.
TEST(SettingsCheck, CellsOfASphereAreForSolids) {
  Scene scene = one_block();
  scene.bodies[0].mesh.shape = SphereMesh{.cells = 6, .subdivisions = {}};
  EXPECT_EQ(error_of(scene), "");
  for (const BodyKind kind : {BodyKind::cloth, BodyKind::obstacle, BodyKind::springs}) {
    scene.bodies[0].kind = kind;
    const std::string said = error_of(scene);
    EXPECT_NE(said.find("bodies.block.mesh.sphere: cells make a solid"), std::string::npos) << said;
    EXPECT_NE(said.find(word_for(kind)), std::string::npos) << said;
    EXPECT_NE(said.find("use subdivisions"), std::string::npos) << said;
  }
}

// Stiffnesses of links that the mesh does not have are refused.
TEST(SettingsCheck, SpringsAskOnlyForLinksThatExist) {
  Scene scene = one_block();
  scene.bodies[0].kind = BodyKind::springs;
  Material& m = scene.materials[0];
  m.model = MaterialModel::springs;
  m.stretch_stiffness = 1;
  const auto error_on = [&](const auto& mesh, double shear, double bend) {
    scene.bodies[0].mesh.shape = mesh;
    m.shear_stiffness = shear;
    m.bend_stiffness = bend;
    return error_of(scene);
  };
  for (const GridPattern pattern : {GridPattern::diagonal, GridPattern::alternating, GridPattern::irregular})
    EXPECT_EQ(error_on(GridMesh{.pattern = pattern}, 1, 1), "");
  for (const GridPattern pattern : {GridPattern::cross, GridPattern::equilateral}) {
    EXPECT_NE(error_on(GridMesh{.pattern = pattern}, 1, 0).find("shear_stiffness acts across the cells of a grid"),
              std::string::npos);
    EXPECT_EQ(error_on(GridMesh{.pattern = pattern}, 0, 1), "");
  }
  EXPECT_NE(error_on(StrandMesh{}, 1, 0).find("body 'block' has none; remove the key"), std::string::npos);
  EXPECT_NE(error_on(SphereMesh{}, 1, 0).find("shear_stiffness"), std::string::npos);
  EXPECT_EQ(error_on(StrandMesh{}, 0, 1), "");
  EXPECT_NE(error_on(BoxMesh{}, 1, 0).find("shear_stiffness"), std::string::npos);
  EXPECT_NE(error_on(BoxMesh{}, 0, 1).find("bend_stiffness acts in sheets and chains"), std::string::npos);
  EXPECT_EQ(error_on(BoxMesh{}, 0, 0), "");
}

// Nothing can hold, push or measure what has no unknowns.
TEST(SettingsCheck, ObstaclesAreNeitherPinnedNorLoadedNorMeasured) {
  Scene scene = one_block();
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "wall";
  scene.bodies[1].kind = BodyKind::obstacle;
  EXPECT_EQ(error_of(scene), "");
  const Scene plain = scene;
  scene.pins.resize(1);
  scene.pins[0].body = "wall";
  scene.pins[0].source.place = "scene.yaml:9";
  EXPECT_EQ(error_of(scene),
            "scene.yaml:9: pins.body: 'wall' is an obstacle, which only its motion moves; name a body of another kind, "
            "or set motion in the obstacle");
  scene = plain;
  scene.loads.resize(1);
  scene.loads[0].body = "wall";
  scene.loads[0].force = VectorCurve{{{0.0, Vec3(0, 0, 1)}}};
  EXPECT_NE(error_of(scene).find("loads.body: 'wall' is an obstacle"), std::string::npos) << error_of(scene);
  scene = plain;
  scene.probes.resize(1);
  scene.probes[0].name = "top";
  scene.probes[0].body = "wall";
  EXPECT_NE(error_of(scene).find("probes.top.body: 'wall' is an obstacle"), std::string::npos) << error_of(scene);
  scene = plain;
  scene.bodies[1].copies.count = Vec3i(2, 1, 1);
  scene.pins.resize(1);
  scene.pins[0].body = "wall.1";
  EXPECT_NE(error_of(scene).find("'wall.1' is an obstacle"), std::string::npos) << error_of(scene);
  scene = plain;
  scene.contact.pairs.resize(1);
  scene.contact.pairs[0].bodies = {"block", "wall"};
  EXPECT_EQ(error_of(scene), "");
}

// Strands stand where their obstacle stands.
TEST(SettingsCheck, StrandsArePlacedByTheirObstacle) {
  Scene scene = one_block();
  scene.materials[0].model = MaterialModel::elastic_rod;
  scene.bodies[0].kind = BodyKind::rod;
  scene.bodies[0].mesh.shape = StrandsMesh{.on = "head", .where = {}};
  EXPECT_EQ(error_of(scene), "");
  const auto error_after = [&](const auto& change) {
    Scene changed = scene;
    change(changed.bodies[0]);
    return error_of(changed);
  };
  EXPECT_EQ(error_after([](Body& b) { b.position[1] = 0.1; }),
            "bodies.block.position is not used for strands, which stand on an obstacle; place the obstacle 'head' "
            "instead");
  EXPECT_NE(error_after([](Body& b) { b.scale = 2; }).find("bodies.block.scale"), std::string::npos);
  EXPECT_NE(error_after([](Body& b) { b.rotation.turns.resize(1); }).find("bodies.block.rotation"), std::string::npos);
  EXPECT_NE(error_after([](Body& b) { b.copies.count[0] = 2; }).find("bodies.block.copies"), std::string::npos);
  EXPECT_NE(error_after([](Body& b) { b.copies.jitter = 0.1; }).find("bodies.block.copies"), std::string::npos);
  // A single strand is placed like any body.
  scene.bodies[0].mesh.shape = StrandMesh{};
  EXPECT_EQ(error_after([](Body& b) { b.position[1] = 0.1, b.scale = 2; }), "");
}

TEST(SettingsCheck, AnimatedRestHasOrderedKeysAndWeightsUpToOne) {
  Scene scene = one_block();
  scene.bodies[0].kind = BodyKind::cloth;
  scene.bodies[0].mesh.shape = GridMesh{};
  AnimatedRest& rest = scene.bodies[0].animated_rest.emplace();
  EXPECT_NE(error_of(scene).find("bodies.block.animated_rest needs at least one keyframe"), std::string::npos);
  rest.keyframes = {{1.0, {}}, {1.0, {}}};
  EXPECT_NE(error_of(scene).find("keyframes of bodies.block.animated_rest must have increasing t"), std::string::npos);
  rest.keyframes[1].t = 2;
  EXPECT_EQ(error_of(scene), "");
  rest.weight.keyframes = {{0.0, 0.5}, {1.0, 1.5}};
  EXPECT_NE(error_of(scene).find("animated_rest.weight must be from 0 to 1, got 1.5"), std::string::npos);
}

}  // namespace
}  // namespace pliant::scene
