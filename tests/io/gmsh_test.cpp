// Gmsh: formats 2.2 and 4.1, ASCII and binary in both byte orders, give the same mesh; errors for what cannot be read.
#include "pliant/io/gmsh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "pliant/input_error.h"
#include "pliant/io/write_error.h"
#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

AnyMesh parse_gmsh(const std::string& text) {
  std::istringstream in(text);
  return read_gmsh(in, "a.msh");
}

// Two tets, the second given with negative volume, between five of six nodes; node 99 is used by nothing.
const std::string kAscii41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n2 6 7 99\n2 1 1 2\n99\n7\n5 5 5 0.5 0.5\n0 0 0 0.25 0.75\n3 1 0 4\n20\n30\n40\n50\n1 0 0\n0 1 0\n0 0 1\n"
    "1 1 1\n$EndNodes\n"
    "$Elements\n2 3 1 3\n2 1 2 1\n1 7 20 30\n3 1 4 2\n2 7 20 30 40\n3 30 20 40 50\n$EndElements\n";

const std::string kAscii22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of it\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n99 5 5 5\n7 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1 1 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 99\n2 2 2 0 1 7 20 30\n3 4 2 1 1 7 20 30 40\n4 4 3 1 1 0 30 20 40 50\n"
    "5 4 2 2 1 7 20 30 40\n$EndElements\n";  // element 5 repeats 3 for a second physical group

struct Bytes {
  std::endian order;
  std::string text;
  template <class T>
  void put(T value) {
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
    text.append(bytes.data(), bytes.size());
  }
  void ints(std::initializer_list<int> values) {
    for (const int value : values) put<std::int32_t>(value);
  }
  void sizes(std::initializer_list<int> values) {
    for (const int value : values) put<std::uint64_t>(static_cast<std::uint64_t>(value));
  }
  void reals(std::initializer_list<double> values) {
    for (const double value : values) put(value);
  }
};

