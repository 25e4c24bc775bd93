// Losses joined with the elements that they belong to.
#pragma once

#include "pliant/energy/compliant.h"

namespace pliant::solver {

// A loss of the same blocks as an element becomes its damping ρ, the ratio of the two stiffnesses [s], and is gone as an
// element of its own (lane_batch.h says why). The loss is then in the element's own strain: of corotated and linear solids in
// theirs instead of Green's, the same for small strains. Hinges by the sine keep theirs apart, whose angle is another.
void merge_losses(SoftElements& soft);

}  // namespace pliant::solver
