// Files on disk: the suffix chooses the reader, and each way a path can be wrong has its sentence.
#include "pliant/io/mesh_file.h"

#include <gtest/gtest.h>

#include <ctime>
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

std::string ascii_grid(int side) {
  std::ostringstream text;
  text << "ply\nformat ascii 1.0\nelement vertex " << (side + 1) * (side + 1)
       << "\nproperty double x\nproperty double y\nproperty double z\nelement face " << 2 * side * side
       << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (int i = 0; i <= side; ++i) {
    for (int j = 0; j <= side; ++j) text << 0.001234567 * i << ' ' << 0.7654321 * j << " -0.125\n";
  }
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int corner = i * (side + 1) + j;
      text << "3 " << corner << ' ' << corner + 1 << ' ' << corner + side + 2 << '\n';
      text << "3 " << corner << ' ' << corner + side + 2 << ' ' << corner + side + 1 << '\n';
    }
  }
  return text.str();
}

// Sixteen times the triangles take about sixteen times the processor time; a quadratic mistake would take 256 times.
TEST_F(MeshFile, LargeAsciiFileIsReadInLinearTime) {
  const auto seconds_for = [&](int side) {
    const fs::path path = write("large.ply", ascii_grid(side));
    const std::clock_t start = std::clock();
    EXPECT_EQ(read_triangle_mesh(path).triangles.size(), 2U * static_cast<unsigned>(side * side));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = seconds_for(100), large = seconds_for(400);
  EXPECT_LT(large, 64 * small + 0.1);
}

}  // namespace
}  // namespace pliant::io
