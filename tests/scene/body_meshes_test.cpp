// Meshes of bodies before they are placed: cloth and its flat rest state, lines of rods, links of springs, strands on an
// obstacle, and the sentences for what cannot be one.
#include "pliant/scene/body_meshes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>

#include "pliant/mesh/surface.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using io::testing::TemporaryFolder;
using std::numbers::pi;

Body cloth_of(const auto& shape) {
  Body body;
  body.name = "sheet";
  body.kind = BodyKind::cloth;
  body.mesh.shape = shape;
  body.mesh.source.place = "scene.yaml:5";
  return body;
}

Body cloth_of_file(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "sheet.obj") << text;
  return cloth_of(FileMesh{{"sheet.obj", folder / "sheet.obj"}});
}

MeshSource source_of(const auto& shape) { return {shape, {}, {"scene.yaml:5"}}; }

// Edge i of a triangle, opposite corner i [m].
template <class Corner>
double edge_length(const Corner& corner, int i) {
  return (corner((i + 2) % 3) - corner((i + 1) % 3)).norm();
}

// The flat rest shape has the edges that the triangle has in space, times `factor`.
void expect_isometric(const PlacedBody& cloth, double factor, double tolerance) {
  ASSERT_EQ(cloth.corners.size(), cloth.triangles.size());
  for (std::size_t t = 0; t < cloth.triangles.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      const double flat = edge_length([&](int c) { return cloth.corners[t][c]; }, i);
      const double here = edge_length([&](int c) { return cloth.mesh.vertices[cloth.triangles[t][c]]; }, i);
      EXPECT_NEAR(flat, factor * here, tolerance) << "triangle " << t << ", edge " << i;
    }
  }
}

double flat_area(const PlacedBody& cloth) {
  double sum = 0;
  for (const auto& c : cloth.corners) {
    const Vec2 a = c[1] - c[0], b = c[2] - c[0];
    sum += 0.5 * std::abs(a[0] * b[1] - a[1] * b[0]);
  }
  return sum;
}

// --- Cloth ---

TEST(BodyMeshes, AGridIsAtRestAsItLies) {
  for (const GridPattern pattern : {GridPattern::diagonal, GridPattern::alternating, GridPattern::cross,
                                    GridPattern::equilateral, GridPattern::irregular}) {
    const PlacedBody cloth = make_cloth(cloth_of(GridMesh{Vec2(2, 0.5), Eigen::Vector2i(6, 4), pattern}));
    expect_isometric(cloth, 1, 1e-14);
    EXPECT_TRUE(cloth.mesh.tets.empty());
    EXPECT_TRUE(cloth.notes.empty());
    EXPECT_NEAR(flat_area(cloth), 1, 1e-14);
    EXPECT_EQ(cloth.texture.size(), cloth.mesh.vertices.size());
    // u along x, v along −z.
    const Vec3i& t = cloth.triangles[0];
    const Vec3 side = cloth.mesh.vertices[t[1]] - cloth.mesh.vertices[t[0]];
    EXPECT_LT((cloth.corners[0][1] - cloth.corners[0][0] - Vec2(side[0], -side[2])).norm(), 1e-14);
  }
}

// A cut tube can be laid flat, a cone's piece of straight rows cannot: each triangle by itself can.
TEST(BodyMeshes, ATubeIsAtRestAsItStands) {
  const PlacedBody tube = make_cloth(cloth_of(TubeMesh{0.3, {}, 0.4, 12, {}}));
  expect_isometric(tube, 1, 1e-14);
  EXPECT_TRUE(tube.notes.empty());
  const PlacedBody skirt = make_cloth(cloth_of(TubeMesh{0.5, 0.2, 0.4, 12, 3}));
  EXPECT_EQ(skirt.triangles.size(), 72U);
  expect_isometric(skirt, 1, 1e-14);
}

// Without texture coordinates there is no flat shape here: build_bodies lays each triangle down.
TEST(BodyMeshes, SurfacesWithoutTextureHaveNoCorners) {
  const PlacedBody ball = make_cloth(cloth_of(SphereMesh{0.5, {}, 1}));
  EXPECT_EQ(ball.triangles.size(), 80U);
  EXPECT_TRUE(ball.corners.empty());
  EXPECT_EQ(make_cloth(cloth_of(SphereMesh{})).triangles.size(), 1280U);  // three subdivisions
  // The skin of a box: two triangles on each of 2(4 + 8 + 8) faces.
  const PlacedBody box = make_cloth(cloth_of(BoxMesh{Vec3::Ones(), Vec3i(2, 2, 4)}));
  EXPECT_EQ(box.triangles.size(), 80U);
  EXPECT_TRUE(box.mesh.tets.empty());
}

