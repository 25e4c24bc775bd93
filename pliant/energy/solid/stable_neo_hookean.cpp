#include "pliant/energy/solid/stable_neo_hookean.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<StableNeoHookean>;
}
