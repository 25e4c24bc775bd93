#include "pliant/solver/projection/contact_batch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_geometry.h"
#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

constexpr int kContactGrain = 16;  // groups
constexpr int kRowGrain = 256;
using contact::kSides;
// Points of a manifold turn the same two bodies: they are gone through so often in a sweep. A stack of ten boxes sways with
// one round and 30 iterations, and stands with three.
constexpr int kGroupRounds = 3;

}  // namespace

template <class Real>
void ContactBatch<Real>::set_pairs(const contact::ProjectedPairs& pairs, const ForceMemory* warm, int block_count) {
  pairs_ = &pairs;
  warm_ = warm;
  rows_.assign(pairs.pairs.size(), Row{});
  parallel::TouchLists lists;
  int most = block_count;
  for (std::size_t g = 0; g + 1 < pairs.group_start.size(); ++g) {
    for (int i = pairs.group_start[g]; i < pairs.group_start[g + 1]; ++i) {
      const contact::ProjectedPair& pair = pairs.pairs[i];
      for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) lists.add(pairs.block[t]);
      // A rigid body is known by a number beyond all blocks.
      for (const int rigid : pair.rigid) {
        if (rigid >= 0) lists.add(block_count + rigid);
        most = std::max(most, block_count + rigid + 1);
      }
    }
    lists.end_item();
  }
  const parallel::Coloring coloring = lists.color(most);
  manifolds_.clear();
  singles_.clear();
  colours_.assign(static_cast<std::size_t>(coloring.color_count()), Colour{});
  for (int c = 0; c < coloring.color_count(); ++c) {
    std::vector<std::array<int, 2>> rigid;
    for (int k = coloring.color_start[c]; k < coloring.color_start[c + 1]; ++k) {
      const int g = coloring.items[k];
      const std::array<int, 2> range{pairs.group_start[g], pairs.group_start[g + 1]};
      const bool is_rigid =
          cone_ == FrictionCone::cylinder && pairs.pairs[range[0]].term_count == 0 && range[1] > range[0];
      if (is_rigid) {
        rigid.push_back(range);
      } else {
        colours_[static_cast<std::size_t>(c)].groups.push_back(g);
        for (int i = range[0]; i < range[1]; ++i) singles_.push_back(static_cast<std::size_t>(i));
      }
    }
    colours_[static_cast<std::size_t>(c)].quads = manifolds_.add(rigid, pairs);
  }
}

template <class Real>
void ContactBatch<Real>::begin(const ProjectionStep& step, Movers<Real>& movers) {
  weight_ = step.weight;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const contact::ProjectedPair& pair = pairs_->pairs[i];
    Row& row = rows_[i];
    row.normal = pair.normal;
    const std::array<Vec3, 2> tangents = contact::tangents_of(pair.normal);
    row.tangent[0] = tangents[0];
    row.tangent[1] = tangents[1];
    row.shift = -pair.offset - pair.wanted;
  }
  refresh(movers);
  warm_up(movers);
  manifolds_.load(*pairs_, rows_, movers);
}

template <class Real>
void ContactBatch<Real>::warm_up(Movers<Real>& movers) {
  if (warm_ == nullptr || warm_->keys.empty()) return;
  const double scale = 1 / weight_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto found = std::lower_bound(warm_->keys.begin(), warm_->keys.end(), pairs_->pairs[i].key);
    if (found == warm_->keys.end() || *found != pairs_->pairs[i].key) continue;
    const Vec3 impulse = scale * warm_->forces[static_cast<std::size_t>(found - warm_->keys.begin())];
    Row& row = rows_[i];
    row.multiplier[0] = row.normal.dot(impulse);
    for (int k = 0; k < 2; ++k) row.multiplier[1 + k] = row.tangent[k].dot(impulse);
    project(pairs_->pairs[i].friction, row.multiplier);
    push(i, row.multiplier[0] * row.normal + row.multiplier[1] * row.tangent[0] + row.multiplier[2] * row.tangent[1],
         movers);
  }
}

template <class Real>
void ContactBatch<Real>::place_arm(std::size_t i, const Movers<Real>& movers) {
  const contact::ProjectedPair& pair = pairs_->pairs[i];
  rows_[i].rolled.setZero();
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const Turner& turner = movers.turners[pair.rigid[s]];
    rows_[i].arm[s] = turner.rotation * pair.local[s] + pair.round[s];
    if (pair.round[s].isZero(0)) continue;
    const Vec3 turn = math::vector_from_rotation(turner.rotation * turner.before.transpose());
    rows_[i].rolled += kSides[s] * turn.cross(pair.round[s]);
  }
}

