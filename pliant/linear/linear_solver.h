// What every solver of A x = b offers, for symmetric positive definite A in 3×3 blocks.
//
//   solver.analyze(pattern);                       // once per pattern
//   if (solver.factor(A) == LinearStatus::solved)  // once per matrix
//     report = solver.solve(b, x);                 // as often as there are right-hand sides
//
// A matrix that is not positive definite is mathematics, not a mistake: it shows in the status and nothing throws.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "pliant/configuration/block_filter.h"
#include "pliant/configuration/dof_layout.h"
#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/block_vector.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::linear {

enum class LinearStatus {
  solved,
  not_positive_definite,  // a pivot or a curvature pᵀAp that is not positive
  not_converged,          // iteration limit
  not_finite,             // NaN or infinity in the matrix, the right-hand side or the solution
};

// When an iteration is not worth finishing: every `look` iterations it is judged by its pace so far, and ends as
// not_converged if at that pace it would take more than `most_left` further ones. 0: it is never judged.
struct Outlook {
  int look = 0, most_left = 0;

  // fall: of the norm that has to fall by `tolerance`, squared.
  [[nodiscard]] bool is_hopeless(int iterations, double fall_squared, double tolerance) const;
};

struct LinearReport {
  LinearStatus status = LinearStatus::solved;
  int iterations = 0;  // products with A; 0 for direct solvers
  // ‖b − A x‖ / ‖b‖ on the free directions, measured with the returned x; 0 when b is zero. Direct solvers leave it 0: it
  // would cost them another sweep over the matrix. relative_residual measures it for whoever wants to know.
  double residual = 0;
};

// What a solver may want to know besides the matrix. Pointers may be null: all blocks are points, nothing is known of where
// they are, nothing is held.
struct SystemGeometry {
  const BlockVector* positions = nullptr;  // m
  const DofLayout* layout = nullptr;
  const BlockFilter* filter = nullptr;  // the matrices are already filtered
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  // As in scenes; of one that chooses, who has solved systems so far.
  [[nodiscard]] virtual std::string name() const = 0;

  // What all matrices from here on are about, until the next call. What it points at must outlive them and is read by
  // factor and solve; positions may change between those. Nothing that was learnt from earlier matrices is used any
  // more, so that a step's result depends on that step alone: a resumed run repeats it to the bit.
  virtual void begin_step(const SystemGeometry& /*geometry*/) {}
  // Prepares for matrices of this pattern. Cheap when it is the pattern of the last call.
  virtual void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) = 0;
  // Takes over a matrix, analysing its pattern if that is new. The matrix must stay as it is until the last solve with
  // it.
  [[nodiscard]] virtual LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) = 0;
  // Needs a factor call that returned `solved`. b and x are two vectors; what x held before does not matter.
  [[nodiscard]] virtual LinearReport solve(const BlockVector& b, BlockVector& x) = 0;
  // For all later solves, how small a relative residual their caller needs; direct solvers give what they can.
  virtual void set_tolerance(double /*tolerance*/) {}
  // What the solver holds between calls.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

// ‖S (b − A x)‖ / ‖S b‖, without S when `filter` is null; 0 when S b is zero. `scratch` has the size of b.
[[nodiscard]] double relative_residual(const sparse::SymmetricBlockMatrix& matrix, const BlockVector& b,
                                       const BlockVector& x, const BlockFilter* filter, BlockVector& scratch);

}  // namespace pliant::linear