// A square of two triangles, the second with texture vertices of its own.
const std::string kSquare = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\n";
const std::string kSeam = kSquare + "vt 0 0\nvt 1 0\nvt 1 1\nvt 5 5\nvt 6 6\nvt 5 6\nf 1/1 2/2 3/3\nf 1/4 3/5 4/6\n";

TEST(BodyMeshes, TextureIsScaledToTheAreaOfTheMesh) {
  const TemporaryFolder folder;
  const PlacedBody cloth = make_cloth(cloth_of_file(folder, kSeam));
  ASSERT_EQ(cloth.mesh.vertices.size(), 4U);
  expect_isometric(cloth, 1, 1e-14);
  EXPECT_LT((cloth.corners[0][1] - Vec2(2, 0)).norm(), 1e-14);
  EXPECT_LT((cloth.corners[1][0] - Vec2(10, 10)).norm(), 1e-14);  // the panel stays where it is in the plane
  ASSERT_EQ(cloth.notes.size(), 1U);
  EXPECT_EQ(cloth.notes[0], "texture coordinates are the rest state, at 2 m per unit");
}

// Panels need not be equally large in texture space: the areas agree in sum, and the larger one is slack.
TEST(BodyMeshes, PanelsKeepTheirProportions) {
  const TemporaryFolder folder;
  const PlacedBody cloth = make_cloth(cloth_of_file(
      folder, kSquare + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 0\nvt 3 3\nvt 0 3\nf 1/1 2/2 3/3\nf 1/4 3/5 4/6\n"));
  EXPECT_NEAR(flat_area(cloth), 4, 1e-14);
  const double one = (cloth.corners[0][1] - cloth.corners[0][0]).norm();
  const double other = (cloth.corners[1][2] - cloth.corners[1][0]).norm();
  EXPECT_NEAR(other / one, 3, 1e-14);
}

TEST(BodyMeshes, TextureInMetresOrIgnored) {
  const TemporaryFolder folder;
  Body body = cloth_of_file(folder, kSeam);
  body.uv = {UvUse::metres, 0.5};
  PlacedBody cloth = make_cloth(body);
  expect_isometric(cloth, 0.25, 1e-15);  // half a metre for 2 m
  EXPECT_TRUE(cloth.notes.empty());
  // The body's scale makes the mesh larger, not the rest state, which is in metres.
  body.scale = 4;
  cloth = make_cloth(body);
  expect_isometric(cloth, 0.25 / 4, 1e-15);
  body.uv = {UvUse::ignore, 1};
  EXPECT_TRUE(make_cloth(body).corners.empty());
}

// A panel that is mirrored in texture space has the same lengths, and its warp stands as it was drawn.
TEST(BodyMeshes, MirroredPanelsKeepTheirLengthsAndTheirWarp) {
  const TemporaryFolder folder;
  const PlacedBody cloth = make_cloth(cloth_of_file(
      folder, kSquare + "vt 0 0\nvt 2 0\nvt 2 2\nvt 0 0\nvt -2 2\nvt 0 2\nf 1/1 2/2 3/3\nf 1/4 3/5 4/6\n"));
  expect_isometric(cloth, 1, 1e-14);
  EXPECT_NEAR(flat_area(cloth), 4, 1e-14);
  EXPECT_LT((cloth.corners[1][1] - Vec2(-2, 2)).norm(), 1e-14);
}

TEST(BodyMeshes, TextureWithoutAreaIsRefused) {
  const TemporaryFolder folder;
  Body body = cloth_of_file(folder, kSquare + "vt 0 0\nvt 1 0\nvt 1 1\nvt 2 2\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n");
  EXPECT_INPUT_ERROR(make_cloth(body), "scene.yaml:5: triangle 1 has no area in texture coordinates");
  body.uv.use = UvUse::ignore;
  EXPECT_EQ(make_cloth(body).triangles.size(), 2U);
}

TEST(BodyMeshes, SheetsThatBranchOrTurnOverAreRefusedAtTheirEdge) {
  const TemporaryFolder folder;
  const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\n";
  EXPECT_INPUT_ERROR(make_cloth(cloth_of_file(folder, three + "f 1 2 3\nf 2 1 4\nf 1 2 5\n")),
                     "scene.yaml:5: the edge between vertices 0 and 1 has three or more triangles");
  EXPECT_INPUT_ERROR(make_cloth(cloth_of_file(folder, kSquare + "f 1 2 3\nf 1 4 3\n")),
                     "scene.yaml:5: the triangles at the edge between vertices 0 and 2 face opposite sides");
  // An obstacle only stands there.
  std::ofstream(folder / "wall.obj") << kSquare + "f 1 2 3\nf 1 4 3\n";
  EXPECT_EQ(make_obstacle(source_of(FileMesh{{"wall.obj", folder / "wall.obj"}})).triangles.size(), 2U);
  EXPECT_EQ(make_obstacle(source_of(FileMesh{{"wall.obj", folder / "wall.obj"}, 2})).triangles.size(), 32U);
}

TEST(BodyMeshes, ClothNeedsAnArea) {
  EXPECT_INPUT_ERROR(make_cloth(cloth_of(StrandMesh{})), "scene.yaml:5: a line has no area");
  EXPECT_INPUT_ERROR(make_obstacle(source_of(StrandsMesh{})), "scene.yaml:5: a line has no area");
  EXPECT_INPUT_ERROR(make_cloth(cloth_of(PlaneMesh{})), "a plane is a half-space");
}

TEST(BodyMeshes, AnimatedRestShapesHaveTheTrianglesOfTheBody) {
  Body body = cloth_of(GridMesh{Vec2(1, 1), Eigen::Vector2i(2, 2), GridPattern::diagonal});
  body.animated_rest = AnimatedRest{};
  body.animated_rest->keyframes = {
      {0.0, source_of(GridMesh{Vec2(1, 1), Eigen::Vector2i(2, 2), GridPattern::diagonal})},
      {0.25, source_of(GridMesh{Vec2(3, 1), Eigen::Vector2i(2, 2), GridPattern::diagonal})}};
  const PlacedBody cloth = make_cloth(body);
  ASSERT_EQ(cloth.rest_keyframes.size(), 2U);
  EXPECT_EQ(cloth.rest_keyframes[0], cloth.mesh.vertices);
  EXPECT_NEAR(cloth.rest_keyframes[1][0][0], -1.5, 1e-15);
  body.animated_rest->keyframes[1].mesh =
      source_of(GridMesh{Vec2(3, 1), Eigen::Vector2i(2, 2), GridPattern::alternating});
  body.animated_rest->keyframes[1].mesh.source.place = "scene.yaml:9";
  EXPECT_INPUT_ERROR(make_cloth(body),
                     "scene.yaml:9: the animated rest shape at t = 0.25 s has other triangles than body 'sheet'");
}

// --- Lines ---

TEST(BodyMeshes, PolylineFilesHoldAVertexPerLine) {
  const TemporaryFolder folder;
  std::ofstream(folder / "line.txt") << "# x y z\n0 0 0\n\n1, 0, 0.5  # a comma will do\n  1 2 3\n";
  const StrandMesh strand{FileLine{{"line.txt", folder / "line.txt"}}, false, 90};
  const PlacedBody rod = make_rod(source_of(strand));
  EXPECT_EQ(rod.mesh.vertices, (std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0.5), Vec3(1, 2, 3)}));
  ASSERT_EQ(rod.chains.size(), 1U);
  EXPECT_EQ(rod.chains[0].vertices, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(rod.chains[0].closed);
  EXPECT_NEAR(rod.chains[0].initial_twist, pi / 2, 1e-15);
}

TEST(BodyMeshes, BadLinesOfPolylineFilesAreNamed) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    std::ofstream(folder / "line.txt") << text;
    return make_rod(source_of(StrandMesh{FileLine{{"line.txt", folder / "line.txt"}}, false, 0}));
  };
  EXPECT_INPUT_ERROR(read("0 0 0\n1 0\n"), "line.txt:2: the line ends where the z coordinate should stand");
  EXPECT_INPUT_ERROR(read("0 0 0\n1 0 0 0\n"), "line.txt:2: there are more than 3 numbers");
  EXPECT_INPUT_ERROR(read("# head\n0 0 0\nv 1 0 0\n"), "line.txt:3: found 'v' where the x coordinate should stand");
  EXPECT_INPUT_ERROR(read("0 0 0\n1 0 1e3x\n"), "line.txt:2: found '1e3x' where the z coordinate should stand");
  EXPECT_INPUT_ERROR(read("0 0 0\n"), "scene.yaml:5");         // a single point
  EXPECT_INPUT_ERROR(read("0 0 0\n0 0 0\n"), "scene.yaml:5");  // an edge without length
  EXPECT_INPUT_ERROR(make_rod(source_of(StrandMesh{FileLine{{"no.txt", folder / "no.txt"}}, false, 0})), "no.txt");
}