template <class Real>
void ContactBatch<Real>::refresh(const Movers<Real>& movers) {
  parallel_for(static_cast<int>(rows_.size()), kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      place_arm(static_cast<std::size_t>(i), movers);
      set_inverses(static_cast<std::size_t>(i), movers);
    }
  });
}

template <class Real>
void ContactBatch<Real>::finish(const Movers<Real>& movers) {
  manifolds_.store(rows_);
  parallel_for(static_cast<int>(rows_.size()), kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) place_arm(static_cast<std::size_t>(i), movers);
  });
}

template <class Real>
void ContactBatch<Real>::follow(const Movers<Real>& movers) {
  manifolds_.store(rows_);
  refresh(movers);
  manifolds_.load(*pairs_, rows_, movers);
}

// K = Σ w² W + Σ (1/m + [p]× I⁻¹ [p]×ᵀ): what an impulse does to r.
template <class Real>
void ContactBatch<Real>::set_inverses(std::size_t i, const Movers<Real>& movers) {
  const contact::ProjectedPair& pair = pairs_->pairs[i];
  Row& row = rows_[i];
  double isotropic = 0;
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
    isotropic += pairs_->weight[t] * pairs_->weight[t] * static_cast<double>(movers.points[pairs_->block[t]].w);
  double normal = isotropic, t11 = isotropic, t12 = 0, t22 = isotropic;
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const Turner& turner = movers.turners[pair.rigid[s]];
    const auto w = static_cast<double>(movers.points[turner.centre].w);
    const Vec3 n = row.arm[s].cross(row.normal), a = row.arm[s].cross(row.tangent[0]),
               b = row.arm[s].cross(row.tangent[1]);
    const Vec3 ia = turner.inverse * a, ib = turner.inverse * b;
    normal += w + n.dot(turner.inverse * n);
    t11 += w + a.dot(ia);
    t12 += a.dot(ib);
    t22 += w + b.dot(ib);
  }
  row.normal_inverse = normal > 0 ? 1 / normal : 0;
  const double determinant = t11 * t22 - t12 * t12;
  const double inverse = determinant > 0 ? 1 / determinant : 0;
  row.tangent_inverse[0] = inverse * t22;
  row.tangent_inverse[1] = -inverse * t12;
  row.tangent_inverse[2] = inverse * t11;
  const double largest = 0.5 * (t11 + t22 + std::sqrt((t11 - t22) * (t11 - t22) + 4 * t12 * t12));
  row.slide_inverse = largest > 0 ? 1 / largest : 0;
  if (cone_ == FrictionCone::cone)
    row.normal_inverse = row.slide_inverse = std::min(row.normal_inverse, row.slide_inverse);
}

template <class Real>
Vec3 ContactBatch<Real>::separation(std::size_t i, const Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pairs_->pairs[i];
  Vec3 r = pair.scripted + rows_[i].rolled;
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
    r += pairs_->weight[t] * movers.points[pairs_->block[t]].position();
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const Turner& turner = movers.turners[pair.rigid[s]];
    const Vec3& arm = rows_[i].arm[s];
    r += kSides[s] * (movers.points[turner.centre].position() + arm + turner.turned.cross(arm));
  }
  return r;
}

template <class Real>
void ContactBatch<Real>::push(std::size_t i, const Vec3& impulse, Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pairs_->pairs[i];
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) {
    Mover<Real>& point = movers.points[pairs_->block[t]];
    point.move(pairs_->weight[t] * static_cast<double>(point.w) * impulse);
  }
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    Turner& turner = movers.turners[pair.rigid[s]];
    Mover<Real>& centre = movers.points[turner.centre];
    centre.move(kSides[s] * static_cast<double>(centre.w) * impulse);
    turner.turn(kSides[s] * rows_[i].arm[s].cross(impulse));
  }
}

template <class Real>
void ContactBatch<Real>::project(double friction, double multiplier[3]) const {
  double& normal = multiplier[0];
  const double along = std::hypot(multiplier[1], multiplier[2]);
  if (cone_ == FrictionCone::cone) {
    if (normal >= 0 && along <= friction * normal) return;  // both: without friction 0 ≤ −0 holds
    if (friction * along <= -normal) {
      std::fill_n(multiplier, 3, 0.0);
      return;
    }
    normal = (normal + friction * along) / (1 + friction * friction);
  } else {
    normal = std::max(normal, 0.0);
  }
  const double most = friction * normal;
  if (cone_ == FrictionCone::box) {
    for (int k = 1; k < 3; ++k) multiplier[k] = std::clamp(multiplier[k], -most, most);
  } else if (along > most) {
    for (int k = 1; k < 3; ++k) multiplier[k] *= most / along;
  }
}

