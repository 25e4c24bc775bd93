#include "pliant/solver/projection/manifold_lanes.h"

#include <algorithm>
#include <cstring>

#include "pliant/contact/contact_geometry.h"
#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/strain_kernels.h"

namespace pliant::solver {
namespace {

using math::Lanes;

constexpr int kQuadGrain = 16, kPointGrain = 64;

// Of component k (normal, tangents) of a point in vectors over all rows; four lanes follow.
std::size_t row(int point, int k) {
  return math::kLaneCount * (3 * static_cast<std::size_t>(point) + static_cast<std::size_t>(k));
}

Lanes lanes_of(const Vec3& v) { return Lanes{v[0], v[1], v[2], 0}; }
Lanes lanes_of(const Mover<double>& point) {
  Lanes all;
  std::memcpy(&all, &point, sizeof all);
  return all;
}
Lanes lanes_of(const Mover<float>& point) { return Lanes{point.x[0], point.x[1], point.x[2], point.w}; }

// The nine numbers of four matrices, column by column.
void transpose_matrices(const std::array<const Mat3*, 4>& matrices, Lanes out[9]) {
  for (int first = 0; first < 8; first += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) out[first + lane] = math::load(matrices[lane]->data() + first);
    math::transpose(out[first], out[first + 1], out[first + 2], out[first + 3]);
  }
  for (std::size_t lane = 0; lane < 4; ++lane) out[8][lane] = (*matrices[lane])(2, 2);
}

// Along three axes, and back.
[[gnu::always_inline]] inline void into(const Lanes axis[3][3], const Lanes world[3], Lanes out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = inner3(axis[k], world);
}
[[gnu::always_inline]] inline void out_of(const Lanes axis[3][3], const Lanes inside[3], Lanes world[3]) {
  for (int a = 0; a < 3; ++a) world[a] = inside[0] * axis[0][a] + (inside[1] * axis[1][a] + inside[2] * axis[2][a]);
}

// rad
Vec3 turn_in_step(const Turner& turner) {
  return math::vector_from_rotation(turner.rotation * turner.before.transpose());
}

// 1/x, or 0.
Lanes inverse_of(const Lanes& x) {
  const Lanes zero = math::lanes_of(0), tiny = math::lanes_of(1e-300);
  return math::select(x > zero, 1 / math::max(x, tiny), zero);
}

// Parts that the pairs of a group make: runs of one normal.
int end_of_run(const contact::ProjectedPairs& pairs, int first, int last) {
  int end = first;
  while (end < last && pairs.pairs[end].normal == pairs.pairs[first].normal) ++end;
  return end;
}

}  // namespace

// --- Who is in which lane ---

template <class Real>
void ManifoldLanes<Real>::clear() {
  quads_.clear();
  parts_.clear();
  points_.clear();
  sources_.clear();
}

template <class Real>
std::array<int, 2> ManifoldLanes<Real>::add(std::span<const std::array<int, 2>> groups,
                                            const contact::ProjectedPairs& pairs) {
  const int first = static_cast<int>(quads_.size());
  for (std::size_t g = 0; g < groups.size(); g += kLanes) {
    Quad& quad = quads_.emplace_back();
    quad.first_part = static_cast<int>(parts_.size());
    const int count = static_cast<int>(std::min(groups.size() - g, static_cast<std::size_t>(kLanes)));
    int next[kLanes] = {0, 0, 0, 0};
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lane < count) next[lane] = groups[g + static_cast<std::size_t>(lane)][0];
      for (std::size_t s = 0; s < 2; ++s) quad.rigid[s][lane] = lane < count ? pairs.pairs[next[lane]].rigid[s] : -1;
    }
    for (bool is_done = false; !is_done; ++quad.part_count) {
      Part& part = parts_.emplace_back();
      part.first_point = static_cast<int>(points_.size());
      is_done = true;
      for (int lane = 0; lane < count; ++lane) {
        const int last = groups[g + static_cast<std::size_t>(lane)][1], end = end_of_run(pairs, next[lane], last);
        for (int k = 0; next[lane] < end; ++k, ++next[lane]) {
          if (k == part.point_count) {
            ++part.point_count;
            points_.emplace_back();
            std::fill_n(sources_.emplace_back().pair, kLanes, -1);
          }
          const contact::ProjectedPair& pair = pairs.pairs[next[lane]];
          sources_[part.first_point + k].pair[lane] = next[lane];
          quad.is_round = quad.is_round || !pair.round[0].isZero(0) || !pair.round[1].isZero(0);
        }
        is_done = is_done && end == last;
      }
    }
  }
  return {first, static_cast<int>(quads_.size())};
}

