// OBJ: every form of a face, per-vertex texture coordinates, round trip, and an error with its line for bad input.
#include "pliant/io/obj.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "pliant/input_error.h"
#include "pliant/io/write_error.h"

namespace pliant::io {
namespace {

TriangleMesh parse_obj(const std::string& text) {
  std::istringstream in(text);
  return read_obj(in, "a.obj");
}

std::string error_of(const std::string& text) {
  try {
    parse_obj(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

// Twice the area vector: does not depend on how a planar polygon is cut, but on the orientation.
Vec3 area_vector(const TriangleMesh& mesh) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3i& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[1]] - mesh.vertices[t[0]];
    const Vec3 b = mesh.vertices[t[2]] - mesh.vertices[t[0]];
    sum += Vec3(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  }
  return sum;
}

TEST(Obj, PolygonBecomesTrianglesOfTheSameArea) {
  const TriangleMesh mesh = parse_obj(kSquare + "f 1 2 3 4\n");
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(area_vector(mesh), Vec3(0, 0, 2));
}

TEST(Obj, AllFormsOfCornersAgree) {
  const std::string extra = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n";
  for (const std::string face : {"f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f 1/1/1 2/2/1 3/3/1", "f -4 -3 -2",
                                 "f -4/-3/-1 -3/-2/-1 -2/-1/-1", "f 1 2 \\\n3", "f 1 2 \\\r\n 3 # and a remark"}) {
    const TriangleMesh mesh = parse_obj(kSquare + extra + face + "\n");
    ASSERT_EQ(mesh.triangles.size(), 1u) << face;
    EXPECT_EQ(mesh.triangles[0], Vec3i(0, 1, 2)) << face;
  }
}

TEST(Obj, IgnoresWhatIsNoGeometry) {
  const TriangleMesh mesh = parse_obj("\xEF\xBB\xBF# made by hand\nmtllib a.mtl\no thing\ng one two\n\n" + kSquare +
                                      "vn 0 0 1\nusemtl red\ns off\nl 1 2\np 1\nf 1 2 3\n");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 1u);
}

TEST(Obj, AcceptsEveryLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const TriangleMesh mesh = parse_obj("v 0 0 0" + end + "v +1.5e0 0 0 1 0.5 0.5" + end + "v 0 1 0" + end + "f 1 2 3");
    EXPECT_EQ(mesh.vertices[1], Vec3(1.5, 0, 0));
    EXPECT_EQ(mesh.triangles.size(), 1u);
  }
}

// On a seam a vertex has several texture coordinates: then they are kept corner by corner.
TEST(Obj, SeamsKeepTextureAtTheCorners) {
  const std::string texture = "vt 0 0\nvt 2 0\nvt 2 2\nvt 0 2\nvt 9 9\nvt 2 2\n";
  const TriangleMesh seam = parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1/5 3/3 4/4\n");
  ASSERT_EQ(seam.corner_texture.size(), 2u);
  EXPECT_EQ(seam.corner_texture[0], (std::array<Vec2, 3>{Vec2(0, 0), Vec2(2, 0), Vec2(2, 2)}));
  EXPECT_EQ(seam.corner_texture[1], (std::array<Vec2, 3>{Vec2(9, 9), Vec2(2, 2), Vec2(0, 2)}));
  // Without a seam it stands at the vertices; with a corner that has none there is nothing.
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n").corner_texture.empty());
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1/5 3/3 4\n").corner_texture.empty());
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1 2 3\nf 1/5 3/3 4/4\n").corner_texture.empty());
  EXPECT_TRUE(parse_obj(kSquare + "f 1 2 3\n").corner_texture.empty());
}

// A polygon is cut into triangles; each has the coordinates of the corners it got.
TEST(Obj, CornersOfPolygonsKeepTheirTexture) {
  const std::string strip = kSquare + "v 2 0 0\nv 2 1 0\n";
  const TriangleMesh mesh =
      parse_obj(strip +
                "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 5 0\nvt 6 0\nvt 6 1\nvt 5 1\nf 1/1 2/2 3/3 4/4\nf 2/5 "
                "5/6 6/7 3/8\n");
  ASSERT_EQ(mesh.triangles.size(), 4u);
  ASSERT_EQ(mesh.corner_texture.size(), 4u);
  for (int t = 0; t < 4; ++t) {
    for (int c = 0; c < 3; ++c) {
      const Vec3& x = mesh.vertices[mesh.triangles[t][c]];
      EXPECT_EQ(mesh.corner_texture[t][c], Vec2(x[0] + (t < 2 ? 0 : 4), x[1])) << t << ", " << c;
    }
  }
}

TEST(Obj, TextureIsPerVertexOnlyWithoutSeams) {
  const std::string texture = "vt 0 0\nvt 2 0\nvt 2 2\nvt 0 2\nvt 9 9\nvt 2 2\n";
  const TriangleMesh plain = parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1/1 3/6 4/4\n");  // 6 repeats 3
  ASSERT_EQ(plain.texture.size(), 4u);
  EXPECT_EQ(plain.texture[2], Vec2(2, 2));
  EXPECT_EQ(plain.texture[3], Vec2(0, 2));
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1/5 3/3 4/4\n").texture.empty());  // a seam at vertex 1
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1/1 2/2 3/3\nf 1 3 4\n").texture.empty());        // half the corners
  EXPECT_TRUE(parse_obj(kSquare + texture + "f 1 2 3\n").texture.empty());
}

TEST(Obj, WrittenMeshReadsBackBitForBit) {
  TriangleMesh mesh;
  mesh.vertices = {{0.1, 1.0 / 3.0, -1e-310}, {1e300, std::nextafter(1.0, 2.0), 0}, {-0.0, 5, 7}};
  mesh.triangles = {{0, 1, 2}, {2, 1, 0}};
  mesh.texture = {{0.1, 0.2}, {0.3, 1.0 / 7.0}, {1, 0}};
  std::stringstream file;
  write_obj(file, mesh, "a.obj");
  const TriangleMesh back = read_obj(file, "a.obj");
  EXPECT_EQ(back.vertices, mesh.vertices);
  EXPECT_EQ(back.triangles, mesh.triangles);
  EXPECT_EQ(back.texture, mesh.texture);
}

TEST(Obj, NumbersTooSmallForADoubleAreZero) {
  EXPECT_EQ(parse_obj("v 1e-400 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").vertices[0][0], 0.0);
}

TEST(Obj, ErrorsNameTheLineAndTheRemedy) {
  const auto expect = [](const std::string& text, const std::string& place, const std::string& words) {
    const std::string error = error_of(text);
    EXPECT_EQ(error.find(place), 0u) << error;
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  expect("", "a.obj: ", "empty");
  expect("# nothing\n", "a.obj:2: ", "no vertices");
  expect(kSquare, "a.obj:5: ", "no faces");
  expect("v 0 0\nv 1 0 0\n", "a.obj:1: ", "the line ends where the z coordinate");
  expect("v 0 abc 0\n", "a.obj:1: ", "'abc' where the y coordinate");
  expect("v 0 1,5 0\n", "a.obj:1: ", "'1,5'");
  expect("v 0 0 0\nv nan 0 0\n", "a.obj:2: ", "finite");
  expect("v 0 0 0\nv 0 -inf 0\n", "a.obj:2: ", "finite");
  expect("v 1e999 0 0\n", "a.obj:1: ", "1e308");
  expect(kSquare + "f 1 2 5\n", "a.obj:5: ", "vertex 5, but 4 stand above");
  expect(kSquare + "f 0 1 2\n", "a.obj:5: ", "vertex 0");
  expect(kSquare + "f -5 1 2\n", "a.obj:5: ", "vertex -5");
  expect(kSquare + "f 1/1 2/1 3/1\n", "a.obj:5: ", "texture vertex 1, but 0");
  expect(kSquare + "f 1 2 99999999999999999999\n", "a.obj:5: ", "no corner");
  expect(kSquare + "f 1 2 3x\n", "a.obj:5: ", "'3x' is no corner");
  expect(kSquare + "f 1 2 3//1/1\n", "a.obj:5: ", "'3//1/1'");
  expect(kSquare + "f 1 2\n", "a.obj:5: ", "at least three");
  expect(kSquare + "f 1 2 2\n", "a.obj:5: ", "twice");
  expect(kSquare + "vertex 1 2 3\n", "a.obj:5: ", "'vertex' is no OBJ statement");
}

TEST(Obj, FullDiskIsAWriteError) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_THROW(write_obj("/dev/full", mesh), WriteError);
  EXPECT_THROW(write_obj("no/such/folder/a.obj", mesh), WriteError);
}

TEST(Obj, VerticesAfterTheLastFaceHaveTextureToo) {
  const TriangleMesh mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nv 5 5 5\n");
  ASSERT_EQ(mesh.vertices.size(), 4U);
  ASSERT_EQ(mesh.texture.size(), 4U);
  EXPECT_EQ(mesh.texture[2], Vec2(0, 1));
}

}  // namespace
}  // namespace pliant::io
