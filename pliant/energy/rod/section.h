// Cross-sections of rods: what bending, twisting, stretching and turning need of them.
//
//        m₂            y₁, y₂  coordinates along the material directors m₁, m₂, from the centroid [m]
//         |            I₁ = ∫ y₁² dA   bending in the plane of t and m₁ (κ₁)           [m⁴]
//    .----+----.       I₂ = ∫ y₂² dA   bending in the plane of t and m₂ (κ₂)           [m⁴]
//    |    o----|-- m₁  J   torsion constant of Saint-Venant: torque = G J · twist per length  [m⁴]
//    '---------'       Iₚ = I₁ + I₂    turning about the tangent: ρ Iₚ is the moment of inertia per length
//
//   circle, radius r          A = π r²    I₁ = I₂ = π r⁴/4                       J = π r⁴/2
//   ellipse, semi-axes a, b   A = π a b   I₁ = π a³b/4, I₂ = π a b³/4            J = π a³b³/(a² + b²)
//   rectangle, sides a, b     A = a b     I₁ = a³b/12,  I₂ = a b³/12             J = w h³ (1/3 − 64/π⁵ (h/w) Σ …)
//     h the smaller and w the larger side, Σ = Σ_{n = 1, 3, 5, …} tanh(nπw/2h)/n⁵
// [TimoshenkoGoodier1970, chapter on torsion]. J < Iₚ except for the circle: other sections warp.
#pragma once

#include "pliant/math/types.h"

namespace pliant::rod {

struct Section {
  double area = 0;                    // m²
  Vec2 second_moment = Vec2::Zero();  // m⁴: I₁, I₂
  double torsion_constant = 0;        // m⁴: J
  double polar_moment = 0;            // m⁴: Iₚ
  double bounding_radius = 0;         // m, of the smallest circle about the centroid that holds the section
};

[[nodiscard]] Section circle(double radius);
// Semi-axes: a along m₁, b along m₂.
[[nodiscard]] Section ellipse(double a, double b);
// Full sides: a along m₁, b along m₂.
[[nodiscard]] Section rectangle(double a, double b);

}  // namespace pliant::rod
