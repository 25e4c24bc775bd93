#include "pliant/energy/solid/corotated.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<Corotated>;
}
