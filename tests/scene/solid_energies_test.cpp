// Energies of solid bodies: shared batches, parameters that reach their tets, fibres that turn with the body, damping,
// strain limits and volume terms, consistent masses, Lamé parameters at rest, and splines stressed at rest.
#include "pliant/scene/solid_energies.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& energy : model.energies) names.push_back(energy->name());
  return names;
}

double elastic_energy(const BuiltScene& built, const BlockVector& positions) {
  double value = 0;
  const Controls controls;
  for (std::size_t e = 0; e < built.model.energies.size(); ++e) {
    Accumulator out;
    out.value = &value;
    if (built.model.roles[e] == EnergyRole::elastic)
      built.model.energies[e]->evaluate({positions, positions, 0, controls}, out);
  }
  return value;
}

// All positions under the linear map.
BlockVector mapped(const BuiltScene& built, const Mat3& map) {
  BlockVector x = built.state.positions;
  for (int i = 0; i < x.size(); ++i) x[i] = (map * x[i]).eval();
  return x;
}

SceneText two_bodies(const std::string& other_material) {
  SceneText text;
  text.more =
      "  - {name: other, position: [2, 0, 0], mesh: {box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}, material: {" +
      other_material + "}}\ngravity: [0, 0, 0]\n";
  return text;
}

TEST(SolidEnergies, BodiesOfOneLawShareABatch) {
  const std::string hooke = ", density: 500, young: 6.0e4, poisson: 0.3";
  EXPECT_EQ(names_of(build(two_bodies("model: neo_hookean" + hooke).parse()).model),
            (std::vector<std::string>{"neo_hookean"}));
  EXPECT_EQ(names_of(build(two_bodies("model: corotated" + hooke).parse()).model),
            (std::vector<std::string>{"neo_hookean", "corotated"}));
  EXPECT_EQ(names_of(build(two_bodies("model: neo_hookean, extrapolate_below: 0.4" + hooke).parse()).model).size(), 2U);
  EXPECT_EQ(names_of(build(two_bodies("model: neo_hookean, mass: consistent" + hooke).parse()).model).size(), 2U);
}

TEST(SolidEnergies, ParametersReachTheirOwnTets) {
  // Only the second body, three times as stiff, is stretched.
  const BuiltScene built = build(two_bodies("model: neo_hookean, density: 500, young: 6.0e4, poisson: 0.3").parse());
  const Mat3 stretch = Vec3(1.1, 0.95, 1.05).asDiagonal();
  BlockVector x[2] = {built.state.positions, built.state.positions};
  for (int body = 0; body < 2; ++body) {
    for (const int block : built.model.bodies[body].block_of_vertex) x[body][block] = (stretch * x[body][block]).eval();
  }
  const double soft = elastic_energy(built, x[0]), stiff = elastic_energy(built, x[1]);
  EXPECT_GT(soft, 0);
  EXPECT_NEAR(stiff, 3 * soft, 1e-10 * stiff);
}

TEST(SolidEnergies, EveryLawLinearisesToItsLameParametersAtRest) {
  // Energy density of a small strain: μ |ε|² + λ/2 tr(ε)².
  const std::string curve = "[[0, -2.0e4], [1, 0], [2, 2.0e4], [3, 4.0e4]]";  // a' = 2e4 (s − 1)
  const std::vector<std::string> materials = {"model: neo_hookean, young: 2.0e4, poisson: 0.3",
                                              "model: stable_neo_hookean, young: 2.0e4, poisson: 0.3",
                                              "model: corotated, young: 2.0e4, poisson: 0.3",
                                              "model: st_venant_kirchhoff, young: 2.0e4, poisson: 0.3",
                                              "model: linear, young: 2.0e4, poisson: 0.3",
                                              "model: arap, stiffness: 3.0e4",
                                              "model: mooney_rivlin, c1: 2.0e3, c2: 1.0e3, bulk: 5.0e4",
                                              "model: spline, a: " + curve};
  Mat3 strain;
  strain << 1, 0.2, -0.3, 0.2, -0.5, 0.4, -0.3, 0.4, 0.6;
  strain *= 1e-4;
  for (const std::string& keys : materials) {
    const Scene scene = SceneText{.material = keys, .more = "gravity: [0, 0, 0]\n"}.parse();
    const BuiltScene built = build(scene);
    const Lame lame = lame_at_rest(scene.materials[0]);
    const double expected =
        0.3 * 0.2 * 0.1 * (lame.mu * strain.squaredNorm() + 0.5 * lame.lambda * strain.trace() * strain.trace());
    const double rest = elastic_energy(built, built.state.positions);
    EXPECT_NEAR(elastic_energy(built, mapped(built, Mat3::Identity() + strain)) - rest, expected, 2e-3 * expected)
        << keys;
  }
}

