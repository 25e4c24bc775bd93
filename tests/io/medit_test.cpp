// Medit: tets win over triangles, unknown sections are skipped, and errors for what cannot be read.
#include "pliant/io/medit.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "pliant/input_error.h"

namespace pliant::io {
namespace {

AnyMesh parse(const std::string& text) {
  std::istringstream in(text);
  return read_medit(in, "a.mesh");
}

void expect_error(const std::string& text, const std::string& place, const std::string& words) {
  try {
    parse(text);
    ADD_FAILURE() << "no error, but expected: " << words;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find(place), 0u) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  }
}

const std::string kVertices =
    " MeshVersionFormatted 2\n Dimension\n 3\n# corners\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 2\n0 0 1.5 0\n";  // 10

TEST(Medit, TetsAreReadAndTurnedToPositiveVolume) {
  const AnyMesh any = parse(kVertices +
                            "Edges\n1\n1 2 0\nTriangles 1\n1 2 3 7\nRidges 1\n1\n"
                            "Tetrahedra\n2\n1 2 3 4 0\n2 1 3 4 5\nEnd\nignored");
  ASSERT_TRUE(std::holds_alternative<TetMesh>(any));
  const TetMesh& mesh = std::get<TetMesh>(any);
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], Vec3(0, 0, 1.5));
  ASSERT_EQ(mesh.tets.size(), 2u);
  EXPECT_EQ(mesh.tets[0], Vec4i(0, 1, 2, 3));
  EXPECT_EQ(mesh.tets[1], Vec4i(1, 0, 3, 2));  // an odd exchange of the first tet's corners, made even again
}

TEST(Medit, SurfaceWithoutTetsIsATriangleMesh) {
  const AnyMesh any = parse(kVertices + "Triangles\n1\n1 2 3 0\nQuadrilaterals\n1\n1 2 3 4 0\n");
  ASSERT_TRUE(std::holds_alternative<TriangleMesh>(any));
  EXPECT_EQ(std::get<TriangleMesh>(any).vertices.size(), 4u);
  EXPECT_EQ(std::get<TriangleMesh>(any).triangles.size(), 3u);
}

TEST(Medit, ErrorsNameTheLineAndTheRemedy) {
  expect_error("", "a.mesh: ", "empty");
  expect_error("Vertices\n", "a.mesh:1: ", "MeshVersionFormatted");
  expect_error(std::string("\1\0\0\0", 4), "a.mesh:1: ", "ASCII");
  expect_error("MeshVersionFormatted 1\nDimension 2\n", "a.mesh:2: ", "dimension 3");
  expect_error(kVertices, "a.mesh:11: ", "neither");
  expect_error(kVertices + "Tetrahedra\n1\n1 2 3 5 0\n", "a.mesh:13: ", "vertex 5 does not exist");
  expect_error(kVertices + "Tetrahedra\n1\n0 2 3 4 0\n", "a.mesh:13: ", "vertex 0 does not exist");
  expect_error(kVertices + "Tetrahedra\n1\n1 2 3 3 0\n", "a.mesh:13: ", "no volume");
  expect_error(kVertices + "Tetrahedra\n2\n1 2 3 4 0\n", "a.mesh:14: ", "truncated");
  expect_error(kVertices + "Tetrahedra\n1\n1 2 3 4 0\n4 3 2 1 0\n", "a.mesh:14: ", "correct the count");
  expect_error(kVertices + "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\n", "a.mesh:12: ", "Hexahedra");
  expect_error("MeshVersionFormatted 1\nTetrahedra 1\n1 2 3 4 0", "a.mesh:3: ", "vertices first");
  expect_error("MeshVersionFormatted 1\nVertices 9000000000000000000\n0 0 inf 0", "a.mesh:3: ", "finite");
}

}  // namespace
}  // namespace pliant::io
