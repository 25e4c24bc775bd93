#include "pliant/energy/solid/polynomial.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<Polynomial>;
}
