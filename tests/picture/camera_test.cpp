#include "pliant/picture/camera.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "pliant/input_error.h"

namespace pliant::picture {
namespace {

std::vector<Vec3> box_corners(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> result;
  for (int i = 0; i < 8; ++i)
    result.emplace_back((i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1],
                        (i & 4) != 0 ? high[2] : low[2]);
  return result;
}

// How far corners are inside the margins, pixels: all at least 0, and 0 for the tightest camera.
double smallest_room(const Camera& camera, const std::vector<Vec3>& points, int width, int height, double margin) {
  double room = 1e9;
  for (const Vec3& point : points) {
    const Vec3 seen = camera.project(point);
    EXPECT_GT(seen[2], 0);
    room = std::min({room, seen[0] - margin * width, (1 - margin) * width - seen[0], seen[1] - margin * height,
                     (1 - margin) * height - seen[1]});
  }
  return room;
}

TEST(Camera, FittedViewShowsAllCornersAndIsNoFartherThanNeeded) {
  const int width = 640, height = 360;
  for (const Vec3& direction : {Vec3(0.6, 0.35, 1), Vec3(0, 0, 1), Vec3(-1, 2, 0.1), Vec3(0, 1, 0)}) {
    for (const Vec3& high : {Vec3(1, 1, 1), Vec3(20, 0.1, 0.2), Vec3(0.1, 9, 0.1)}) {
      const std::vector<Vec3> points = box_corners(Vec3(-0.3, -2, 5) * 10, Vec3(-3, -20, 50) + high);
      const CameraView view =
          fitted_view(CameraView(), {.points = points, .direction = direction, .aspect = 640.0 / 360, .margin = 0.05});
      const Camera camera(view, width, height);
      EXPECT_NEAR(smallest_room(camera, points, width, height, 0.05), 0, 1e-6);
    }
  }
}

TEST(Camera, GivenTargetStaysInTheMiddle) {
  const std::vector<Vec3> points = box_corners(Vec3(0, 0, 0), Vec3(2, 1, 1));
  CameraView wanted;
  wanted.to = Vec3(0.2, 0.9, 0.1);
  const CameraView view = fitted_view(wanted, {.points = points, .direction = Vec3(1, 1, 1), .aspect = 1.5});
  const Camera camera(view, 300, 200);
  EXPECT_NEAR(camera.project(*wanted.to)[0], 150, 1e-9);
  EXPECT_NEAR(camera.project(*wanted.to)[1], 100, 1e-9);
  EXPECT_GT(smallest_room(camera, points, 300, 200, 0.05), 0);
}

TEST(Camera, ProjectionInvertsRays) {
  CameraView view;
  view.from = Vec3(1, 2, 3);
  view.to = Vec3(-1, 0.5, 0);
  view.up = Vec3(0.1, 1, 0);
  const Camera camera(view, 320, 240);
  for (const auto& [x, y] : {std::array{0.0, 0.0}, std::array{17.25, 200.5}, std::array{320.0, 240.0}}) {
    const Camera::Ray ray = camera.ray(x, y);
    const Vec3 seen = camera.project(ray.origin + 2.5 * ray.direction);
    EXPECT_NEAR(seen[0], x, 1e-9);
    EXPECT_NEAR(seen[1], y, 1e-9);
  }
}

TEST(Camera, AngleIsBetweenLowerAndUpperSide) {
  CameraView view;
  view.from = Vec3(0, 0, 2);
  view.to = Vec3(0, 0, 0);
  view.degrees = 90;
  const Camera camera(view, 400, 100);
  // At 45° upwards: the upper side. +x is to the right, +y up.
  EXPECT_NEAR(camera.project(Vec3(0, 2, 0))[1], 0, 1e-9);
  EXPECT_NEAR(camera.project(Vec3(2, 0, 0))[0], 250, 1e-9);
}

TEST(Camera, ViewsThatCannotBeAreRefused) {
  const std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(1, 1, 1)};
  CameraView flat, blind, upless;
  flat.degrees = 180;
  blind.from = blind.to = Vec3(1, 2, 3);
  upless.up = Vec3::Zero();
  for (const CameraView& view : {flat, blind, upless})
    EXPECT_THROW((void)fitted_view(view, {.points = points}), InputError);
}

TEST(Camera, SinglePointIsSeen) {
  const std::vector<Vec3> points = {Vec3(4, 5, 6)};
  const Camera camera(fitted_view(CameraView(), {.points = points}), 64, 64);
  const Vec3 seen = camera.project(points[0]);
  EXPECT_NEAR(seen[0], 32, 1e-9);
  EXPECT_NEAR(seen[1], 32, 1e-9);
  EXPECT_NEAR(seen[2], 1, 1e-9);
}

}  // namespace
}  // namespace pliant::picture
