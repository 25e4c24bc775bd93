// The choice, and what happens when it proves wrong.
#include "pliant/linear/automatic.h"

#include <algorithm>
#include <utility>

#include "pliant/assert.h"

namespace pliant::linear {

Automatic::Automatic(const AutomaticSettings& settings) : settings_(settings) {}

Automatic::Choice Automatic::first_choice(int blocks) const {
  if (is_large(blocks)) return Choice::pcg;
  const bool is_cheap = settings_.keeps_pattern && operations_ <= settings_.cheap_operations;
  return blocks <= settings_.always_factored || is_cheap ? Choice::cholesky : Choice::pcg;
}

LinearSolver& Automatic::solver(Choice choice) {
  if (choice == Choice::cholesky) {
    if (!cholesky_) cholesky_ = std::make_unique<Cholesky>(settings_.blas_threads);
    return *cholesky_;
  }
  if (choice == Choice::pcg) {
    if (pcg_) return *pcg_;
    PcgSettings settings{.tolerance = settings_.tolerance};
    if (takes_multigrid(matrix_->row_count())) {
      settings.max_iterations = std::min(kProbeIterations, settings_.max_iterations);
      settings.outlook = {.look = kLook, .most_left = kProbeIterations - kLook};
    } else {
      settings.max_iterations = std::min(kPatientIterations, settings_.max_iterations);
      settings.precision = PcgPrecision::single_where_enough;
    }
    pcg_ = std::make_unique<Pcg>(settings);
    return *pcg_;
  }
  if (!multigrid_) {
    multigrid_ = std::make_unique<MultigridCg>(
        MultigridSettings{.tolerance = settings_.tolerance, .max_iterations = settings_.max_iterations});
    multigrid_->begin_step(geometry_);
  }
  const int most = kIterationsOfFactor + static_cast<int>(operations_ / kOperationsOfIteration);
  multigrid_->set_outlook({.look = is_large(matrix_->row_count()) ? 0 : kLook, .most_left = most});
  return *multigrid_;
}

void Automatic::begin_step(const SystemGeometry& geometry) {
  geometry_ = geometry;
  is_new_step_ = true;
  if (multigrid_) multigrid_->begin_step(geometry);
}

void Automatic::set_tolerance(double tolerance) {
  settings_.tolerance = tolerance;
  if (pcg_) pcg_->set_tolerance(tolerance);
  if (multigrid_) multigrid_->set_tolerance(tolerance);
}

void Automatic::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  matrix_ = nullptr;
  if (pattern == pattern_) return;
  const int blocks = pattern->row_count();
  // Its patience goes by size.
  if (pattern_ && blocks != pattern_->row_count()) pcg_.reset();
  pattern_ = pattern;
  if (is_large(blocks) || (!settings_.keeps_pattern && blocks > settings_.always_factored)) return;
  solver(Choice::cholesky).analyze(pattern);
  operations_ = cholesky_->factor_operations() / std::max(1, pattern->slot_count());
}

LinearStatus Automatic::factor(const sparse::SymmetricBlockMatrix& matrix) {
  if (std::exchange(is_new_step_, false)) failures_ = 0;
  if (matrix.shared_pattern() != pattern_) analyze(matrix.shared_pattern());
  const Choice first = first_choice(matrix.row_count());
  if (failures_ == 0 || (choice_ == Choice::cholesky && failures_ < kMostFailures)) choice_ = first;
  matrix_ = &matrix;
  const LinearStatus status = solver(choice_).factor(matrix);
  if (status != LinearStatus::solved) matrix_ = nullptr;
  return status;
}

LinearStatus Automatic::change_to(Choice choice) {
  choice_ = choice;
  return solver(choice).factor(*matrix_);
}

LinearReport Automatic::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  was_used_[static_cast<std::size_t>(choice_)] = true;
  LinearReport report = solver(choice_).solve(b, x);
  const bool is_direct = choice_ == Choice::cholesky;
  if (report.status != LinearStatus::not_converged || is_direct) return report;

  // Not enough: the next one takes over.
  ++failures_;
  const bool is_multigrids = choice_ == Choice::pcg && takes_multigrid(matrix_->row_count());
  const LinearStatus status = change_to(is_multigrids ? Choice::multigrid : Choice::cholesky);
  if (status != LinearStatus::solved) return {.status = status, .iterations = report.iterations};
  LinearReport next = solve(b, x);
  next.iterations += report.iterations;
  return next;
}

std::string Automatic::name() const {
  static constexpr const char* kNames[] = {"cholesky", "pcg", "multigrid"};
  std::string result;
  for (std::size_t k = 0; k < was_used_.size(); ++k) {
    if (was_used_[k]) result += (result.empty() ? "" : ", ") + std::string(kNames[k]);
  }
  return result.empty() ? "auto" : result;
}

std::size_t Automatic::memory_bytes() const {
  return (cholesky_ ? cholesky_->memory_bytes() : 0) + (pcg_ ? pcg_->memory_bytes() : 0) +
         (multigrid_ ? multigrid_->memory_bytes() : 0);
}

}  // namespace pliant::linear
