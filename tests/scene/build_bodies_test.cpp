// Bodies of the model: masses that add up, blocks of rods that alternate, frames, twists, flat triangles, and obstacles
// that stand apart.
#include "pliant/scene/build_bodies.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::ThinScene;
using std::numbers::pi;

struct Bodies {
  Scene scene;
  std::vector<PlacedBody> placed;
  Model model;
  BlockData data;

  explicit Bodies(const ThinScene& text) : scene(text.parse()), placed(place_bodies(scene)) {
    data = add_bodies(scene, placed, model);
  }
  [[nodiscard]] double mass() const {
    double sum = 0;
    for (const double weight : data.weights) sum += weight;
    return sum;
  }
  [[nodiscard]] BlockVector rest() const {
    BlockVector x(static_cast<int>(data.rest.size()));
    for (int i = 0; i < x.size(); ++i) x[i] = data.rest[i];
    return x;
  }
};

const std::string kWire = "model: elastic_rod, density: 800, young: 1.0e9, shear: 4.0e8, section: ";

ThinScene rod(const std::string& strand, const std::string& body = "",
              const std::string& section = "{circle: 1.0e-3}") {
  return {.kind = "rod", .mesh = "{strand: {" + strand + "}}", .material = kWire + section, .body = body};
}

// --- Masses ---

TEST(BuildBodies, ClothHasTheMassOfItsRestArea) {
  const std::string moduli = "model: st_venant_kirchhoff, thickness: 1.0e-3, ";
  for (const char* pattern : {"diagonal", "cross", "equilateral", "irregular"}) {
    ThinScene text{.mesh = std::string("{grid: {size: [2, 0.5], cells: [5, 4], pattern: ") + pattern + "}}",
                   .material = moduli + "surface_density: 0.3",
                   .body = ", scale: 2, rotation: {axis: [1, 2, 3], degrees: 50}"};
    EXPECT_NEAR(Bodies(text).mass(), 0.3 * 4, 1e-12);
    // Half the size at rest, stretched to twice that.
    text.body = ", uv: 0.5";
    EXPECT_NEAR(Bodies(text).mass(), 0.3 * 0.25, 1e-12);
    text = ThinScene{.mesh = text.mesh, .material = moduli + "density: 300"};
    EXPECT_NEAR(Bodies(text).mass(), 300 * 1e-3, 1e-12);
  }
}

TEST(BuildBodies, SpringsHaveTheMassOfTheirAreaLengthOrVolume) {
  const std::string springs = "model: springs, stretch_stiffness: 10, ";
  EXPECT_NEAR(
      Bodies({.kind = "springs", .mesh = "{grid: {size: [2, 0.5]}}", .material = springs + "surface_density: 0.2"})
          .mass(),
      0.2, 1e-13);
  EXPECT_NEAR(Bodies({.kind = "springs",
                      .mesh = "{strand: {length: 3, segments: 7}}",
                      .material = springs + "linear_density: 0.2"})
                  .mass(),
              0.6, 1e-13);
  EXPECT_NEAR(Bodies({.kind = "springs",
                      .mesh = "{box: {size: [1, 2, 3], cells: [2, 2, 2]}}",
                      .material = springs + "density: 10"})
                  .mass(),
              60, 1e-11);
  EXPECT_INPUT_ERROR(Bodies({.kind = "springs", .mesh = "{strand: {}}", .material = springs + "surface_density: 1"}),
                     "scene.yaml:5: material 'stuff' needs linear_density [kg/m]: body 'thing'");
  EXPECT_INPUT_ERROR(Bodies({.kind = "springs", .mesh = "{grid: {}}", .material = springs + "linear_density: 1"}),
                     "scene.yaml:5: material 'stuff' of body 'thing' needs surface_density [kg/m²]");
}

