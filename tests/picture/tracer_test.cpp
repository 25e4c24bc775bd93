#include "pliant/picture/tracer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/picture/camera.h"
#include "tests/picture/small_result.h"

namespace pliant::picture {
namespace {

constexpr int kWidth = 160, kHeight = 120;

// At (0, 0, 5), looking at the origin.
Camera straight_camera() {
  CameraView view;
  view.from = Vec3(0, 0, 5);
  view.to = Vec3::Zero();
  return {view, kWidth, kHeight};
}

LightRay ray_through(const Camera& camera, double x, double y) {
  const Camera::Ray ray = camera.ray(x, y);
  return {ray.origin.cast<float>(), ray.direction.cast<float>(), std::numeric_limits<float>::infinity()};
}

// Share of a fine grid of rays over the picture that hit, in pixels.
double seen_area(const Tracer& tracer, const Camera& camera, int rays_per_pixel) {
  double hit_count = 0;
  std::vector<LightRay> rays;
  for (int y = 0; y < kHeight * rays_per_pixel; ++y)
    for (int x = 0; x < kWidth * rays_per_pixel; ++x)
      rays.push_back(ray_through(camera, (x + 0.5) / rays_per_pixel, (y + 0.5) / rays_per_pixel));
  std::vector<Hit> hits(rays.size());
  tracer.find_nearest(rays, hits);
  for (const Hit& hit : hits) hit_count += hit.shape >= 0 ? 1 : 0;
  return hit_count / (rays_per_pixel * rays_per_pixel);
}

Shape single_ball(float radius) {
  Shape shape;
  shape.kind = ShapeKind::balls;
  shape.vertices = {Vec3f::Zero()};
  shape.radius = {radius};
  return shape;
}

// The tangent cone of a ball of radius r at distance d has the tangent r / √(d² − r²).
TEST(Tracer, SilhouetteOfABallHasTheExactArea) {
  const std::vector<Shape> shapes = {single_ball(0.8F)};
  const Tracer tracer(shapes);
  const Camera camera = straight_camera();
  const double radius = 0.8 / std::sqrt(25 - 0.64) / camera.pixel_size();
  EXPECT_NEAR(seen_area(tracer, camera, 4) / (std::numbers::pi * radius * radius), 1, 2e-3);
}

TEST(Tracer, TubeIsAsWideAsItsRadiusSays) {
  Shape tube;
  tube.kind = ShapeKind::tubes;
  tube.vertices = {Vec3f(0, -3, 0), Vec3f(0, 3, 0)};
  tube.segments = {0, 1};
  tube.radius = {0.3F, 0.3F};
  const std::vector<Shape> shapes = {tube};
  const Tracer tracer(shapes);
  const Camera camera = straight_camera();
  std::vector<LightRay> rays;
  for (int i = 0; i < 100 * kWidth; ++i) rays.push_back(ray_through(camera, (i + 0.5) / 100, kHeight / 2.0));
  std::vector<Hit> hits(rays.size());
  tracer.find_nearest(rays, hits);
  double width = 0;
  for (const Hit& hit : hits) width += hit.shape >= 0 ? 0.01 : 0;
  EXPECT_NEAR(width, 2 * 0.3 / std::sqrt(25 - 0.09) / camera.pixel_size(), 0.03);
}

TEST(Tracer, NearestHitTellsPlaceAndNormal) {
  std::vector<Shape> shapes = {single_ball(1), single_ball(0.25F)};
  shapes[1].vertices[0] = Vec3f(0, 0, 2);
  const Tracer tracer(shapes);
  const std::vector<LightRay> rays = {{Vec3f(0, 0, 5), Vec3f(0, 0, -1), 100},
                                      {Vec3f(0, 0.5F, 5), Vec3f(0, 0, -1), 100},
                                      {Vec3f(0, 3, 5), Vec3f(0, 0, -1), 100}};
  std::vector<Hit> hits(3);
  tracer.find_nearest(rays, hits);
  EXPECT_EQ(hits[0].shape, 1);
  EXPECT_NEAR(hits[0].distance, 2.75, 1e-5);
  EXPECT_EQ(hits[1].shape, 0);
  EXPECT_NEAR(hits[1].distance, 5 - std::sqrt(0.75), 1e-5);
  EXPECT_LT((hits[1].normal.normalized() - Vec3f(0, 0.5F, std::sqrt(0.75F))).norm(), 1e-4);
  EXPECT_EQ(hits[2].shape, -1);
}

TEST(Tracer, BlockedOnlyWithinReach) {
  const std::vector<Shape> shapes = {single_ball(1)};
  const Tracer tracer(shapes);
  std::vector<LightRay> rays;
  for (int i = 0; i < 11; ++i) rays.push_back({Vec3f(0, 0, 5), Vec3f(0, 0, -1), static_cast<float>(i)});
  std::vector<std::uint8_t> answers(rays.size());
  tracer.find_blocked(rays, answers);
  for (int i = 0; i < 11; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)], i >= 4 ? 1 : 0) << i;
}

TEST(Tracer, ClosedSurfaceLetsNoRayThrough) {
  Shape shape;
  const TriangleMesh mesh = testing::ball_of_triangles(24, 32);
  for (const Vec3& x : mesh.vertices) shape.vertices.push_back(x.cast<float>());
  shape.triangles = mesh.triangles;
  const std::vector<Shape> shapes = {shape};
  const Tracer tracer(shapes);
  // Through vertices and middles of edges: where cracks would be.
  std::vector<LightRay> rays;
  for (const Vec3i& t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      const Vec3f a = shape.vertices[static_cast<std::size_t>(t[c])],
                  b = shape.vertices[static_cast<std::size_t>(t[(c + 1) % 3])];
      rays.push_back({3 * a, -a, 10});
      rays.push_back({3 * (a + b), -(a + b), 10});
    }
  }
  std::vector<std::uint8_t> answers(rays.size());
  tracer.find_blocked(rays, answers);
  for (const std::uint8_t answer : answers) EXPECT_EQ(answer, 1);
}

TEST(Tracer, NothingIsNeverHit) {
  const std::vector<Shape> shapes(2);
  const Tracer tracer(shapes);
  const std::vector<LightRay> rays = {{Vec3f(0, 0, 5), Vec3f(0, 0, -1), 100}};
  std::vector<Hit> hits(1);
  tracer.find_nearest(rays, hits);
  EXPECT_EQ(hits[0].shape, -1);
}

}  // namespace
}  // namespace pliant::picture
