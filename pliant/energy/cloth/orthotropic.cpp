#include "pliant/energy/cloth/orthotropic.h"

#include <cmath>

namespace pliant::cloth {

OrthotropicCoefficients coefficients(const OrthotropicModuli& moduli) {
  const auto& [warp, weft, poisson, shear] = moduli;
  const double d = 1 - poisson * poisson * weft / warp;
  return {.lambda = weft / d - 2 * shear,
          .mu = shear,
          .alpha = (poisson - 1) * weft / d + 2 * shear,
          .beta = (warp + (1 - 2 * poisson) * weft) / (2 * d) - 2 * shear};
}

OrthotropicCoefficients coefficients(const IsotropicModuli& moduli) {
  const auto& [young, poisson] = moduli;
  return {.lambda = young * poisson / (1 - poisson * poisson), .mu = young / (2 * (1 + poisson))};
}

bool is_positive_definite(const OrthotropicModuli& moduli) {
  return moduli.young_warp > 0 && moduli.young_weft > 0 && moduli.shear > 0 &&
         moduli.poisson * moduli.poisson * moduli.young_weft < moduli.young_warp;
}

bool is_positive_definite(const IsotropicModuli& moduli) {
  return moduli.young > 0 && moduli.poisson > -1 && moduli.poisson < 1;
}

double directional_modulus(const OrthotropicModuli& moduli, double angle_from_warp) {
  const auto& [warp, weft, poisson, shear] = moduli;
  const double c2 = std::pow(std::cos(angle_from_warp), 2), s2 = std::pow(std::sin(angle_from_warp), 2);
  return 1 / (c2 * c2 / warp + (1 / shear - 2 * poisson / warp) * c2 * s2 + s2 * s2 / weft);
}

}  // namespace pliant::cloth
