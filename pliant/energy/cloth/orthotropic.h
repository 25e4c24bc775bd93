// Moduli of woven cloth, and the four coefficients of the orthotropic St. Venant-Kirchhoff energy
//
//   ψ = λ/2 J1² + μ J2 + α J1 J3 + β J3²,    J1 = tr E,  J2 = tr E²,  J3 = a·E a,    E = ½ (FᵀF − I)
//
// a  unit vector along the warp at rest. Plane stress: the sheet is free to become thinner. [Tamstorf2016, sec. 4.3]
//
// Pulled along the warp with stress σ, cloth stretches by σ/Y_warp and contracts along the weft by `poisson` times
// that; pulled along the weft, it stretches by σ/Y_weft and contracts along the warp by poisson Y_weft/Y_warp times
// that (reciprocity). `shear` is the engineering modulus G: shear stress over the change of the angle between threads.
//
//   D = 1 − ν² Y_weft/Y_warp          λ = Y_weft/D − 2G                   μ = G
//                                     α = (ν − 1) Y_weft/D + 2G           β = (Y_warp + (1 − 2ν) Y_weft)/(2D) − 2G
//
// The reference names directions the other way round: its x is our weft, Y = Y_weft, η = Y_warp/Y_weft,
// ν_xy = ν Y_weft/Y_warp, and its shear modulus belongs to the tensor strain: it is 2G.
// All moduli are per thickness [Pa], or of the whole sheet [N/m]; the energies of cloth take the latter.
#pragma once

namespace pliant::cloth {

struct OrthotropicModuli {
  double young_warp = 0, young_weft = 0;  // Pa or N/m
  double poisson = 0;                     // contraction along the weft per stretch along the warp
  double shear = 0;                       // Pa or N/m
};

struct IsotropicModuli {
  double young = 0;  // Pa or N/m
  double poisson = 0;
};

// In the unit of the moduli they come from; isotropic: α = β = 0.
struct OrthotropicCoefficients {
  double lambda = 0, mu = 0, alpha = 0, beta = 0;

  // The coefficients of a sheet [N/m] from those of its material [Pa], or viscous ones from a time [s].
  [[nodiscard]] OrthotropicCoefficients times(double factor) const {
    return {factor * lambda, factor * mu, factor * alpha, factor * beta};
  }
};

[[nodiscard]] OrthotropicCoefficients coefficients(const OrthotropicModuli& moduli);
[[nodiscard]] OrthotropicCoefficients coefficients(const IsotropicModuli& moduli);

// Whether every strain costs energy: Young's and shear moduli above 0, ν² Y_weft < Y_warp (isotropic: −1 < ν < 1).
[[nodiscard]] bool is_positive_definite(const OrthotropicModuli& moduli);
[[nodiscard]] bool is_positive_definite(const IsotropicModuli& moduli);

// Young's modulus of a strip cut at an angle [rad] to the warp:
//   1/Y = cos⁴/Y_warp + (1/G − 2ν/Y_warp) cos² sin² + sin⁴/Y_weft
[[nodiscard]] double directional_modulus(const OrthotropicModuli& moduli, double angle_from_warp);

}  // namespace pliant::cloth
