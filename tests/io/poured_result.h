// A result of grains that are born one after another, for tests of what shows it.
#pragma once

#include <algorithm>

#include "tests/io/result_scene.h"

namespace pliant::io::testing {

// Three grains of an emitter: in frame k the first k + 1 are born. The first falls by a metre per frame, the others stay.
struct PouredResult {
  static constexpr int kFrames = 3;
  TemporaryFolder folder;
  std::vector<Vec3> places = {{1, 2, 3}, {4, 5, 6}, {-7, 8, -9}};  // at birth
  std::vector<double> radii = {0.125, 0.25, 0.5};

  PouredResult() {
    std::vector<BodyDescription> bodies = {
        {"stream", BodyKind::particles, BodyMotion::vertices, point_mesh(places), {}}};
    bodies[0].mesh.radius = radii;
    bodies[0].fields = {{"active", FieldPlace::cell, 1, "1", StoredAs::uint8}};
    ResultWriter writer(folder / "run", bodies);
    for (int number = 0; number < kFrames; ++number) {
      const std::vector<Vec3> positions = at(number);
      std::vector<double> active(3, 0);
      std::fill_n(active.begin(), number + 1, 1);
      Frame frame{0.25 * number, number, {}, {}};
      frame.bodies.push_back({positions, {}, {active}});
      writer.append(frame);
    }
    writer.finish();
  }
  [[nodiscard]] std::vector<Vec3> at(int frame) const {
    std::vector<Vec3> positions = places;
    positions[0][1] -= frame;
    return positions;
  }
};

}  // namespace pliant::io::testing
