#include "pliant/solver/projection/contact_batch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <span>

#include "pliant/contact/contact_geometry.h"
#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/starting_forces.h"

namespace pliant::solver {
namespace {

constexpr int kContactGrain = 16;  // groups
constexpr int kRowGrain = 256;
using contact::kSides;
// Points of a manifold turn the same two bodies: they are gone through so often in a sweep. A stack of ten boxes sways with
// one round and 30 iterations, and stands with three. Two are a fifth faster in a pyramid and stack as well; how corners share
// a weight is then less even.
constexpr int kGroupRounds = 3;
// A cloth between a soft block and a ball, of a 25th of the block's mass point by point, hands on a 25th of the block's weight
// in a round. With one round for a sweep the block's corner goes through, is put back with all of its way
// (ProjectedContact::keep_apart) and hangs there. Rounds over what pushes are cheap beside a sweep over the elements. Not for
// grains and rigid bodies on cloth: held to it so, they stretch it before its own forces have gone through it.
constexpr int kSoftRounds = 12;

// The first of sorted keys that is not less than this one. Keys of neighbours are neighbours, as a rule: a look at where the
// last one was comes first.
std::size_t place_of(const std::vector<std::uint64_t>& keys, std::uint64_t key, std::size_t near) {
  constexpr std::size_t kBack = 8, kLook = 32;
  auto first = keys.begin() + static_cast<std::ptrdiff_t>(near > kBack ? near - kBack : 0);
  auto last = keys.begin() + static_cast<std::ptrdiff_t>(std::min(near + kLook, keys.size()));
  if (first != keys.begin() && *first > key) first = keys.begin();
  if (last != keys.end() && *last < key) last = keys.end();
  return static_cast<std::size_t>(std::lower_bound(first, last, key) - keys.begin());
}

}  // namespace

// Manifolds of rigid bodies.
template <class Real>
bool ContactBatch<Real>::is_for_lanes(int group) const {
  const int first = pairs_->group_start[group];
  return cone_ == FrictionCone::cylinder && pairs_->pairs[first].term_count == 0 &&
         pairs_->group_start[group + 1] > first;
}

template <class Real>
bool ContactBatch<Real>::touches_soft(const contact::ProjectedPair& pair) const {
  if (is_soft_.empty()) return false;
  const auto blocks = std::span(pairs_->block).subspan(pair.first_term, pair.term_count);
  return std::any_of(blocks.begin(), blocks.end(), [&](int block) { return is_soft_[block] != 0; });
}

template <class Real>
bool ContactBatch<Real>::is_soft(const contact::ProjectedPair& pair) const {
  if (is_soft_.empty() || pair.rigid[0] >= 0 || pair.rigid[1] >= 0) return false;
  const auto blocks = std::span(pairs_->block).subspan(pair.first_term, pair.term_count);
  return std::all_of(blocks.begin(), blocks.end(), [&](int block) { return is_soft_[block] != 0; });
}

template <class Real>
void ContactBatch<Real>::set_pairs(const contact::ProjectedPairs& pairs, const ForceMemory* warm, int block_count) {
  pairs_ = &pairs;
  block_count_ = block_count;
  group_count_ = 0;
  manifolds_.clear();
  rows_.clear();
  row_of_pair_.clear();
  colours_.clear();
  arrange_new_groups();
  find_first_forces(warm);
  most_turn_ = kMostTurnAtStart;
}

// Who is worked on with whom: colours of their own for groups that are not in any yet.
template <class Real>
void ContactBatch<Real>::arrange_new_groups() {
  const contact::ProjectedPairs& pairs = *pairs_;
  parallel::TouchLists lists;
  int most = block_count_;
  const int first_group = group_count_;
  group_count_ = static_cast<int>(pairs.group_start.size()) - 1;
  for (int g = first_group; g < group_count_; ++g) {
    // All pairs of a manifold touch the same two bodies.
    const int first = pairs.group_start[g], last = is_for_lanes(g) ? first + 1 : pairs.group_start[g + 1];
    for (int i = first; i < last; ++i) {
      const contact::ProjectedPair& pair = pairs.pairs[i];
      for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) lists.add(pairs.block[t]);
      // A rigid body is known by a number beyond all blocks.
      for (const int rigid : pair.rigid) {
        if (rigid >= 0) lists.add(block_count_ + rigid);
        most = std::max(most, block_count_ + rigid + 1);
      }
    }
    lists.end_item();
  }
  const parallel::Coloring coloring = lists.color(most);
  row_of_pair_.resize(pairs.pairs.size(), -1);
  for (int c = 0; c < coloring.color_count(); ++c) {
    Colour& colour = colours_.emplace_back();
    std::vector<std::array<int, 2>> manifolds;
    for (int k = coloring.color_start[c]; k < coloring.color_start[c + 1]; ++k) {
      const int g = first_group + coloring.items[k], first = pairs.group_start[g], last = pairs.group_start[g + 1];
      if (is_for_lanes(g)) {
        manifolds.push_back({first, last});
        continue;
      }
      const int row = static_cast<int>(rows_.size());
      auto& groups = is_soft(pairs.pairs[first]) ? colour.soft : colour.groups;
      groups.push_back({row, row + last - first});
      for (int i = first; i < last; ++i) {
        row_of_pair_[i] = static_cast<int>(rows_.size());
        rows_.emplace_back().pair = i;
      }
    }
    colour.quads = manifolds_.add(manifolds, pairs);
  }
}

