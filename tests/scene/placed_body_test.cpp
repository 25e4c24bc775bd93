// From bodies of the scene to meshes in the world: order of scale, rotation and position, copies, surfaces that become
// solids, and the sentences for meshes that cannot.
#include "pliant/scene/placed_body.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/mass_properties.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;

TEST(PlacedBody, ScalesThenTurnsThenMoves) {
  const Scene scene =
      SceneText{.body = ", scale: 2, rotation: {axis: [0, 0, 1], degrees: 90}, position: [1, 2, 3]"}.parse();
  const std::vector<PlacedBody> placed = place_bodies(scene);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].name, "block");
  EXPECT_EQ(placed[0].body, &scene.bodies[0]);
  const TetMesh own = make_box({Vec3(0.3, 0.2, 0.1), {3, 2, 1}});
  ASSERT_EQ(placed[0].mesh.vertices.size(), own.vertices.size());
  for (std::size_t v = 0; v < own.vertices.size(); ++v) {
    const Vec3& x = own.vertices[v];
    EXPECT_LT((placed[0].mesh.vertices[v] - Vec3(1 - 2 * x[1], 2 + 2 * x[0], 3 + 2 * x[2])).norm(), 1e-15);
  }
  EXPECT_LT((placed[0].turn * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

// Where a coordinate has no digits left for the shape, or volumes would over- or underflow.
TEST(PlacedBody, BodiesAreLargeEnoughForTheirPlace) {
  const auto said = [](const std::string& more) {
    testing::SceneText text;
    text.body = more;
    return testing::error_of([&] { (void)scene::place_bodies(text.parse()); });
  };
  EXPECT_EQ(said(", position: [1.0e6, 0, 0]"), "");
  for (const char* more :
       {", position: [1.0e10, 0, 0]", ", position: [0, -1.0e300, 0]", ", scale: 1.0e14", ", scale: 1.0e-100"})
    EXPECT_NE(said(more).find("check position, scale"), std::string::npos) << more << ": " << said(more);
}

TEST(PlacedBody, CopiesStandOnALatticeXFastest) {
  const Scene scene =
      SceneText{.body = ", position: [5, 0, 0], copies: {count: [2, 1, 3], spacing: [1, 9, -2]}"}.parse();
  const std::vector<PlacedBody> placed = place_bodies(scene);
  ASSERT_EQ(placed.size(), 6U);
  const TetMesh own = make_box({Vec3(0.3, 0.2, 0.1), {3, 2, 1}});
  for (int c = 0; c < 6; ++c) {
    EXPECT_EQ(placed[c].name, "block." + std::to_string(c));
    const Vec3 shift = placed[c].mesh.vertices[4] - own.vertices[4];
    EXPECT_LT((shift - Vec3(5 + c % 2, 0, -2 * (c / 2))).norm(), 1e-14);
  }
}

TEST(PlacedBody, JitterAndRandomRotationsComeFromTheSeed) {
  SceneText text{.body = ", copies: {count: [3, 2, 1], spacing: [1, 1, 1], jitter: 0.05, random_rotation: true}"};
  text.more = "seed: 5\n";
  const std::vector<PlacedBody> first = place_bodies(text.parse()), again = place_bodies(text.parse());
  text.more = "seed: 6\n";
  const std::vector<PlacedBody> other = place_bodies(text.parse());
  for (int c = 0; c < 6; ++c) {
    EXPECT_TRUE(first[c].mesh.vertices == again[c].mesh.vertices);
    EXPECT_FALSE(first[c].mesh.vertices == other[c].mesh.vertices);
    const Vec3 centre = mass_properties(first[c].mesh, 1).center;
    const Vec3 off = centre - Vec3(c % 3, c / 3, 0);
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 0.05);
    EXPECT_GT(off.norm(), 0);
    if (c > 0) {
      EXPECT_GT((first[c].turn - first[0].turn).norm(), 1e-3);
    }
    for (const double v : tet_volumes(first[c].mesh)) EXPECT_GT(v, 0);
  }
}

TEST(PlacedBody, SurfacesBecomeSolidsThatCarryThem) {
  const Scene scene = SceneText{.body = ", position: [0, 1, 0], scale: 0.5",
                                .mesh = "{sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: 0.5}}"}
                          .parse();
  const std::vector<PlacedBody> placed = place_bodies(scene);
  ASSERT_TRUE(placed[0].embedded.has_value());
  EXPECT_FALSE(placed[0].notes.empty());
  const EmbeddedSurface& surface = *placed[0].embedded;
  for (std::size_t v = 0; v < surface.surface.vertices.size(); ++v) {
    const Vec3& x = surface.surface.vertices[v];
    EXPECT_NEAR((x - Vec3(0, 1, 0)).norm(), 0.5, 1e-12);
    Vec3 carried = Vec3::Zero();
    for (int c = 0; c < 4; ++c) {
      carried += surface.weights[v][c] * placed[0].mesh.vertices[placed[0].mesh.tets[surface.tet[v]][c]];
    }
    EXPECT_LT((carried - x).norm(), 1e-12);
  }
}

TEST(PlacedBody, BallsAreSolidsDirectly) {
  const Scene scene = SceneText{.mesh = "{sphere: {radius: 0.2, cells: 4}}"}.parse();
  const std::vector<PlacedBody> placed = place_bodies(scene);
  EXPECT_FALSE(placed[0].embedded.has_value());
  for (const double v : tet_volumes(placed[0].mesh)) EXPECT_GT(v, 0);
}

TEST(PlacedBody, SheetsAndPlanesAreNoSolids) {
  Scene scene = SceneText{}.parse();
  scene.bodies[0].mesh.source = {"scene.yaml:6"};
  scene.bodies[0].mesh.shape = GridMesh{};
  EXPECT_INPUT_ERROR(place_bodies(scene), "scene.yaml:6: this shape has no volume; a solid needs a box");
  scene.bodies[0].mesh.shape = TubeMesh{};
  EXPECT_INPUT_ERROR(place_bodies(scene), "scene.yaml:6: this shape has no volume; a solid needs a box");
  scene.bodies[0].mesh.shape = StrandMesh{};
  EXPECT_INPUT_ERROR(place_bodies(scene), "scene.yaml:6: this shape has no volume; a solid needs a box");
  scene.bodies[0].mesh.shape = PlaneMesh{};
  EXPECT_INPUT_ERROR(place_bodies(scene), "scene.yaml:6: this shape has no volume; a solid needs a box");
  scene.bodies[0].kind = BodyKind::obstacle;
  EXPECT_EQ(place_bodies(scene)[0].mesh.vertices.size(), 1U);  // a half-space: one point of its border
}

const std::string kHead =
    "  - {name: head, kind: obstacle, mesh: {sphere: {radius: 0.1, subdivisions: 2}}, scale: 2, "
    "position: [0, 1, 0]";

// Strands stand where their obstacle stands, whichever comes first.
TEST(PlacedBody, StrandsGrowOnAPlacedObstacle) {
  SceneText text;
  text.more =
      "  - {name: hair, kind: rod, mesh: {strands: {on: head, count: 9, length: 0.1, segments: 4}}, material: "
      "hair}\n" +
      kHead + "}\n";
  const Scene scene = text.parse();
  const std::vector<PlacedBody> placed = place_bodies(scene);
  ASSERT_EQ(placed.size(), 3U);
  EXPECT_EQ(placed[1].name, "hair");
  EXPECT_EQ(placed[1].body, &scene.bodies[1]);
  ASSERT_EQ(placed[1].chains.size(), 9U);
  for (const Chain& chain : placed[1].chains) {
    // The flat triangles of the ball are up to 2 % below its radius; the strands' length is not scaled.
    const Vec3 &root = placed[1].mesh.vertices[chain.vertices[0]], &tip = placed[1].mesh.vertices[chain.vertices[4]];
    EXPECT_NEAR((root - Vec3(0, 1, 0)).norm(), 0.2, 0.02 * 0.2);
    EXPECT_NEAR((tip - root).norm(), 0.1, 1e-14);
  }
  // Another seed, other places.
  Scene other = scene;
  other.seed = 77;
  EXPECT_NE(place_bodies(other)[1].mesh.vertices, placed[1].mesh.vertices);
}

TEST(PlacedBody, StrandsNeedOneObstacle) {
  const auto on = [](const std::string& name, const std::string& head) {
    SceneText text;
    text.more =
        "  - {name: hair, kind: rod, mesh: {strands: {on: " + name + "}}, material: hair}\n" + kHead + head + "}\n";
    return place_bodies(text.parse());
  };
  EXPECT_EQ(on("head", "").size(), 3U);
  EXPECT_INPUT_ERROR(on("block", ""),
                     "scene.yaml:7: strands.on must name a body of kind obstacle, and 'block' is another");
  EXPECT_INPUT_ERROR(on("had", ""), "'had' is no body");
  for (const char* copies : {"count: [2, 1, 1]", "jitter: 0.1", "random_rotation: true"}) {
    EXPECT_INPUT_ERROR(on("head", std::string(", copies: {") + copies + "}"),
                       "scene.yaml:7: strands cannot grow on 'head', which has copies");
  }
}

// Rest state and keyframes of cloth are scaled with it.
TEST(PlacedBody, RestStatesOfClothAreScaled) {
  SceneText text;
  text.more =
      "  - {name: sheet, kind: cloth, mesh: {grid: {size: [1, 1], cells: [1, 1]}}, material: cotton, scale: 3, "
      "rotation: {axis: [0, 1, 0], degrees: 90}, position: [0, 5, 0], animated_rest: {keyframes: [{t: 0, mesh: "
      "{grid: {size: [2, 1], cells: [1, 1]}}}]}}\n";
  const std::vector<PlacedBody> placed = place_bodies(text.parse());
  const PlacedBody& sheet = placed[1];
  EXPECT_NEAR((sheet.corners[0][1] - sheet.corners[0][0]).norm(),
              (sheet.mesh.vertices[sheet.triangles[0][1]] - sheet.mesh.vertices[sheet.triangles[0][0]]).norm(), 1e-14);
  ASSERT_EQ(sheet.rest_keyframes.size(), 1U);
  // x becomes −z: 2 m wide, three times.
  EXPECT_LT((sheet.rest_keyframes[0][0] - Vec3(-1.5, 5, 3)).norm(), 1e-14);
}

TEST(PlacedBody, TetsOfFilesMayBeNumberedEitherWay) {
  const io::testing::TemporaryFolder folder;
  for (const char* corners : {"1 2 3 4", "1 3 2 4"}) {
    std::ofstream(folder / "tet.mesh")
        << "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        << "Tetrahedra 1\n"
        << corners << " 0\nEnd\n";
    Scene scene = SceneText{}.parse();
    scene.bodies[0].mesh.shape = FileMesh{{"tet.mesh", folder / "tet.mesh"}};
    EXPECT_NEAR(tet_volumes(place_bodies(scene)[0].mesh).at(0), 1.0 / 6, 1e-15);
  }
}

}  // namespace
}  // namespace pliant::scene
