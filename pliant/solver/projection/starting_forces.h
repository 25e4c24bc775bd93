// Whether the forces that contacts had in the last step are a start for this one.
//
// They balance each other while all that pushed pushes still. A light body between heavy ones begins with forces of many times
// its weight, and where one of the heavy ones is gone, the other half of them throws it: by metres and hundreds of radians. Sweeps
// undo the metres, because gaps are linear in them, but not the radians: heaps of masses from 1 g to 100 kg came to up to 2.8
// times the energy that they fell with. Forces of joints are not counted: they begin at zero in every step. So contacts of a body with
//
//   |I⁻¹ Σ p × F| / W  >  most_turn          F/W the starting impulses [kg m], p their arms
//
// begin without force, as new ones do; then bodies that lose theirs by that are looked at.
//
// Forces that were found in this step must not turn a body by half a turn either: gaps are those of where a body ends, and after a
// whole turn it is where it was. Light boxes between heavy ones so came to turn at 2 pi/h and 4 pi/h for good, unseen (5 % of
// a heap's energy, with contacts that are taken up on the way).
#pragma once

#include <numbers>
#include <span>

#include "pliant/contact/projected_pairs.h"
#include "pliant/solver/projection/movers.h"

namespace pliant::solver {

// rad. Of forces of the last step: what carries a thousand times its weight and has not found its balance is turned by a few;
// with 30 or more heaps of unequal boxes gain energy (0.2 of what they fell with in a step).
inline constexpr double kMostTurnAtStart = 10;
// rad, of forces that were found in this step.
inline constexpr double kMostTurnFound = std::numbers::pi;

// starts: kg m, per pair; set to zero for contacts of rigid bodies that they would send spinning.
void drop_spinning_starts(const contact::ProjectedPairs& pairs, std::span<const Turner> turners, double most_turn,
                          std::span<Vec3> starts);

}  // namespace pliant::solver
