// A result small enough to draw in a moment: a ball of triangles that falls, a rod, two grains and a box.
#pragma once

#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

#include "pliant/io/result_file.h"
#include "tests/io/result_scene.h"

namespace pliant::picture::testing {

// A unit sphere of triangles, counter-clockwise from outside; its poles are at ±y.
inline TriangleMesh ball_of_triangles(int rings, int slices) {
  TriangleMesh mesh;
  mesh.vertices.emplace_back(0, 1, 0);
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < slices; ++j) {
      const double polar = std::numbers::pi * i / rings, turn = 2 * std::numbers::pi * j / slices;
      mesh.vertices.emplace_back(std::sin(polar) * std::cos(turn), std::cos(polar), std::sin(polar) * std::sin(turn));
    }
  }
  mesh.vertices.emplace_back(0, -1, 0);
  const int last = static_cast<int>(mesh.vertices.size()) - 1;
  const auto at = [&](int ring, int slice) { return 1 + (ring - 1) * slices + slice % slices; };
  for (int j = 0; j < slices; ++j) {
    mesh.triangles.emplace_back(0, at(1, j + 1), at(1, j));
    mesh.triangles.emplace_back(last, at(rings - 1, j), at(rings - 1, j + 1));
    for (int i = 1; i + 1 < rings; ++i) {
      mesh.triangles.emplace_back(at(i, j), at(i, j + 1), at(i + 1, j));
      mesh.triangles.emplace_back(at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
    }
  }
  return mesh;
}

inline TriangleMesh unit_box() {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, (i >> 1) & 1, i >> 2);
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Three frames, 0.1 s apart; frame i has the ball lowered by i metres and `heat` = i on every vertex of it.
inline void write_small_result(const std::filesystem::path& folder) {
  std::vector<io::BodyDescription> bodies(4);
  TriangleMesh ball = ball_of_triangles(12, 16);
  for (Vec3& x : ball.vertices) x += Vec3(0, 4, 0);
  bodies[0] = {"ball", io::BodyKind::solid, io::BodyMotion::vertices, io::body_mesh(ball), {}};
  bodies[0].fields = {{"heat", io::FieldPlace::vertex, 1, "K", io::StoredAs::float64}};
  bodies[1] = {"rod",
               io::BodyKind::rod,
               io::BodyMotion::vertices,
               io::segment_mesh({{2, 0.5, 0}, {2.5, 1, 0}, {3, 2, 0}}, {0, 1, 1, 2}),
               {}};
  bodies[1].mesh.radius = {0.2, 0.15, 0.1};
  bodies[2] = {
      "grains", io::BodyKind::particles, io::BodyMotion::vertices, io::point_mesh({{-2, 1, 0}, {-2, 1, 1.5}}), {}};
  bodies[2].mesh.radius = {0.5, 0.25};
  bodies[3] = {"box", io::BodyKind::obstacle, io::BodyMotion::vertices, io::body_mesh(unit_box()), {}};
  io::ResultWriter writer(folder, bodies);
  for (int i = 0; i < 3; ++i) {
    std::vector<Vec3> moved = ball.vertices;
    for (Vec3& x : moved) x -= Vec3(0, i, 0);
    const std::vector<double> heat(moved.size(), i);
    io::Frame frame;
    frame.time = 0.1 * i;
    frame.step = i;
    for (const io::BodyDescription& body : bodies) {
      io::BodyFrame part;
      part.positions = body.mesh.rest_positions;
      frame.bodies.push_back(part);
    }
    frame.bodies[0].positions = moved;
    frame.bodies[0].fields = {heat};
    writer.append(frame);
  }
  writer.finish();
}

}  // namespace pliant::picture::testing