// --- Geometry ---

template <class Real>
void ManifoldLanes<Real>::set_axes(const contact::ProjectedPairs& pairs, Part& part) {
  const PointSource& source = sources_[part.first_point];
  for (int lane = 0; lane < kLanes; ++lane) {
    const Vec3 normal = source.pair[lane] < 0 ? Vec3(Vec3::UnitY()) : pairs.pairs[source.pair[lane]].normal;
    const std::array<Vec3, 2> tangents = contact::tangents_of(normal);
    for (int a = 0; a < 3; ++a) {
      part.axis[0][a][lane] = normal[a];
      part.axis[1][a][lane] = tangents[0][a];
      part.axis[2][a][lane] = tangents[1][a];
    }
  }
}

// What of a point stays for the step; its multipliers start with what the impulses say.
template <class Real>
void ManifoldLanes<Real>::set_source(const contact::ProjectedPairs& pairs, std::span<const Vec3> impulses,
                                     const Part& part, int p) {
  static const contact::ProjectedPair kNoPair{};
  PointSource& source = sources_[p];
  Point& point = points_[p];
  Lanes local[2][4], scripted[4], before[4], impulse[4];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = source.pair[lane];
    const contact::ProjectedPair& pair = i < 0 ? kNoPair : pairs.pairs[i];
    for (std::size_t s = 0; s < 2; ++s) {
      local[s][lane] = lanes_of(pair.local[s]);
      source.round[s][lane] = pair.round[s].dot(pair.normal);
    }
    scripted[lane] = lanes_of(pair.scripted);
    before[lane] = lanes_of(pair.before);
    impulse[lane] = i < 0 ? math::lanes_of(0) : lanes_of(impulses[static_cast<std::size_t>(i)]);
    scripted[lane][3] = pair.offset + pair.wanted;
    point.friction[lane] = pair.friction;
    source.is_there[lane] = i < 0 ? 0 : 1;
  }
  for (auto* four : {local[0], local[1], scripted, before, impulse})
    math::transpose(four[0], four[1], four[2], four[3]);
  Lanes of_before[3];
  into(part.axis, scripted, source.base);
  into(part.axis, before, of_before);
  into(part.axis, impulse, point.multiplier);
  source.base[0] -= scripted[3];
  for (int k = 1; k < 3; ++k) source.base[k] -= of_before[k];
  for (int s = 0; s < 2; ++s) std::copy_n(local[s], 3, source.local[s]);
  project(point.friction, point.multiplier);
}

