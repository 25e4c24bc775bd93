// Sets of boxes for the tests of the broad phase.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pliant/contact/broad_phase/box.h"

namespace pliant::contact {

// In the unit cube, with edges up to `size`.
inline std::vector<Box> random_boxes(int count, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Box> boxes;
  for (int i = 0; i < count; ++i) {
    const Vec3 low(unit(random), unit(random), unit(random));
    const Vec3 edges(unit(random), unit(random), unit(random));
    boxes.push_back(Box::of(low, low + size * edges));
  }
  return boxes;
}

// n² cells of 10 mm, in layers 4 mm apart, inflated by 3 mm.
inline std::vector<Box> folded_sheet(int n, int layers) {
  std::vector<Box> boxes;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int per_layer = (n + layers - 1) / layers, layer = i / per_layer;
      const int along = layer % 2 == 0 ? i % per_layer : per_layer - 1 - i % per_layer;
      const Vec3 low(0.01 * along, 0.01 * j, 0.004 * layer);
      boxes.push_back(Box::of(low, low + Vec3(0.01, 0.01, 0)));
      boxes.back().inflate(0.003);
    }
  }
  return boxes;
}

inline std::vector<std::pair<std::string, std::vector<Box>>> all_box_sets() {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<std::pair<std::string, std::vector<Box>>> sets;
  sets.emplace_back("empty", std::vector<Box>{});
  sets.emplace_back("one", random_boxes(1, 1, 0.5));
  sets.emplace_back("eight", random_boxes(8, 2, 0.5));
  sets.emplace_back("nine", random_boxes(9, 3, 0.5));
  sets.emplace_back("random", random_boxes(700, 4, 0.1));
  sets.emplace_back("sheets", folded_sheet(30, 5));
  sets.emplace_back("points", random_boxes(300, 5, 0.0));
  sets.emplace_back("coincident", std::vector<Box>(200, random_boxes(1, 6, 0.1)[0]));
  sets.emplace_back("coincident points", std::vector<Box>(100, Box::of(Vec3(1, 2, 3), Vec3(1, 2, 3))));
  // Sizes from 1e-6 to 1e3 m.
  std::vector<Box> mixed;
  for (int k = 0; k < 10; ++k) {
    const std::vector<Box> some = random_boxes(60, 10 + k, std::pow(10.0, k - 6));
    mixed.insert(mixed.end(), some.begin(), some.end());
  }
  sets.emplace_back("huge and tiny", mixed);
  std::vector<Box> broken = random_boxes(400, 7, 0.1);
  broken[3].low[0] = nan;
  broken[57].high[2] = nan;
  broken[58].high[1] = inf;
  broken[120].low[1] = inf;
  broken[200].high[0] = -inf;
  broken[121] = Box{};
  broken[399] = Box{};
  sets.emplace_back("broken", broken);
  sets.emplace_back("only empty", std::vector<Box>(20));
  return sets;
}

}  // namespace pliant::contact
