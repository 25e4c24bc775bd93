// Grains of bodies of kind `particles`: where they are, how large, and when they are born.
//
// filling    A mesh is filled with a hexagonal close packing of spacing a = 2.1 R, R the largest radius possible. Each
//            grain stands up to half of its room (a/2 − r) away from its site, so that the gap to its neighbours and to
//            the mesh is at least (a/2 − r)/2 ≥ 0.025 R. Grains of one radius take 64 % of the room, as much as a random
//            close packing has.
// emitter    Grain k is born at k/rate, moved to the next start of a time step, anywhere in the opening where no grain
//            is: random places are tried until one is free of those that were born before, which fall as
//            x + n h v + ½ n(n+1) h² g after n steps of length h (backward Euler; nothing in their way).
//
// All follows from the scene and its seed: a run that is resumed has the same births, and threads have no part in it.
#pragma once

#include <cstdint>

#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// The grains in a body's mesh, around the origin as place_bodies wants them: scaled, turned and moved later, with radii
// that the body's scale does not change. stream: of random numbers. Throws InputError when no grain has room.
[[nodiscard]] PlacedBody filling_grains(const Scene& scene, const Body& body, std::uint64_t stream);

// The grains of a body's emitter, in the world. Throws InputError when its opening cannot give that many.
[[nodiscard]] PlacedBody emitted_grains(const Scene& scene, const Body& body, std::uint64_t stream);

}  // namespace pliant::scene
