#include "pliant/solver/projection/manifold_lanes.h"

#include <algorithm>

#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/strain_kernels.h"

namespace pliant::solver {
namespace {

constexpr int kQuadGrain = 16, kPointGrain = 64;

// Of component k (normal, tangents) of a point in vectors over all rows; four lanes follow.
std::size_t row(int point, int k) {
  return math::kLaneCount * (3 * static_cast<std::size_t>(point) + static_cast<std::size_t>(k));
}

}  // namespace

template <class Real>
void ManifoldLanes<Real>::clear() {
  quads_.clear();
  points_.clear();
}

template <class Real>
std::array<int, 2> ManifoldLanes<Real>::add(std::span<const std::array<int, 2>> groups,
                                            const contact::ProjectedPairs& pairs) {
  const int first = static_cast<int>(quads_.size());
  for (std::size_t g = 0; g < groups.size(); g += kLanes) {
    Quad& quad = quads_.emplace_back();
    quad.first_point = static_cast<int>(points_.size());
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::size_t group = g + static_cast<std::size_t>(lane);
      const bool is_there = group < groups.size();
      for (std::size_t s = 0; s < 2; ++s) quad.rigid[s][lane] = is_there ? pairs.pairs[groups[group][0]].rigid[s] : -1;
      const int count = is_there ? groups[group][1] - groups[group][0] : 0;
      while (quad.point_count < count) {
        std::fill_n(points_.emplace_back().pair, kLanes, -1);
        ++quad.point_count;
      }
      for (int k = 0; k < count; ++k) points_[quad.first_point + k].pair[lane] = groups[group][0] + k;
    }
  }
  return {first, static_cast<int>(quads_.size())};
}

template <class Real>
void ManifoldLanes<Real>::load(const contact::ProjectedPairs& pairs, std::span<const ContactRow> rows,
                               const Movers<Real>& movers) {
  static const ContactRow kNone{};
  static const contact::ProjectedPair kNoPair{};
  parallel_for(static_cast<int>(points_.size()), 64, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      Point& point = points_[p];
      for (int lane = 0; lane < kLanes; ++lane) {
        const int i = point.pair[lane];
        const ContactRow& row = i < 0 ? kNone : rows[i];
        const contact::ProjectedPair& pair = i < 0 ? kNoPair : pairs.pairs[i];
        for (int a = 0; a < 3; ++a) {
          point.normal[a][lane] = row.normal[a];
          for (int k = 0; k < 2; ++k) {
            point.tangent[k][a][lane] = row.tangent[k][a];
            point.arm[k][a][lane] = row.arm[k][a];
          }
          point.tangent_inverse[a][lane] = row.tangent_inverse[a];
          point.multiplier[a][lane] = row.multiplier[a];
        }
        point.normal_inverse[lane] = row.normal_inverse;
        point.slide_inverse[lane] = row.slide_inverse;
        const Vec3 fixed = pair.scripted + row.arm[0] - row.arm[1];
        point.gap_shift[lane] = row.normal.dot(fixed) + row.shift;
        for (int k = 0; k < 2; ++k) point.slip_shift[k][lane] = row.tangent[k].dot(fixed + row.rolled - pair.before);
        point.friction[lane] = pair.friction;
      }
    }
  });
  for (Quad& quad : quads_) {
    for (int s = 0; s < 2; ++s) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const int rigid = quad.rigid[s][lane];
        const Mat3 inverse = rigid < 0 ? Mat3(Mat3::Zero()) : movers.turners[rigid].inverse;
        const double entries[6] = {inverse(0, 0), inverse(0, 1), inverse(0, 2),
                                   inverse(1, 1), inverse(1, 2), inverse(2, 2)};
        for (int e = 0; e < 6; ++e) quad.inverse[s][e][lane] = entries[e];
        quad.w[s][lane] = rigid < 0 ? 0 : static_cast<double>(movers.points[movers.turners[rigid].centre].w);
      }
    }
  }
}

