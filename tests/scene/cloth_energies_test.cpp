// Energies of cloth: rigidities from thickness and moduli, bending by the direction of the edge, stiffness of each law
// in small strains, strain limits, rest states, and the sentences for materials that do not suffice.
#include "pliant/scene/cloth_energies.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using io::testing::TemporaryFolder;
using pliant::testing::evaluate;
using pliant::testing::largest;
using pliant::testing::ThinScene;

// --- Rigidity ---

TEST(ClothEnergies, RigidityIsThatOfAPlate) {
  Material m;
  m.model = MaterialModel::st_venant_kirchhoff;
  m.young = 1e6;
  m.poisson = 0.3;
  m.thickness = 2e-3;
  EXPECT_NEAR(bending_rigidity(m).warp, 1e6 * 8e-9 / (12 * 0.91), 1e-15);
  EXPECT_EQ(bending_rigidity(m).weft, bending_rigidity(m).warp);
  // Orthotropic: D = Y h³/(12 (1 − ν ν′)), ν′ = ν Y_weft/Y_warp, for either direction.
  m.model = MaterialModel::orthotropic_st_venant_kirchhoff;
  m.young_warp = 4e6;
  m.young_weft = 1e6;
  const double factor = 8e-9 / (12 * (1 - 0.3 * 0.3 / 4));
  EXPECT_NEAR(bending_rigidity(m).warp, 4e6 * factor, 1e-15);
  EXPECT_NEAR(bending_rigidity(m).weft, 1e6 * factor, 1e-15);
}

TEST(ClothEnergies, RigidityAndRatioMayBeGiven) {
  Material m;
  m.model = MaterialModel::orthotropic_st_venant_kirchhoff;
  m.young_warp = 4e6;
  m.young_weft = 1e6;
  m.thickness = 2e-3;
  m.bending.stiffness = 3e-5;
  EXPECT_EQ(bending_rigidity(m).warp, 3e-5);
  EXPECT_DOUBLE_EQ(bending_rigidity(m).weft, 3e-5 / 4);
  m.bending.ratio = 0.7;
  EXPECT_DOUBLE_EQ(bending_rigidity(m).weft, 0.7 * 3e-5);
  m.bending.stiffness.reset();
  EXPECT_DOUBLE_EQ(bending_rigidity(m).weft, 0.7 * bending_rigidity(m).warp);
}

// --- Bending by direction ---

const std::string kWeave =
    "model: orthotropic_st_venant_kirchhoff, thickness: 1.0e-3, surface_density: 0.1, "
    "young_warp: 1.0e5, young_weft: 1.0e5, shear: 4.0e4, poisson: 0.1, ";

// One cell folded by 0.4 rad along its diagonal, which is (1, −1) in the plane of u and v: no edge changes its length.
double folded_energy(const std::string& material) {
  const BuiltScene built =
      ThinScene{.mesh = "{grid: {size: [1, 1], cells: [1, 1]}}", .material = kWeave + material}.built();
  const ModelBody& sheet = built.model.bodies[0];
  BlockVector x = built.state.positions;
  const Vec3 origin = sheet.rest.vertices[0], axis = (sheet.rest.vertices[3] - origin).normalized();
  EXPECT_LT((axis - Vec3(1, 0, 1).normalized()).norm(), 1e-15);
  const int corner = sheet.block_of_vertex[1];
  x[corner] = origin + Eigen::AngleAxisd(0.4, axis) * (sheet.rest.vertices[1] - origin);
  return evaluate(built, x).value;
}

TEST(ClothEnergies, WhatBendsIsTheDirectionAcrossTheEdge) {
  const std::string bending = "bending: {stiffness: 1.0e-3, ratio: 0.25}, warp_direction: ";
  const double warp = folded_energy(bending + "[1, 1]");  // across the diagonal
  EXPECT_GT(warp, 0);
  EXPECT_NEAR(folded_energy(bending + "[-3, -3]"), warp, 1e-12 * warp);
  EXPECT_NEAR(folded_energy(bending + "[1, -1]"), 0.25 * warp, 1e-12 * warp);  // along the diagonal
  EXPECT_NEAR(folded_energy(bending + "[1, 0]"), 0.625 * warp, 1e-12 * warp);  // halfway between
  EXPECT_NEAR(folded_energy(bending + "[0, 1]"), 0.625 * warp, 1e-12 * warp);
  EXPECT_NEAR(folded_energy("bending: {stiffness: 2.0e-3, ratio: 0.25}, warp_direction: [1, 1]"), 2 * warp,
              1e-12 * warp);
  EXPECT_NEAR(folded_energy("bending: {model: none}"), 0, 1e-18);
  EXPECT_NEAR(folded_energy("bending: {stiffness: 0}"), 0, 1e-18);
}

