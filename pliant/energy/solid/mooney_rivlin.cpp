#include "pliant/energy/solid/mooney_rivlin.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<MooneyRivlin>;
}
