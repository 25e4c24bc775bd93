// PLY: the three encodings agree, foreign properties are skipped, round trip, and errors for broken files.
#include "pliant/io/ply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "pliant/input_error.h"
#include "pliant/io/write_error.h"
#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

TriangleMesh parse_ply(const std::string& text) {
  std::istringstream in(text);
  return read_ply(in, "a.ply");
}

const std::string kPlain =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n";  // 10 lines

template <class T>
std::string raw(T value, std::endian order) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return {bytes.data(), bytes.size()};
}

// A quadrangle with mixed types, a property and two elements that nobody needs, in either byte order.
std::string binary_quad(std::endian order) {
  std::string file = std::string("ply\nformat ") +
                     (order == std::endian::big ? "binary_big_endian" : "binary_little_endian") +
                     " 1.0\nobj_info x\nelement camera 1\nproperty list ushort float lens\nproperty char c\n"
                     "element vertex 4\nproperty double z\nproperty short x\nproperty uchar red\nproperty float y\n"
                     "property float t\nproperty float s\n"
                     "element nothing 1000000000000\n"
                     "element face 1\nproperty uint colour\nproperty list int ushort vertex_index\nend_header\n";
  file += raw<std::uint16_t>(2, order) + raw(1.0f, order) + raw(std::nanf(""), order) + raw<std::int8_t>(-1, order);
  for (int i = 0; i < 4; ++i) {
    const std::int16_t x = i == 1 || i == 2 ? -300 : 0;
    const float y = i >= 2 ? 0.5f : 0.0f;
    file += raw(0.1 * i, order) + raw(x, order) + raw<std::uint8_t>(255, order) + raw(y, order);
    file += raw(static_cast<float>(-i), order) + raw(static_cast<float>(i), order);
  }
  file += raw<std::uint32_t>(7, order) + raw<std::int32_t>(4, order);
  for (const std::uint16_t corner : {0, 1, 2, 3}) file += raw(corner, order);
  return file;
}

TEST(Ply, AsciiPolygonBecomesAFan) {
  const TriangleMesh mesh = parse_ply(kPlain + "0 0 0\n1 0 0\n1 1 0\n0 1 2.5\n4 0 1 2 3\n");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], Vec3(0, 1, 2.5));
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.triangles[0], Vec3i(0, 1, 2));
  EXPECT_EQ(mesh.triangles[1], Vec3i(0, 2, 3));
  EXPECT_TRUE(mesh.texture.empty());
}

TEST(Ply, BothByteOrdersAndMixedTypesAreRead) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const TriangleMesh mesh = parse_ply(binary_quad(order));
    ASSERT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.vertices[2], Vec3(-300, 0.5, 0.2));
    ASSERT_EQ(mesh.texture.size(), 4u);
    EXPECT_EQ(mesh.texture[3], Vec2(3, -3));
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_EQ(mesh.triangles[1], Vec3i(0, 2, 3));
  }
}

TEST(Ply, EveryTruncationIsAnErrorAndNotACrash) {
  for (const std::string& whole :
       {binary_quad(std::endian::little), kPlain + "0 0 0\n1 0 0\n1 1 0\n0 1 2.5\n4 0 1 2 3"}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(parse_ply(whole.substr(0, size)), InputError) << size;
    }
    EXPECT_NO_THROW(parse_ply(whole));
  }
}

TEST(Ply, WrittenMeshReadsBack) {
  TriangleMesh mesh;
  mesh.vertices = {{0.1, 1.0 / 3.0, -1e-310}, {1e30, std::nextafter(1.0, 2.0), 0}, {-0.5, 5, 7}};
  mesh.triangles = {{0, 1, 2}, {2, 1, 0}};
  for (const bool textured : {false, true}) {
    if (textured) mesh.texture = {{0.1, 0.2}, {0.3, 1.0 / 7.0}, {1, 0}};
    std::stringstream exact;
    write_ply(exact, mesh, "a.ply");
    const TriangleMesh back = read_ply(exact, "a.ply");
    EXPECT_EQ(back.vertices, mesh.vertices);
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.texture, mesh.texture);

    std::stringstream rounded;
    write_ply(rounded, mesh, "a.ply", PlyPrecision::float32);
    const TriangleMesh close = read_ply(rounded, "a.ply");
    ASSERT_EQ(close.vertices.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(close.vertices[i], mesh.vertices[i].cast<float>().cast<double>());
    }
  }
}