// K = Σ (1/m + [p]× I⁻¹ [p]×ᵀ): what an impulse does to r.
template <class Real>
void ManifoldLanes<Real>::set_inverses(const Part& part, const Lanes& w, const Lanes& is_there, Point& point) {
  Lanes normal = w, t11 = w, t12 = math::lanes_of(0), t22 = w;
  for (int s = 0; s < 2; ++s) {
    const Lanes *p = point.arm[s], *i = part.inverse[s];
    // p × e₁ = (0, p₃, −p₂), p × e₂ = (−p₃, 0, p₁), p × e₃ = (p₂, −p₁, 0).
    normal += p[2] * (i[3] * p[2] - 2 * i[4] * p[1]) + i[5] * p[1] * p[1];
    t11 += p[2] * (i[0] * p[2] - 2 * i[2] * p[0]) + i[5] * p[0] * p[0];
    t22 += p[1] * (i[0] * p[1] - 2 * i[1] * p[0]) + i[3] * p[0] * p[0];
    t12 += p[2] * (i[1] * p[0] - i[0] * p[1]) + p[0] * (i[2] * p[1] - i[4] * p[0]);
  }
  point.normal_inverse = is_there * inverse_of(normal);
  const Lanes inverse = is_there * inverse_of(t11 * t22 - t12 * t12);
  point.tangent_inverse[0] = inverse * t22;
  point.tangent_inverse[1] = -inverse * t12;
  point.tangent_inverse[2] = inverse * t11;
  const Lanes largest = 0.5 * (t11 + t22 + math::sqrt((t11 - t22) * (t11 - t22) + 4 * t12 * t12));
  point.slide_inverse = is_there * inverse_of(largest);
}

// From a body's centre to a point, along the axes of a part.
template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::arm_of(const Part& part, const Lanes rotation[9],
                                                               const PointSource& source, int side, Lanes arm[3]) {
  const Lanes *r = rotation, *local = source.local[side];
  Lanes world[3];
  for (int a = 0; a < 3; ++a) world[a] = r[a] * local[0] + (r[3 + a] * local[1] + r[6 + a] * local[2]);
  into(part.axis, world, arm);
  arm[0] += source.round[side];
}

// What stays for the step: levers, and what impulses at them do.
template <class Real>
void ManifoldLanes<Real>::set_up(const Quad& quad, const Movers<Real>& movers) {
  static const Turner kNoTurner{};
  Lanes lever[2][9], inertia[2][9], w = math::lanes_of(0), are_rigid = math::lanes_of(1);
  for (int s = 0; s < 2; ++s) {
    std::array<const Mat3*, 4> levers{}, inverses{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      const Turner& turner = rigid < 0 ? kNoTurner : movers.turners[rigid];
      levers[lane] = &turner.lever;
      inverses[lane] = &turner.inverse;
      if (rigid < 0) are_rigid[lane] = 0;
      if (rigid >= 0) w[lane] += static_cast<double>(movers.points[turner.centre].w);
    }
    transpose_matrices(levers, lever[s]);
    transpose_matrices(inverses, inertia[s]);
  }
  for (int k = quad.first_part; k < quad.first_part + quad.part_count; ++k) {
    Part& part = parts_[k];
    for (int s = 0; s < 2; ++s) {
      for (int b = 0, e = 0; b < 3; ++b) {
        Lanes column[3];
        for (int a = 0; a < 3; ++a) {
          const Lanes of_inertia[3] = {inertia[s][a], inertia[s][3 + a], inertia[s][6 + a]};
          column[a] = inner3(of_inertia, part.axis[b]);
        }
        for (int a = b; a < 3; ++a) part.inverse[s][e++] = inner3(part.axis[a], column);
      }
    }
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) {
      for (int s = 0; s < 2; ++s) {
        arm_of(part, lever[s], sources_[p], s, points_[p].arm[s]);
        // Two bodies push each other along one line: half of what their points were apart along the surface.
        for (int t = 1; t < 3; ++t) points_[p].arm[s][t] += 0.5 * contact::kSides[s] * are_rigid * sources_[p].base[t];
      }
      set_inverses(part, w, sources_[p].is_there, points_[p]);
    }
  }
}

