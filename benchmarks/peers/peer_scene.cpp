#include "benchmarks/peers/peer_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

namespace pliant::peers {
namespace {

PeerBody body_at(const contact::ConvexShape& shape, const Vec3& place) {
  PeerBody body;
  body.shape = shape;
  body.pose.shift = place;
  return body;
}

// Cubes of 1 m, 2 cm apart in a row, each on two of the row below.
PeerScene pyramid(int rows) {
  PeerScene scene{"pyramid", {}, 50, 100};
  const contact::ConvexShape cube = contact::box_shape({0.5, 0.5, 0.5});
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < rows - y; ++x)
      scene.bodies.push_back(body_at(cube, {1.02 * x + 0.51 * y - rows / 2.0, y + 0.5, 0}));
  }
  scene.top = static_cast<int>(scene.bodies.size()) - 1;
  return scene;
}

PeerScene towers(int count, int height) {
  PeerScene scene{"towers", {}, 50, 100};
  const contact::ConvexShape cube = contact::box_shape({0.5, 0.5, 0.5});
  const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(count))));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < side; ++x) {
      for (int z = 0; z < side; ++z) scene.bodies.push_back(body_at(cube, {1.5 * x - side, y + 0.5, 1.5 * z - side}));
    }
  }
  scene.top = static_cast<int>(scene.bodies.size()) - 1;
  return scene;
}

// Columns of cubes that fall apart into a heap.
PeerScene pile(int count) {
  PeerScene scene{"pile", {}, 10, 240};
  const contact::ConvexShape cube = contact::box_shape({0.5, 0.5, 0.5});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> in(-1, 1);
  for (int i = 0; i < count; ++i) {
    PeerBody body = body_at(
        cube, {1.25 * (i % 10) + 0.1 * in(random), 0.8 + 1.25 * (i / 100), 1.25 * (i / 10 % 10) + 0.1 * in(random)});
    body.pose.turn = Eigen::AngleAxisd(0.3 * in(random), Vec3::UnitY()).toRotationMatrix();
    scene.bodies.push_back(body);
  }
  return scene;
}

// Balls of 0.2 m fall into a bin of 4 m.
PeerScene balls_in_a_bin(int count) {
  PeerScene scene{"balls", {}, 10, 240};
  const contact::ConvexShape ball = contact::ball_shape(0.1);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> in(-1, 1);
  constexpr int kRow = 17;
  for (int i = 0; i < count; ++i) {
    const Vec3 cell(i % kRow - kRow / 2, i / (kRow * kRow), i / kRow % kRow - kRow / 2);
    scene.bodies.push_back(body_at(ball, 0.23 * cell + Vec3(0.01 * in(random), 0.15, 0.01 * in(random))));
  }
  for (const double side : {-1.0, 1.0}) {
    scene.bodies.push_back(body_at(contact::box_shape({0.25, 5, 2.5}), {2.25 * side, 5, 0}));
    scene.bodies.back().is_fixed = true;
    scene.bodies.push_back(body_at(contact::box_shape({2.5, 5, 0.25}), {0, 5, 2.25 * side}));
    scene.bodies.back().is_fixed = true;
  }
  return scene;
}

PeerScene wall(int rows) {
  PeerScene scene{"wall", {}, 10, 180};
  const contact::ConvexShape brick = contact::box_shape({0.25, 0.125, 0.125});
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < 25; ++x) {
      scene.bodies.push_back(body_at(brick, {0.501 * x - 6.25 + (y % 2) * 0.25, 0.25 * y + 0.125, 0}));
    }
  }
  PeerBody ball = body_at(contact::ball_shape(0.5), {0, 0.125 * rows, 3});
  ball.velocity = {0, 0, -20};
  scene.bodies.push_back(ball);
  return scene;
}

}  // namespace

std::vector<PeerScene> peer_scenes(double scale) {
  const auto scaled = [&](int n) { return std::max(2, static_cast<int>(std::lround(n * scale))); };
  return {pyramid(scaled(50)), towers(scaled(100), 10), pile(scaled(2000)), balls_in_a_bin(scaled(10000)),
          wall(scaled(20))};
}

double PeerRun::median_seconds() const {
  if (step_seconds.empty()) return 0;
  std::vector<double> late(step_seconds.begin() + static_cast<long>(step_seconds.size() / 2), step_seconds.end());
  std::nth_element(late.begin(), late.begin() + static_cast<long>(late.size() / 2), late.end());
  return late[late.size() / 2];
}

}  // namespace pliant::peers
