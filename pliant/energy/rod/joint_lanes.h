// Frames and strains of four joints of rods at a time, one in each SIMD lane; elastic_rods.h has the formulas, symbols
// and limits.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "pliant/energy/cloth/packed_block.h"
#include "pliant/math/lane_vector.h"

namespace pliant::rod {

using math::kLaneCount;
using math::Lanes;
using math::LaneVector;

inline constexpr double kSmallestChi = 1e-6;      // of 1 + cos φ; see "Limits" in elastic_rods.h
inline constexpr double kSmallestStretch = 1e-6;  // of l/l̄ in divisions

// From a vector and a number per lane to (x, y, z, number) of each joint, and back.
inline std::array<Lanes, kLaneCount> per_joint(const LaneVector& v, Lanes number) {
  std::array<Lanes, kLaneCount> rows{v.x, v.y, v.z, number};
  math::transpose(rows[0], rows[1], rows[2], rows[3]);
  return rows;
}
inline LaneVector gather_points(const double* padded_blocks, const int block[kLaneCount]) {
  Lanes x[3];
  cloth::gather_points(padded_blocks, block, x);
  return {x[0], x[1], x[2]};
}
inline Lanes gather_first_entries(const double* padded_blocks, const int block[kLaneCount]) {
  Lanes entries;
  for (int l = 0; l < kLaneCount; ++l) entries[l] = padded_blocks[4 * static_cast<std::size_t>(block[l])];
  return entries;
}

// --- Edges ---

struct FrameLanes {
  LaneVector t, m1, m2;
};

// Edges at `now`, with what the derivatives need.
struct EdgeLanes {
  FrameLanes now, before;       // the directors of `before` only where asked for
  LaneVector director;          // d₁ at now
  Lanes theta, theta_before;    // rad
  Lanes length, length_before;  // m
  Lanes inverse_length;         // 1/m
  LaneVector spin;              // a
  Lanes spin_chi;               // 1 + t₀·t
};

// The edges that end where the edges `next` begin, when next follow each other along a rod: (last of previous, next…).
inline void shift_in(const EdgeLanes& previous, const EdgeLanes& next, EdgeLanes& result) {
  static_assert(std::is_trivially_copyable_v<EdgeLanes> && sizeof(EdgeLanes) % sizeof(Lanes) == 0);
  const auto *from = reinterpret_cast<const unsigned char*>(&previous),
             *then = reinterpret_cast<const unsigned char*>(&next);
  auto* to = reinterpret_cast<unsigned char*>(&result);
  for (std::size_t at = 0; at < sizeof(EdgeLanes); at += sizeof(Lanes)) {
    Lanes a, b;
    __builtin_memcpy(&a, from + at, sizeof a);
    __builtin_memcpy(&b, then + at, sizeof b);
    a = __builtin_shufflevector(a, b, 3, 4, 5, 6);
    __builtin_memcpy(to + at, &a, sizeof a);
  }
}

// Length and unit tangent; the x axis for an edge without length.
inline LaneVector unit_tangent(const LaneVector& along, Lanes& length) {
  length = math::sqrt(dot(along, along));
  const LaneVector x_axis{math::lanes_of(1), Lanes{}, Lanes{}};
  return select(length > Lanes{}, (1.0 / length) * along, x_axis);
}

// As parallel_transport of configuration/rod_frames.h.
inline LaneVector transported(const LaneVector& v, const LaneVector& from, const LaneVector& to) {
  const Lanes cosine = dot(from, to);
  const LaneVector axis = cross(from, to);
  const LaneVector turned = cosine * v + cross(axis, v) + (dot(axis, v) / (1.0 + cosine)) * axis;
  const math::LaneMask opposite = cosine < math::lanes_of(-1 + 1e-12);
  if (!math::any(opposite)) return turned;
  return select(opposite, v - (2.0 * dot(v, from)) * from, turned);
}

inline FrameLanes material_frame(const LaneVector& t, const LaneVector& director, Lanes theta) {
  const LaneVector other = cross(t, director);
  Lanes c, s;
  for (int l = 0; l < kLaneCount; ++l) c[l] = std::cos(theta[l]), s[l] = std::sin(theta[l]);
  return {t, c * director + s * other, c * other - s * director};
}

// --- Joints ---

// χ, κb and the curvatures of two edges, with the guard for a rod folded flat.
struct BendLanes {
  Lanes chi;
  LaneVector binormal;
  Lanes curvature[2];

  BendLanes(const FrameLanes& e, const FrameLanes& f) {
    const LaneVector axis = cross(e.t, f.t);
    const Lanes plain_chi = 1.0 + dot(e.t, f.t);
    const math::LaneMask regular = plain_chi >= math::lanes_of(kSmallestChi);
    chi = math::select(regular, plain_chi, math::lanes_of(kSmallestChi));
    binormal = (2.0 / chi) * axis;
    if (!math::all(regular)) {
      const Lanes sine = math::sqrt(dot(axis, axis));
      const Lanes size = math::lanes_of(2 * std::sqrt((2 - kSmallestChi) / kSmallestChi));
      const LaneVector flat = select(sine > Lanes{}, (size / sine) * axis, size * e.m2);
      binormal = select(regular, binormal, flat);
    }
    curvature[0] = 0.5 * dot(e.m2 + f.m2, binormal);
    curvature[1] = -0.5 * dot(e.m1 + f.m1, binormal);
  }
};

// ∇ε of κ₁, κ₂ and m with respect to (e, θ_e, f, θ_f).
struct JacobianLanes {
  LaneVector e[3], f[3];
  Lanes theta_e[3], theta_f[3];

  JacobianLanes(const EdgeLanes& from, const EdgeLanes& to, const BendLanes& bend) {
    const FrameLanes &a = from.now, &b = to.now;
    const Lanes inverse_chi = 1.0 / bend.chi;
    const LaneVector t = inverse_chi * (a.t + b.t), m1 = inverse_chi * (a.m1 + b.m1), m2 = inverse_chi * (a.m2 + b.m2);
    const LaneVector& kb = bend.binormal;
    const LaneVector k1t = bend.curvature[0] * t, k2t = bend.curvature[1] * t;
    const Lanes ei = from.inverse_length, fi = to.inverse_length;
    // Along parallel transport.
    e[0] = ei * (cross(b.t, m2) - k1t), f[0] = -fi * (cross(a.t, m2) + k1t);
    e[1] = -ei * (cross(b.t, m1) + k2t), f[1] = fi * (cross(a.t, m1) - k2t);
    e[2] = (0.5 * ei) * kb, f[2] = (0.5 * fi) * kb;
    theta_e[0] = -0.5 * dot(a.m1, kb), theta_f[0] = -0.5 * dot(b.m1, kb);
    theta_e[1] = -0.5 * dot(a.m2, kb), theta_f[1] = -0.5 * dot(b.m2, kb);
    theta_e[2] = math::lanes_of(-1), theta_f[2] = math::lanes_of(1);
    // The spin of the carried directors.
    const LaneVector e_spin = ei * from.spin, f_spin = fi * to.spin;
    for (int k = 0; k < 3; ++k) {
      e[k] = e[k] + theta_e[k] * e_spin;
      f[k] = f[k] + theta_f[k] * f_spin;
    }
  }
};

}  // namespace pliant::rod
