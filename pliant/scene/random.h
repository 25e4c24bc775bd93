// Random numbers from the scene's seed: the same on every machine and for every thread count.
// SplitMix64 [Steele2014]: one 64-bit state, good enough for scattering and jitter.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "pliant/math/types.h"

namespace pliant::scene {

class Random {
 public:
  // stream: which of several independent sequences, e.g. the body's number.
  Random(std::int64_t seed, std::uint64_t stream)
      : state_(static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15ULL ^ (stream + 1) * 0xd1b54a32d192ed03ULL) {}

  // Uniform in [0, 1), 53 bits.
  double next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }
  double between(double low, double high) { return low + (high - low) * next(); }
  // Uniform over all rotations [Shoemake1992].
  Mat3 rotation() {
    const double u = next(), a = 2 * std::numbers::pi * next(), b = 2 * std::numbers::pi * next();
    const double r = std::sqrt(1 - u), s = std::sqrt(u);
    return Eigen::Quaterniond(s * std::cos(b), r * std::sin(a), r * std::cos(a), s * std::sin(b)).toRotationMatrix();
  }

 private:
  std::uint64_t state_;
};

}  // namespace pliant::scene