// Where bodies have carried the points.
template <class Real>
void ManifoldLanes<Real>::carry(const Quad& quad, const Movers<Real>& movers) {
  static const Turner kNoTurner{};
  Lanes rotation[2][9], turns[2][3] = {};
  for (int s = 0; s < 2; ++s) {
    std::array<const Mat3*, 4> rotations{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      rotations[lane] = rigid < 0 ? &kNoTurner.rotation : &movers.turners[rigid].rotation;
      if (rigid < 0 || !quad.is_round) continue;
      for (int a = 0; a < 3; ++a) turns[s][a][lane] = rolled_[rigid][a];
    }
    transpose_matrices(rotations, rotation[s]);
  }
  for (int k = quad.first_part; k < quad.first_part + quad.part_count; ++k) {
    const Part& part = parts_[k];
    Lanes rolled[2][3];
    for (int s = 0; s < 2; ++s) into(part.axis, turns[s], rolled[s]);
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) {
      const PointSource& source = sources_[p];
      Point& point = points_[p];
      std::copy_n(source.base, 3, point.shift);
      for (int s = 0; s < 2; ++s) {
        const double sign = contact::kSides[s];
        Lanes arm[3];
        arm_of(part, rotation[s], source, s, arm);
        for (int a = 0; a < 3; ++a) point.shift[a] += sign * arm[a];
        // θ × p along the tangents; p is along the normal.
        point.shift[1] += sign * rolled[s][2] * source.round[s];
        point.shift[2] -= sign * rolled[s][1] * source.round[s];
      }
    }
  }
}

template <class Real>
void ManifoldLanes<Real>::begin(int first_quad, const contact::ProjectedPairs& pairs, std::span<const Vec3> impulses,
                                const Movers<Real>& movers) {
  find_rolling(first_quad, pairs, movers);
  parallel_for(static_cast<int>(quads_.size()) - first_quad, kQuadGrain, [&](int begin, int end) {
    for (int q = first_quad + begin; q < first_quad + end; ++q) {
      Quad& quad = quads_[q];
      for (int s = 0; s < 2; ++s) {
        for (int lane = 0; lane < kLanes; ++lane)
          quad.centre[s][lane] = quad.rigid[s][lane] < 0 ? -1 : movers.turners[quad.rigid[s][lane]].centre;
      }
      for (int k = quad.first_part; k < quad.first_part + quad.part_count; ++k) {
        Part& part = parts_[k];
        set_axes(pairs, part);
        for (int p = part.first_point; p < part.first_point + part.point_count; ++p)
          set_source(pairs, impulses, part, p);
      }
      set_up(quad, movers);
      carry(quad, movers);
    }
  });
}

template <class Real>
void ManifoldLanes<Real>::follow(const Movers<Real>& movers) {
  parallel_for(static_cast<int>(movers.turners.size()), kPointGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      if (rolls_[k] != 0 && movers.turners[k].has_turned) rolled_[k] = turn_in_step(movers.turners[k]);
    }
  });
  const auto has_turned = [&](int rigid) { return rigid >= 0 && movers.turners[rigid].has_turned; };
  parallel_for(static_cast<int>(quads_.size()), kQuadGrain, [&](int begin, int end) {
    for (int q = begin; q < end; ++q) {
      const Quad& quad = quads_[q];
      const bool is_new = std::any_of(std::begin(quad.rigid[0]), std::end(quad.rigid[0]), has_turned) ||
                          std::any_of(std::begin(quad.rigid[1]), std::end(quad.rigid[1]), has_turned);
      if (is_new) carry(quad, movers);
    }
  });
}

// Bodies that roll somewhere, and how far they have turned.
template <class Real>
void ManifoldLanes<Real>::find_rolling(int first_quad, const contact::ProjectedPairs& pairs,
                                       const Movers<Real>& movers) {
  if (first_quad == 0) {
    rolls_.assign(movers.turners.size(), 0);
    rolled_.assign(movers.turners.size(), Vec3::Zero());
  }
  for (std::size_t q = static_cast<std::size_t>(first_quad); q < quads_.size(); ++q) {
    if (!quads_[q].is_round) continue;
    const Part& last = parts_[quads_[q].first_part + quads_[q].part_count - 1];
    for (int p = parts_[quads_[q].first_part].first_point; p < last.first_point + last.point_count; ++p) {
      for (const int i : sources_[p].pair) {
        for (std::size_t s = 0; i >= 0 && s < 2; ++s) {
          const int rigid = pairs.pairs[i].rigid[s];
          if (rigid < 0 || pairs.pairs[i].round[s].isZero(0) || rolls_[rigid] != 0) continue;
          rolls_[rigid] = 1;
          rolled_[rigid] = turn_in_step(movers.turners[rigid]);
        }
      }
    }
  }
}

