// The promise of isosurface stuffing, for smooth solids and for random ones.
#include "pliant/mesh/isosurface_stuffing.h"

#include <gtest/gtest.h>

#include "pliant/mesh/mesh_quality.h"
#include "pliant/parallel/parallel.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant::mesh {
namespace {

constexpr double kMinDihedral = 9.31, kMaxDihedral = 161.65;  // degrees
constexpr double kDegrees = 180 / 3.14159265358979;

template <class SideOf>
Solid make_solid(SideOf side_of, std::function<double(const Vec3&, const Vec3&)> cut) {
  Solid solid;
  solid.find_sides = [side_of](std::span<const Vec3> points, std::span<Side> sides) {
    for (std::size_t i = 0; i < points.size(); ++i) sides[i] = side_of(points[i]);
  };
  solid.cut = std::move(cut);
  return solid;
}

Solid make_ball(const Vec3& centre, double radius) {
  return make_solid(
      [=](const Vec3& x) {
        const double d = (x - centre).norm() - radius;
        return d < 0 ? Side::inside : d > 0 ? Side::outside : Side::on_surface;
      },
      [=](const Vec3& inner, const Vec3& outer) {
        // Larger root of |inner + t (outer − inner) − centre|² = radius².
        const Vec3 u = outer - inner, o = inner - centre;
        const double a = u.squaredNorm(), b = o.dot(u), c = o.squaredNorm() - radius * radius;
        return (-b + std::sqrt(b * b - a * c)) / a;
      });
}

CellGrid grid_around(double half_width, double cell_size) {
  CellGrid grid;
  grid.cell_size = cell_size;
  grid.cell_counts = Vec3i::Constant(static_cast<int>(std::ceil(2 * half_width / cell_size)) + 3);
  grid.origin = Vec3::Constant(-0.5 * cell_size * grid.cell_counts[0]);
  return grid;
}

// A number in [0, 1) that only depends on the point, at quarters of a cell.
double noise(const Vec3& x, std::uint64_t seed) {
  std::uint64_t k = seed;
  for (int i = 0; i < 3; ++i) {
    k ^= static_cast<std::uint64_t>(std::llround(4 * x[i]) + 1000) * 0x9E3779B97F4A7C15ULL;
    k *= 0xBF58476D1CE4E5B9ULL;
    k ^= k >> 29U;
  }
  return static_cast<double>(k >> 11U) * 0x1p-53;
}

TEST(IsosurfaceStuffing, BallIsAClosedManifoldOnTheSphere) {
  for (const Vec3& centre : {Vec3(0, 0, 0), Vec3(0.013, 0.021, -0.017)}) {
    const TetMesh mesh = stuff_isosurface(make_ball(centre, 1), grid_around(1.1, 0.2));
    const shapes::BoundaryReport report = shapes::check_boundary(mesh);
    EXPECT_EQ(report.bad_edges + report.bad_vertices + report.crowded_faces, 0);
    EXPECT_EQ(report.euler_number, 2);
    EXPECT_GT(shapes::smallest_volume(mesh), 0);
    for (const BoundaryTriangle& b : find_boundary(mesh)) {
      for (int k = 0; k < 3; ++k) EXPECT_NEAR((mesh.vertices[b.vertices[k]] - centre).norm(), 1, 1e-12);
    }
  }
}

TEST(IsosurfaceStuffing, BallVolumeConvergesWithSecondOrder) {
  const double exact = 4.0 / 3 * 3.14159265358979;
  const auto error = [&](double h) {
    return exact - shapes::volume(stuff_isosurface(make_ball(Vec3(0.01, 0.02, 0.03), 1), grid_around(1.1, h)));
  };
  const double coarse = error(0.2), fine = error(0.1);
  EXPECT_GT(coarse, 0) << "chords of a ball lie inside";
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25);
}

// Random sides and cut points, many of them where the warping just does not act: the worst that can happen.
TEST(IsosurfaceStuffing, DihedralAnglesOfRandomSolidsKeepTheBound) {
  constexpr int kCells = 22;
  CellGrid grid;
  grid.cell_counts = Vec3i::Constant(kCells);
  double worst = 180;
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    const Solid solid = make_solid(
        [=](const Vec3& x) {
          if ((x.array() < 1.2).any() || (x.array() > kCells - 1.2).any()) return Side::outside;
          const double u = noise(x, seed);
          return u < 0.04 * static_cast<double>(seed) ? Side::on_surface : u < 0.6 ? Side::inside : Side::outside;
        },
        [=](const Vec3& a, const Vec3& b) {
          const double u = noise(a + 3 * b, seed);
          return u < 0.25 ? 0.25 : u < 0.5 ? 0.75 : u < 0.6 ? 0.412 : u < 0.7 ? 0.588 : 10.0 / 3 * (u - 0.7);
        });
    TetMesh mesh = stuff_isosurface(solid, grid);
    EXPECT_GT(mesh.tets.size(), 30000U);
    EXPECT_GT(shapes::smallest_volume(mesh), 0);
    const AngleRange range = dihedral_angles(mesh);
    EXPECT_GE(range.smallest * kDegrees, kMinDihedral);
    EXPECT_LE(range.largest * kDegrees, kMaxDihedral);
    worst = std::min(worst, range.smallest * kDegrees);
    EXPECT_EQ(shapes::check_boundary(mesh).crowded_faces, 0) << "tets overlap or do not match";
  }
  EXPECT_LT(worst, 12) << "the random solids no longer reach the difficult cases";
}

TEST(IsosurfaceStuffing, SameBitsForAnyThreadCount) {
  const Solid ball = make_ball(Vec3(0.01, 0.02, 0.03), 1);
  set_thread_count(1);
  const TetMesh one = stuff_isosurface(ball, grid_around(1.1, 0.15));
  set_thread_count(3);
  const TetMesh three = stuff_isosurface(ball, grid_around(1.1, 0.15));
  set_thread_count(0);
  EXPECT_EQ(one.vertices, three.vertices);
  EXPECT_EQ(one.tets, three.tets);
}

}  // namespace
}  // namespace pliant::mesh
