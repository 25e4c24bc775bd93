// Small surfaces for tests of penalty contact.
#pragma once

#include <memory>

#include "pliant/contact/contact_response.h"
#include "pliant/contact/penalty_terms.h"

namespace pliant::contact {

// Points with a block each, in the order in which parts are added; obstacles have none.
struct PenaltyScenery {
  std::vector<SurfacePart> moving, still;
  std::shared_ptr<ContactSurface> surface;
  BlockVector q;
  Controls controls;

  SurfacePart& add(const char* name, std::vector<Vec3> rest, std::vector<Vec3i> triangles) {
    moving.push_back({name, 0, {}, std::move(rest), std::move(triangles), {}, 0});
    return moving.back();
  }
  void add_obstacle(const char* name, std::vector<Vec3> rest, std::vector<Vec3i> triangles) {
    still.push_back({name, 0, {}, std::move(rest), std::move(triangles), {}, 0});
  }
  void finish(double friction = 0) {
    int block = 0;
    for (SurfacePart& part : moving) {
      for (std::size_t i = 0; i < part.rest.size(); ++i) part.points.push_back(MappedPoint::vertex(block++));
    }
    surface = std::make_shared<ContactSurface>(join(moving, still));
    surface->rules.change_all([&](PairRule& rule) { rule.friction = friction; });
    q.resize(block);
    for (int b = 0; b < block; ++b) q[b] = surface->rest_points[static_cast<std::size_t>(b)];
    controls.filter = BlockFilter(block);
    for (const SurfacePart& part : still)
      controls.obstacle_before.insert(controls.obstacle_before.end(), part.rest.begin(), part.rest.end());
    controls.obstacle_points = controls.obstacle_before;
  }
};

// The unit cube around the origin, as a closed surface that faces outwards.
inline void unit_cube(std::vector<Vec3>& x, std::vector<Vec3i>& triangles) {
  for (int i = 0; i < 8; ++i) x.emplace_back((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5);
  triangles = {Vec3i(0, 2, 1), Vec3i(1, 2, 3), Vec3i(4, 5, 6), Vec3i(5, 7, 6), Vec3i(0, 1, 4), Vec3i(1, 5, 4),
               Vec3i(2, 6, 3), Vec3i(3, 6, 7), Vec3i(0, 4, 2), Vec3i(2, 4, 6), Vec3i(1, 3, 5), Vec3i(3, 7, 5)};
}

// A waved sheet of cells × cells at a height.
inline void waved_sheet(int cells, double height, double phase, std::vector<Vec3>& x, std::vector<Vec3i>& triangles) {
  const int row = cells + 1;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const double u = 0.1 * i + 0.03 * phase, v = 0.1 * j + 0.021 * phase;
      x.emplace_back(u, height + 0.004 * std::sin(20 * u + 3 * v + phase), v);
    }
  }
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int a = j * row + i;
      triangles.emplace_back(a, a + row, a + 1);
      triangles.emplace_back(a + 1, a + row, a + row + 1);
    }
  }
}

}  // namespace pliant::contact