TEST(SolidEnergies, LameParametersOfTheModels) {
  Material m;
  m.young = 2.6e4;
  m.poisson = 0.3;
  EXPECT_NEAR(lame_at_rest(m).mu, 1e4, 1e-9);
  EXPECT_NEAR(lame_at_rest(m).lambda, 1.5e4, 1e-9);
  m.model = MaterialModel::arap;
  m.stiffness = 4e3;
  EXPECT_EQ(lame_at_rest(m).mu, 2e3);
  EXPECT_EQ(lame_at_rest(m).lambda, 0);
  m.model = MaterialModel::polynomial;
  m.mu = 7;
  EXPECT_EQ(lame_at_rest(m).mu, 7);
}

TEST(SolidEnergies, FibresTurnWithTheBody) {
  // Stretching along the turned fibre costs more than across it; unturned and turned bodies agree.
  const std::string fibre =
      "model: neo_hookean, young: 2.0e4, poisson: 0.3, fibre: {direction: [2, 0, 0], stiffness: 1.0e6}";
  const BuiltScene plain = build(SceneText{.material = fibre, .more = "gravity: [0, 0, 0]\n"}.parse());
  const BuiltScene turned = build(
      SceneText{.material = fibre, .body = ", rotation: {axis: [0, 0, 1], degrees: 90}", .more = "gravity: [0, 0, 0]\n"}
          .parse());
  const Mat3 along_x = Vec3(1.05, 1, 1).asDiagonal(), along_y = Vec3(1, 1.05, 1).asDiagonal();
  const double along = elastic_energy(plain, mapped(plain, along_x)),
               across = elastic_energy(plain, mapped(plain, along_y));
  EXPECT_GT(along, 10 * across);
  EXPECT_NEAR(elastic_energy(turned, mapped(turned, along_y)), along, 1e-9 * along);
  EXPECT_NEAR(elastic_energy(turned, mapped(turned, along_x)), across, 1e-9 * along);
}

// Value of one stretched block: law, terms beside it, and their sum.
double stretched_energy(const std::string& more) {
  const BuiltScene built = build(SceneText{.material = "model: stable_neo_hookean, young: 2.0e4, poisson: 0.3" + more,
                                           .more = "gravity: [0, 0, 0]\n"}
                                     .parse());
  Mat3 map = Vec3(1.3, 0.95, 0.8).asDiagonal();
  map(0, 1) = 0.1;
  return elastic_energy(built, mapped(built, map)) - elastic_energy(built, built.state.positions);
}

TEST(SolidEnergies, TermsBesideTheLawAddUp) {
  const std::string limit = ", strain_limit: {min: 0.9, max: 1.1, stiffness: 3.0e4}",
                    volume = ", volume: {stiffness: 5.0e4}",
                    fibre = ", fibre: {direction: [1, 1, 0], stiffness: 1.0e4}";
  const double law = stretched_energy("");
  const double all = stretched_energy(limit + volume + fibre);
  EXPECT_GT(stretched_energy(limit), 1.05 * law);
  EXPECT_GT(stretched_energy(volume), 1.001 * law);
  EXPECT_NEAR(all, stretched_energy(limit) + stretched_energy(volume) + stretched_energy(fibre) - 2 * law, 1e-12 * all);
  EXPECT_NEAR(stretched_energy(", strain_limit: {min: 0.9, max: 1.1, stiffness: 6.0e4}") - law,
              2 * (stretched_energy(limit) - law), 1e-12 * all);
}