TEST(BodyMeshes, ClosedStrandsAreRings) {
  const PlacedBody ring = make_rod(source_of(StrandMesh{HelixLine{0.2, 0, 1, 12}, true, 0}));
  EXPECT_EQ(ring.mesh.vertices.size(), 12U);
  EXPECT_TRUE(ring.chains.at(0).closed);
  for (int v = 0; v < 12; ++v) {
    const Vec3 &a = ring.mesh.vertices[v], &b = ring.mesh.vertices[(v + 1) % 12];
    EXPECT_NEAR((b - a).norm(), 0.4 * std::sin(pi / 12), 1e-15);
  }
  EXPECT_INPUT_ERROR(make_rod(source_of(StrandMesh{StraightLine{}, true, 0})),
                     "scene.yaml:5: a straight strand cannot be closed");
  EXPECT_INPUT_ERROR(make_rod(source_of(StrandMesh{PointLine{{Vec3(0, 0, 0), Vec3(1, 0, 0)}}, true, 0})),
                     "scene.yaml:5");
  EXPECT_INPUT_ERROR(make_rod(source_of(BoxMesh{})), "scene.yaml:5: a rod is a line");
}

// --- Springs ---

std::array<int, 3> count_links(const PlacedBody& body) {
  std::array<int, 3> count{};
  std::set<std::array<int, 2>> pairs;
  for (const Link& link : body.links) {
    ++count[static_cast<int>(link.kind)];
    EXPECT_NE(link.from, link.to);
    EXPECT_TRUE(pairs.insert({std::min(link.from, link.to), std::max(link.from, link.to)}).second)
        << link.from << " and " << link.to << " are linked twice";
  }
  return count;
}

