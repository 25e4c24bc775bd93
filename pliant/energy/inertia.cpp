#include "pliant/energy/inertia.h"

#include <utility>

#include "pliant/parallel/parallel.h"

namespace pliant {

using math::kLaneCount;
using solid::TetElements;

void Inertia::add_consistent(std::shared_ptr<const TetElements> elements, std::span<const double> density) {
  Consistent part{std::move(elements), {}};
  part.mass = solid::to_lanes(*part.elements, density);
  for (int g = 0; g < part.elements->group_count(); ++g) {
    const TetElements::Group& group = part.elements->groups()[g];
    for (int lane = 0; lane < kLaneCount; ++lane) {
      double& mass = part.mass[kLaneCount * g + lane];
      mass *= group.volume[lane];
      for (const auto& corner : group.corner) lumped_[corner[lane]] -= mass / 4;
    }
  }
  // Blocks that were only in these tets keep no lumped share, up to the rounding of the subtraction.
  for (std::size_t i = 0; i < lumped_.size(); ++i) {
    if (lumped_[i] < 1e-12 * masses_[i]) lumped_[i] = 0;
  }
  consistent_.push_back(std::move(part));
}

void Inertia::multiply(const BlockVector& x, BlockVector& y) const {
  parallel_for(x.size(), parallel::kSumBlock, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) y[i] = lumped_[i] * x[i];
  });
  for (const Consistent& part : consistent_) {
    static_cast<void>(part.elements->for_each_chunk(TetElements::Writes::vertices, [&](int first, int last) {
      for (int k = kLaneCount * first; k < kLaneCount * last; ++k) {
        const TetElements::Group& group = part.elements->groups()[k / kLaneCount];
        const double share = part.mass[k] / 20;
        Vec3 sum = Vec3::Zero();
        for (const auto& corner : group.corner) sum += x[corner[k % kLaneCount]];
        for (const auto& corner : group.corner) {
          const int block = corner[k % kLaneCount];
          y[block] += share * (sum + x[block]);
        }
      }
      return 0.0;
    }));
  }
}

void Inertia::solve(const BlockVector& b, const BlockFilter& filter, BlockVector& x) const {
  const auto divide = [&](const BlockVector& force, BlockVector& acceleration) {
    for (int i = 0; i < force.size(); ++i) acceleration[i] = force[i] / masses_[i];
  };
  BlockVector r = b;
  filter.apply(r);
  divide(r, x);
  if (is_lumped()) return;

  // Conjugate gradients from x = 0, preconditioned by the lumped masses: the condition number is at most 5 for tets, so
  // that every iteration wins 0.4 digits.
  constexpr double kTolerance = 1e-15;
  constexpr int kMaxIterations = 200;
  BlockVector z = x, p = x, mp(b.size());
  sparse::set_zero(x);
  double r_dot_z = sparse::dot(r, z);
  const double target = kTolerance * kTolerance * r_dot_z;
  for (int iteration = 0; iteration < kMaxIterations && r_dot_z > target; ++iteration) {
    multiply(p, mp);
    filter.apply(mp);
    const double alpha = r_dot_z / sparse::dot(p, mp);
    sparse::add_scaled(x, alpha, p);
    sparse::add_scaled(r, -alpha, mp);
    divide(r, z);
    const double next = sparse::dot(r, z);
    sparse::combine(p, 1, z, next / r_dot_z, p);
    r_dot_z = next;
  }
}

// add(slot, mass) for every entry of M that the pattern stores.
template <class Add>
void Inertia::for_each_entry(const sparse::BlockPattern& pattern, const Add& add) const {
  parallel_for(pattern.row_count(), 1024, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) add(pattern.diagonal_slot(i), lumped_[i]);
  });
  for (const Consistent& part : consistent_) {
    static_cast<void>(part.elements->for_each_chunk(TetElements::Writes::vertices, [&](int first, int last) {
      for (int k = kLaneCount * first; k < kLaneCount * last; ++k) {
        const TetElements::Slots& slots = part.elements->slots()[k / kLaneCount];
        const double share = part.mass[k] / 20;
        for (int pair = 0; pair < 10; ++pair) add(slots.slot[pair][k % kLaneCount], pair < 4 ? 2 * share : share);
      }
      return 0.0;
    }));
  }
}

void Inertia::add_to(sparse::SymmetricBlockMatrix& matrix, double factor) const {
  for_each_entry(matrix.pattern(), [&](int slot, double mass) {
    double* block = matrix.values() + 9 * static_cast<std::size_t>(slot);
    for (int axis = 0; axis < 3; ++axis) block[4 * axis] += factor * mass;
  });
}

void Inertia::add_to(sparse::SymmetricScalarMatrix& matrix, double factor) const {
  for_each_entry(matrix.pattern(), [&](int slot, double mass) { matrix.add_at(slot, factor * mass); });
}

}  // namespace pliant
