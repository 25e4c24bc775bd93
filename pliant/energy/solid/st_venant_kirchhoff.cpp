#include "pliant/energy/solid/st_venant_kirchhoff.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<StVenantKirchhoff>;
}
