#include "pliant/scene/urdf_shapes.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <string_view>

#include "pliant/input_error.h"
#include "pliant/io/text_scanner.h"

namespace pliant::scene {
namespace {

// Resolution of round shapes: facets of a sphere of 642 vertices lie up to 0.7 % of the radius inside it, those of a
// cylinder 0.5 %. Twice as fine is four times the contact pairs of a ball.
constexpr int kSphereSubdivisions = 3, kCylinderSegments = 32;
constexpr double kThinnestBox = 1e-3;  // of the longest side; thinner, contact with it would be ill-posed

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// package://robot/meshes/arm.obj: a folder of that name beside or above the URDF file. Empty: none.
std::filesystem::path find_in_package(const std::filesystem::path& folder, const std::filesystem::path& inside) {
  for (std::filesystem::path above = folder;; above = above.parent_path()) {
    if (is_file(above / inside)) return above / inside;
    if (above == above.parent_path()) return {};
  }
}

FilePath find_mesh(const io::UrdfRobot& robot, const io::UrdfShape& shape, const UrdfFolders& folders) {
  std::string suffix = std::filesystem::path(shape.file).extension().string();
  for (char& c : suffix) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (suffix != ".obj" && suffix != ".ply") {
    throw InputError(robot.place(shape.line), "meshes of robots are read from OBJ and PLY files, and this is " +
                                                  io::in_quotes(shape.file) +
                                                  "; convert it to OBJ and change the name here");
  }
  constexpr std::string_view kPackage = "package://", kLocal = "file://";
  const std::filesystem::path folder = std::filesystem::absolute(folders.urdf).parent_path();
  std::filesystem::path found;
  if (shape.file.starts_with(kPackage)) {
    found = find_in_package(folder, std::filesystem::path(shape.file.substr(kPackage.size())).relative_path());
  } else {
    found = folder / (shape.file.starts_with(kLocal) ? shape.file.substr(kLocal.size()) : shape.file);
  }
  if (!is_file(found)) {
    throw InputError(robot.place(shape.line), "there is no file " + io::in_quotes(shape.file) +
                                                  "; names are relative to the URDF file, and a package is a folder "
                                                  "beside or above it");
  }
  const std::filesystem::path from = std::filesystem::absolute(folders.scene).parent_path().lexically_normal();
  return {found.lexically_normal().lexically_proximate(from).generic_string(), found};
}

}  // namespace

UrdfSurface urdf_surface(const io::UrdfRobot& robot, const io::UrdfShape& shape, const RigidTransform& world_from_link,
                         const UrdfFolders& folders) {
  UrdfSurface surface;
  surface.mesh.source.place = robot.place(shape.line);
  surface.place = world_from_link * RigidTransform{shape.origin.rotation, shape.origin.position};
  switch (shape.geometry) {
    case io::UrdfGeometry::box:
      surface.mesh.shape = BoxMesh{shape.size, Vec3i::Ones()};
      break;
    case io::UrdfGeometry::sphere:
      surface.mesh.shape = SphereMesh{shape.radius, std::nullopt, kSphereSubdivisions};
      break;
    case io::UrdfGeometry::cylinder: {
      surface.mesh.shape = CylinderMesh{shape.radius, shape.length, kCylinderSegments};
      Mat3 z_from_y;  // the generator's axis is y
      z_from_y << 1, 0, 0, 0, 0, -1, 0, 1, 0;
      surface.place.rotation = surface.place.rotation * z_from_y;
      break;
    }
    case io::UrdfGeometry::mesh:
      surface.mesh.shape = FileMesh{find_mesh(robot, shape, folders), 0};
      surface.scale = shape.scale.x();
      if (shape.scale.maxCoeff() > shape.scale.minCoeff())
        throw InputError(surface.mesh.source, "a body has one scale for all directions; scale the mesh file instead");
      break;
  }
  return surface;
}

UrdfSurface inertia_box(const MassProperties& mass) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(mass.inertia);
  const Vec3& moments = eigen.eigenvalues();
  const Vec3 squares = 6 / mass.mass * (Vec3::Constant(moments.sum()) - 2 * moments);
  Vec3 size = squares.cwiseMax(0).cwiseSqrt();
  size = size.cwiseMax(kThinnestBox * size.maxCoeff());
  UrdfSurface box;
  box.mesh.shape = BoxMesh{size, Vec3i::Ones()};
  box.place = {eigen.eigenvectors(), mass.center};
  if (box.place.rotation.determinant() < 0) box.place.rotation.col(2) *= -1;
  return box;
}

}  // namespace pliant::scene