template <class Real>
void ContactBatch<Real>::begin(const ProjectionStep& step, Movers<Real>& movers) {
  weight_ = step.weight;
  set_levers(movers.turners);
  starts_.resize(first_forces_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i) starts_[i] = first_forces_[i] / weight_;
  drop_spinning_starts(*pairs_, movers.turners, most_turn_, starts_);
  begin_rows(0, movers);
  manifolds_.begin(0, *pairs_, starts_, movers);
  push_starts(movers);
}

template <class Real>
void ContactBatch<Real>::begin_rows(int first, const Movers<Real>& movers) {
  parallel_for(static_cast<int>(rows_.size()) - first, kRowGrain, [&](int begin, int end) {
    for (int k = first + begin; k < first + end; ++k) {
      set_row(rows_[k]);
      set_arms(rows_[k], movers);
      set_inverses(rows_[k], movers);
      carry(rows_[k], movers);
    }
  });
}

// Lanes keep theirs: two rigid meshes that meet along another direction as well are held along both.
template <class Real>
void ContactBatch<Real>::take_up(std::span<const contact::MetPair> met, Movers<Real>& movers) {
  const int first_row = static_cast<int>(rows_.size()), first_quad = manifolds_.quad_count();
  starts_.resize(pairs_->pairs.size(), Vec3::Zero());
  for (const auto& [pair, replaced] : met) {
    if (replaced < 0 || row_of_pair_[replaced] < 0) continue;
    // The new one begins with what of the old one's impulse is admissible along its direction.
    Row& row = rows_[row_of_pair_[replaced]];
    starts_[pair] = row.impulse(row.multiplier);
    push(row, -starts_[pair], movers);
    std::fill_n(row.multiplier, 3, 0.0);
    row.is_replaced = true;
  }
  arrange_new_groups();
  begin_rows(first_row, movers);
  manifolds_.begin(first_quad, *pairs_, starts_, movers);
  for (std::size_t k = static_cast<std::size_t>(first_row); k < rows_.size(); ++k)
    push(rows_[k], rows_[k].impulse(rows_[k].multiplier), movers);
}

template <class Real>
void ContactBatch<Real>::start_over(std::span<const contact::MetPair> met, bool is_warm) {
  arrange_new_groups();
  most_turn_ = kMostTurnFound;
  first_forces_.assign(pairs_->pairs.size(), Vec3::Zero());
  for (std::size_t i = 0; is_warm && i < outcomes_.size(); ++i) {
    if (!touches_soft(pairs_->pairs[i])) first_forces_[i] = outcomes_[i].force;
  }
  for (const auto& [pair, replaced] : met) {
    if (replaced < 0 || row_of_pair_[replaced] < 0) continue;
    rows_[row_of_pair_[replaced]].is_replaced = true;
    std::swap(first_forces_[pair], first_forces_[replaced]);
  }
}

template <class Real>
void ContactBatch<Real>::set_row(Row& row) {
  const contact::ProjectedPair& pair = pair_of(row);
  row.normal = pair.normal;
  row.tangent = contact::tangents_of(pair.normal);
  row.shift = -pair.offset - pair.wanted;
  const Vec3& start = starts_[static_cast<std::size_t>(row.pair)];
  row.multiplier[0] = row.normal.dot(start);
  for (std::size_t k = 0; k < 2; ++k) row.multiplier[1 + k] = row.tangent[k].dot(start);
  project(pair.friction, row.multiplier);
}