// Points weigh ρ A l; edges turn about their tangents with ρ Iₚ l, on which gravity does not pull.
TEST(BuildBodies, RodsHaveMassAndTwistInertia) {
  const Bodies bodies(rod("points: [[0, 0, 0], [0.1, 0, 0], [0.1, 0.3, 0]]", "", "{ellipse: [1.0e-3, 3.0e-3]}"));
  const double area = pi * 3e-6, polar = pi / 4 * (1e-9 * 3e-3 + 1e-3 * 27e-9);
  EXPECT_NEAR(bodies.mass(), 800 * area * 0.4, 1e-15);
  EXPECT_NEAR(bodies.data.masses[0], 800 * area * 0.05, 1e-16);
  EXPECT_NEAR(bodies.data.masses[1], 800 * polar * 0.1, 1e-20);
  EXPECT_NEAR(bodies.data.masses[3], 800 * polar * 0.3, 1e-20);
  EXPECT_EQ(bodies.data.weights[1], 0);
  EXPECT_EQ(bodies.data.weights[0], bodies.data.masses[0]);
}

TEST(BuildBodies, SectionsComeFromTheMaterial) {
  Material m;
  m.section = CircleSection{2e-3};
  EXPECT_DOUBLE_EQ(section_of(m).area, pi * 4e-6);
  m.section = EllipseSection{Vec2(1e-3, 2e-3)};
  EXPECT_DOUBLE_EQ(section_of(m).second_moment[0], pi / 4 * 1e-9 * 2e-3);
  m.section = RectangleSection{Vec2(1e-3, 2e-3)};
  EXPECT_DOUBLE_EQ(section_of(m).second_moment[1], 1e-3 * 8e-9 / 12);
}

// --- Blocks ---

TEST(BuildBodies, BlocksOfRodsAlternate) {
  ThinScene text = rod("length: 1, segments: 3");
  text.more =
      "  - {name: ring, kind: rod, mesh: {strand: {helix: {pitch: 0, turns: 1, segments: 5}, closed: true}}, "
      "material: stuff}\n";
  const Bodies bodies(text);
  const Model& m = bodies.model;
  ASSERT_EQ(m.layout.block_count(), 4 + 3 + 5 + 5);
  for (int i = 0; i < 17; ++i) {
    const bool is_twist = i < 7 ? i % 2 == 1 : i % 2 == 0;
    EXPECT_EQ(m.layout.kind(i), is_twist ? BlockKind::rod_twist : BlockKind::point) << i;
    if (is_twist) {
      EXPECT_EQ(m.layout.length(i), 1e-3);
    }
  }
  ASSERT_EQ(m.rods.edges.size(), 8U);
  for (int e = 0; e < 3; ++e) {
    EXPECT_EQ(m.rods.edges[e].from, 2 * e);
    EXPECT_EQ(m.rods.edges[e].twist, 2 * e + 1);
    EXPECT_EQ(m.rods.edges[e].to, 2 * e + 2);
  }
  // The closing edge leads back to the first vertex, and the closing joint to the first edge.
  EXPECT_EQ(m.bodies[1].first_rod_edge, 3);
  EXPECT_EQ(m.rods.edges[7].from, 15);
  EXPECT_EQ(m.rods.edges[7].to, 7);
  EXPECT_EQ(m.rods.edges[7].twist, 16);
  ASSERT_EQ(m.rods.joints.size(), 2U + 5);
  EXPECT_EQ(m.rods.joints[6].before, 7);
  EXPECT_EQ(m.rods.joints[6].after, 3);
  EXPECT_EQ(rod_joints(m, m.bodies[0]), (std::array<int, 2>{0, 2}));
  EXPECT_EQ(rod_joints(m, m.bodies[1]), (std::array<int, 2>{2, 7}));
  EXPECT_EQ(m.describe_block(15), "body 'ring', vertex 4");
  EXPECT_EQ(m.describe_block(16), "body 'ring', edge 4");
  EXPECT_EQ(m.bodies[1].segments[4], (std::array<int, 2>{4, 0}));
}

// --- Frames ---

// The second axis of the section, at rest.
Vec3 second_axis(const Bodies& bodies, int edge) {
  const Vec3 along = tangent(bodies.model.rods.edges[edge], bodies.rest());
  return along.cross(bodies.data.frames.directors[edge]);
}