// Whether friction has not to be clamped.
template <class Real>
bool ContactBatch<Real>::sticks(double friction, const double multiplier[3]) const {
  const double most = friction * std::max(multiplier[0], 0.0);
  if (cone_ == FrictionCone::box) return std::max(std::abs(multiplier[1]), std::abs(multiplier[2])) <= most;
  return std::hypot(multiplier[1], multiplier[2]) <= most;
}

template <class Real>
void ContactBatch<Real>::relax_pair(std::size_t i, double omega, Movers<Real>& movers) {
  const contact::ProjectedPair& pair = pairs_->pairs[i];
  Row& row = rows_[i];
  const Vec3 r = separation(i, movers), way = r - pair.before;
  const double s1 = row.tangent[0].dot(way), s2 = row.tangent[1].dot(way);
  double residual = row.normal.dot(r) + row.shift;
  if (cone_ == FrictionCone::cone) residual += pair.friction * std::hypot(s1, s2);
  double next[3] = {row.multiplier[0] - omega * row.normal_inverse * residual,
                    row.multiplier[1] - omega * (row.tangent_inverse[0] * s1 + row.tangent_inverse[1] * s2),
                    row.multiplier[2] - omega * (row.tangent_inverse[1] * s1 + row.tangent_inverse[2] * s2)};
  if (cone_ == FrictionCone::cone || !sticks(pair.friction, next)) {
    next[1] = row.multiplier[1] - omega * row.slide_inverse * s1;
    next[2] = row.multiplier[2] - omega * row.slide_inverse * s2;
  }
  project(pair.friction, next);
  const Vec3 change = (next[0] - row.multiplier[0]) * row.normal + (next[1] - row.multiplier[1]) * row.tangent[0] +
                      (next[2] - row.multiplier[2]) * row.tangent[1];
  std::copy_n(next, 3, row.multiplier);
  push(i, change, movers);
}

template <class Real>
void ContactBatch<Real>::relax(double omega, Movers<Real>& movers) {
  for (const Colour& colour : colours_) {
    const int first = colour.quads[0];
    parallel_for(colour.quads[1] - first, kContactGrain, [&](int begin, int end) {
      for (int q = first + begin; q < first + end; ++q) manifolds_.relax(q, omega, kGroupRounds, movers);
    });
    parallel_for(static_cast<int>(colour.groups.size()), kContactGrain, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) {
        const int group = colour.groups[static_cast<std::size_t>(k)];
        const int first_pair = pairs_->group_start[group], last_pair = pairs_->group_start[group + 1];
        const int rounds = last_pair - first_pair > 1 ? kGroupRounds : 1;
        for (int round = 0; round < rounds; ++round) {
          for (int i = first_pair; i < last_pair; ++i) relax_pair(static_cast<std::size_t>(i), omega, movers);
        }
      }
    });
  }
}

// --- All rows at once ---

template <class Real>
void ContactBatch<Real>::linearise(const Movers<Real>& movers, std::span<double> residual) {
  manifolds_.linearise(movers, residual);
  const std::span<double> own = of_singles(residual);
  for (std::size_t k = 0; k < singles_.size(); ++k) {
    const std::size_t i = singles_[k];
    Row& row = rows_[i];
    double* r = &own[3 * k];
    const Vec3 apart = separation(i, movers), way = apart - pairs_->pairs[i].before;
    for (int t = 0; t < 2; ++t) r[1 + t] = row.tangent[t].dot(way);
    r[0] = row.normal.dot(apart) + row.shift;
    if (cone_ == FrictionCone::cone) r[0] += pairs_->pairs[i].friction * std::hypot(r[1], r[2]);
    row.is_idle = row.multiplier[0] <= 0 && r[0] >= 0;
  }
}

template <class Real>
void ContactBatch<Real>::precondition(std::span<const double> r, std::span<double> z) const {
  manifolds_.precondition(r, z);
  const std::span<const double> from = of_singles(r);
  const std::span<double> to = of_singles(z);
  for (std::size_t k = 0; k < singles_.size(); ++k) {
    const Row& row = rows_[singles_[k]];
    // What neither pushes nor touches has no part in a direction.
    to[3 * k] = row.is_idle ? 0 : row.normal_inverse * from[3 * k];
    for (std::size_t t = 1; t < 3; ++t) to[3 * k + t] = row.is_idle ? 0 : row.slide_inverse * from[3 * k + t];
  }
}