template <class Real>
template <class Place, class Turn>
void ManifoldLanes<Real>::gather(const Quad& quad, const Place& place, const Turn& turn, Bodies& bodies) {
  for (int s = 0; s < 2; ++s) {
    double x[3][kLanes], turned[3][kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      for (int a = 0; a < 3; ++a) {
        x[a][lane] = rigid < 0 ? 0 : static_cast<double>(place(rigid)[a]);
        turned[a][lane] = rigid < 0 ? 0 : turn(rigid)[a];
      }
    }
    for (int a = 0; a < 3; ++a) {
      bodies.x[s][a] = math::load(x[a]);
      bodies.turned[s][a] = math::load(turned[a]);
    }
  }
}

template <class Real>
void ManifoldLanes<Real>::gather(const Quad& quad, const Movers<Real>& movers, Bodies& bodies) {
  gather(
      quad, [&](int rigid) { return movers.points[movers.turners[rigid].centre].x; },
      [&](int rigid) { return movers.turners[rigid].turned.data(); }, bodies);
}

template <class Real>
void ManifoldLanes<Real>::scatter(const Quad& quad, const Bodies& bodies, Movers<Real>& movers) const {
  for (int s = 0; s < 2; ++s) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int rigid = quad.rigid[s][lane];
      if (rigid < 0) continue;
      Turner& turner = movers.turners[rigid];
      for (int a = 0; a < 3; ++a) {
        movers.points[turner.centre].x[a] = static_cast<Real>(bodies.x[s][a][lane]);
        turner.turned[a] = bodies.turned[s][a][lane];
      }
    }
  }
}

template <class Real>
void ManifoldLanes<Real>::move(const Point& point, const Bodies& bodies, Lanes r[3]) {
  Lanes way[3], turned[2][3];
  for (int s = 0; s < 2; ++s) cross3(bodies.turned[s], point.arm[s], turned[s]);
  for (int a = 0; a < 3; ++a) way[a] = (bodies.x[0][a] + turned[0][a]) - (bodies.x[1][a] + turned[1][a]);
  r[0] = inner3(point.normal, way);
  for (int k = 0; k < 2; ++k) r[1 + k] = inner3(point.tangent[k], way);
}

template <class Real>
void ManifoldLanes<Real>::evaluate(const Point& point, const Bodies& bodies, Lanes r[3]) {
  move(point, bodies, r);
  r[0] += point.gap_shift;
  for (int k = 0; k < 2; ++k) r[1 + k] += point.slip_shift[k];
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
void ManifoldLanes<Real>::relax_point(const Quad& quad, double omega, Point& point, Bodies& bodies) {
  Lanes r[3];
  evaluate(point, bodies, r);
  // What would stick, and where that is too much, what slides.
  const Lanes stick[2] = {
      point.multiplier[1] - omega * (point.tangent_inverse[0] * r[1] + point.tangent_inverse[1] * r[2]),
      point.multiplier[2] - omega * (point.tangent_inverse[1] * r[1] + point.tangent_inverse[2] * r[2])};
  Lanes next[3] = {point.multiplier[0] - omega * point.normal_inverse * r[0],
                   point.multiplier[1] - omega * point.slide_inverse * r[1],
                   point.multiplier[2] - omega * point.slide_inverse * r[2]};
  project(point.friction, next);
  const Lanes most = point.friction * next[0];
  const auto sticks = stick[0] * stick[0] + stick[1] * stick[1] <= most * most;
  for (int k = 0; k < 2; ++k) next[1 + k] = math::select(sticks, stick[k], next[1 + k]);
  Lanes change[3], impulse[3];
  for (int k = 0; k < 3; ++k) {
    change[k] = next[k] - point.multiplier[k];
    point.multiplier[k] = next[k];
  }
  for (int a = 0; a < 3; ++a)
    impulse[a] = change[0] * point.normal[a] + change[1] * point.tangent[0][a] + change[2] * point.tangent[1][a];
  for (int s = 0; s < 2; ++s) {
    const double sign = s == 0 ? 1 : -1;
    Lanes torque[3];
    cross3(point.arm[s], impulse, torque);
    const Lanes* i = quad.inverse[s];
    for (int a = 0; a < 3; ++a) bodies.x[s][a] += sign * quad.w[s] * impulse[a];
    bodies.turned[s][0] += sign * (i[0] * torque[0] + i[1] * torque[1] + i[2] * torque[2]);
    bodies.turned[s][1] += sign * (i[1] * torque[0] + i[3] * torque[1] + i[4] * torque[2]);
    bodies.turned[s][2] += sign * (i[2] * torque[0] + i[4] * torque[1] + i[5] * torque[2]);
  }
}

template <class Real>
void ManifoldLanes<Real>::relax(int q, double omega, int rounds, Movers<Real>& movers) {
  const Quad& quad = quads_[q];
  Bodies bodies;
  gather(quad, movers, bodies);
  for (int round = 0; round < (quad.point_count > 1 ? rounds : 1); ++round) {
    for (int p = quad.first_point; p < quad.first_point + quad.point_count; ++p)
      relax_point(quad, omega, points_[p], bodies);
  }
  scatter(quad, bodies, movers);
}

template <class Real>
void ManifoldLanes<Real>::store(std::span<ContactRow> rows) const {
  for (const Point& point : points_) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (point.pair[lane] < 0) continue;
      for (int a = 0; a < 3; ++a) rows[point.pair[lane]].multiplier[a] = point.multiplier[a][lane];
    }
  }
}