void expect_frames_fit(const RodTopology& rods, const BlockVector& x, const RodFrames& frames) {
  ASSERT_EQ(frames.directors.size(), rods.edges.size());
  ASSERT_EQ(frames.reference_twist.size(), rods.joints.size());
  for (std::size_t e = 0; e < rods.edges.size(); ++e) {
    EXPECT_NEAR(frames.directors[e].norm(), 1, 1e-14);
    EXPECT_NEAR(frames.directors[e].dot(tangent(rods.edges[e], x)), 0, 1e-14);
  }
  for (std::size_t j = 0; j < rods.joints.size(); ++j) {
    const auto [before, after] = rods.joints[j];
    EXPECT_NEAR(reference_twist(tangent(rods.edges[before], x), frames.directors[before], tangent(rods.edges[after], x),
                                frames.directors[after], frames.reference_twist[j]),
                frames.reference_twist[j], 1e-13);
  }
}

TEST(BuildBodies, TheSecondAxisPointsUpAtTheRoot) {
  EXPECT_LT((second_axis(Bodies(rod("length: 1, segments: 3")), 0) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((second_axis(Bodies(rod("length: 1", ", up: [0, 0, 3]")), 0) - Vec3::UnitZ()).norm(), 1e-15);
  // As far as it is perpendicular to the rod.
  EXPECT_LT((second_axis(Bodies(rod("length: 1", ", up: [5, 0, 1]")), 2) - Vec3::UnitZ()).norm(), 1e-15);
  // It turns with the body.
  const Bodies turned(rod("length: 1", ", rotation: {axis: [1, 0, 0], degrees: 90}"));
  EXPECT_LT((second_axis(turned, 0) - Vec3::UnitZ()).norm(), 1e-15);
}

TEST(BuildBodies, FramesAreOrthonormalAndWithoutTwist) {
  for (const char* strand :
       {"helix: {radius: 0.1, pitch: 0.05, turns: 2, segments: 40}", "length: 1, direction: [0, 1, 0]",
        "helix: {pitch: 0, turns: 1, segments: 7}, closed: true", "points: [[0, 0, 0], [1, 0, 0], [0, 0.001, 0]]"}) {
    const Bodies bodies(rod(strand));
    expect_frames_fit(bodies.model.rods, bodies.rest(), bodies.data.frames);
    for (const double twist : bodies.data.frames.reference_twist) EXPECT_NEAR(twist, 0, 1e-13) << strand;
    for (const double twist : bodies.data.twists) EXPECT_EQ(twist, 0);
  }
}

TEST(BuildBodies, InitialTwistIsSpreadEvenly) {
  const Bodies open(rod("length: 1, segments: 5, initial_twist: 720"));
  ASSERT_EQ(open.data.twists.size(), 5U);
  for (int e = 0; e < 5; ++e) EXPECT_NEAR(open.data.twists[e], e * pi, 1e-13);
  // A ring has as many joints as edges: the last step leads on to the whole twist.
  const Bodies ring(rod("helix: {pitch: 0, turns: 1, segments: 8}, closed: true, initial_twist: -360"));
  for (int e = 0; e < 8; ++e) EXPECT_NEAR(ring.data.twists[e], -e * pi / 4, 1e-14);
  EXPECT_EQ(Bodies(rod("length: 1, segments: 1, initial_twist: 90")).data.twists, std::vector<double>{0});
}

// Frames for other places than those at rest: of one body among several.
TEST(BuildBodies, FramesFitAnyPlaces) {
  ThinScene text = rod("length: 1, segments: 4");
  text.more =
      "  - {name: ring, kind: rod, mesh: {strand: {helix: {pitch: 0, turns: 1, segments: 5}, closed: true}}, "
      "material: stuff}\n";
  const Bodies bodies(text);
  BlockVector x = bodies.rest();
  for (int i = 0; i < x.size(); ++i) x[i] += Vec3(std::sin(7 * i), std::cos(3 * i), std::sin(5 * i + 1));
  RodFrames all;
  for (int b = 0; b < 2; ++b) {
    const RodFrames one = rod_frames_at(bodies.placed[b], bodies.model.bodies[b], bodies.model.rods, x);
    all.directors.insert(all.directors.end(), one.directors.begin(), one.directors.end());
    all.reference_twist.insert(all.reference_twist.end(), one.reference_twist.begin(), one.reference_twist.end());
  }
  expect_frames_fit(bodies.model.rods, x, all);
  // No twist along open chains and up to the closing joint of the ring.
  for (int j = 0; j < 7; ++j) EXPECT_NEAR(all.reference_twist[j], 0, 1e-13);
}

// --- Flat triangles, surfaces, obstacles ---

// Without texture coordinates u follows the mesh's x axis, turned with the body.
TEST(BuildBodies, TrianglesAreLaidFlat) {
  ThinScene text{.mesh = "{sphere: {radius: 0.3, subdivisions: 2}}",
                 .body = ", scale: 2, rotation: {axis: [1, 1, 0], degrees: 70}"};
  const Bodies bodies(text);
  const ModelBody& ball = bodies.model.bodies[0];
  const Vec3 x_axis = bodies.placed[0].turn.col(0);
  ASSERT_EQ(ball.flat.size(), ball.triangles.size());
  for (std::size_t t = 0; t < ball.flat.size(); ++t) {
    const auto x = [&](int c) { return ball.rest.vertices[ball.triangles[t][c]]; };
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR((ball.flat[t][(c + 1) % 3] - ball.flat[t][c]).norm(), (x((c + 1) % 3) - x(c)).norm(), 1e-14);
    }
    // u grows along x as far as x lies in the triangle: s = c Δu with one c above 0 for both sides.
    const Vec3 normal = (x(1) - x(0)).cross(x(2) - x(0)).normalized();
    const double in_plane = (x_axis - x_axis.dot(normal) * normal).norm();
    if (in_plane < 0.02) continue;
    for (int c = 1; c < 3; ++c)
      EXPECT_NEAR((x(c) - x(0)).dot(x_axis), in_plane * (ball.flat[t][c] - ball.flat[t][0])[0], 1e-14);
  }
}

TEST(BuildBodies, ObstaclesStandApart) {
  ThinScene text;
  text.more =
      "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.2, subdivisions: 1}}, position: [0, 3, 0], "
      "motion: {move: {velocity: [1, 0, 0]}}}\n";
  const Bodies bodies(text);
  ASSERT_EQ(bodies.model.bodies.size(), 1U);
  ASSERT_EQ(bodies.model.obstacles.size(), 1U);
  EXPECT_EQ(bodies.model.layout.block_count(), 9);
  const Obstacle& ball = bodies.model.obstacles[0];
  EXPECT_EQ(ball.name, "ball");
  EXPECT_EQ(ball.mesh.triangles.size(), 80U);
  for (const Vec3& x : ball.mesh.vertices) EXPECT_NEAR((x - Vec3(0, 3, 0)).norm(), 0.2, 1e-15);
  EXPECT_LT((ball.motion.at(2) * Vec3(0, 0, 0) - Vec3(2, 0, 0)).norm(), 1e-15);
  // Only bodies have a part of the surface.
  EXPECT_EQ(bodies.model.surface.first_point, (std::vector<int>{0, 9}));
  EXPECT_EQ(bodies.model.surface.first_triangle, (std::vector<int>{0, 8}));
}

// Keyframes of an obstacle turn it about the mean of its vertices.
TEST(BuildBodies, ObstaclesTurnAboutTheirMiddle) {
  ThinScene text;
  text.more =
      "  - {name: ball, kind: obstacle, mesh: {sphere: {subdivisions: 1}}, position: [0, 3, 0], motion: "
      "{keyframes: [{t: 0}, {t: 1, rotation: {axis: [1, 0, 0], degrees: 90}}]}}\n";
  const Bodies bodies(text);
  EXPECT_LT((bodies.model.obstacles[0].motion.at(1) * Vec3(0, 4, 0) - Vec3(0, 3, 1)).norm(), 1e-14);
}

}  // namespace
}  // namespace pliant::scene