std::string binary_41(std::endian order) {
  Bytes file{order, "$MeshFormat\n4.1 1 8\n"};
  file.ints({1});
  file.text += "\n$EndMeshFormat\n$Nodes\n";
  file.sizes({2, 6, 7, 99});
  file.ints({2, 1, 1});
  file.sizes({2, 99, 7});
  file.reals({5, 5, 5, 0.5, 0.5, 0, 0, 0, 0.25, 0.75});
  file.ints({3, 1, 0});
  file.sizes({4, 20, 30, 40, 50});
  file.reals({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  file.text += "\n$EndNodes\n$Elements\n";
  file.sizes({2, 3, 1, 3});
  file.ints({2, 1, 2});
  file.sizes({1, 1, 7, 20, 30});
  file.ints({3, 1, 4});
  file.sizes({2, 2, 7, 20, 30, 40, 3, 30, 20, 40, 50});
  file.text += "\n$EndElements\n";
  return file.text;
}

std::string binary_22(std::endian order) {
  Bytes file{order, "$MeshFormat\n2.2 1 8\n"};
  file.ints({1});
  file.text += "\n$EndMeshFormat\n$Nodes\n6\n";
  const int tags[] = {99, 7, 20, 30, 40, 50};
  const double points[][3] = {{5, 5, 5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  for (int i = 0; i < 6; ++i) {
    file.ints({tags[i]});
    file.reals({points[i][0], points[i][1], points[i][2]});
  }
  file.text += "\n$EndNodes\n$Elements\n3\n";
  file.ints({2, 1, 2, 1, 0, 1, 7, 20, 30});                         // one triangle with two tags
  file.ints({4, 2, 1, 2, 1, 7, 20, 30, 40, 3, 1, 30, 20, 40, 50});  // two tets with one tag
  file.text += "\n$EndElements\n";
  return file.text;
}

TEST(Gmsh, AllFormatsGiveTheSameTets) {
  for (const std::string& text : {kAscii41, kAscii22, binary_41(std::endian::little), binary_41(std::endian::big),
                                  binary_22(std::endian::little), binary_22(std::endian::big)}) {
    const AnyMesh any = parse_gmsh(text);
    ASSERT_TRUE(std::holds_alternative<TetMesh>(any));
    const TetMesh& mesh = std::get<TetMesh>(any);
    const std::vector<Vec3> expected = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    EXPECT_EQ(mesh.vertices, expected);
    ASSERT_EQ(mesh.tets.size(), 2u);
    EXPECT_EQ(mesh.tets[0], Vec4i(0, 1, 2, 3));
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = mesh.vertices[mesh.tets[1][k + 1]] - mesh.vertices[mesh.tets[1][0]];
    const double six_volumes = edges(0, 0) * (edges(1, 1) * edges(2, 2) - edges(1, 2) * edges(2, 1)) -
                               edges(0, 1) * (edges(1, 0) * edges(2, 2) - edges(1, 2) * edges(2, 0)) +
                               edges(0, 2) * (edges(1, 0) * edges(2, 1) - edges(1, 1) * edges(2, 0));
    EXPECT_DOUBLE_EQ(six_volumes, 2.0);
  }
}

TEST(Gmsh, SurfaceWithoutTetsIsATriangleMesh) {
  const AnyMesh any = parse_gmsh(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 1 1 0\n5 0 1 0\n$EndNodes\n"
      "$Elements\n3\n1 3 0 2 3 4 5\n2 2 0 4 3 2\n3 2 0 3 2 4\n$EndElements\n");
  ASSERT_TRUE(std::holds_alternative<TriangleMesh>(any));
  const TriangleMesh& mesh = std::get<TriangleMesh>(any);
  EXPECT_EQ(mesh.vertices.size(), 4u);
  // The quadrangle's two halves and a mirrored triangle; the turned copy of the mirrored one is a repetition.
  ASSERT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(mesh.triangles[0], Vec3i(0, 1, 2));
  EXPECT_EQ(mesh.triangles[2], Vec3i(2, 1, 0));
}

TEST(Gmsh, WrittenMeshReadsBackBitForBit) {
  TetMesh mesh;
  mesh.vertices = {{0.1, 1.0 / 3.0, 0}, {1, std::nextafter(1.0, 2.0), 0}, {0, 2, 0}, {0, 0, 1e-9}, {3, 3, 3}};
  mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  std::stringstream file;
  write_gmsh(file, mesh, "a.msh");
  const TetMesh back = std::get<TetMesh>(read_gmsh(file, "a.msh"));
  EXPECT_EQ(back.vertices, mesh.vertices);
  EXPECT_EQ(back.tets, mesh.tets);
}

TEST(Gmsh, EveryTruncationOfABinaryFileIsAnErrorOrComplete) {
  const std::string whole = binary_41(std::endian::little);
  const std::size_t complete = whole.rfind("$EndElements") + 12;
  for (std::size_t size = 0; size < complete; ++size) {
    EXPECT_THROW(parse_gmsh(whole.substr(0, size)), InputError) << size;
  }
}

TEST(Gmsh, ErrorsNameTheLineAndTheRemedy) {
  const std::string format = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  const std::string nodes =
      "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n";  // lines 4 to 12
  testing::expect_parse_error(parse_gmsh, "", "a.msh: ", "empty");
  testing::expect_parse_error(parse_gmsh, "solid cube\n", "a.msh:1: ", "'solid'");
  testing::expect_parse_error(parse_gmsh, "$Nodes\n1\n", "a.msh:1: ", "does not begin with $MeshFormat");
  testing::expect_parse_error(parse_gmsh, "$MeshFormat\n4.0 0 8\n", "a.msh:2: ", "2.2 and 4.1");
  testing::expect_parse_error(parse_gmsh, "$MeshFormat\n4.1 1 4\n", "a.msh:2: ", "data size of 8");
  testing::expect_parse_error(parse_gmsh, format, "a.msh:4: ", "neither tetrahedra nor triangles");
  testing::expect_parse_error(parse_gmsh, format + "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n",
                              "a.msh:7: ", "two nodes have the tag 1");
  testing::expect_parse_error(parse_gmsh, format + "$Nodes\n1\n1 0 0 nan\n", "a.msh:6: ", "finite");
  testing::expect_parse_error(parse_gmsh, format + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
                              "a.msh:7: ", "$EndNodes should stand");
  testing::expect_parse_error(parse_gmsh, format + "$Nodes\n999999999999\n1 0 0 0\n", "a.msh:7: ", "truncated");
  testing::expect_parse_error(parse_gmsh, format + "$Elements\n1\n1 4 0 1 2 3 4\n", "a.msh:6: ", "before the nodes");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 4 0 1 2 3 5\n", "a.msh:13: ", "node 5 does not exist");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 4 0 1 2 3 3\n", "a.msh:13: ", "no volume");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 5 0 1 2 3 4 1 2 3 4\n", "a.msh:13: ", "hexahedra");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 11 0 1 2 3 4 1 2 3 4 1 2\n",
                              "a.msh:13: ", "10-node tetrahedra");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 9 0 1 2 3 4 1 2\n$EndElements\n",
                              "a.msh:15: ", "6-node triangles");
  testing::expect_parse_error(parse_gmsh, format + nodes + "1 777 0 1\n", "a.msh:13: ", "777 is unknown");
  testing::expect_parse_error(parse_gmsh, format + "$Periodic\n1\n", "a.msh:4: ", "complete");
}

TEST(Gmsh, FullDiskIsAWriteError) {
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  EXPECT_THROW(write_gmsh("/dev/full", mesh), WriteError);
}

}  // namespace
}  // namespace pliant::io