// --- Bodies ---

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::gather(const Quad& quad, const Movers<Real>& movers,
                                                               Bodies& bodies) {
  for (int s = 0; s < 2; ++s) {
    Lanes place[kLanes], turned[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      place[lane] = rigid < 0 ? math::lanes_of(0) : lanes_of(movers.points[quad.centre[s][lane]]);
      turned[lane] = rigid < 0 ? math::lanes_of(0) : lanes_of(movers.turners[rigid].turned);
    }
    math::transpose(place[0], place[1], place[2], place[3]);
    math::transpose(turned[0], turned[1], turned[2], turned[3]);
    std::copy_n(place, 3, bodies.x[s]);
    std::copy_n(turned, 3, bodies.turned[s]);
    bodies.w[s] = place[3];
  }
}

template <class Real>
void ManifoldLanes<Real>::gather(const Quad& quad, const Impulses& y, Bodies& bodies) {
  for (int s = 0; s < 2; ++s) {
    Lanes place[kLanes], turned[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      place[lane] = rigid < 0 ? math::lanes_of(0) : lanes_of(y.force[quad.centre[s][lane]]);
      turned[lane] = rigid < 0 ? math::lanes_of(0) : lanes_of(y.torque[rigid]);
    }
    math::transpose(place[0], place[1], place[2], place[3]);
    math::transpose(turned[0], turned[1], turned[2], turned[3]);
    std::copy_n(place, 3, bodies.x[s]);
    std::copy_n(turned, 3, bodies.turned[s]);
  }
}

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::scatter(const Quad& quad, const Bodies& bodies,
                                                                Movers<Real>& movers) {
  for (int s = 0; s < 2; ++s) {
    Lanes place[kLanes], turned[kLanes];
    std::copy_n(bodies.x[s], 3, place);
    std::copy_n(bodies.turned[s], 3, turned);
    place[3] = bodies.w[s];
    turned[3] = math::lanes_of(0);
    math::transpose(place[0], place[1], place[2], place[3]);
    math::transpose(turned[0], turned[1], turned[2], turned[3]);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      if (rigid < 0) continue;
      Mover<Real>& point = movers.points[quad.centre[s][lane]];
      Vec3& turn = movers.turners[rigid].turned;
      for (int a = 0; a < 3; ++a) {
        point.x[a] = static_cast<Real>(place[lane][a]);
        turn[a] = turned[lane][a];
      }
    }
  }
}

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::enter(const Part& part, const Bodies& bodies, Motion& motion) {
  Lanes between[3];
  difference(bodies.x[0], bodies.x[1], between);
  into(part.axis, between, motion.between);
  for (int s = 0; s < 2; ++s) into(part.axis, bodies.turned[s], motion.turned[s]);
}

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::leave(const Part& part, const Gain& gain, Bodies& bodies) {
  Lanes force[3];
  out_of(part.axis, gain.force, force);
  for (int s = 0; s < 2; ++s) {
    Lanes turned[3];
    out_of(part.axis, gain.turned[s], turned);
    for (int a = 0; a < 3; ++a) {
      bodies.x[s][a] += contact::kSides[s] * bodies.w[s] * force[a];
      bodies.turned[s][a] += turned[a];
    }
  }
}

// --- Sweeps ---

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::move(const Point& point, const Motion& motion, Lanes r[3]) {
  Lanes first[3], second[3];
  cross3(motion.turned[0], point.arm[0], first);
  cross3(motion.turned[1], point.arm[1], second);
  for (int k = 0; k < 3; ++k) r[k] = motion.between[k] + (first[k] - second[k]);
}

