// Colours for numbers from 0 to 1: dark violet, blue, green, yellow; lightness grows evenly, so the order survives grey
// prints and colour-blind eyes.
//
// Derived in OKLCh, a space whose distances follow what eyes see [Ottosson2020, "A perceptual color space"]:
//   lightness  L(t) = L₀ + (L₁ − L₀) t
//   hue        h(t) = h₀ + (h₁ − h₀) t, from violet over blue and green to yellow
//   chroma     as large as sRGB can show at that lightness and hue and around, smoothed, at most kChroma
// and tabulated; between entries it is linear.
#pragma once

#include "pliant/math/types.h"

namespace pliant::picture {

// sRGB, 0 to 1. t outside [0, 1] is clamped; NaN (there is no number) gives a light grey that is not in the map.
[[nodiscard]] Vec3 map_colour(double t);

// OKLab (lightness, green–red, blue–yellow) to linear sRGB; components outside [0, 1] cannot be shown.
[[nodiscard]] Vec3 linear_from_oklab(const Vec3& lab);

}  // namespace pliant::picture
