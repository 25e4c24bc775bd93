#include "pliant/contact/contact_lanes.h"

#include <limits>

namespace pliant::contact {
namespace {

using math::any;
using math::both;
using math::LaneMask;
using math::Lanes;
using math::lanes_of;
using math::LaneVector;
using math::select;

LaneMask is(const FourContacts& contacts, Feature feature) {
  return contacts.feature == static_cast<std::int64_t>(feature);
}

LaneVector masked(LaneMask mask, const LaneVector& v) { return select(mask, v, LaneVector{}); }

LaneVector unit(const LaneVector& v) { return (1.0 / math::sqrt(dot(v, v))) * v; }

// Some unit vector across a unit normal, that of tangents_of.
LaneVector tangent_of(const LaneVector& normal) {
  const Lanes zero{}, one = lanes_of(1);
  const LaneMask is_far_from_x = math::abs(normal.x) < lanes_of(0.6);
  return unit(cross(normal, select(is_far_from_x, LaneVector{one, zero, zero}, LaneVector{zero, one, zero})));
}

void add_square(Lanes scale, const LaneVector& v, Lanes sum[6]) {
  const LaneVector s = scale * v;
  sum[0] += s.x * v.x;
  sum[1] += s.x * v.y;
  sum[2] += s.x * v.z;
  sum[3] += s.y * v.y;
  sum[4] += s.y * v.z;
  sum[5] += s.z * v.z;
}

}  // namespace

ContactHessians::ContactHessians(const FourContacts& contacts, bool is_exact)
    : normal_(contacts.normal), stiffness_(contacts.curvature) {
  for (int j = 0; j < 4; ++j) weight_[j] = contacts.weight[j];
  find_tilts(contacts);
  if (is_exact) {
    set_exact(contacts);
  } else {
    set_projected(contacts);
  }
}

void ContactHessians::find_tilts(const FourContacts& contacts) {
  const LaneVector* x = contacts.x.vertex;
  const bool are_edges = contacts.kind == PairKind::edges, is_plane = contacts.kind == PairKind::point_plane;
  for (LaneVector& c : tilt_) c = LaneVector{};
  edge_ = LaneVector{};
  is_tip_ = is_plane ? LaneMask{} : is(contacts, Feature::point_point);
  is_on_edge_ = is_plane ? LaneMask{} : is(contacts, Feature::point_edge);
  if (is_plane) return;

  // Gradients of barycentric coordinates, or the dual basis of two edges in their common plane.
  const LaneMask is_inside = is(contacts, are_edges ? Feature::edge_edge : Feature::point_face);
  if (any(is_inside)) {
    const LaneVector u = are_edges ? x[1] - x[0] : x[2] - x[1], v = are_edges ? x[3] - x[2] : x[3] - x[1];
    const LaneVector n = cross(u, v);
    const LaneVector scaled = (1.0 / dot(n, n)) * n;
    if (are_edges) {
      const LaneVector dual_u = masked(is_inside, cross(v, scaled)), dual_v = masked(is_inside, cross(scaled, u));
      tilt_[0] = LaneVector{} - dual_u;
      tilt_[1] = dual_u;
      tilt_[2] = LaneVector{} - dual_v;
      tilt_[3] = dual_v;
    } else {
      tilt_[2] = masked(is_inside, cross(scaled, x[1] - x[3]));
      tilt_[3] = masked(is_inside, cross(scaled, u));
      tilt_[1] = masked(is_inside, cross(scaled, x[3] - x[2]));
    }
  }
  if (!any(is_on_edge_)) return;

  // The edge of a point and an edge: two vertices of one primitive that both take part.
  const Lanes zero{};
  LaneMask is_from[4] = {}, is_to[4] = {};
  if (are_edges) {
    is_from[0] = is_to[1] = both(contacts.weight[0] != zero, contacts.weight[1] != zero);
    is_from[2] = is_to[3] = ~is_from[0];
  } else {
    is_from[1] = contacts.weight[1] != zero;
    is_from[2] = ~is_from[1];
    is_to[2] = both(is_from[1], contacts.weight[2] != zero);
    is_to[3] = ~is_to[2];
  }
  LaneVector along{};
  for (int j = 0; j < 4; ++j) along = along + masked(is_to[j], x[j]) - masked(is_from[j], x[j]);
  const Lanes inverse_length = 1.0 / math::sqrt(dot(along, along));
  // Exactly across the normal.
  edge_ = unit(along - dot(along, normal_) * normal_);
  const LaneVector tilt = masked(is_on_edge_, inverse_length * edge_);
  for (int j = 0; j < 4; ++j) tilt_[j] = tilt_[j] + masked(is_to[j], tilt) - masked(is_from[j], tilt);
}

void ContactHessians::set_exact(const FourContacts& contacts) {
  const Lanes push = -contacts.slope, root = math::sqrt(push * contacts.distance);
  for (int j = 0; j < 4; ++j) {
    turn_[j] = root * tilt_[j];
    mixed_[j] = push * tilt_[j];
  }
  for (Lanes& entry : across_) entry = Lanes{};
  const LaneMask is_free = is_tip_ | is_on_edge_;
  if (!any(is_free)) return;
  // All tangents together are I − n nᵀ; an edge takes one of them away.
  const Lanes pull = select(is_free, -push / contacts.distance, Lanes{});
  across_[0] = across_[3] = across_[5] = pull;
  add_square(-pull, normal_, across_);
  add_square(-pull, masked(is_on_edge_, edge_), across_);
}

void ContactHessians::set_projected(const FourContacts& contacts) {
  const Lanes zero{}, one = lanes_of(1);
  // Tangents that diagonalise Σ c_j c_jᵀ; of an edge it is one of them.
  const LaneVector first = select(is_on_edge_, edge_, tangent_of(normal_)), second = cross(normal_, first);
  Lanes along[4], aside[4], g11{}, g12{}, g22{};
  for (int j = 0; j < 4; ++j) {
    along[j] = dot(tilt_[j], first);
    aside[j] = dot(tilt_[j], second);
    g11 += along[j] * along[j];
    g12 += along[j] * aside[j];
    g22 += aside[j] * aside[j];
  }
  const Lanes difference = g11 - g22, radius = math::sqrt(difference * difference + 4.0 * g12 * g12);
  const LaneMask is_round = radius <= zero;
  const Lanes cosine2 = select(is_round, one, difference / radius), sine2 = select(is_round, zero, 2.0 * g12 / radius);
  const Lanes large = math::sqrt(0.5 * (one + math::abs(cosine2))), small = 0.5 * sine2 / large;
  const LaneMask is_near_first = cosine2 >= zero;
  const Lanes cosine = select(is_near_first, large, math::abs(small)),
              sine = select(is_near_first, small, math::copy_sign(large, sine2));

  Lanes across_squared{};
  for (const Lanes& w : contacts.weight) across_squared += w * w;
  for (Lanes& entry : across_) entry = zero;
  for (int j = 0; j < 4; ++j) turn_[j] = mixed_[j] = LaneVector{};
  for (int k = 0; k < 2; ++k) {
    const Lanes on_first = k == 0 ? cosine : -sine, on_second = k == 0 ? sine : cosine;
    const LaneVector e = on_first * first + on_second * second;
    Lanes tilt[4], tilt_squared{};
    for (int j = 0; j < 4; ++j) {
      tilt[j] = on_first * along[j] + on_second * aside[j];
      tilt_squared += tilt[j] * tilt[j];
    }
    const Lanes tilt_norm = math::sqrt(math::max(tilt_squared, lanes_of(std::numeric_limits<double>::min())));
    const Lanes half = 0.5 * contacts.distance * tilt_norm, g = half + math::sqrt(half * half + across_squared);
    const Lanes share = -contacts.slope / (g * g + across_squared);
    const Lanes turning = math::sqrt(share * g * g * g / tilt_norm), mixed = share * g * g;
    // Where nothing tilts there is nothing to push aside.
    const Lanes sideways = select(tilt_squared > zero, share * tilt_norm * g, zero);
    for (int j = 0; j < 4; ++j) {
      turn_[j] = turn_[j] + (turning * tilt[j]) * e;
      mixed_[j] = mixed_[j] + (mixed * tilt[j]) * e;
    }
    add_square(sideways, e, across_);
  }
}

void ContactHessians::block(int i, int j, Lanes entries[3][3]) const {
  const Lanes product = weight_[i] * weight_[j];
  const Lanes along = stiffness_ * product + dot(turn_[i], turn_[j]);
  // n (along n + γ_j a_i)ᵀ + (γ_i a_j) nᵀ + γ_i γ_j T
  const LaneVector right = along * normal_ + weight_[j] * mixed_[i], left = weight_[i] * mixed_[j];
  const Lanes n[3] = {normal_.x, normal_.y, normal_.z}, r[3] = {right.x, right.y, right.z},
              l[3] = {left.x, left.y, left.z};
  constexpr int kEntry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      entries[row][column] = n[row] * r[column] + l[row] * n[column] + product * across_[kEntry[row][column]];
  }
}

}  // namespace pliant::contact