// Forces of the last step, by the names of what touches.
template <class Real>
void ContactBatch<Real>::find_first_forces(const ForceMemory* memory) {
  first_forces_.assign(pairs_->pairs.size(), Vec3::Zero());
  if (memory == nullptr || memory->keys.empty()) return;
  parallel_for(static_cast<int>(first_forces_.size()), kRowGrain, [&](int begin, int end) {
    std::size_t near = 0;  // where the last one was
    for (int i = begin; i < end; ++i) {
      const contact::ProjectedPair& pair = pairs_->pairs[i];
      if (touches_soft(pair)) continue;
      near = place_of(memory->keys, pair.key, near);
      if (near < memory->keys.size() && memory->keys[near] == pair.key)
        first_forces_[static_cast<std::size_t>(i)] = memory->forces[near];
    }
  });
}

template <class Real>
void ContactBatch<Real>::push_starts(Movers<Real>& movers) {
  for (const Colour& colour : colours_) {
    const int first = colour.quads[0];
    parallel_for(colour.quads[1] - first, kContactGrain, [&](int begin, int end) {
      for (int q = first + begin; q < first + end; ++q) manifolds_.push(q, movers);
    });
    for (const auto& [first_row, last_row] : colour.groups) {
      for (int k = first_row; k < last_row; ++k) push(rows_[k], rows_[k].impulse(rows_[k].multiplier), movers);
    }
  }
}

template <class Real>
void ContactBatch<Real>::set_arms(Row& row, const Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pair_of(row);
  // Two bodies push each other along one line.
  const bool are_rigid = pair.rigid[0] >= 0 && pair.rigid[1] >= 0;
  const Vec3 aside = are_rigid ? Vec3(0.5 * contact::along_surface(pair.before, pair.normal)) : Vec3(Vec3::Zero());
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    row.arm[s] = movers.turners[pair.rigid[s]].lever * pair.local[s] + pair.round[s] - kSides[s] * aside;
  }
}

// Where rigid bodies have carried its points.
template <class Real>
void ContactBatch<Real>::carry(Row& row, const Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pair_of(row);
  row.carried.setZero();
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const Turner& turner = movers.turners[pair.rigid[s]];
    row.carried += kSides[s] * (turner.rotation * pair.local[s] + pair.round[s]);
    if (pair.round[s].isZero(0)) continue;
    const Vec3 turn = math::vector_from_rotation(turner.rotation * turner.before.transpose());
    row.carried += kSides[s] * turn.cross(pair.round[s]);
  }
}

template <class Real>
void ContactBatch<Real>::follow(const Movers<Real>& movers) {
  parallel_for(static_cast<int>(rows_.size()), kRowGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) carry(rows_[k], movers);
  });
  manifolds_.follow(movers);
}

// K = Σ w² W + Σ (1/m + [p]× I⁻¹ [p]×ᵀ): what an impulse does to r.
template <class Real>
void ContactBatch<Real>::set_inverses(Row& row, const Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pair_of(row);
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
Vec3 ContactBatch<Real>::separation(const Row& row, const Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pair_of(row);
  Vec3 r = pair.scripted + row.carried;
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
    r += pairs_->weight[t] * movers.points[pairs_->block[t]].position();
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const Turner& turner = movers.turners[pair.rigid[s]];
    r += kSides[s] * (movers.points[turner.centre].position() + turner.turned.cross(row.arm[s]));
  }
  return r;
}

template <class Real>
void ContactBatch<Real>::push(const Row& row, const Vec3& impulse, Movers<Real>& movers) const {
  const contact::ProjectedPair& pair = pair_of(row);
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) {
    Mover<Real>& point = movers.points[pairs_->block[t]];
    point.move(pairs_->weight[t] * static_cast<double>(point.w) * impulse);
  }
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    Turner& turner = movers.turners[pair.rigid[s]];
    Mover<Real>& centre = movers.points[turner.centre];
    centre.move(kSides[s] * static_cast<double>(centre.w) * impulse);
    turner.turn(kSides[s] * row.arm[s].cross(impulse));
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
void ContactBatch<Real>::relax_row(Row& row, double omega, Movers<Real>& movers) const {
  if (row.is_replaced) return;
  const contact::ProjectedPair& pair = pair_of(row);
  const Vec3 r = separation(row, movers), way = r - pair.before;
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
  const double change[3] = {next[0] - row.multiplier[0], next[1] - row.multiplier[1], next[2] - row.multiplier[2]};
  std::copy_n(next, 3, row.multiplier);
  push(row, row.impulse(change), movers);
}

template <class Real>
void ContactBatch<Real>::relax(double omega, Movers<Real>& movers) {
  for (const Colour& colour : colours_) {
    const int first = colour.quads[0];
    parallel_for(colour.quads[1] - first, kContactGrain, [&](int begin, int end) {
      for (int q = first + begin; q < first + end; ++q) manifolds_.relax(q, omega, kGroupRounds, movers);
    });
    relax_groups(colour.groups, Which::all, omega, movers);
    relax_groups(colour.soft, Which::all, omega, movers);
  }
  for (int round = 1; round < kSoftRounds; ++round) {
    for (const Colour& colour : colours_) relax_groups(colour.soft, Which::pushing, omega, movers);
  }
}