// Warp and weft of a panel that is mirrored in texture space stand as they are drawn there.
TEST(ClothEnergies, MirroredPanelsAreWovenAsDrawn) {
  const TemporaryFolder folder;
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  const auto stretched = [&](const std::string& texture, const Vec2& along) {
    std::ofstream(folder / "panel.obj") << square + texture + "f 1/1 2/2 3/3 4/4\n";
    const BuiltScene built =
        ThinScene{.mesh = "{file: panel.obj}",
                  .material =
                      "model: orthotropic_st_venant_kirchhoff, thickness: 1.0e-3, surface_density: 0.1, "
                      "young_warp: 1.0e6, young_weft: 1.0e4, shear: 4.0e3, poisson: 0, bending: {model: none}, "
                      "warp_direction: [3, 4]",
                  .folder = folder.path().string()}
            .built();
    BlockVector x = built.state.positions;
    const Vec3 d(along[0], along[1], 0);
    for (int i = 0; i < x.size(); ++i) x[i] += 1e-3 * d.dot(Vec3(x[i])) * d;
    return evaluate(built, x).value;
  };
  const std::string plain = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n", mirrored = "vt 0 0\nvt -1 0\nvt -1 1\nvt 0 1\n";
  const double warp = stretched(plain, Vec2(0.6, 0.8));
  EXPECT_NEAR(warp, 0.5 * 1e6 * 1e-3 * 1e-6, 2e-3 * warp);
  EXPECT_LT(stretched(plain, Vec2(-0.6, 0.8)), 0.2 * warp);
  EXPECT_NEAR(stretched(mirrored, Vec2(-0.6, 0.8)), warp, 1e-9 * warp);
  EXPECT_LT(stretched(mirrored, Vec2(0.6, 0.8)), 0.2 * warp);
}

// --- Membranes ---

// A strain ε along x alone stores ½ Y h/(1 − ν²) ε² per area, in every law.
TEST(ClothEnergies, LawsAgreeInSmallStrains) {
  for (const char* model : {"st_venant_kirchhoff", "neo_hookean", "corotated"}) {
    const BuiltScene built = ThinScene{.mesh = "{grid: {size: [2, 1], cells: [3, 2]}}",
                                       .material = std::string("model: ") + model +
                                                   ", young: 3.0e5, poisson: 0.25, thickness: 2.0e-3, density: 100"}
                                 .built();
    const double strain = 1e-5;
    BlockVector x = built.state.positions;
    EXPECT_LT(largest(evaluate(built, x).gradient), 1e-12) << model;
    for (int i = 0; i < x.size(); ++i) x[i] += strain * x[i][0] * Vec3::UnitX();
    const double wanted = 0.5 * 3e5 * 2e-3 / (1 - 0.0625) * strain * strain * 2;
    EXPECT_NEAR(evaluate(built, x).value, wanted, 1e-4 * wanted) << model;
  }
}

TEST(ClothEnergies, WarpAndWeftHaveTheirModuli) {
  const BuiltScene built = ThinScene{.mesh = "{grid: {size: [2, 1], cells: [3, 2]}}",
                                     .material =
                                         "model: orthotropic_st_venant_kirchhoff, young_warp: 4.0e5, young_weft: "
                                         "1.0e5, shear: 7.0e4, poisson: 0.2, thickness: 2.0e-3, density: 100"}
                               .built();
  const double e = 1e-5, coupling = 1 / (1 - 0.04 / 4);
  const auto energy_of = [&](const Vec3& direction, const Vec3& by) {
    BlockVector x = built.state.positions;
    for (int i = 0; i < x.size(); ++i) x[i] += e * direction.dot(Vec3(x[i])) * by;
    return evaluate(built, x).value;
  };
  const double unit = 0.5 * 2e-3 * e * e * 2;  // ½ h ε² A
  EXPECT_NEAR(energy_of(Vec3::UnitX(), Vec3::UnitX()), 4e5 * coupling * unit, 1e-4 * 4e5 * unit);
  EXPECT_NEAR(energy_of(Vec3::UnitZ(), Vec3::UnitZ()), 1e5 * coupling * unit, 1e-4 * 1e5 * unit);
  EXPECT_NEAR(energy_of(Vec3::UnitZ(), Vec3::UnitX()), 7e4 * unit, 1e-4 * 7e4 * unit);  // engineering shear ε
}

