// Well spread points for the rays of a pixel, the same for every run and thread count.
//
// Points (x_i, y_i) of the unit square are the first two dimensions of Sobol's sequence: of any 4^k from its start, one
// lies in each cell of a 2^k × 2^k grid. Each pixel and use flips the same binary digits of all its points, by an
// integer hash: that keeps the spread and makes neighbouring pixels differ [Kollig2002, "Efficient Multidimensional
// Sampling"].
#pragma once

#include <cstdint>

#include "pliant/math/types.h"

namespace pliant::picture {

// Mixes the bits of a number: multiplications by odd constants (golden ratio and two chosen for their spread digits)
// and shifts, each of them invertible, so that different numbers stay different.
[[nodiscard]] constexpr std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x9e3779b1U;
  x = (x ^ (x >> 15)) * 0x85157af5U;
  x = (x ^ (x >> 13)) * 0xb5297a4dU;
  return x ^ (x >> 16);
}

class PixelPoints {
 public:
  PixelPoints(int column, int row, std::uint32_t use)
      : first_flips_(
            mixed(static_cast<std::uint32_t>(column) ^ mixed(static_cast<std::uint32_t>(row) ^ mixed(use + 1)))),
        second_flips_(mixed(first_flips_ + 0x632be5abU)) {}

  // Both coordinates at least 0 and below 1.
  [[nodiscard]] Eigen::Vector2f at(std::uint32_t index) const {
    return {unit(reversed(index) ^ first_flips_), unit(second_sobol(index) ^ second_flips_)};
  }

 private:
  // 24 bits: what a float holds exactly.
  static float unit(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }
  static std::uint32_t reversed(std::uint32_t x) {
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffU) << 8) | ((x & 0xff00ff00U) >> 8);
    x = ((x & 0x0f0f0f0fU) << 4) | ((x & 0xf0f0f0f0U) >> 4);
    x = ((x & 0x33333333U) << 2) | ((x & 0xccccccccU) >> 2);
    return ((x & 0x55555555U) << 1) | ((x & 0xaaaaaaaaU) >> 1);
  }
  // Direction numbers v_{k+1} = v_k ⊕ v_k / 2 of the polynomial x + 1.
  static std::uint32_t second_sobol(std::uint32_t index) {
    std::uint32_t result = 0;
    for (std::uint32_t direction = 1U << 31; index != 0; index >>= 1, direction ^= direction >> 1)
      if ((index & 1U) != 0) result ^= direction;
    return result;
  }

  std::uint32_t first_flips_, second_flips_;
};

}  // namespace pliant::picture
