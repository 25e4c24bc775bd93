#include "pliant/energy/solid/volume_preservation.h"

#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
template class HyperelasticTets<VolumePreservation>;
}
