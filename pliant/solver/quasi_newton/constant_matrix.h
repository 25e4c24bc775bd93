// The matrix A = w M + θ² L of quasi_newton, ready for solves: when it is factored, and what stands in for it meanwhile.
//
//   what changes                                      what is done
//   moving pins, contacts                             nothing
//   pins, soft pins and hands that come and go        a correction of the factor by rows; for many rows a new factor
//   step length, integrator weight                    a new factor
//   a tear                                            as the problem says: a new factor at once, never, or one that was
//                                                     made in the background
// What is used depends on the problem alone, not on what was solved before: a resumed run has the same bits.
//
// After a tear the matrix may be that of an earlier model, in which copies of a vertex are still one row. With P taking a
// row to the blocks that come from it,
//
//   H₀ = P A⁻¹ Pᵀ + C,     C = 1/a_ii of the torn model's own A for blocks that share their row, 0 for others
//
// is symmetric and positive definite: the first part moves copies together, the second parts them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pliant/linear/constant_factor.h"
#include "pliant/parallel/background.h"
#include "pliant/solver/step_problem.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant::solver {

class ConstantMatrix {
 public:
  explicit ConstantMatrix(linear::FactorStorage storage = linear::FactorStorage::float64) : storage_(storage) {}

  // Before the solves of a step; false when the matrix could not be factored. Work for problem.next_matrix begins here.
  [[nodiscard]] bool prepare(const StepProblem& problem);
  // x = H₀ b, for blocks of the problem; b and x are different vectors.
  void solve(const BlockVector& b, BlockVector& x);

  // How often a matrix has been factored so far.
  [[nodiscard]] int factor_count() const { return factor_count_; }
  // How many of these factors were made in the background.
  [[nodiscard]] int background_count() const { return background_count_; }

 private:
  // What the factor depends on.
  struct Key {
    const sparse::BlockPattern* pattern = nullptr;
    double inertia_weight = 0, theta = 1, step = 0;
    std::vector<unsigned char> held, soft_pins;  // per row; per soft pin
    std::vector<std::pair<int, double>> grips;   // row, N/m
    bool operator==(const Key&) const = default;
  };
  struct Factor {
    explicit Factor(linear::FactorStorage storage) : numbers(storage) {}
    Key key;
    sparse::SymmetricScalarMatrix matrix;
    linear::ConstantFactor numbers;
    linear::LinearStatus status = linear::LinearStatus::not_finite;
  };
  enum class Pins { now, lasting };
  static Key key_of(const StepProblem& problem, const MatrixModel& model, Pins pins);
  // The factor of exactly this matrix: what there is, what the background has made, or a new one.
  bool load(const StepProblem& problem, const MatrixModel& model, const Key& key);
  // What makes the matrix of `key` out of the factored one.
  [[nodiscard]] std::vector<linear::RowChange> changes_to(const StepProblem& problem, const MatrixModel& model,
                                                          const Key& key) const;
  bool use(const StepProblem& problem, const MatrixModel& model, const Key& key);
  static void assemble(const StepProblem& problem, const MatrixModel& model, Key key, Factor& factor);
  static void compute(Factor& factor);
  void begin_next(const StepProblem& problem);
  void map_blocks(const StepProblem& problem, const MatrixModel& model);

  linear::FactorStorage storage_;
  std::unique_ptr<Factor> factor_;
  Key in_use_;  // of the factor with its changes
  int factor_count_ = 0, background_count_ = 0;
  // Blocks of the problem as rows of the factor; empty: the same.
  std::vector<int> row_of_block_;
  std::vector<double> parting_;                         // C, per block
  std::shared_ptr<const sparse::BlockPattern> mapped_;  // of the problem; shared, so that an equal address is the same
  BlockVector row_values_;
  std::unique_ptr<Factor> next_;
  std::optional<BackgroundTask> preparing_;  // next_; after it, so that it ends first
};

}  // namespace pliant::solver