// A grid of nx × nz cells: edges of quads, both diagonals, and every second vertex along the lines.
TEST(BodyMeshes, LinksOfAGridFollowItsCells) {
  for (const GridPattern pattern : {GridPattern::diagonal, GridPattern::alternating, GridPattern::irregular}) {
    const int nx = 5, nz = 3;
    const MeshSource source = source_of(GridMesh{Vec2(5, 3), Eigen::Vector2i(nx, nz), pattern});
    EXPECT_TRUE(has_cells(source));
    const PlacedBody sheet = make_springs(source);
    EXPECT_EQ(count_links(sheet), (std::array<int, 3>{nx * (nz + 1) + nz * (nx + 1), 2 * nx * nz,
                                                      (nx - 1) * (nz + 1) + (nz - 1) * (nx + 1)}));
    EXPECT_EQ(sheet.triangles.size(), 2U * nx * nz);
    if (pattern == GridPattern::irregular) continue;
    for (const Link& link : sheet.links) {
      const double length = (sheet.mesh.vertices[link.to] - sheet.mesh.vertices[link.from]).norm();
      const double wanted[] = {1, std::sqrt(2.0), 2};
      EXPECT_NEAR(length, wanted[static_cast<int>(link.kind)], 1e-14);
    }
  }
}

// Elsewhere: every edge once, and one link over every inner edge whose opposite vertices have none yet.
TEST(BodyMeshes, LinksOfASurfaceFollowItsEdges) {
  EXPECT_EQ(count_links(make_springs(source_of(SphereMesh{0.5, {}, 1}))), (std::array<int, 3>{120, 0, 120}));
  const MeshSource crossed = source_of(GridMesh{Vec2(4, 3), Eigen::Vector2i(4, 3), GridPattern::cross});
  EXPECT_FALSE(has_cells(crossed));
  // 31 edges of cells, 4 halves of diagonals in each of 12 cells; the middles of two cells over the 17 inner edges, and
  // two diagonals in each cell.
  EXPECT_EQ(count_links(make_springs(crossed)), (std::array<int, 3>{31 + 48, 0, 17 + 24}));
  const MeshSource equilateral = source_of(GridMesh{Vec2(4, 3), Eigen::Vector2i(4, 3), GridPattern::equilateral});
  EXPECT_FALSE(has_cells(equilateral));
  const PlacedBody sheet = make_springs(equilateral);
  const SurfaceTopology topology = inspect_surface({sheet.mesh.vertices, sheet.triangles, {}, {}});
  const std::array<int, 3> count = count_links(sheet);
  EXPECT_EQ(count[0], topology.edge_count);
  EXPECT_EQ(count[1], 0);
  EXPECT_GT(count[2], 20);
  EXPECT_LE(count[2], topology.edge_count - static_cast<int>(topology.boundary_edges.size()));
}