TEST(Ply, ErrorsNameTheLineAndTheRemedy) {
  const std::string corners = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";  // lines 11 to 14
  testing::expect_parse_error(parse_ply, "", "a.ply: ", "empty");
  testing::expect_parse_error(parse_ply, "obj\n", "a.ply:1: ", "begin with 'ply'");
  testing::expect_parse_error(parse_ply, "ply\nformat ascii 1.0\nelement vertex 3\n", "a.ply:4: ", "inside the header");
  testing::expect_parse_error(parse_ply, "ply\nelement vertex 3\nend_header\n", "a.ply:3: ", "format");
  testing::expect_parse_error(parse_ply, "ply\nformat binary 1.0\n", "a.ply:2: ", "'binary' is unknown");
  testing::expect_parse_error(parse_ply, "ply\nformat ascii 1.0\nelement vertex -3\n", "a.ply:3: ", "negative");
  testing::expect_parse_error(parse_ply, "ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n",
                              "a.ply:4: ", "'real' is unknown");
  testing::expect_parse_error(parse_ply, "ply\nformat ascii 1.0\nproperty float x\n",
                              "a.ply:3: ", "before any element");
  testing::expect_parse_error(parse_ply, "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n",
                              "a.ply:4: ", "twice");
  testing::expect_parse_error(parse_ply,
                              "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar float vertex_indices\n",
                              "a.ply:4: ", "integer type");
  testing::expect_parse_error(parse_ply, kPlain + "0 0 0\n1 0 zero\n", "a.ply:12: ", "'zero'");
  testing::expect_parse_error(parse_ply, kPlain + "0 0 0\n1 0 nan\n", "a.ply:12: ", "finite");
  testing::expect_parse_error(parse_ply, kPlain + corners + "3 0 1 4\n", "a.ply:15: ", "vertex 4 does not exist");
  testing::expect_parse_error(parse_ply, kPlain + corners + "3 0 1 -1\n", "a.ply:15: ", "vertex -1 does not exist");
  testing::expect_parse_error(parse_ply, kPlain + corners + "-3 0 1 2\n", "a.ply:15: ", "length of a list");
  testing::expect_parse_error(parse_ply, kPlain + corners + "2 0 1\n", "a.ply:15: ", "at least three");
  testing::expect_parse_error(parse_ply, kPlain + corners + "3 0 1 2\n3 0 2 3\n", "a.ply:16: ", "goes on");
  testing::expect_parse_error(
      parse_ply, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
      "a.ply:7: ", "x, y or z");
}

TEST(Ply, CountsAreNotTrusted) {
  // Allocating what these headers announce would need exabytes.
  const std::string huge =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000000000000\nproperty float x\nproperty float y\n"
      "property float z\nelement face 4000000000000000000\nproperty list uint int vertex_indices\nend_header\n";
  testing::expect_parse_error(parse_ply, huge, "a.ply", "truncated");
  testing::expect_parse_error(parse_ply, huge + std::string(1000, '\x01'), "a.ply", "truncated");
}

TEST(Ply, NonFiniteBinaryCoordinateIsAnError) {
  std::stringstream file;
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, std::numeric_limits<double>::infinity(), 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  write_ply(file, mesh, "a.ply");
  testing::expect_parse_error(parse_ply, file.str(), "a.ply (byte ", "finite");
}

TEST(Ply, FullDiskIsAWriteError) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_THROW(write_ply("/dev/full", mesh), WriteError);
}

}  // namespace
}  // namespace pliant::io
