// Files on disk: the suffix chooses the reader, and each way a path can be wrong has its sentence.
#include "pliant/io/mesh_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "pliant/input_error.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/obj.h"
#include "pliant/io/ply.h"

namespace pliant::io {
namespace {

namespace fs = std::filesystem;

class MeshFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("pliant_mesh_file_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  static void expect_error(const fs::path& path, const std::string& words) {
    try {
      read_mesh(path);
      ADD_FAILURE() << "no error, but expected: " << words;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find(path.string()), 0u) << what;
      EXPECT_NE(what.find(words), std::string::npos) << what;
    }
  }

  fs::path folder_;
};

TriangleMesh triangle() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  return mesh;
}

TetMesh tet() {
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

TEST_F(MeshFile, SuffixChoosesTheReader) {
  write_obj(folder_ / "a.obj", triangle());
  write_obj(folder_ / "A.OBJ", triangle());
  write_ply(folder_ / "a.ply", triangle());
  for (const char* name : {"a.obj", "A.OBJ", "a.ply"}) {
    EXPECT_EQ(read_triangle_mesh(folder_ / name).vertices, triangle().vertices) << name;
    EXPECT_THROW(read_tet_mesh(folder_ / name), InputError) << name;
  }
  write_gmsh(folder_ / "a.msh", tet());
  write("a.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "Tetrahedra 1\n1 2 3 4 0\nEnd\n");
  write("a.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
  write("a.ele", "1 4 0\n0 0 1 2 3\n");
  for (const char* name : {"a.msh", "a.mesh", "a.node", "a.ele"}) {
    const TetMesh mesh = read_tet_mesh(folder_ / name);
    EXPECT_EQ(mesh.vertices, tet().vertices) << name;
    EXPECT_EQ(mesh.tets, tet().tets) << name;
    EXPECT_THROW(read_triangle_mesh(folder_ / name), InputError) << name;
    EXPECT_TRUE(std::holds_alternative<TetMesh>(read_mesh(folder_ / name))) << name;
  }
}

TEST_F(MeshFile, WrongPathsHaveTheirSentences) {
  expect_error(folder_ / "missing.obj", "does not exist");
  expect_error(folder_ / "mesh.stl", "known are .obj, .ply, .msh, .mesh, .node and .ele");
  expect_error(folder_ / "mesh", "needs a suffix");
  fs::create_directories(folder_ / "folder.obj");
  expect_error(folder_ / "folder.obj", "folder");
  expect_error(write("empty.ply", ""), "empty");
  fs::create_symlink("/dev/zero", folder_ / "endless.obj");
  expect_error(folder_ / "endless.obj", "not a regular file");
  write("alone.node", "1 3 0 0\n0 0 0 0\n");
  try {
    read_mesh(folder_ / "alone.node");
    ADD_FAILURE() << "the .ele file is missing";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("alone.ele"), std::string::npos) << error.what();
  }
}

// A million triangles in ASCII take well under a second; ten times that is a quadratic mistake.
TEST_F(MeshFile, LargeAsciiFileIsReadInLinearTime) {
  constexpr int kSide = 708;
  std::ostringstream text;
  text << "ply\nformat ascii 1.0\nelement vertex " << (kSide + 1) * (kSide + 1)
       << "\nproperty double x\nproperty double y\nproperty double z\nelement face " << 2 * kSide * kSide
       << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (int i = 0; i <= kSide; ++i) {
    for (int j = 0; j <= kSide; ++j) text << 0.001234567 * i << ' ' << 0.7654321 * j << " -0.125\n";
  }
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      const int corner = i * (kSide + 1) + j;
      text << "3 " << corner << ' ' << corner + 1 << ' ' << corner + kSide + 2 << '\n';
      text << "3 " << corner << ' ' << corner + kSide + 2 << ' ' << corner + kSide + 1 << '\n';
    }
  }
  const fs::path path = write("large.ply", text.str());
  const auto start = std::chrono::steady_clock::now();
  const TriangleMesh mesh = read_triangle_mesh(path);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(mesh.triangles.size(), 2u * kSide * kSide);
  EXPECT_LT(seconds, 10.0);
  RecordProperty("seconds", std::to_string(seconds));
}

}  // namespace
}  // namespace pliant::io
