// The set that friction is clamped to: what of Coulomb's law a contact keeps (contact_batch.h).
#pragma once

namespace pliant::solver {

enum class FrictionCone { cylinder, cone, box };

}  // namespace pliant::solver
