// Set-up level by level, refresh, and the V-cycle.
#include "pliant/linear/multigrid/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/assert.h"
#include "pliant/linear/multigrid/spectral_radius.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kCopyGrain = 4096;  // blocks per task
// For the damping of P: three to six give the same iterations within one, two are too few for solids of ν = 0.49.
// chebyshev needs a bound and takes ten.
constexpr int kLanczosSteps = 4, kMoreLanczosSteps = 6;
// A level that keeps more than this share of its nodes is tried again with a lower threshold, a quarter each time.
constexpr double kLargestCoarseShare = 0.5;
constexpr float kThresholdFactor = 0.25F;
constexpr int kThresholdTrials = 3;

}  // namespace

// --- Set-up ---

LinearStatus Hierarchy::build(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry) {
  pattern_ = nullptr;
  std::vector<std::uint8_t> excluded(matrix.row_count(), 0);
  for (int i = 0; geometry.layout != nullptr && i < matrix.row_count(); ++i)
    excluded[i] = geometry.layout->kind(i) == BlockKind::point ? 0 : 1;
  if (patterns_of_ != matrix.shared_pattern() || excluded != excluded_) {
    coarse_.clear();
    finest_.matrix.reset(LevelPattern(neighbours_of(matrix.pattern())));
    copy_ = FinestCopy(matrix.pattern(), finest_.matrix.pattern);
    excluded_ = std::move(excluded);
    patterns_of_ = matrix.shared_pattern();
  }
  if (const LinearStatus status = copy_finest(matrix, geometry); status != LinearStatus::solved) return status;
  const LinearStatus status = build_levels();
  if (status == LinearStatus::solved) pattern_ = matrix.shared_pattern();
  return status;
}

LinearStatus Hierarchy::copy_finest(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry) {
  const double trace = parallel_sum(matrix.row_count(), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += matrix.block(matrix.pattern().diagonal_slot(i)).trace();
    return sum;
  });
  if (!std::isfinite(trace)) return LinearStatus::not_finite;
  scale_ = trace > 0 ? 3 * matrix.row_count() / trace : 1;
  copy_.copy(matrix, scale_, finest_.matrix);
  if (!finest_.matrix.invert_diagonal()) return LinearStatus::not_finite;
  finest_.kernel = geometry.positions != nullptr
                       ? rigid_motions(*geometry.positions, geometry.filter, excluded_)
                       : rigid_motions(BlockVector(matrix.row_count()), geometry.filter, excluded_);
  return LinearStatus::solved;
}

LinearStatus Hierarchy::build_levels() {
  prepare_smoother(finest_, Values::new_aggregates);
  std::size_t below = 0;  // levels below the finest so far
  bool goes_on =
      3 * finest_.matrix.row_count() > settings_.coarsest_unknowns && coarsen(finest_, below, settings_.first_radius);
  while (goes_on) {
    Level<kCoarseBlock>& level = *coarse_[below++];
    if (!level.matrix.invert_diagonal()) return LinearStatus::not_finite;
    prepare_smoother(level, Values::new_aggregates);
    goes_on = kCoarseBlock * level.matrix.row_count() > settings_.coarsest_unknowns &&
              static_cast<int>(below) + 1 < settings_.max_levels && coarsen(level, below, settings_.radius);
  }
  coarse_.resize(below);
  const bool is_solved = coarse_.empty() ? factor_coarsest(finest_) : factor_coarsest(*coarse_.back());
  return is_solved ? LinearStatus::solved : LinearStatus::not_positive_definite;
}

LinearStatus Hierarchy::refresh(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry) {
  PLIANT_ASSERT(fits(matrix.shared_pattern()), "a refresh follows a build with the same pattern");
  pattern_ = nullptr;
  if (const LinearStatus status = copy_finest(matrix, geometry); status != LinearStatus::solved) return status;
  prepare_smoother(finest_, Values::old_aggregates);
  if (!coarse_.empty()) fill_coarse(finest_, coarse_.front()->matrix);
  for (std::size_t l = 0; l < coarse_.size(); ++l) {
    Level<kCoarseBlock>& level = *coarse_[l];
    if (!level.matrix.invert_diagonal()) return LinearStatus::not_finite;
    level.kernel.values = l == 0 ? finest_.tentative.coarse.values : coarse_[l - 1]->tentative.coarse.values;
    prepare_smoother(level, Values::old_aggregates);
    if (l + 1 < coarse_.size()) fill_coarse(level, coarse_[l + 1]->matrix);
  }
  const bool is_solved = coarse_.empty() ? factor_coarsest(finest_) : factor_coarsest(*coarse_.back());
  if (is_solved) pattern_ = matrix.shared_pattern();
  return is_solved ? LinearStatus::solved : LinearStatus::not_positive_definite;
}

