// Shapes of URDF links as meshes: generators with the axes of the format, files where names lead, boxes of a given inertia.
#include "pliant/scene/urdf_shapes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <filesystem>
#include <fstream>

#include "pliant/scene/body_meshes.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/urdf_robot.h"

namespace pliant::scene {
namespace {

using pliant::testing::collision;
using pliant::testing::link;
using pliant::testing::urdf;

// A folder with robot/urdf/, robot/meshes/wedge.obj.
class UrdfShapes : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ =
        std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(root_ / "robot/urdf");
    std::filesystem::create_directories(root_ / "robot/meshes");
    std::ofstream(root_ / "robot/meshes/wedge.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    std::ofstream(root_ / "robot/meshes/wedge.STL") << "solid\n";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] UrdfSurface surface(const std::string& geometry, const std::string& origin = "") const {
    const io::UrdfRobot robot = urdf(link("a", collision(geometry, origin)));
    return urdf_surface(robot, robot.links[0].collision[0], {}, {root_ / "robot/urdf/a.urdf", root_ / "scenes/a.yaml"});
  }

  std::filesystem::path root_;
};

TEST_F(UrdfShapes, CylindersStandAlongZ) {
  const UrdfSurface found = surface("<cylinder radius='0.1' length='0.5'/>", "<origin xyz='0 0 1'/>");
  Eigen::AlignedBox3d box;
  for (const Vec3& x : make_surface(found.mesh).vertices) box.extend(found.place * x);
  EXPECT_LE((box.min() - Vec3(-0.1, -0.1, 0.75)).norm(), 1e-3);
  EXPECT_LE((box.max() - Vec3(0.1, 0.1, 1.25)).norm(), 1e-3);
  EXPECT_NEAR(box.max().z(), 1.25, 1e-15);
  EXPECT_NEAR(found.place.rotation.determinant(), 1, 1e-15);
}

TEST_F(UrdfShapes, FilesAreFoundAndNamedFromTheScene) {
  for (const std::string name : {"../meshes/wedge.obj", "package://robot/meshes/wedge.obj"}) {
    const UrdfSurface found = surface("<mesh filename='" + name + "' scale='2 2 2'/>");
    const FilePath& file = std::get<FileMesh>(found.mesh.shape).file;
    EXPECT_EQ(file.written, "../robot/meshes/wedge.obj");
    EXPECT_TRUE(std::filesystem::exists(file.resolved));
    EXPECT_EQ(found.scale, 2);
    EXPECT_EQ(make_surface(found.mesh).triangles.size(), 4U);
  }
  const std::string whole = "file://" + (root_ / "robot/meshes/wedge.obj").string();
  EXPECT_EQ(std::get<FileMesh>(surface("<mesh filename='" + whole + "'/>").mesh.shape).file.written,
            "../robot/meshes/wedge.obj");
}

TEST_F(UrdfShapes, SaysWhatIsWrong) {
  EXPECT_INPUT_ERROR(
      surface("<mesh filename='../meshes/wedge.STL'/>"),
      "tested.urdf:2: meshes of robots are read from OBJ and PLY files, and this is '../meshes/wedge.STL'; "
      "convert it to OBJ");
  EXPECT_INPUT_ERROR(surface("<mesh filename='a.dae'/>"), "convert it to OBJ");
  EXPECT_INPUT_ERROR(surface("<mesh filename='no.obj'/>"),
                     "there is no file 'no.obj'; names are relative to the URDF file");
  EXPECT_INPUT_ERROR(surface("<mesh filename='package://other/meshes/wedge.obj'/>"), "there is no file");
  EXPECT_INPUT_ERROR(surface("<mesh filename='package://'/>"), "convert it to OBJ");
  EXPECT_INPUT_ERROR(surface("<mesh filename='../meshes/wedge.obj' scale='1 1 3'/>"),
                     "tested.urdf:2: a body has one scale for all directions; scale the mesh file instead");
}

TEST(UrdfInertiaBox, HasTheInertia) {
  MassProperties mass;
  mass.mass = 3;
  mass.center = Vec3(1, 2, 3);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 2).normalized()).toRotationMatrix();
  mass.inertia = turn * Vec3(0.3, 0.2, 0.4).asDiagonal() * turn.transpose();
  const UrdfSurface box = inertia_box(mass);
  const Vec3 size = std::get<BoxMesh>(box.mesh.shape).size;
  const Vec3 moments = 3.0 / 12 * (Vec3::Constant(size.squaredNorm()) - size.cwiseAbs2());
  EXPECT_LE((box.place.rotation * moments.asDiagonal() * box.place.rotation.transpose() - mass.inertia).norm(), 1e-14);
  EXPECT_EQ(box.place.translation, mass.center);
  EXPECT_NEAR(box.place.rotation.determinant(), 1, 1e-14);
  // A plate has a thickness.
  mass.inertia = Vec3(0.2, 0.2, 0.4).asDiagonal();
  EXPECT_GT(std::get<BoxMesh>(inertia_box(mass).mesh.shape).size.minCoeff(), 1e-4);
}

}  // namespace
}  // namespace pliant::scene
