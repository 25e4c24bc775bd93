// Elements in the order of Gauss-Seidel: colour by colour, in groups of lanes; elements of one colour share no block.
#pragma once

#include <array>
#include <vector>

#include "pliant/math/lanes.h"
#include "pliant/parallel/coloring.h"
#include "pliant/solver/projection/movers.h"

namespace pliant::solver {

struct ColouredLanes {
  std::vector<int> items;            // elements; −1 fills the last group of a colour up
  std::vector<int> colour_start{0};  // into items; multiples of the number of lanes
};

// touched: per element, its blocks.
[[nodiscard]] ColouredLanes colour_lanes(std::span<const int> touch_start, std::span<const int> touched,
                                         int block_count, int lanes);

template <int kBlocks>
[[nodiscard]] ColouredLanes lanes_by_colour(const std::vector<std::array<int, kBlocks>>& elements, int block_count,
                                            int lanes = math::kLaneCount) {
  std::vector<int> start, touched;
  start.reserve(elements.size() + 1);
  touched.reserve(elements.size() * kBlocks);
  start.push_back(0);
  for (const auto& blocks : elements) {
    touched.insert(touched.end(), blocks.begin(), blocks.end());
    start.push_back(static_cast<int>(touched.size()));
  }
  return colour_lanes(start, touched, block_count, lanes);
}

// Positions and inverse masses of four points, as lanes.
inline void load_movers(const Mover<double>* points, const int block[math::kLaneCount], math::Lanes x[3],
                        math::Lanes& w) {
  math::Lanes rows[4];
  for (int lane = 0; lane < 4; ++lane) rows[lane] = math::load(points[block[lane]].x);
  math::transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int a = 0; a < 3; ++a) x[a] = rows[a];
  w = rows[3];
}
inline void load_movers(const Mover<float>* points, const int block[math::kLaneCount], math::Lanes x[3],
                        math::Lanes& w) {
  double entries[4][math::kLaneCount];
  for (int lane = 0; lane < 4; ++lane) {
    const Mover<float>& point = points[block[lane]];
    for (int a = 0; a < 3; ++a) entries[a][lane] = static_cast<double>(point.x[a]);
    entries[3][lane] = static_cast<double>(point.w);
  }
  for (int a = 0; a < 3; ++a) x[a] = math::load(entries[a]);
  w = math::load(entries[3]);
}
// Writes the first `count` lanes back.
inline void store_movers(Mover<double>* points, const int block[math::kLaneCount], int count, const math::Lanes x[3],
                         const math::Lanes& w) {
  math::Lanes rows[4] = {x[0], x[1], x[2], w};
  math::transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int lane = 0; lane < count; ++lane) math::store(points[block[lane]].x, rows[lane]);
}
inline void store_movers(Mover<float>* points, const int block[math::kLaneCount], int count, const math::Lanes x[3],
                         const math::Lanes&) {
  for (int lane = 0; lane < count; ++lane) {
    for (int a = 0; a < 3; ++a) points[block[lane]].x[a] = static_cast<float>(x[a][lane]);
  }
}

}  // namespace pliant::solver