// I⁻¹ (p × ΔΛ) of both sides.
template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::turn(const Part& part, const Point& point,
                                                             const Lanes change[3], Lanes turned[2][3]) {
  for (int s = 0; s < 2; ++s) {
    Lanes torque[3];
    // p × ΔΛ on the first side, ΔΛ × p on the second.
    if (s == 0) {
      cross3(point.arm[s], change, torque);
    } else {
      cross3(change, point.arm[s], torque);
    }
    const Lanes* i = part.inverse[s];
    turned[s][0] += i[0] * torque[0] + (i[1] * torque[1] + i[2] * torque[2]);
    turned[s][1] += i[1] * torque[0] + (i[3] * torque[1] + i[4] * torque[2]);
    turned[s][2] += i[2] * torque[0] + (i[4] * torque[1] + i[5] * torque[2]);
  }
}

template <class Real>
void ManifoldLanes<Real>::project(const Lanes& friction, Lanes multiplier[3]) {
  const Lanes zero = math::lanes_of(0), tiny = math::lanes_of(1e-300), one = math::lanes_of(1);
  multiplier[0] = math::max(multiplier[0], zero);
  const Lanes along = math::sqrt(multiplier[1] * multiplier[1] + multiplier[2] * multiplier[2]);
  const Lanes scale = math::min(one, friction * multiplier[0] / math::max(along, tiny));
  for (int k = 1; k < 3; ++k) multiplier[k] *= scale;
}

template <class Real>
[[gnu::always_inline]] inline void ManifoldLanes<Real>::relax_point(const Part& part, const Lanes& w, double omega,
                                                                    Point& point, Motion& motion, Lanes force[3]) {
  const Lanes zero = math::lanes_of(0);
  Lanes r[3];
  move(point, motion, r);
  for (int k = 0; k < 3; ++k) r[k] = omega * (r[k] + point.shift[k]);
  // What is apart and does not push stays as it is.
  if (math::all(math::both(r[0] >= zero, point.multiplier[0] <= zero))) return;
  Lanes next[3] = {math::max(point.multiplier[0] - point.normal_inverse * r[0], zero),
                   point.multiplier[1] - (point.tangent_inverse[0] * r[1] + point.tangent_inverse[1] * r[2]),
                   point.multiplier[2] - (point.tangent_inverse[1] * r[1] + point.tangent_inverse[2] * r[2])};
  // What would stick, and where that is too much, what slides. Where nothing slides, a root and a quotient less to wait for.
  const Lanes most = point.friction * next[0];
  const auto slides = next[1] * next[1] + next[2] * next[2] > most * most;
  if (math::any(math::both(slides, most > zero))) {
    Lanes slid[3] = {next[0], point.multiplier[1] - point.slide_inverse * r[1],
                     point.multiplier[2] - point.slide_inverse * r[2]};
    project(point.friction, slid);
    for (int k = 1; k < 3; ++k) next[k] = math::select(slides, slid[k], next[k]);
  } else if (math::any(slides)) {
    for (int k = 1; k < 3; ++k) next[k] = math::select(slides, zero, next[k]);
  }
  Lanes change[3];
  for (int k = 0; k < 3; ++k) {
    change[k] = next[k] - point.multiplier[k];
    point.multiplier[k] = next[k];
    motion.between[k] += w * change[k];
    force[k] += change[k];
  }
  turn(part, point, change, motion.turned);
}