// Pure stretches of the whole block: V k/2 Σ dist(s, [min, max])², and V k/2 times the squared distance to det = 1.
TEST(SolidEnergies, TermsHaveTheGivenStiffnessInPascal) {
  const auto added = [](const std::string& term, const Vec3& s) {
    const std::string law = "model: corotated, young: 2.0e4, poisson: 0";
    const auto value = [&](const std::string& material) {
      const BuiltScene built = build(SceneText{.material = material, .more = "gravity: [0, 0, 0]\n"}.parse());
      return elastic_energy(built, mapped(built, s.asDiagonal()));
    };
    return (value(law + term) - value(law)) / (0.3 * 0.2 * 0.1);
  };
  EXPECT_NEAR(added(", strain_limit: {min: 0.9, max: 1.1, stiffness: 3.0e4}", Vec3(1.3, 1.0, 0.7)), 1.5e4 * 0.08, 1e-8);
  EXPECT_NEAR(added(", strain_limit: {min: 0.9, max: 1.1, stiffness: 3.0e4}", Vec3(1.05, 1.0, 0.95)), 0, 1e-8);
  EXPECT_NEAR(added(", volume: {stiffness: 3.0e4}", Vec3(1.5, 1.5, 1.5)), 1.5e4 * 0.75, 1e-8);
  EXPECT_NEAR(added(", volume: {stiffness: 3.0e4}", Vec3(1.25, 1.0, 0.8)), 0, 1e-8);
}

TEST(SolidEnergies, TermsBelongToTheirOwnBody) {
  const std::string hooke = "model: neo_hookean, density: 500, young: 6.0e4, poisson: 0.3";
  EXPECT_EQ(
      names_of(build(two_bodies(hooke + ", strain_limit: {stiffness: 1.0e4}, volume: {stiffness: 1}").parse()).model),
      (std::vector<std::string>{"neo_hookean", "neo_hookean", "strain_limit", "volume_preservation"}));
  SceneText both = two_bodies(hooke + ", volume: {stiffness: 2.0e4}");
  both.material += ", volume: {stiffness: 4.0e4}";
  EXPECT_EQ(names_of(build(both.parse()).model), (std::vector<std::string>{"neo_hookean", "volume_preservation"}));
}

TEST(SolidEnergies, DampingIsAnEnergyOfItsOwn) {
  const BuiltScene built =
      build(SceneText{.material = "model: neo_hookean, damping: {stiffness_proportional: 0.01}"}.parse());
  EXPECT_EQ(built.model.roles, (std::vector{EnergyRole::elastic, EnergyRole::dissipation, EnergyRole::gravity}));
}

TEST(SolidEnergies, ConsistentMassIsAskedForByTheMaterial) {
  EXPECT_TRUE(build(SceneText{}.parse()).model.inertia.is_lumped());
  EXPECT_FALSE(build(SceneText{.material = "model: neo_hookean, mass: consistent"}.parse()).model.inertia.is_lumped());
}

TEST(SolidEnergies, SplinesStressedAtRestAreRefused) {
  const std::string stressed = "model: spline, a: [[0, -2.0e4], [1, 500], [2, 2.0e4], [3, 4.0e4]]";
  EXPECT_INPUT_ERROR(build(SceneText{.material = stressed}.parse()),
                     "spline material 'soft' is stressed at rest: a'(1) + 2 b'(1) + c'(1) = 500 Pa");
  // A second curve that cancels it is fine.
  const std::string balanced = stressed + ", c: [[0, -500], [1, -500], [2, -500], [3, -500]]";
  EXPECT_NO_THROW((void)build(SceneText{.material = balanced}.parse()));
}

}  // namespace
}  // namespace pliant::scene