LinearStatus Hierarchy::renew_finest(const sparse::SymmetricBlockMatrix& matrix) {
  PLIANT_ASSERT(fits(matrix.shared_pattern()), "new values follow a build with the same pattern");
  // In the scale of the coarse levels.
  copy_.copy(matrix, scale_, finest_.matrix);
  LinearStatus status = finest_.matrix.invert_diagonal() ? LinearStatus::solved : LinearStatus::not_finite;
  if (status == LinearStatus::solved && coarse_.empty() && !factor_coarsest(finest_))
    status = LinearStatus::not_positive_definite;
  if (status != LinearStatus::solved) pattern_ = nullptr;
  return status;
}

// Aggregates, patterns and values of the next level; false when there is nothing to gain from one.
template <int B>
bool Hierarchy::coarsen(Level<B>& level, std::size_t next, int radius) {
  Strength strength = find_strength(level.matrix, settings_.strength_threshold);
  const bool has_patterns = next < coarse_.size() && level.strength.has_same_entries(strength);
  if (!has_patterns && !find_patterns(level, std::move(strength), next, radius)) return false;
  Level<kCoarseBlock>& coarse = *coarse_[next];
  fill_coarse(level, coarse.matrix);
  coarse.kernel.values = level.tentative.coarse.values;
  return true;
}

// Everything of the next level but values; false when there is nothing to gain from one.
template <int B>
bool Hierarchy::find_patterns(Level<B>& level, Strength strength, std::size_t next, int radius) {
  coarse_.resize(next);
  float threshold = settings_.strength_threshold;
  for (int trial = 0;; ++trial) {
    level.aggregates = aggregate(
        strength, B == 3 ? std::span<const std::uint8_t>(excluded_) : std::span<const std::uint8_t>(), radius);
    if (level.aggregates.count == 0) return false;
    if (level.aggregates.count <= kLargestCoarseShare * level.matrix.row_count()) break;
    if (trial == kThresholdTrials) return false;
    threshold *= kThresholdFactor;
    strength = find_strength(level.matrix, threshold);
  }
  coarse_.push_back(std::make_unique<Level<kCoarseBlock>>());
  level.smoothing = ProlongatorSmoothing(level.matrix.pattern, strength, level.aggregates, level.prolongator);
  level.galerkin = Galerkin(level.matrix.pattern, level.prolongator, coarse_.back()->matrix);
  // Kept for comparison; of a lower threshold they would be compared with others.
  level.strength = threshold == settings_.strength_threshold ? std::move(strength) : Strength{};
  level.strength.strong = SparseRows{};
  return true;
}

template <int B>
void Hierarchy::fill_coarse(Level<B>& level, LevelMatrix<kCoarseBlock>& coarse) {
  make_tentative<B>(level.kernel, level.aggregates, level.tentative);
  const double omega = level.radius > 0 ? 4 / (3 * level.radius) : 0;
  level.smoothing.template smooth<B>(level.matrix, level.tentative, static_cast<float>(omega), level.prolongator);
  if constexpr (B == 3) {
    // Six numbers per unknown in both: nothing reads them until the next refresh makes them anew.
    std::vector<double>().swap(level.kernel.values);
    std::vector<float>().swap(level.tentative.values);
  }
  level.galerkin.template multiply<B>(level.matrix, level.prolongator, level.tentative.dropped, coarse);
}

// The radius hardly changes from one matrix to the next; only Chebyshev's polynomial depends on it being a bound.
template <int B>
void Hierarchy::prepare_smoother(Level<B>& level, Values values) {
  const bool is_chebyshev = settings_.smoother == SmootherKind::chebyshev;
  if (values == Values::new_aggregates || is_chebyshev)
    level.radius = spectral_radius(level.matrix, kLanczosSteps + (is_chebyshev ? kMoreLanczosSteps : 0));
  level.smoother.prepare(settings_.smoother, level.radius, level.matrix.row_count());
  for (std::vector<float>* v : {&level.r, &level.z, &level.residual}) {
    if (v->size() != at_node<B>(level.matrix.row_count())) v->assign(at_node<B>(level.matrix.row_count()), 0.0F);
  }
}

template <int B>
bool Hierarchy::factor_coarsest(Level<B>& level) {
  // Nothing to solve, or a level that could not be made smaller: smoothing alone, which is symmetric too.
  is_direct_ = B * level.matrix.row_count() <= 4 * settings_.coarsest_unknowns && level.matrix.row_count() > 0;
  return !is_direct_ || coarsest_.factor(level.matrix);
}

double Hierarchy::largest_change(const sparse::SymmetricBlockMatrix& matrix) const {
  return parallel_max(matrix.row_count(), 1, [&](int begin, int end) {
    double largest = 1;
    for (int i = begin; i < end; ++i) {
      const float* d = finest_.matrix.diagonal.data() + at_block<3>(i);
      const double old = (static_cast<double>(d[0]) + d[4] + d[8]) / scale_;
      const double now = matrix.block(matrix.pattern().diagonal_slot(i)).trace();
      if (!(old > 0 && now > 0)) return std::numeric_limits<double>::infinity();
      largest = std::max({largest, old / now, now / old});
    }
    return largest;
  });
}

