#include "pliant/energy/solid/stress.h"

#include <Eigen/LU>
#include <cmath>

namespace pliant::solid {

double von_mises_stress(const Mat3& deformation_gradient, const Mat3& piola) {
  const double volume_ratio = deformation_gradient.determinant();
  if (volume_ratio == 0) return 0;
  const Mat3 cauchy = piola * deformation_gradient.transpose() / volume_ratio;
  const Mat3 deviator = cauchy - cauchy.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * deviator.norm();
}

std::vector<double> von_mises_per_block(std::span<const std::unique_ptr<Energy>> energies, const BlockVector& now) {
  std::vector<double> sums(static_cast<std::size_t>(now.size())), volumes(sums.size());
  for (const std::unique_ptr<Energy>& energy : energies) {
    const auto* stressed = dynamic_cast<const Stressed*>(energy.get());
    if (stressed == nullptr) continue;
    stressed->visit_stress(now, [&](const ElementStress& element) {
      const double stress = von_mises_stress(element.deformation_gradient, element.piola);
      for (const int block : element.corner) {
        sums[static_cast<std::size_t>(block)] += element.volume * stress;
        volumes[static_cast<std::size_t>(block)] += element.volume;
      }
    });
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = volumes[i] > 0 ? sums[i] / volumes[i] : 0;
  return sums;
}

}  // namespace pliant::solid
