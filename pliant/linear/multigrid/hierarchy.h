// The multigrid hierarchy of a matrix of 3×3 blocks, and its V-cycle as a preconditioner.
//
//   z = cycle(A_l, r):   coarsest:  z = A_l⁻¹ r
//                        else       z = smooth(0, r);  z += P cycle(Pᵀ A P, Pᵀ (r − A z));  z = smooth'(z, r)
//
// Levels are made by smoothed aggregation [Vanek1996; Tamstorf2015]: strength.h, aggregation.h,
// tentative_prolongator.h, smoothed_prolongator.h, galerkin.h, smoother.h, coarsest.h. `build` does all of it;
// `refresh` keeps aggregates and patterns and computes values only. A build for another matrix of the same pattern does
// not repeat what would come out the same: aggregates and patterns of a level follow from the pattern above it and from
// which of its connections are strong. So nothing that a build gives depends on earlier matrices, bit by bit.
// All in single precision: the iteration around it
// works in double. The cycle is linear, symmetric and positive definite, up to rounding.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/linear/multigrid/coarsest.h"
#include "pliant/linear/multigrid/galerkin.h"
#include "pliant/linear/multigrid/smoother.h"

namespace pliant::linear {

struct HierarchySettings {
  float strength_threshold = 0.02F;  // strength.h; larger: fewer strong connections, more and fuller coarse rows
  int first_radius = 2;              // of the aggregates of the finest level: few coarse nodes, cheap set-up
  int radius = 1;                    // of all others
  SmootherKind smoother = SmootherKind::gauss_seidel;
  int coarsest_unknowns = 600;  // a level of at most so many is solved directly
  int max_levels = 20;
};

class Hierarchy {
 public:
  explicit Hierarchy(const HierarchySettings& settings = {}) : settings_(settings) {}

  // solved, not_finite, or not_positive_definite where the coarsest matrix shows it. Without positions the near-kernel
  // is the three translations; blocks that are no points are left to the smoother.
  [[nodiscard]] LinearStatus build(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry);
  // For another matrix of the same pattern.
  [[nodiscard]] LinearStatus refresh(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry);
  [[nodiscard]] bool fits(const std::shared_ptr<const sparse::BlockPattern>& pattern) const {
    return pattern_ == pattern;
  }
  // Another matrix of the same pattern for the finest level alone: its sweeps and residuals are exact, P and the coarse
  // levels stay. The cycle is symmetric and positive definite whatever they are of (smoother.h).
  [[nodiscard]] LinearStatus renew_finest(const sparse::SymmetricBlockMatrix& matrix);
  // Whether the finest level has the values of this matrix, as single precision knows them.
  [[nodiscard]] bool is_of(const sparse::SymmetricBlockMatrix& matrix) const {
    return copy_.is_copy(matrix, scale_, finest_.matrix);
  }
  // The largest factor between traces of diagonal blocks of the matrix and of the finest level, at least one.
  [[nodiscard]] double largest_change(const sparse::SymmetricBlockMatrix& matrix) const;

  // z = B r
  void apply(const BlockVector& r, BlockVector& z);
  // The same on the vectors of the cycle itself, four floats per block: fill right_side with s r and run the cycle; then
  // B r = solution · solution_scale / s. Single precision has a small range: s brings r near one. A cycle may overwrite
  // the right side.
  [[nodiscard]] float* right_side() { return finest_.r.data(); }
  void run_cycle();
  // Whether the cycle's last sweep also tells s (r − A B r), as rounded as single precision is; and what it told.
  [[nodiscard]] bool knows_residual() const;
  [[nodiscard]] const float* residual() const { return finest_.residual.data(); }
  [[nodiscard]] const float* solution() const { return finest_.z.data(); }
  [[nodiscard]] double solution_scale() const { return scale_; }

  [[nodiscard]] int level_count() const { return static_cast<int>(coarse_.size()) + 1; }
  [[nodiscard]] std::vector<int> node_counts() const;
  // P between a level (0 = finest) and the next, and the near-kernel of a level below the finest.
  [[nodiscard]] const Prolongator& prolongator(int level) const {
    return level == 0 ? finest_.prolongator : coarse_[level - 1]->prolongator;
  }
  [[nodiscard]] const NearKernel& near_kernel(int level) const { return coarse_[level - 1]->kernel; }
  [[nodiscard]] const LevelMatrix<kCoarseBlock>& coarse_matrix(int level) const { return coarse_[level - 1]->matrix; }
  // Entries of the matrices of all levels over those of the finest.
  [[nodiscard]] double operator_complexity() const;
  [[nodiscard]] std::size_t memory_bytes() const;
  // What a cycle reads or writes, each number counted once: matrices without their diagonals, P, the vectors. A cycle
  // comes by twice, on the way down and up.
  [[nodiscard]] std::size_t cycle_bytes() const;

 private:
  template <int B>
  struct Level {
    LevelMatrix<B> matrix;
    NearKernel kernel;  // kept on the finest level only while it is needed; so are the values of P̂
    Strength strength;  // which connections are strong, without their graph
    Aggregates aggregates;
    TentativeProlongator tentative;
    Prolongator prolongator;
    ProlongatorSmoothing smoothing;
    Galerkin galerkin;
    Smoother<B> smoother;
    double radius = 2;  // of D⁻¹A
    std::vector<float> r, z, residual;
  };
  enum class Values { new_aggregates, old_aggregates };

  [[nodiscard]] LinearStatus copy_finest(const sparse::SymmetricBlockMatrix& matrix, const SystemGeometry& geometry);
  [[nodiscard]] LinearStatus build_levels();
  template <int B>
  [[nodiscard]] bool coarsen(Level<B>& level, std::size_t next, int radius);
  template <int B>
  [[nodiscard]] bool find_patterns(Level<B>& level, Strength strength, std::size_t next, int radius);
  template <int B>
  void fill_coarse(Level<B>& level, LevelMatrix<kCoarseBlock>& coarse);
  template <int B>
  void prepare_smoother(Level<B>& level, Values values);
  template <int B>
  [[nodiscard]] bool factor_coarsest(Level<B>& level);
  template <int B>
  void cycle(Level<B>& level, std::size_t next);

  HierarchySettings settings_;
  // Shared: kept alive, so that an equal address is the same.
  std::shared_ptr<const sparse::BlockPattern> pattern_;      // of the matrix the hierarchy is of; null after a failure
  std::shared_ptr<const sparse::BlockPattern> patterns_of_;  // what the levels' patterns were made of
  std::vector<std::uint8_t> excluded_;                       // per block: 1 = no point
  double scale_ = 1;                                         // the hierarchy is that of scale · A
  FinestCopy copy_;
  Level<3> finest_;
  std::vector<std::unique_ptr<Level<kCoarseBlock>>> coarse_;
  CoarsestSolve coarsest_;
  bool is_direct_ = false;  // the last level is small enough for coarsest_; else it is only smoothed
};

// Largest absolute value in a vector.
[[nodiscard]] double largest_number(const BlockVector& x);
// The power of two that brings a number near one, which rounds nothing; one for zero and what is not finite.
[[nodiscard]] double shrinking_factor(double size);

}  // namespace pliant::linear