// --- The cycle ---

void Hierarchy::apply(const BlockVector& r, BlockVector& z) {
  const double shrink = shrinking_factor(largest_number(r));
  float* const right_side = finest_.r.data();
  parallel_for(r.size(), kCopyGrain, [&](int begin, int end) {
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); ++k)
      right_side[k] = static_cast<float>(shrink * r.data()[k]);
  });
  run_cycle();
  const double grow = scale_ / shrink;
  parallel_for(r.size(), kCopyGrain, [&](int begin, int end) {
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); ++k)
      z.data()[k] = grow * static_cast<double>(finest_.z[k]);
  });
}

void Hierarchy::run_cycle() { cycle(finest_, 0); }

double shrinking_factor(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(-std::floor(std::log2(size))) : 1;
}

double largest_number(const BlockVector& x) {
  return parallel_max(x.size(), 0, [&](int begin, int end) {
    double largest = 0;
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); ++k)
      largest = std::max(largest, std::abs(x.data()[k]));
    return largest;
  });
}

template <int B>
void Hierarchy::cycle(Level<B>& level, std::size_t next) {
  if (next == coarse_.size() && is_direct_) {
    coarsest_.solve<B>(level.r.data(), level.z.data());
    return;
  }
  level.smoother.before(level.matrix, level.r.data(), level.z.data(), level.residual.data());
  if (next < coarse_.size()) {
    Level<kCoarseBlock>& coarse = *coarse_[next];
    restrict_to_coarse<B>(level.prolongator, level.residual.data(), coarse.r.data());
    cycle(coarse, next + 1);
    add_prolonged<B>(level.prolongator, coarse.z.data(), level.z.data());
  }
  if (B == 3 && knows_residual()) {
    level.smoother.after_with_residual(level.matrix, level.r.data(), level.z.data(), level.residual.data());
  } else {
    level.smoother.after(level.matrix, level.r.data(), level.z.data());
  }
}

bool Hierarchy::knows_residual() const {
  return settings_.smoother == SmootherKind::gauss_seidel && finest_.matrix.has_exact_inverses &&
         !(coarse_.empty() && is_direct_);
}

// --- What it is made of ---

std::vector<int> Hierarchy::node_counts() const {
  std::vector<int> counts{finest_.matrix.row_count()};
  for (const auto& level : coarse_) counts.push_back(level->matrix.row_count());
  return counts;
}

double Hierarchy::operator_complexity() const {
  const auto entries = [](const LevelPattern& pattern) {
    return static_cast<double>(2 * pattern.upper_count() + static_cast<std::size_t>(pattern.row_count()));
  };
  const double finest = 9 * entries(finest_.matrix.pattern);
  double all = finest;
  for (const auto& level : coarse_) all += 36 * entries(level->matrix.pattern);
  return finest > 0 ? all / finest : 1;
}

std::size_t Hierarchy::memory_bytes() const {
  const auto of_level = [](const auto& level) {
    return level.matrix.memory_bytes() + level.prolongator.memory_bytes() + level.smoothing.memory_bytes() +
           level.galerkin.memory_bytes() + level.smoother.memory_bytes() +
           sizeof(float) * (level.tentative.values.capacity() + 3 * level.r.capacity()) +
           sizeof(double) * (level.kernel.values.capacity() + level.tentative.coarse.values.capacity()) +
           level.aggregates.members.memory_bytes() + sizeof(int) * level.aggregates.of_node.capacity() +
           level.strength.inside.capacity() + level.strength.before.capacity() + level.strength.after.capacity();
  };
  std::size_t sum = of_level(finest_) + copy_.memory_bytes() + coarsest_.memory_bytes();
  for (const auto& level : coarse_) sum += of_level(*level);
  return sum;
}

std::size_t Hierarchy::cycle_bytes() const {
  const auto of_level = [](const auto& level) {
    const LevelPattern& pattern = level.matrix.pattern;
    return level.matrix.memory_bytes() - sizeof(float) * level.matrix.diagonal.capacity() -
           sizeof(int) * pattern.mirror.capacity() + level.prolongator.memory_bytes() + level.smoother.memory_bytes() +
           3 * sizeof(float) * level.r.capacity();
  };
  std::size_t sum = of_level(finest_);
  for (const auto& level : coarse_) sum += of_level(*level);
  if (!is_direct_) return sum;
  // The coarsest level is solved instead.
  return sum - (coarse_.empty() ? of_level(finest_) : of_level(*coarse_.back())) + coarsest_.memory_bytes();
}

}  // namespace pliant::linear
