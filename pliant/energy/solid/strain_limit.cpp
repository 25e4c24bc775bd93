#include "pliant/energy/solid/strain_limit.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<StrainLimit>;
}