template <class Real>
void ManifoldLanes<Real>::relax(int q, double omega, int rounds, Movers<Real>& movers) {
  const Quad& quad = quads_[q];
  Bodies bodies;
  gather(quad, movers, bodies);
  const Lanes w = bodies.w[0] + bodies.w[1];
  // With one part, all rounds run in its axes.
  const bool is_one = quad.part_count == 1;
  const int inner = !is_one || parts_[quad.first_part].point_count == 1 ? 1 : rounds, outer = is_one ? 1 : rounds;
  for (int k = 0; k < outer * quad.part_count; ++k) {
    const Part& part = parts_[quad.first_part + k % quad.part_count];
    Point *const first = &points_[part.first_point], *const last = first + part.point_count;
    Motion motion;
    enter(part, bodies, motion);
    const Motion start = motion;
    Gain gain;
    for (int a = 0; a < 3; ++a) gain.force[a] = math::lanes_of(0);
    for (int round = 0; round < inner; ++round) {
      for (Point* point = first; point != last; ++point) relax_point(part, w, omega, *point, motion, gain.force);
    }
    for (int s = 0; s < 2; ++s) difference(motion.turned[s], start.turned[s], gain.turned[s]);
    leave(part, gain, bodies);
  }
  scatter(quad, bodies, movers);
}

template <class Real>
void ManifoldLanes<Real>::push(int q, Movers<Real>& movers) const {
  const Quad& quad = quads_[q];
  Bodies bodies;
  gather(quad, movers, bodies);
  for (int k = quad.first_part; k < quad.first_part + quad.part_count; ++k) {
    const Part& part = parts_[k];
    Gain gain{};
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) {
      for (int a = 0; a < 3; ++a) gain.force[a] += points_[p].multiplier[a];
      turn(part, points_[p], points_[p].multiplier, gain.turned);
    }
    leave(part, gain, bodies);
  }
  scatter(quad, bodies, movers);
}

template <class Real>
template <class Body>
void ManifoldLanes<Real>::for_parts(int first, int last, const Body& body) const {
  parallel_for(last - first, kQuadGrain, [&](int begin, int end) {
    for (int q = first + begin; q < first + end; ++q) {
      const Quad& quad = quads_[q];
      for (int k = quad.first_part; k < quad.first_part + quad.part_count; ++k) body(quad, parts_[k]);
    }
  });
}

// What all points feel of the motion of their bodies, r: body(part, p, r).
template <class Real>
template <class Source, class Body>
void ManifoldLanes<Real>::for_moves(const Source& source, const Body& body) const {
  for_parts(0, static_cast<int>(quads_.size()), [&](const Quad& quad, const Part& part) {
    Bodies bodies;
    Motion motion;
    gather(quad, source, bodies);
    enter(part, bodies, motion);
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) {
      Lanes r[3];
      move(points_[p], motion, r);
      body(part, p, r);
    }
  });
}

// Residuals r of all points at the present motion: body(part, p, r).
template <class Real>
template <class Body>
void ManifoldLanes<Real>::for_residuals(const Movers<Real>& movers, const Body& body) const {
  for_moves(movers, [&](const Part& part, int p, Lanes(&r)[3]) {
    for (int k = 0; k < 3; ++k) r[k] += points_[p].shift[k];
    body(part, p, r);
  });
}

template <class Real>
void ManifoldLanes<Real>::write_outcomes(double weight, const contact::ProjectedPairs& pairs,
                                         const Movers<Real>& movers,
                                         std::span<contact::ProjectedOutcome> outcomes) const {
  for_residuals(movers, [&](const Part& part, int p, const Lanes r[3]) {
    const Point& point = points_[p];
    Lanes slip[3], friction[3];
    const Lanes along[3] = {math::lanes_of(0), r[1], r[2]};
    const Lanes rubbing[3] = {along[0], weight * point.multiplier[1], weight * point.multiplier[2]};
    out_of(part.axis, along, slip);
    out_of(part.axis, rubbing, friction);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = sources_[p].pair[lane];
      if (i < 0) continue;
      contact::ProjectedOutcome& outcome = outcomes[static_cast<std::size_t>(i)];
      for (int a = 0; a < 3; ++a) {
        outcome.slip[a] = slip[a][lane];
        outcome.friction[a] = friction[a][lane];
      }
      const contact::ProjectedPair& pair = pairs.pairs[i];
      outcome.force = outcome.friction + weight * point.multiplier[0][lane] * pair.normal;
      outcome.gap = r[0][lane] + pair.wanted;
    }
  });
}