TEST(ClothEnergies, StrainLimitsActBeyondTheirBounds) {
  const ThinScene plain{};
  ThinScene limited = plain;
  limited.material += ", strain_limit: {min: 0.9, max: 1.05, stiffness: 1.0e6}";
  const BuiltScene without = plain.built(), with = limited.built();
  const auto excess = [&](double stretch) {
    BlockVector x = with.state.positions;
    for (int i = 0; i < x.size(); ++i) x[i] += (stretch - 1) * x[i][0] * Vec3::UnitX();
    return evaluate(with, x).value - evaluate(without, x).value;
  };
  EXPECT_EQ(excess(1.04), 0);
  EXPECT_EQ(excess(0.91), 0);
  EXPECT_GT(excess(1.06), 0);
  EXPECT_GT(excess(0.89), 0);
}

// Damping is a multiple of the elastic coefficients: from rest in a step of h, T/h times the elastic energy.
TEST(ClothEnergies, DampingIsProportionalToStiffness) {
  const ThinScene plain{};
  ThinScene damped = plain;
  damped.material += ", damping: {stiffness_proportional: 0.02}";
  const BuiltScene without = plain.built(), with = damped.built();
  BlockVector x = with.state.positions;
  for (int i = 0; i < x.size(); ++i) x[i] += 1e-4 * x[i][0] * Vec3(1, 0, 0.3);
  const double elastic = evaluate(without, x).value;
  const double both = evaluate(with, x, with.state.positions, 0.01).value;
  EXPECT_NEAR(both, 3 * elastic, 1e-9 * elastic);
  EXPECT_NEAR(evaluate(with, x).value, elastic, 1e-12 * elastic);  // quasi-static: no rates
}

// --- Rest states ---

TEST(ClothEnergies, RestAnglesAreFlatOrAsGiven) {
  ThinScene ball{.mesh = "{sphere: {radius: 0.3, subdivisions: 1}}"};
  ball.material += ", bending: {stiffness: 1.0e-2}";
  const BuiltScene flat = ball.built();
  EXPECT_GT(largest(evaluate(flat, flat.state.positions).gradient), 1e-3);
  ball.material = ThinScene{}.material + ", bending: {stiffness: 1.0e-2, rest: as_given}";
  const BuiltScene given = ball.built();
  EXPECT_LT(largest(evaluate(given, given.state.positions).gradient), 1e-12);
}

TEST(ClothEnergies, ASheetFoldedFlatHasNoRestAngle) {
  const TemporaryFolder folder;
  std::ofstream(folder / "fold.obj") << "v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0.5 0.9 0.01\nf 1 2 3\nf 2 1 4\n";
  ThinScene text{.mesh = "{file: fold.obj}", .folder = folder.path().string()};
  EXPECT_NO_THROW(static_cast<void>(text.built()));
  text.material += ", bending: {rest: as_given}";
  EXPECT_INPUT_ERROR(text.built(), "scene.yaml:7: body 'thing' is folded flat at the edge between vertices 0 and 1");
}

// --- What a material lacks ---

TEST(ClothEnergies, ThicknessAndMassAreAskedFor) {
  ThinScene text;
  text.material = "model: st_venant_kirchhoff, surface_density: 0.1";
  EXPECT_INPUT_ERROR(text.built(), "scene.yaml:5: material 'stuff' of body 'thing' needs thickness [m]");
  text.material = "model: st_venant_kirchhoff, density: 100";
  EXPECT_INPUT_ERROR(text.built(), "scene.yaml:5: material 'stuff' of body 'thing' needs surface_density [kg/m²]");
}

TEST(ClothEnergies, ModuliThatGiveEnergyAwayAreRefused) {
  const std::string weave =
      "model: orthotropic_st_venant_kirchhoff, thickness: 1.0e-3, surface_density: 0.1, "
      "shear: 4.0e4, poisson: 0.5, young_warp: 1.0e5, young_weft: ";
  EXPECT_NO_THROW(static_cast<void>(ThinScene{.material = weave + "3.9e5"}.built()));
  EXPECT_INPUT_ERROR(ThinScene{.material = weave + "4.1e5"}.built(),
                     "scene.yaml:5: material 'stuff' gives energy away when strained: poisson² × young_weft");
}

