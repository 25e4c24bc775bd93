#include "pliant/solver/quasi_newton/constant_matrix.h"

#include <algorithm>
#include <utility>

#include "pliant/energy/weighted.h"

namespace pliant::solver {
namespace {

// Without inertia a body that nothing holds makes A singular: this share of its mean diagonal is added.
constexpr double kStaticShift = 1e-8;

MatrixModel matrix_model(const StepProblem& problem) {
  if (problem.matrix) return *problem.matrix;
  return {&problem.inertia, problem.energies, problem.pattern, {}};
}

int row_of(const MatrixModel& model, int block) {
  return model.row_of_block.empty() ? block : model.row_of_block[static_cast<std::size_t>(block)];
}

// A row is held when all blocks that come from it are.
template <class IsHeld>
std::vector<unsigned char> held_rows(int block_count, const MatrixModel& model, const IsHeld& is_held) {
  std::vector<unsigned char> held(static_cast<std::size_t>(model.pattern->row_count()), 1);
  for (int block = 0; block < block_count; ++block) {
    if (!is_held(block)) held[static_cast<std::size_t>(row_of(model, block))] = 0;
  }
  return held;
}

double step_of(const StepProblem& problem) { return problem.inertia_weight == 0 ? 0 : problem.theta * problem.step; }

// w M + θ² L with these soft pins and grips.
void add_matrix(const StepProblem& problem, const MatrixModel& model, const std::vector<unsigned char>& soft_pins,
                std::vector<GrippedBlock> grips, sparse::SymmetricScalarMatrix& matrix) {
  Controls controls = problem.controls;
  controls.soft_pin_active = soft_pins;
  controls.grips = std::move(grips);
  matrix.set_zero();
  for (const auto& energy : model.energies) {
    if (const auto* weighted = dynamic_cast<const Weighted*>(energy.get()))
      weighted->add_weights(controls, step_of(problem), matrix);
  }
  for (double& value : matrix.values()) value *= problem.theta * problem.theta;
  if (problem.inertia_weight != 0) {
    model.inertia->add_to(matrix, problem.inertia_weight);
    return;
  }
  const int rows = matrix.row_count();
  double mean = 0;
  for (int i = 0; i < rows; ++i)
    mean += matrix.values()[static_cast<std::size_t>(matrix.pattern().diagonal_slot(i))] / rows;
  for (int i = 0; i < rows; ++i) matrix.add_at(matrix.pattern().diagonal_slot(i), kStaticShift * (mean > 0 ? mean : 1));
}

}  // namespace

bool ConstantMatrix::prepare(const StepProblem& problem) {
  const MatrixModel model = matrix_model(problem);
  if (!factor_) factor_ = std::make_unique<Factor>(storage_);
  Key now = key_of(problem, model, Pins::now);
  if (!(now == in_use_)) {
    in_use_ = {};
    if (!use(problem, model, now)) return false;
    in_use_ = std::move(now);
    mapped_ = nullptr;
  }
  if (mapped_ != problem.pattern) map_blocks(problem, model);
  if (problem.next_matrix) begin_next(problem);
  return true;
}

bool ConstantMatrix::use(const StepProblem& problem, const MatrixModel& model, const Key& key) {
  if (problem.lasting == nullptr) return load(problem, model, key);
  const bool is_changed = load(problem, model, key_of(problem, model, Pins::lasting)) &&
                          factor_->numbers.update(changes_to(problem, model, key)) == linear::LinearStatus::solved;
  return is_changed || load(problem, model, key);
}

bool ConstantMatrix::load(const StepProblem& problem, const MatrixModel& model, const Key& key) {
  if (key == factor_->key) return factor_->numbers.update({}) == linear::LinearStatus::solved;
  if (next_ && next_->key == key) {
    preparing_->wait();
    std::swap(factor_, next_);
    next_ = nullptr;
    ++background_count_;
  } else {
    assemble(problem, model, key, *factor_);
    compute(*factor_);
  }
  ++factor_count_;
  if (factor_->status != linear::LinearStatus::solved) factor_->key = {};
  return factor_->status == linear::LinearStatus::solved;
}

std::vector<linear::RowChange> ConstantMatrix::changes_to(const StepProblem& problem, const MatrixModel& model,
                                                          const Key& key) const {
  using linear::RowState;
  const Key& base = factor_->key;
  std::vector<linear::RowChange> changes;
  if (key == base) return changes;
  Factor wanted(storage_);
  assemble(problem, model, key, wanted);
  for (int row = 0; row < wanted.matrix.row_count(); ++row) {
    const auto i = static_cast<std::size_t>(row),
               slot = static_cast<std::size_t>(wanted.matrix.pattern().diagonal_slot(row));
    const RowState state = key.held[i] == base.held[i] ? RowState::unchanged
                           : key.held[i] != 0          ? RowState::held
                                                       : RowState::released;
    const double added = wanted.matrix.values()[slot] - factor_->matrix.values()[slot];
    if (state != RowState::unchanged || (added != 0 && key.held[i] == 0)) changes.push_back({row, state, added});
  }
  return changes;
}

ConstantMatrix::Key ConstantMatrix::key_of(const StepProblem& problem, const MatrixModel& model, Pins pins) {
  Key key{model.pattern.get(), problem.inertia_weight, problem.theta, step_of(problem), {}, {}, {}};
  const BlockFilter& filter = problem.controls.filter;
  if (pins == Pins::lasting && problem.lasting != nullptr) {
    const LastingPins& lasting = *problem.lasting;
    key.held = held_rows(filter.block_count(), model,
                         [&](int block) { return lasting.held[static_cast<std::size_t>(block)] != 0; });
    key.soft_pins = lasting.soft_pins;
    return key;
  }
  key.held = held_rows(filter.block_count(), model, [&](int block) { return filter.held_directions(block) == 3; });
  key.soft_pins = problem.controls.soft_pin_active;
  for (const GrippedBlock& grip : problem.controls.grips)
    key.grips.emplace_back(row_of(model, grip.block), grip.stiffness);
  return key;
}

void ConstantMatrix::assemble(const StepProblem& problem, const MatrixModel& model, Key key, Factor& factor) {
  if (key.pattern != factor.key.pattern) factor.matrix = sparse::SymmetricScalarMatrix(model.pattern);
  std::vector<GrippedBlock> grips;
  for (const auto& [row, stiffness] : key.grips) grips.push_back({row, Vec3::Zero(), stiffness});
  add_matrix(problem, model, key.soft_pins, std::move(grips), factor.matrix);
  factor.key = std::move(key);
}

void ConstantMatrix::compute(Factor& factor) {
  factor.numbers.set_held(factor.key.held);
  factor.status = factor.numbers.factor(factor.matrix);
}

// The matrix is assembled here, so that the background needs nothing but numbers of its own.
void ConstantMatrix::begin_next(const StepProblem& problem) {
  Key key = key_of(problem, *problem.next_matrix, Pins::lasting);
  if (key == factor_->key || (next_ && next_->key == key)) return;
  preparing_.reset();  // waits for what is no longer wanted
  next_ = std::make_unique<Factor>(storage_);
  assemble(problem, *problem.next_matrix, std::move(key), *next_);
  preparing_.emplace([factor = next_.get()] { compute(*factor); });
}

void ConstantMatrix::map_blocks(const StepProblem& problem, const MatrixModel& model) {
  mapped_ = problem.pattern;
  row_of_block_.assign(model.row_of_block.begin(), model.row_of_block.end());
  parting_.clear();
  if (row_of_block_.empty()) return;
  row_values_.resize(model.pattern->row_count());
  std::vector<int> uses(static_cast<std::size_t>(row_values_.size()), 0);
  for (const int row : row_of_block_) ++uses[static_cast<std::size_t>(row)];
  sparse::SymmetricScalarMatrix own(problem.pattern);
  add_matrix(problem, {&problem.inertia, problem.energies, problem.pattern, {}}, problem.controls.soft_pin_active,
             problem.controls.grips, own);
  for (std::size_t block = 0; block < row_of_block_.size(); ++block) {
    const bool is_shared = uses[static_cast<std::size_t>(row_of_block_[block])] > 1;
    const double diagonal =
        own.values()[static_cast<std::size_t>(own.pattern().diagonal_slot(static_cast<int>(block)))];
    parting_.push_back(is_shared ? 1 / diagonal : 0);
  }
}

void ConstantMatrix::solve(const BlockVector& b, BlockVector& x) {
  if (row_of_block_.empty()) {
    factor_->numbers.solve(b, x);
    return;
  }
  sparse::set_zero(row_values_);
  for (int i = 0; i < b.size(); ++i) row_values_[row_of_block_[static_cast<std::size_t>(i)]] += b[i];
  factor_->numbers.solve(row_values_, row_values_);
  for (int i = 0; i < b.size(); ++i)
    x[i] = row_values_[row_of_block_[static_cast<std::size_t>(i)]] + parting_[static_cast<std::size_t>(i)] * b[i];
}

}  // namespace pliant::solver
