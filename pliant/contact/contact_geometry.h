// How the distance of two primitives depends on their four vertices, with first and second derivatives in closed form.
//
// With γ the weights of the closest points, r = Σ γ_j x_j, d = |r| and n = r/d:
//
//   ∇_j d = γ_j n                                                     the weights are optimal: their change does not count
//   δ²d   = Σ_k (−d a_k² − 2 a_k r_k)  +  Σ_m r_m²/d
//
//   a_k = e_k · Σ_j c_j (n·δx_j)    how the common normal tilts against the tangent e_k: δn·e_k = −a_k
//   r_k = e_k · Σ_j γ_j δx_j        how the closest points part along e_k
//   k    tangents along which an edge or a face fixes the normal: two for point-face and edge-edge, one for point-edge
//   m    the other tangents, along which the normal is free to follow: none, one, or two for point-point
//
// (d = n·r for frozen weights; n is a unit vector, so n·δ²n = −|δn|², and r = d n.) The rows a_k and r_k are orthogonal as
// vectors of the twelve coordinates, one acts along n and the other across it. When the e_k diagonalise Σ c_j c_jᵀ all
// pairs are: the second derivative falls into 2×2 matrices, and so do its positive and negative parts. No eigenvalue
// problem of size twelve is left.
#pragma once

#include <array>

#include "pliant/contact/distance/closest_points.h"
#include "pliant/math/types.h"

namespace pliant::contact {

enum class PairKind : unsigned char { point_triangle, edges, point_plane, point_shape };

using FourPoints = std::array<Vec3, 4>;

struct ContactGeometry {
  double distance = 0;                // m
  Vec3 normal = Vec3::Zero();         // n, from the second primitive to the first
  std::array<double, 4> weight{};     // γ
  FourPoints tilt{};                  // c_j, 1/m; all zero where nothing fixes the normal
  std::array<Vec3, 2> tangent{};      // e: those that fix the normal first
  std::array<double, 2> tilt_norm{};  // |row a_k|, 1/m
  int fixed = 0;                      // how many tangents fix the normal
};

// x must be apart. With tangents and tilts for second derivatives.
[[nodiscard]] ContactGeometry contact_geometry(PairKind kind, const FourPoints& x, const ClosestPoints& closest);
// A point above a plane that another point carries: nothing tilts, whatever they do.
[[nodiscard]] ContactGeometry plane_geometry(double distance, const Vec3& normal);

// Two unit vectors across a unit normal and each other.
[[nodiscard]] std::array<Vec3, 2> tangents_of(const Vec3& normal);
// What is left of a vector without its part along a unit normal.
[[nodiscard]] inline Vec3 along_surface(const Vec3& v, const Vec3& normal) { return v - normal.dot(v) * normal; }

// A symmetric matrix of the twelve coordinates as Σ s_k v_k v_kᵀ.
struct LocalHessian {
  static constexpr int kMost = 12;
  std::array<FourPoints, kMost> vector;
  std::array<double, kMost> sign;
  int count = 0;
  void add(const FourPoints& v, double s) {
    vector[static_cast<std::size_t>(count)] = v;
    sign[static_cast<std::size_t>(count++)] = s;
  }
};

// slope and curvature are the derivatives E'(d), E''(d) of an energy that pushes apart: E' ≤ 0 ≤ E''.
// E'' ∇d∇dᵀ + E' ∇²d is added to `out`; its negative parts only when `is_exact`.
void add_distance_hessian(const ContactGeometry& geometry, double slope, double curvature, bool is_exact,
                          LocalHessian& out);

// Edges that are nearly parallel have closest points that jump from end to end. Their energy is multiplied by
//   m(c) = c/ε (2 − c/ε) for c < ε, else 1,     c = |e₁ × e₂|²,   ε = 10⁻³ |e₁|²|e₂|² at rest        [Li2020, eq. 24]
// which takes it to zero smoothly there; their end points still meet the other edge's neighbours.
struct Mollifier {
  double value = 1, slope = 0, curvature = 0;  // m, m', m''
  FourPoints gradient{};                       // ∇c
  [[nodiscard]] bool is_one() const { return slope == 0 && curvature == 0 && value == 1; }
};
[[nodiscard]] Mollifier edge_mollifier(const FourPoints& x, double threshold);

// The Hessian of m(c) E(d), twelve by twelve, by an eigenvalue problem: for the few edges that are nearly parallel.
void add_mollified_hessian(const ContactGeometry& geometry, const FourPoints& x, const Mollifier& mollifier,
                           double energy, double slope, double curvature, bool is_exact, LocalHessian& out);

}  // namespace pliant::contact