// --- All rows at once ---

template <class Real>
void ManifoldLanes<Real>::linearise(const Movers<Real>& movers, std::span<double> residual) {
  const Lanes zero = math::lanes_of(0), one = math::lanes_of(1);
  diagonal_.resize(points_.size());
  parallel_for(static_cast<int>(quads_.size()), kQuadGrain, [&](int begin, int end) {
    for (int q = begin; q < end; ++q) {
      const Quad& quad = quads_[q];
      Bodies bodies;
      gather(quad, movers, bodies);
      for (int p = quad.first_point; p < quad.first_point + quad.point_count; ++p) {
        Lanes r[3];
        evaluate(points_[p], bodies, r);
        const Lanes acts = math::select(math::both(points_[p].multiplier[0] <= zero, r[0] >= zero), zero, one);
        diagonal_[p] = {acts * points_[p].normal_inverse, acts * points_[p].slide_inverse};
        for (int k = 0; k < 3; ++k) math::store(&residual[row(p, k)], r[k]);
      }
    }
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
  parallel_for(last - first, kQuadGrain, [&](int begin, int end) {
    for (int q = first + begin; q < first + end; ++q) {
      const Quad& quad = quads_[q];
      Lanes force[3] = {}, torque[2][3] = {};
      for (int p = quad.first_point; p < quad.first_point + quad.point_count; ++p) {
        const Point& point = points_[p];
        const Lanes n = math::load(&d[row(p, 0)]), t0 = math::load(&d[row(p, 1)]), t1 = math::load(&d[row(p, 2)]);
        Lanes impulse[3];
        for (int a = 0; a < 3; ++a) {
          impulse[a] = n * point.normal[a] + t0 * point.tangent[0][a] + t1 * point.tangent[1][a];
          force[a] += impulse[a];
        }
        for (int s = 0; s < 2; ++s) {
          Lanes turning[3];
          cross3(point.arm[s], impulse, turning);
          for (int a = 0; a < 3; ++a) torque[s][a] += turning[a];
        }
      }
      for (int s = 0; s < 2; ++s) {
        for (int lane = 0; lane < kLanes; ++lane) {
          const int rigid = quad.rigid[s][lane];
          if (rigid < 0) continue;
          Vec3 &on_centre = out.force[out.centre[rigid]], &on_axes = out.torque[rigid];
          for (int a = 0; a < 3; ++a) {
            on_centre[a] += contact::kSides[s] * force[a][lane];
            on_axes[a] += contact::kSides[s] * torque[s][a][lane];
          }
        }
      }
    }
  });
}

template <class Real>
void ManifoldLanes<Real>::multiply(const Impulses& y, std::span<double> product) const {
  parallel_for(static_cast<int>(quads_.size()), kQuadGrain, [&](int begin, int end) {
    for (int q = begin; q < end; ++q) {
      const Quad& quad = quads_[q];
      Bodies bodies;
      gather(
          quad, [&](int rigid) { return y.force[y.centre[rigid]].data(); },
          [&](int rigid) { return y.torque[rigid].data(); }, bodies);
      for (int p = quad.first_point; p < quad.first_point + quad.point_count; ++p) {
        Lanes r[3];
        move(points_[p], bodies, r);
        for (int k = 0; k < 3; ++k) math::store(&product[row(p, k)], r[k]);
      }
    }
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