// --- All rows at once ---

template <class Real>
void ManifoldLanes<Real>::linearise(const Movers<Real>& movers, std::span<double> residual) {
  const Lanes zero = math::lanes_of(0), one = math::lanes_of(1);
  diagonal_.resize(points_.size());
  for_residuals(movers, [&](const Part&, int p, const Lanes r[3]) {
    const Point& point = points_[p];
    for (int k = 0; k < 3; ++k) math::store(&residual[row(p, k)], r[k]);
    const Lanes acts = math::select(math::both(point.multiplier[0] <= zero, r[0] >= zero), zero, one);
    diagonal_[p] = {acts * point.normal_inverse, acts * point.slide_inverse};
  });
}

template <class Real>
void ManifoldLanes<Real>::precondition(std::span<const double> r, std::span<double> z) const {
  parallel_for(static_cast<int>(points_.size()), kPointGrain, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      for (int k = 0; k < 3; ++k) math::store(&z[row(p, k)], diagonal_[p][k > 0] * math::load(&r[row(p, k)]));
    }
  });
}

template <class Real>
void ManifoldLanes<Real>::pull_back(int first, int last, std::span<const double> d, Impulses& out) const {
  for_parts(first, last, [&](const Quad& quad, const Part& part) {
    Lanes force[4] = {}, torque[2][3] = {};
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) {
      Lanes impulse[3];
      for (int k = 0; k < 3; ++k) {
        impulse[k] = math::load(&d[row(p, k)]);
        force[k] += impulse[k];
      }
      for (int s = 0; s < 2; ++s) {
        Lanes turning[3];
        cross3(points_[p].arm[s], impulse, turning);
        for (int k = 0; k < 3; ++k) torque[s][k] += turning[k];
      }
    }
    Lanes on_centre[4] = {};
    out_of(part.axis, force, on_centre);
    math::transpose(on_centre[0], on_centre[1], on_centre[2], on_centre[3]);
    for (std::size_t s = 0; s < 2; ++s) {
      Lanes on_axes[4] = {};
      out_of(part.axis, torque[s], on_axes);
      math::transpose(on_axes[0], on_axes[1], on_axes[2], on_axes[3]);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (quad.rigid[s][lane] < 0) continue;
        Vec3 &pushed = out.force[quad.centre[s][lane]], &turned = out.torque[quad.rigid[s][lane]];
        for (int a = 0; a < 3; ++a) {
          pushed[a] += contact::kSides[s] * on_centre[lane][a];
          turned[a] += contact::kSides[s] * on_axes[lane][a];
        }
      }
    }
  });
}

template <class Real>
void ManifoldLanes<Real>::multiply(const Impulses& y, std::span<double> product) const {
  for_moves(y, [&](const Part&, int p, const Lanes(&r)[3]) {
    for (int k = 0; k < 3; ++k) math::store(&product[row(p, k)], r[k]);
  });
}

template <class Real>
void ManifoldLanes<Real>::accept(std::span<double> change) {
  parallel_for(static_cast<int>(points_.size()), kPointGrain, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      Point& point = points_[p];
      Lanes next[3];
      for (int k = 0; k < 3; ++k) next[k] = point.multiplier[k] + math::load(&change[row(p, k)]);
      project(point.friction, next);
      for (int k = 0; k < 3; ++k) {
        math::store(&change[row(p, k)], next[k] - point.multiplier[k]);
        point.multiplier[k] = next[k];
      }
    }
  });
}

template <class Real>
void ManifoldLanes<Real>::write_multipliers(std::span<double> out) const {
  for (int p = 0; p < static_cast<int>(points_.size()); ++p) {
    for (int k = 0; k < 3; ++k) math::store(&out[row(p, k)], points_[p].multiplier[k]);
  }
}

template class ManifoldLanes<double>;
template class ManifoldLanes<float>;

}  // namespace pliant::solver