template <class Real>
void ContactBatch<Real>::relax_groups(std::span<const std::array<int, 2>> groups, Which which, double omega,
                                      Movers<Real>& movers) {
  parallel_for(static_cast<int>(groups.size()), kContactGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const auto [first_row, last_row] = groups[static_cast<std::size_t>(k)];
      const int rounds = last_row - first_row > 1 ? kGroupRounds : 1;
      for (int round = 0; round < rounds; ++round) {
        for (int i = first_row; i < last_row; ++i) {
          if (which == Which::all || rows_[i].multiplier[0] > 0) relax_row(rows_[i], omega, movers);
        }
      }
    }
  });
}

// --- All rows at once ---

template <class Real>
void ContactBatch<Real>::linearise(const Movers<Real>& movers, std::span<double> residual) {
  manifolds_.linearise(movers, residual);
  const std::span<double> own = of_singles(residual);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    double* r = &own[3 * k];
    const Vec3 apart = separation(row, movers), way = apart - pair_of(row).before;
    for (std::size_t t = 0; t < 2; ++t) r[1 + t] = row.tangent[t].dot(way);
    r[0] = row.normal.dot(apart) + row.shift;
    if (cone_ == FrictionCone::cone) r[0] += pair_of(row).friction * std::hypot(r[1], r[2]);
    if (row.is_replaced) std::fill_n(r, 3, 0.0);
    row.is_idle = row.is_replaced || (row.multiplier[0] <= 0 && r[0] >= 0);
  }
}

template <class Real>
void ContactBatch<Real>::precondition(std::span<const double> r, std::span<double> z) const {
  manifolds_.precondition(r, z);
  const std::span<const double> from = of_singles(r);
  const std::span<double> to = of_singles(z);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    // What neither pushes nor touches has no part in a direction.
    to[3 * k] = row.is_idle ? 0 : row.normal_inverse * from[3 * k];
    for (std::size_t t = 1; t < 3; ++t) to[3 * k + t] = row.is_idle ? 0 : row.slide_inverse * from[3 * k + t];
  }
}

template <class Real>
void ContactBatch<Real>::pull_back(std::span<const double> d, Impulses& out) const {
  for (const Colour& colour : colours_) manifolds_.pull_back(colour.quads[0], colour.quads[1], d, out);
  const std::span<const double> own = of_singles(d);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const contact::ProjectedPair& pair = pair_of(row);
    const Vec3 impulse = row.impulse(&own[3 * k]);
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
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const contact::ProjectedPair& pair = pair_of(row);
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
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    double next[3];
    for (std::size_t t = 0; t < 3; ++t) next[t] = row.multiplier[t] + own[3 * k + t];
    project(pair_of(row).friction, next);
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
  for (std::size_t k = 0; k < rows_.size(); ++k) std::copy_n(rows_[k].multiplier, 3, &own[3 * k]);
}

// --- Afterwards ---

template <class Real>
void ContactBatch<Real>::finish(const Movers<Real>& movers) {
  outcomes_.resize(pairs_->pairs.size());
  manifolds_.write_outcomes(weight_, *pairs_, movers, outcomes_);
  parallel_for(static_cast<int>(rows_.size()), kRowGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const Row& row = rows_[k];
      const contact::ProjectedPair& pair = pair_of(row);
      contact::ProjectedOutcome& outcome = outcomes_[static_cast<std::size_t>(row.pair)];
      const Vec3 r = separation(row, movers);
      outcome.friction = (row.multiplier[1] * row.tangent[0] + row.multiplier[2] * row.tangent[1]) * weight_;
      outcome.force = outcome.friction + row.multiplier[0] * weight_ * row.normal;
      outcome.slip = contact::along_surface(r - pair.before, row.normal);
      outcome.gap = row.normal.dot(r) - pair.offset;
    }
  });
}

template <class Real>
ForceMemory ContactBatch<Real>::memory() const {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(outcomes_.size());
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (!outcomes_[i].force.isZero(0)) order.emplace_back(pairs_->pairs[i].key, i);
  }
  std::sort(order.begin(), order.end());
  ForceMemory memory;
  memory.keys.reserve(order.size());
  memory.forces.reserve(order.size());
  for (const auto& [key, i] : order) {
    memory.keys.push_back(key);
    memory.forces.push_back(outcomes_[i].force);
  }
  return memory;
}

template class ContactBatch<double>;
template class ContactBatch<float>;

}  // namespace pliant::solver
