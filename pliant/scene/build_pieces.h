// What rigid bodies and obstacles are to each other in contact under projection.
#pragma once

#include <vector>

#include "pliant/contact/contact_piece.h"
#include "pliant/dynamics/model.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// Of all rigid bodies, then of obstacles that can be met; bodies and obstacles are in the order of `placed`.
[[nodiscard]] std::vector<contact::ContactPiece> contact_pieces(const std::vector<PlacedBody>& placed,
                                                                const Model& model);

}  // namespace pliant::scene
