// When the formula of the inside of a face, or of a crossing of two edges, is compared with the lower dimensions instead of
// trusted: below these. (area / length²)² of a triangle, and sin² of the angle between two edges. The inside loses
// eps / sqrt(threshold) of its digits.
#pragma once

namespace pliant::contact {

inline constexpr double kSliver = 1e-8;
inline constexpr double kNearlyParallel = 1e-6;

}  // namespace pliant::contact
