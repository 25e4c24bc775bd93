#include "pliant/energy/solid/neo_hookean.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<NeoHookean>;
}
