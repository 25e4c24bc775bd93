#include "pliant/picture/shading.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "pliant/picture/smooth_normals.h"
#include "tests/picture/small_result.h"

namespace pliant::picture {
namespace {

constexpr int kSide = 96;

Camera camera_from(const Vec3& from) {
  CameraView view;
  view.from = from;
  view.to = Vec3::Zero();
  return {view, kSide, kSide};
}

Vec3f light_at(const Shader& shader, const Camera& camera, const Vec3& point) {
  const Vec3 seen = camera.project(point);
  return shader.pixel(static_cast<int>(seen[0]), static_cast<int>(seen[1]));
}

Shape smooth_ball(int rings, int slices) {
  const TriangleMesh mesh = testing::ball_of_triangles(rings, slices);
  const SmoothNormals smooth(mesh);
  Shape shape;
  shape.triangles = mesh.triangles;
  shape.corner_normals = smooth.corner_normals();
  for (const Vec3& x : mesh.vertices) shape.vertices.push_back(x.cast<float>());
  for (const Vec3& n : smooth.normals(mesh.vertices, mesh.triangles)) shape.normals.push_back(n.cast<float>());
  shape.colour = Vec3f(0.4F, 0.5F, 0.6F);
  return shape;
}

// A ball of radius r above the ground: its shadow is around where the sun's rays through its centre meet the ground,
// as wide as the ball across the sun's direction, with an edge as soft as the sun's disc is large.
TEST(Shading, ShadowFallsWhereTheSunSaysAndIsSoft) {
  Shape ball;
  ball.kind = ShapeKind::balls;
  ball.vertices = {Vec3f::Zero()};
  ball.radius = {0.5F};
  const std::vector<Shape> shapes = {ball};
  const Tracer tracer(shapes);
  const Camera camera = camera_from(Vec3(0, 10, 0.01));
  Look look;
  look.size = 2;
  look.ground = -1.5;
  look.ambient_rays = 0;
  const Shader shader(tracer, shapes, camera, look);
  const Vec3 sun = shader.sun().cast<double>();
  const Vec3 middle = -1.5 / sun[1] * sun;
  const Vec3 across = sun.cross(Vec3::UnitY()).normalized();
  const double way = middle.norm(), softness = 0.09 * way;

  const float lit = light_at(shader, camera, middle + 1.4 * across).sum();
  const float dark = light_at(shader, camera, middle).sum();
  EXPECT_LT(dark, 0.7F * lit);
  // Nothing but the sun is missing, inside and outside of the soft edge. Half a pixel is 0.03 m.
  EXPECT_NEAR(light_at(shader, camera, middle + (0.5 - softness - 0.1) * across).sum(), dark, 0.02F * lit);
  EXPECT_NEAR(light_at(shader, camera, middle + (0.5 + softness + 0.1) * across).sum(), lit, 0.08F * lit);
  const float edge = light_at(shader, camera, middle + 0.5 * across).sum();
  EXPECT_GT(edge, dark + 0.2F * (lit - dark));
  EXPECT_LT(edge, lit - 0.2F * (lit - dark));
  // On the sunny side there is no shadow.
  EXPECT_NEAR(light_at(shader, camera, -middle - 3.0 * Vec3::UnitY()).sum(), lit, 0.08F * lit);
}

// A convex body does not shade itself: tracing the sun must not change a coarse, smooth-shaded ball (no acne, no saw
// teeth).
TEST(Shading, ConvexBodyCastsNoShadowOnItself) {
  const std::vector<Shape> shapes = {smooth_ball(10, 14)};
  const Tracer tracer(shapes);
  const Camera camera = camera_from(Vec3(1, 2, 4));
  Look look;
  look.size = 3.5;
  look.ambient_rays = 0;
  const Shader with_shadows(tracer, shapes, camera, look);
  look.sun_rays = 0;
  const Shader without(tracer, shapes, camera, look);
  int lit_pixels = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const Vec3f expected = without.pixel(x, y), traced = with_shadows.pixel(x, y);
      EXPECT_LT((expected - traced).norm(), 0.06F) << x << ", " << y;
      lit_pixels += expected.norm() > 0.6F ? 1 : 0;
    }
  }
  EXPECT_GT(lit_pixels, 200);
}

// The ground under a box near it sees no sky; far away it sees all.
TEST(Shading, SkyIsHiddenUnderThings) {
  Shape lid;
  lid.vertices = {Vec3f(-1, 0, -1), Vec3f(1, 0, -1), Vec3f(1, 0, 1), Vec3f(-1, 0, 1)};
  lid.triangles = {{0, 2, 1}, {0, 3, 2}};
  lid.normals = {Vec3f(0, 1, 0)};
  lid.corner_normals = {{0, 0, 0}, {0, 0, 0}};
  const std::vector<Shape> shapes = {lid};
  const Tracer tracer(shapes);
  const Camera camera = camera_from(Vec3(0, 1.2, 12));
  Look look;
  look.size = 3;
  look.ground = -0.3;
  look.samples = 64;
  const Shader shader(tracer, shapes, camera, look);
  const float under = light_at(shader, camera, Vec3(0, -0.3, 0.4)).sum();
  const float open = light_at(shader, camera, Vec3(0, -0.3, 4)).sum();
  EXPECT_LT(under, 0.4F * open);
  EXPECT_GT(under, 0);
}

TEST(Shading, BothSidesOfASheetAreLit) {
  Shape sheet;
  sheet.vertices = {Vec3f(-2, -2, 0), Vec3f(2, -2, 0), Vec3f(0, 3, 0)};
  sheet.triangles = {{0, 1, 2}};
  sheet.normals = {Vec3f(0, 0, 1)};
  sheet.corner_normals = {{0, 0, 0}};
  sheet.colour = Vec3f(0.5F, 0.5F, 0.5F);
  const std::vector<Shape> shapes = {sheet};
  const Tracer tracer(shapes);
  Look look;
  look.size = 5;
  const Camera front = camera_from(Vec3(0, 0, 6)), back = camera_from(Vec3(0, 0, -6));
  const Vec3f a = light_at(Shader(tracer, shapes, front, look), front, Vec3::Zero());
  const Vec3f b = light_at(Shader(tracer, shapes, back, look), back, Vec3::Zero());
  EXPECT_LT((a - b).norm(), 0.02F);
  EXPECT_GT(a.minCoeff(), 0.1F);
}

TEST(Shading, ToneMappingIsSteadyAndEndsAtWhite) {
  int before = -1;
  for (int i = 0; i <= 400; ++i) {
    const Rgb8 colour = tone_mapped(Vec3f::Constant(static_cast<float>(i) * 0.01F));
    EXPECT_GE(colour[0], before);
    if (i > 5) {
      EXPECT_LE(colour[0] - before, 12);
    }
    before = colour[0];
  }
  EXPECT_EQ(before, 255);
  EXPECT_EQ(tone_mapped(Vec3f::Zero()), (Rgb8{0, 0, 0}));
}

}  // namespace
}  // namespace pliant::picture
