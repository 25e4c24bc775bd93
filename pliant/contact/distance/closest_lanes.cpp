#include "pliant/contact/distance/closest_lanes.h"

#include "pliant/contact/distance/closest_thresholds.h"

namespace pliant::contact {
namespace {

using math::both;
using math::LaneMask;
using math::Lanes;
using math::lanes_of;
using math::LaneVector;
using math::select;

LaneMask number_of(Feature feature) {
  const auto number = static_cast<std::int64_t>(feature);
  return LaneMask{number, number, number, number};
}

LaneMask choose(LaneMask mask, LaneMask a, LaneMask b) { return (mask & a) | (~mask & b); }

// Points and edges a + t e, from w = p − a.
struct OnEdges {
  Lanes t;
  Lanes squared_distance;  // m²
};

OnEdges project_on_edges(const LaneVector& w, const LaneVector& e) {
  const Lanes zero{}, one = lanes_of(1);
  const Lanes length_squared = dot(e, e);
  const Lanes t = select(length_squared > zero, math::min(math::max(dot(w, e) / length_squared, zero), one), zero);
  const LaneVector r = w - t * e;
  return {t, dot(r, r)};
}

LaneMask is_within_edge(Lanes t) { return both(t > Lanes{}, t < lanes_of(1)); }

LaneMask feature_on_edge(Lanes t) {
  return choose(is_within_edge(t), number_of(Feature::point_edge), number_of(Feature::point_point));
}

}  // namespace

void closest_point_triangles(const LaneVector x[4], ClosestLanes& closest) {
  const Lanes zero{}, one = lanes_of(1);
  const LaneVector ab = x[2] - x[1], ac = x[3] - x[1], ap = x[0] - x[1];

  // Inside the faces.
  const LaneVector n = cross(ab, ac);
  const Lanes nn = dot(n, n), at_b = dot(cross(ap, ac), n), at_c = dot(cross(ab, ap), n);
  const Lanes beta1 = at_b / nn, beta2 = at_c / nn, beta0 = one - beta1 - beta2;
  const LaneVector above = ap - beta1 * ab - beta2 * ac;
  const Lanes height_squared = dot(above, above);
  const LaneMask is_over_face = both(both(at_b > zero, at_c > zero), both(at_b + at_c<nn, beta0> zero));
  const Lanes length_squared = math::max(dot(ab, ab), dot(ac, ac));
  const LaneMask is_trusted = both(is_over_face, nn > kSliver * length_squared * length_squared);

  // Else the best of the three edges.
  const OnEdges on_ab = project_on_edges(ap, ab), on_bc = project_on_edges(x[0] - x[2], x[3] - x[2]),
                on_ca = project_on_edges(x[0] - x[3], x[1] - x[3]);
  const LaneMask is_bc = on_bc.squared_distance < on_ab.squared_distance;
  Lanes best = select(is_bc, on_bc.squared_distance, on_ab.squared_distance);
  const LaneMask is_ca = on_ca.squared_distance < best;
  best = select(is_ca, on_ca.squared_distance, best);
  const Lanes t = select(is_ca, on_ca.t, select(is_bc, on_bc.t, on_ab.t));

  const LaneMask is_face = is_trusted | both(is_over_face, height_squared < best);
  const Lanes rest = t - one;
  closest.squared_distance = select(is_face, height_squared, best);
  closest.weight[0] = one;
  closest.weight[1] = select(is_face, -beta0, select(is_ca, -t, select(is_bc, zero, rest))) + zero;
  closest.weight[2] = select(is_face, -beta1, select(is_ca, zero, select(is_bc, rest, -t))) + zero;
  closest.weight[3] = select(is_face, -beta2, select(is_ca, rest, select(is_bc, -t, zero))) + zero;
  closest.feature = choose(is_face, number_of(Feature::point_face), feature_on_edge(t));
}

void closest_edge_pairs(const LaneVector x[4], ClosestLanes& closest) {
  const Lanes zero{}, one = lanes_of(1);
  const LaneVector u = x[1] - x[0], v = x[3] - x[2], w = x[0] - x[2];

  // Inside both.
  const LaneVector n = cross(u, v);
  const Lanes nn = dot(n, n), uu = dot(u, u), vv = dot(v, v), at_s = dot(cross(v, w), n);
  const Lanes s = at_s / nn;
  const LaneVector from_second = w + s * u;
  const Lanes t = dot(from_second, v) / vv;
  const LaneVector across = from_second - t * v;
  const Lanes across_squared = dot(across, across);
  const LaneMask is_crossing = both(both(both(at_s > zero, at_s < nn), is_within_edge(s)), is_within_edge(t));
  const LaneMask is_trusted = both(is_crossing, nn > kNearlyParallel * uu * vv);

  // Else the best of the four ends with the other edge.
  const LaneVector back{-w.x, -w.y, -w.z};
  const OnEdges ends[4] = {project_on_edges(w, v), project_on_edges(x[1] - x[2], v), project_on_edges(back, u),
                           project_on_edges(x[3] - x[0], u)};
  Lanes best = ends[0].squared_distance, along = ends[0].t;
  LaneMask which = LaneMask{};
  for (int i = 1; i < 4; ++i) {
    const LaneMask is_better = ends[i].squared_distance < best;
    best = select(is_better, ends[i].squared_distance, best);
    along = select(is_better, ends[i].t, along);
    which = choose(is_better, LaneMask{i, i, i, i}, which);
  }

  const LaneMask is_inside = is_trusted | both(is_crossing, across_squared < best);
  const LaneMask is_first_end = which < 2, is_low_end = (which & 1) == 0;
  // The end's own edge has weight 1 there; the other edge 1 − along and along.
  const Lanes own_low = select(is_low_end, one, zero), own_high = one - own_low, other_low = one - along;
  const Lanes low_a = select(is_first_end, own_low, other_low), high_a = select(is_first_end, own_high, along);
  const Lanes low_b = select(is_first_end, other_low, own_low), high_b = select(is_first_end, along, own_high);
  closest.squared_distance = select(is_inside, across_squared, best);
  closest.weight[0] = select(is_inside, one - s, low_a);
  closest.weight[1] = select(is_inside, s, high_a);
  closest.weight[2] = select(is_inside, t - one, -low_b) + zero;
  closest.weight[3] = select(is_inside, -t, -high_b) + zero;
  closest.feature = choose(is_inside, number_of(Feature::edge_edge), feature_on_edge(along));
}

}  // namespace pliant::contact
