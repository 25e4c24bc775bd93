// The choice, and what happens when it proves wrong.
#include "pliant/linear/automatic.h"

#include <algorithm>
#include <utility>

#include "pliant/assert.h"

namespace pliant::linear {

Automatic::Automatic(const AutomaticSettings& settings) : settings_(settings) {}

Automatic::Choice Automatic::first_choice(int blocks) const {
  return blocks <= settings_.largest_factored_first ? Choice::cholesky : Choice::pcg;
}

LinearSolver& Automatic::solver(Choice choice) {
  if (choice == Choice::cholesky) {
    if (!cholesky_) cholesky_ = std::make_unique<Cholesky>(settings_.blas_threads);
    return *cholesky_;
  }
  if (choice == Choice::pcg) {
    const int patience = is_large(matrix_->row_count()) ? kProbeIterations : kPatientIterations;
    const int limit = std::min(patience, settings_.max_iterations);
    const PcgPrecision precision =
        is_large(matrix_->row_count()) ? PcgPrecision::always_double : PcgPrecision::single_where_enough;
    if (!pcg_) {
      pcg_ = std::make_unique<Pcg>(
          PcgSettings{.tolerance = settings_.tolerance, .max_iterations = limit, .precision = precision});
    }
    return *pcg_;
  }
  if (!multigrid_) {
    multigrid_ = std::make_unique<MultigridCg>(
        MultigridSettings{.tolerance = settings_.tolerance, .max_iterations = settings_.max_iterations});
    multigrid_->begin_step(geometry_);
  }
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
  if (first_choice(pattern->row_count()) == Choice::cholesky) solver(Choice::cholesky).analyze(pattern);
}

LinearStatus Automatic::factor(const sparse::SymmetricBlockMatrix& matrix) {
  if (std::exchange(is_new_step_, false)) failures_ = 0;
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
  const bool is_multigrids = choice_ == Choice::pcg && is_large(matrix_->row_count());
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
