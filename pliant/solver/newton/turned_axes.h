// Where the axes of rigid bodies go along a direction (configuration/rigid_frames.h). A straight way D that turns them by an angle t makes them longer by t²/2,
// which the rigidity energy punishes so hard that a line search would allow some milliradians per iteration. The way to where they turn ends without strain:
//
//   A = R S,  RᵀD = Ω S + E,  Ω skew, E what is left          D  →  R exp(Ω) (S + E) − A  =  D + O(Ω²)
//
// A chord is a straight way like others: contact can say how much of it is free.
#pragma once

#include <span>
#include <vector>

#include "pliant/configuration/dof_layout.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::solver {

// The first axis of every rigid body; the other two follow it.
[[nodiscard]] std::vector<int> first_axes(const DofLayout& layout);

// Bends the part of `way` that belongs to axes [m] as above; q: where they are. Turns below 1e-4 rad are left alone.
void turn_axes(std::span<const int> first_axes, const BlockVector& q, BlockVector& way);

}  // namespace pliant::solver
