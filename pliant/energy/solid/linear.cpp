#include "pliant/energy/solid/linear.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<Linear>;
}
