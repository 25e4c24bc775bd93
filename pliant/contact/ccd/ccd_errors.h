// What rounding can do to the proofs of ccd.h and ccd_lanes.h.
#pragma once

#include <limits>

namespace pliant::contact {

inline constexpr double kCcdEpsilon = std::numeric_limits<double>::epsilon();

// Error of the gap along a direction, per largest coordinate (see ccd.h). With u = eps / 2: a dot product of
// vectors that carry one rounding errs by 4.1 √3 u R, each gap has four of them; its sums add 17 u, the length of the
// direction 4 u × 2 √3: together below 48 u.
inline constexpr double kGapError = 32 * kCcdEpsilon;

// Positions are stored as x + t d, one or two roundings per coordinate: two points come closer by at most
// 2 × 2 √3 (eps / 2) × largest coordinate.
inline constexpr double kStoringError = 4 * kCcdEpsilon;

// Coordinates below this are taken to be this large, so that products lost to underflow stay within the error.
inline constexpr double kSmallestSize = 1e-290;

// Coordinates above this are not looked at: it leaves room for differences and products.
inline constexpr double kLargestSize = 1e300;

// A direction along which less than this part of the gap is seen is no measure of what must be kept: of primitives much closer
// than they are large, rounding has turned it. It is computed anew (ccd.cpp), or left to who can do so (ccd_lanes.cpp).
inline constexpr double kGoodDirection = 0.99;

// A way ends when the gap is this close to the one that must be kept.
inline constexpr double kGapTolerance = 0.1;

}  // namespace pliant::contact