// --- Animated rest ---

const std::string kGrowing =
    ", animated_rest: {keyframes: [{t: 1, mesh: {grid: {size: [1, 1], cells: [1, 1]}}}, {t: 3, mesh: {grid: {size: [3, "
    "1], cells: [1, 1]}}}], weight: ";

TEST(ClothEnergies, AnimatedRestLengthsFollowTheirKeys) {
  ThinScene text{.mesh = "{grid: {size: [1, 1], cells: [1, 1]}}", .body = kGrowing + "0.5}"};
  const BuiltScene built = text.built();
  ASSERT_EQ(built.model.rest_animations.size(), 1U);
  const ModelBody& sheet = built.model.bodies[0];
  const auto lengths = [&](double time, double width) {
    const std::vector<double> at = built.model.rest_animations[0].at(time);
    EXPECT_EQ(at.size(), 6U);
    for (int t = 0; t < 2; ++t) {
      for (int i = 0; i < 3; ++i) {
        const Vec3 own =
            sheet.rest.vertices[sheet.triangles[t][(i + 2) % 3]] - sheet.rest.vertices[sheet.triangles[t][(i + 1) % 3]];
        const double animated = Vec3(width * own[0], 0, own[2]).norm();
        EXPECT_NEAR(at[3 * t + i], 0.5 * own.norm() + 0.5 * animated, 1e-14) << time;
      }
    }
  };
  lengths(0, 1);
  lengths(1, 1);
  lengths(3, 3);
  lengths(9, 3);
  // At the keys the sheet would be at rest in the mixed shape only; own lengths store energy.
  EXPECT_NEAR(evaluate(built, built.state.positions, built.state.positions, 0, 0.5).value, 0, 1e-15);
  EXPECT_GT(evaluate(built, built.state.positions, built.state.positions, 0, 2).value, 1e-3);
}

// With weight 1, a sheet that is as large as the animated mesh is at rest.
TEST(ClothEnergies, AFullyAnimatedSheetRestsInTheAnimatedShape) {
  const BuiltScene built =
      ThinScene{.mesh = "{grid: {size: [1, 1], cells: [1, 1]}}", .body = ", scale: 2" + kGrowing + "1}"}.built();
  BlockVector x = built.state.positions;
  for (int i = 0; i < x.size(); ++i) x[i][0] *= 3;
  EXPECT_LT(largest(evaluate(built, x, x, 0, 3).gradient), 1e-11);
  EXPECT_GT(largest(evaluate(built, x, x, 0, 1).gradient), 1);
}

TEST(ClothEnergies, WeightsComeFromAFile) {
  const TemporaryFolder folder;
  ThinScene text{.mesh = "{grid: {size: [1, 1], cells: [1, 1]}}",
                 .body = kGrowing + "0.5, weights: weights.txt}",
                 .folder = folder.path().string()};
  const auto with = [&](const std::string& weights) {
    std::ofstream(folder / "weights.txt") << weights;
    return text.built();
  };
  const std::vector<double> own = with("0 0\n").model.rest_animations[0].at(3),
                            half = with("0\n1").model.rest_animations[0].at(3),
                            all = with("1 1").model.rest_animations[0].at(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(half[i], own[i]);
    EXPECT_EQ(half[3 + i], all[3 + i]);
  }
  EXPECT_GT(*std::max_element(all.begin(), all.end()), *std::max_element(own.begin(), own.end()) + 0.4);
  EXPECT_INPUT_ERROR(with("0.5\n"), "weights.txt: there are 1 weights for 2 triangles; give one for each");
  EXPECT_INPUT_ERROR(with("0.5 1.5\n"), "weights.txt: weight 1 is 1.5; weights are numbers from 0 to 1");
  EXPECT_INPUT_ERROR(with("0.5 half\n"), "weights.txt:1: found 'half' where a weight from 0 to 1 should stand");
  EXPECT_INPUT_ERROR(with("nan 0\n"), "weights.txt:1: found 'nan' where a weight from 0 to 1 should stand");
}

}  // namespace
}  // namespace pliant::scene
