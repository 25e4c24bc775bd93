// Medit: tets win over triangles, unknown sections are skipped, and errors for what cannot be read.
#include "pliant/io/medit.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "pliant/input_error.h"
#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

AnyMesh parse_medit(const std::string& text) {
  std::istringstream in(text);
  return read_medit(in, "a.mesh");
}

const std::string kMeditVertices =
    " MeshVersionFormatted 2\n Dimension\n 3\n# corners\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 2\n0 0 1.5 0\n";  // 10

TEST(Medit, TetsAreReadAndTurnedToPositiveVolume) {
  const AnyMesh any = parse_medit(kMeditVertices +
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
  const AnyMesh any = parse_medit(kMeditVertices + "Triangles\n1\n1 2 3 0\nQuadrilaterals\n1\n1 2 3 4 0\n");
  ASSERT_TRUE(std::holds_alternative<TriangleMesh>(any));
  EXPECT_EQ(std::get<TriangleMesh>(any).vertices.size(), 4u);
  EXPECT_EQ(std::get<TriangleMesh>(any).triangles.size(), 3u);
}

TEST(Medit, ErrorsNameTheLineAndTheRemedy) {
  testing::expect_parse_error(parse_medit, "", "a.mesh: ", "empty");
  testing::expect_parse_error(parse_medit, "Vertices\n", "a.mesh:1: ", "MeshVersionFormatted");
  testing::expect_parse_error(parse_medit, std::string("\1\0\0\0", 4), "a.mesh:1: ", "ASCII");
  testing::expect_parse_error(parse_medit, "MeshVersionFormatted 1\nDimension 2\n", "a.mesh:2: ", "dimension 3");
  testing::expect_parse_error(parse_medit, kMeditVertices, "a.mesh:11: ", "neither");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Tetrahedra\n1\n1 2 3 5 0\n",
                              "a.mesh:13: ", "vertex 5 does not exist");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Tetrahedra\n1\n0 2 3 4 0\n",
                              "a.mesh:13: ", "vertex 0 does not exist");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Tetrahedra\n1\n1 2 3 3 0\n", "a.mesh:13: ", "no volume");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Tetrahedra\n2\n1 2 3 4 0\n", "a.mesh:14: ", "truncated");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Tetrahedra\n1\n1 2 3 4 0\n4 3 2 1 0\n",
                              "a.mesh:14: ", "correct the count");
  testing::expect_parse_error(parse_medit, kMeditVertices + "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\n",
                              "a.mesh:12: ", "Hexahedra");
  testing::expect_parse_error(parse_medit, "MeshVersionFormatted 1\nTetrahedra 1\n1 2 3 4 0",
                              "a.mesh:3: ", "vertices first");
  testing::expect_parse_error(parse_medit, "MeshVersionFormatted 1\nVertices 9000000000000000000\n0 0 inf 0",
                              "a.mesh:3: ", "finite");
}

}  // namespace
}  // namespace pliant::io