TEST(BodyMeshes, LinksOfChainsAndBoxes) {
  EXPECT_EQ(count_links(make_springs(source_of(StrandMesh{StraightLine{1, 7, Vec3::UnitX()}, false, 0}))),
            (std::array<int, 3>{7, 0, 6}));
  EXPECT_EQ(count_links(make_springs(source_of(StrandMesh{HelixLine{0.2, 0, 1, 12}, true, 0}))),
            (std::array<int, 3>{12, 0, 12}));
  EXPECT_EQ(count_links(make_springs(source_of(StrandMesh{StraightLine{1, 1, Vec3::UnitX()}, false, 0}))),
            (std::array<int, 3>{1, 0, 0}));
  // One cell of five tets: 12 edges of the cube and a diagonal of each face.
  const PlacedBody box = make_springs(source_of(BoxMesh{Vec3::Ones(), Vec3i::Ones()}));
  EXPECT_EQ(count_links(box), (std::array<int, 3>{18, 0, 0}));
  EXPECT_EQ(box.mesh.tets.size(), 5U);
}

// A triangle and a square as closed chains: over one vertex lies a neighbour, or the same vertex for both ways.
TEST(BodyMeshes, ShortRingsHaveNoLinkTwice) {
  const auto ring = [](int n) {
    return count_links(make_springs(source_of(StrandMesh{HelixLine{0.2, 0, 1, n}, true, 0})));
  };
  EXPECT_EQ(ring(3), (std::array<int, 3>{3, 0, 0}));
  EXPECT_EQ(ring(4), (std::array<int, 3>{4, 0, 2}));
  EXPECT_EQ(ring(5), (std::array<int, 3>{5, 0, 5}));
}

// --- Strands ---

PlacedBody ball(int subdivisions) {
  PlacedBody ground = make_obstacle(source_of(SphereMesh{0.1, {}, subdivisions}));
  for (Vec3& x : ground.mesh.vertices) x += Vec3(1, 2, 3);
  return ground;
}
const Vec3 kCentre(1, 2, 3);

StrandsMesh some_strands() {
  StrandsMesh strands;
  strands.on = "head";
  strands.count = 200;
  strands.length = 0.05;
  strands.segments = 6;
  return strands;
}

TEST(BodyMeshes, StrandsStandOnTheirSurface) {
  const PlacedBody ground = ball(3);
  const PlacedBody hair = make_strands(some_strands(), ground, 5, "scene.yaml:5");
  ASSERT_EQ(hair.chains.size(), 200U);
  ASSERT_EQ(hair.mesh.vertices.size(), 200U * 7);
  // Where each triangle ends when their areas are laid side by side: strand s is in share s of 200.
  std::vector<double> ends;
  for (const Vec3& area : area_vectors(ground.mesh.vertices, ground.triangles))
    ends.push_back((ends.empty() ? 0 : ends.back()) + area.norm());
  int number = 0;
  for (const Chain& chain : hair.chains) {
    ASSERT_EQ(chain.vertices.size(), 7U);
    const Vec3& root = hair.mesh.vertices[chain.vertices[0]];
    // In the plane of its triangle, inside it.
    const Vec3i& t = ground.triangles[chain.root_triangle];
    const double before = chain.root_triangle == 0 ? 0 : ends[chain.root_triangle - 1];
    EXPECT_LE(before, ends.back() * (number + 1) / 200);
    EXPECT_GE(ends[chain.root_triangle], ends.back() * number / 200);
    ++number;
    const Vec3 &a = ground.mesh.vertices[t[0]], &b = ground.mesh.vertices[t[1]], &c = ground.mesh.vertices[t[2]];
    const Vec3 normal = (b - a).cross(c - a);
    EXPECT_NEAR(normal.normalized().dot(root - a), 0, 1e-15);
    EXPECT_GE(normal.dot((b - a).cross(root - a)), -1e-18);
    EXPECT_GE(normal.dot((c - b).cross(root - b)), -1e-18);
    EXPECT_GE(normal.dot((a - c).cross(root - c)), -1e-18);
    // Straight, along the normal, which on a ball points away from its middle.
    const Vec3 out = (root - kCentre).normalized();
    for (int i = 1; i <= 6; ++i) {
      const Vec3 edge = hair.mesh.vertices[chain.vertices[i]] - hair.mesh.vertices[chain.vertices[i - 1]];
      EXPECT_NEAR(edge.norm(), 0.05 / 6, 1e-15);
      EXPECT_GT(edge.normalized().dot(out), 0.999);
    }
  }
}

