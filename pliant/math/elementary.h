// Elementary functions of four doubles at a time, and their plain versions.
//
//   log(x)                    natural logarithm, within 2 units in the last place; −∞ at ±0, NaN below 0, +∞ at +∞
//   inverse_power_of_two(x)   2^k with 1 ≤ |x|·2^k < 2: scaling by it loses no bit
//
// log: x = 2^e m with √½ ≤ m < √2, f = m − 1, s = f/(2 + f). Then log m = 2 artanh s = f − s (f − r(s²)) with
// r(z) = 2z/3 + 2z²/5 + 2z³/7 + … , here a polynomial whose error on 0 ≤ z ≤ (3 − 2√2)² is 3e-16 of its value.
// f is exact, and the rest is a small correction to it, so no digit is lost near x = 1.
#pragma once

#include "pliant/math/lanes.h"

namespace pliant::math {

inline double log(double x) { return std::log(x); }

inline Lanes log(Lanes x) {
  using Bits = std::uint64_t __attribute__((vector_size(32)));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Lanes zero = lanes_of(0);

  // Subnormal numbers are lifted into the normal range first.
  const LaneMask subnormal = x < lanes_of(std::numeric_limits<double>::min());
  const Lanes lifted = select(subnormal, x * lanes_of(0x1p54), x);

  // Exponent and mantissa, the cut between two exponents at √½ (the upper half of its bits is enough).
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::uint64_t kCut = std::bit_cast<std::uint64_t>(0.70710678118654752) & ~std::uint64_t{0xffffffff};
  const Bits shifted = std::bit_cast<Bits>(lifted) + (kOne - kCut);
  const Lanes m = std::bit_cast<Lanes>((shifted & kMantissa) + kCut);
  // An integer below 2^52 written into the mantissa of 2^52 is 2^52 plus that integer.
  const Lanes biased = std::bit_cast<Lanes>((shifted >> 52) | std::bit_cast<std::uint64_t>(0x1p52));
  const Lanes e = biased - select(subnormal, lanes_of(0x1p52 + 1023 + 54), lanes_of(0x1p52 + 1023));

  // log m, with r evaluated as two interleaved halves.
  const Lanes f = m - lanes_of(1);
  const Lanes s = f / (f + lanes_of(2));
  const Lanes z = s * s;
  const Lanes w = z * z;
  const Lanes even =
      0.666666666666666971 + w * (0.285714286262538376 + w * (0.181828924325368712 + w * 0.14617807153417325));
  const Lanes odd = 0.399999999998988905 + w * (0.222222110893794962 + w * 0.153316117220550079);
  const Lanes r = z * (even + z * odd);

  // e ln 2 in two parts: the first has 21 trailing zero bits, so its product with e is exact.
  constexpr double kLn2High = 0x1.62e42feep-1;
  constexpr double kLn2Low = 1.9082149292705878161e-10;
  const Lanes result = e * kLn2High + (f - (s * (f - r) - e * kLn2Low));

  // The ends of the range.
  const Lanes at_ends = select(x == zero, lanes_of(-kInfinity), select(x == lanes_of(kInfinity), x, result));
  return select(x >= zero, at_ends, lanes_of(std::numeric_limits<double>::quiet_NaN()));
}

// Zero and subnormal numbers give 2^1023; numbers above 2^1022 give 2^-1022.
inline double inverse_power_of_two(double x) {
  constexpr std::int64_t kExponent = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
  constexpr std::int64_t kFlipped = std::int64_t{2046} << 52;
  return std::bit_cast<double>(kFlipped - (std::bit_cast<std::int64_t>(min(abs(x), 0x1p1022)) & kExponent));
}
inline Lanes inverse_power_of_two(Lanes x) {
  constexpr std::int64_t kExponent = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
  constexpr std::int64_t kFlipped = std::int64_t{2046} << 52;
  return std::bit_cast<Lanes>(kFlipped - (std::bit_cast<LaneMask>(min(abs(x), lanes_of(0x1p1022))) & kExponent));
}

}  // namespace pliant::math
