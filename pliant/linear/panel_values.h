// The numbers of a ConstantFactor, rounded to their storage type, and the two sweeps of a solve over them.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "pliant/linear/merged_supernodes.h"
#include "pliant/linear/panel_kernels.h"
#include "pliant/linear/panel_layout.h"
#include "pliant/linear/panel_memory.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::linear {

// How the numbers of a factor are stored. Sweeps over float32 and float16 compute in float.
enum class FactorStorage { float64, float32, float16 };

class PanelValues {
 public:
  explicit PanelValues(FactorStorage storage) : wanted_(storage), storage_(storage) {}

  // What a solve with this storage costs; rows of a panel are padded to whole vectors.
  [[nodiscard]] SweepCosts costs() const;
  [[nodiscard]] FactorStorage storage() const { return storage_; }

  enum class Finite { yes, no };
  // Forms −S and W of every panel of the merged supernodes from L. No: a block is singular to working precision.
  [[nodiscard]] Finite fill(const SupernodalCholesky& cholesky, const MergedSupernodes& merged,
                            const PanelLayout& layout);
  // x = A⁻¹ b.
  void solve(const PanelLayout& layout, const BlockVector& b, BlockVector& x);

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  template <class T>
  using Array = std::vector<T, PanelAllocator<T>>;
  enum class Fits { yes, no };

  template <class Stored>
  Fits fill_as(const SupernodalCholesky& cholesky, const MergedSupernodes& merged, const PanelLayout& layout);
  template <class Stored, class Real>
  void solve_as(const PanelLayout& layout, const BlockVector& b, BlockVector& x, Array<Real>& workspace);

  FactorStorage wanted_, storage_;
  std::vector<double> scale_;  // d per place in the order: d A d has a diagonal of S near one
  std::variant<Array<double>, Array<float>, Array<Half>> values_;
  Array<double> workspace64_;
  Array<float> workspace32_;
};

}  // namespace pliant::linear