TEST(BodyMeshes, StrandsAreSpreadByArea) {
  // A triangle of area 3 beside one of area 1.
  PlacedBody ground;
  ground.mesh.vertices = {Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(0, 0, -2), Vec3(-1, 0, 0)};
  ground.triangles = {Vec3i(0, 1, 2), Vec3i(0, 2, 3)};
  StrandsMesh strands = some_strands();
  strands.count = 400;
  const PlacedBody hair = make_strands(strands, ground, 1, "");
  int on_first = 0;
  Vec3 mean = Vec3::Zero();
  for (const Chain& chain : hair.chains) {
    if (chain.root_triangle != 0) continue;
    ++on_first;
    mean += hair.mesh.vertices[chain.vertices[0]];
  }
  EXPECT_EQ(on_first, 300);
  // Evenly inside it: three standard deviations of the mean, l/√(18 · 300) along either side.
  mean /= on_first;
  EXPECT_NEAR(mean[0], 1, 3 * 3 / std::sqrt(5400.0));
  EXPECT_NEAR(mean[2], -2.0 / 3, 3 * 2 / std::sqrt(5400.0));
}

TEST(BodyMeshes, StrandsGrowWhereTheyAreWanted) {
  const PlacedBody ground = ball(3);
  StrandsMesh strands = some_strands();
  strands.where = BoxSelection{Vec3(0, 2, 0), Vec3(9, 9, 9)};
  for (const Chain& chain : make_strands(strands, ground, 5, "").chains) {
    for (const int corner : ground.triangles[chain.root_triangle]) EXPECT_GE(ground.mesh.vertices[corner][1], 2);
  }
  strands.where = BoxSelection{Vec3(5, 5, 5), Vec3(9, 9, 9)};
  EXPECT_INPUT_ERROR(make_strands(strands, ground, 5, "scene.yaml:5"),
                     "scene.yaml:5: strands.where selects no triangle");
}

TEST(BodyMeshes, StrandsComeFromTheSeed) {
  const PlacedBody ground = ball(2);
  const PlacedBody first = make_strands(some_strands(), ground, 5, "");
  EXPECT_EQ(first.mesh.vertices, make_strands(some_strands(), ground, 5, "").mesh.vertices);
  EXPECT_NE(first.mesh.vertices, make_strands(some_strands(), ground, 6, "").mesh.vertices);
}

// Curled strands are helices: as long as asked for, up to what chords cut off, after a root that stands upright.
TEST(BodyMeshes, CurledStrandsAreHelicesOfTheirLength) {
  StrandsMesh strands = some_strands();
  strands.count = 20;
  strands.segments = 200;
  strands.curl_radius = 0.002;
  strands.curl_pitch = 0.01;
  // Arc of a segment: rise and turn.
  const double turns_per_metre = 2 * pi / 0.01, rise = 0.05 / 200 / std::hypot(1, 0.002 * turns_per_metre);
  const double chord = std::hypot(rise, 2 * 0.002 * std::sin(0.5 * rise * turns_per_metre));
  const double arc = std::hypot(rise, 0.002 * rise * turns_per_metre);
  EXPECT_NEAR(arc, 0.05 / 200, 1e-15);
  const PlacedBody hair = make_strands(strands, ball(3), 5, "");
  for (const Chain& chain : hair.chains) {
    const auto x = [&](int i) { return hair.mesh.vertices[chain.vertices[i]]; };
    const Vec3 normal = (x(1) - x(0)).normalized();  // to 1e-11: an edge of 0.15 mm three metres from the origin
    EXPECT_NEAR((x(1) - x(0)).norm(), rise, 1e-14);
    for (int i = 2; i < 200; ++i) {
      EXPECT_NEAR((x(i + 1) - x(i)).norm(), chord, 1e-14);
      const Vec3 off = x(i) - x(0);
      EXPECT_NEAR((off - off.dot(normal) * normal).norm(), 0.002, 1e-12);
    }
  }
}

}  // namespace
}  // namespace pliant::scene