template <class Real>
void ContactBatch<Real>::pull_back(std::span<const double> d, Impulses& out) const {
  for (const Colour& colour : colours_) manifolds_.pull_back(colour.quads[0], colour.quads[1], d, out);
  const std::span<const double> own = of_singles(d);
  for (std::size_t k = 0; k < singles_.size(); ++k) {
    const contact::ProjectedPair& pair = pairs_->pairs[singles_[k]];
    const Row& row = rows_[singles_[k]];
    const Vec3 impulse = own[3 * k] * row.normal + own[3 * k + 1] * row.tangent[0] + own[3 * k + 2] * row.tangent[1];
    for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
      out.force[pairs_->block[t]] += pairs_->weight[t] * impulse;
    for (std::size_t s = 0; s < 2; ++s) {
      if (pair.rigid[s] < 0) continue;
      out.force[out.centre[pair.rigid[s]]] += kSides[s] * impulse;
      out.torque[pair.rigid[s]] += kSides[s] * row.arm[s].cross(impulse);
    }
  }
}

template <class Real>
void ContactBatch<Real>::multiply(const Impulses& y, std::span<const double>, std::span<double> p) const {
  manifolds_.multiply(y, p);
  const std::span<double> own = of_singles(p);
  for (std::size_t k = 0; k < singles_.size(); ++k) {
    const contact::ProjectedPair& pair = pairs_->pairs[singles_[k]];
    const Row& row = rows_[singles_[k]];
    Vec3 change = Vec3::Zero();
    for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
      change += pairs_->weight[t] * y.force[pairs_->block[t]];
    for (std::size_t s = 0; s < 2; ++s) {
      if (pair.rigid[s] < 0) continue;
      change += kSides[s] * (y.force[y.centre[pair.rigid[s]]] + y.torque[pair.rigid[s]].cross(row.arm[s]));
    }
    own[3 * k] = row.normal.dot(change);
    own[3 * k + 1] = row.tangent[0].dot(change);
    own[3 * k + 2] = row.tangent[1].dot(change);
  }
}

template <class Real>
void ContactBatch<Real>::accept(std::span<double> change) {
  manifolds_.accept(change);
  const std::span<double> own = of_singles(change);
  for (std::size_t k = 0; k < singles_.size(); ++k) {
    Row& row = rows_[singles_[k]];
    double next[3];
    for (std::size_t t = 0; t < 3; ++t) next[t] = row.multiplier[t] + own[3 * k + t];
    project(pairs_->pairs[singles_[k]].friction, next);
    for (std::size_t t = 0; t < 3; ++t) {
      own[3 * k + t] = next[t] - row.multiplier[t];
      row.multiplier[t] = next[t];
    }
  }
}

template <class Real>
void ContactBatch<Real>::write_multipliers(std::span<double> out) const {
  manifolds_.write_multipliers(out);
  const std::span<double> own = of_singles(out);
  for (std::size_t k = 0; k < singles_.size(); ++k) std::copy_n(rows_[singles_[k]].multiplier, 3, &own[3 * k]);
}

// --- Afterwards ---

template <class Real>
Vec3 ContactBatch<Real>::friction(std::size_t i) const {
  const Row& row = rows_[i];
  return (row.multiplier[1] * row.tangent[0] + row.multiplier[2] * row.tangent[1]) * weight_;
}

template <class Real>
Vec3 ContactBatch<Real>::force(std::size_t i) const {
  return friction(i) + rows_[i].multiplier[0] * weight_ * rows_[i].normal;
}

template <class Real>
Vec3 ContactBatch<Real>::slip(std::size_t i, const Movers<Real>& movers) const {
  return contact::along_surface(separation(i, movers) - pairs_->pairs[i].before, rows_[i].normal);
}

template <class Real>
double ContactBatch<Real>::gap(std::size_t i, const Movers<Real>& movers) const {
  return rows_[i].normal.dot(separation(i, movers)) - pairs_->pairs[i].offset;
}

template <class Real>
ForceMemory ContactBatch<Real>::memory() const {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].multiplier[0] > 0) order.emplace_back(pairs_->pairs[i].key, i);
  }
  std::sort(order.begin(), order.end());
  ForceMemory memory;
  for (const auto& [key, i] : order) {
    memory.keys.push_back(key);
    memory.forces.push_back(force(i));
  }
  return memory;
}

template class ContactBatch<double>;
template class ContactBatch<float>;

}  // namespace pliant::solver
