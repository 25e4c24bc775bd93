// PanelValues: sweeps over the stored blocks invert the matrix, in every storage as well as its digits allow.
#include "pliant/linear/panel_values.h"

#include <gtest/gtest.h>

#include "tests/sparse/scalar_grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

double error_of(FactorStorage storage, double scale) {
  const test::Grid grid{19, 14, 1};
  sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.5);
  for (double& value : matrix.values()) value *= scale;
  SupernodalCholesky cholesky(matrix.pattern());
  EXPECT_EQ(cholesky.factor(matrix.values()), LinearStatus::solved);
  PanelValues values(storage);
  const MergedSupernodes merged = merge_supernodes(cholesky.structure(), values.costs());
  const PanelLayout layout = lay_out_panels(merged.structure, values.costs().simd_size);
  EXPECT_EQ(values.fill(cholesky, merged, layout), PanelValues::Finite::yes);
  const BlockVector b = test::random_vector(grid.size(), 3);
  BlockVector x(grid.size());
  values.solve(layout, b, x);
  EXPECT_GT(values.memory_bytes(), 0u);
  const Eigen::MatrixX3d expected = test::solve(test::dense(matrix), test::three_columns(b));
  return (test::three_columns(x) - expected).norm() / expected.norm();
}

// Units of the matrix do not matter: rows are scaled before they are rounded.
TEST(PanelValues, SolvesToThePrecisionOfTheStorage) {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    EXPECT_LT(error_of(FactorStorage::float64, scale), 1e-13) << scale;
    EXPECT_LT(error_of(FactorStorage::float32, scale), 1e-5) << scale;
    EXPECT_LT(error_of(FactorStorage::float16, scale), 3e-2) << scale;
  }
  EXPECT_GT(error_of(FactorStorage::float32, 1), 1e-9);  // it is float indeed
  EXPECT_GT(error_of(FactorStorage::float16, 1), 1e-5);
}

TEST(PanelMemory, IsAlignedAndHoldsWhatItIsGiven) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{262144}, std::size_t{1000001}}) {
    std::vector<double, PanelAllocator<double>> numbers(count, 3.0);
    const std::size_t unit = count * sizeof(double) < (1u << 21) ? 64 : 1u << 21;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % unit, 0u) << count;
    numbers.resize(count + 5, 4.0);
    EXPECT_EQ(numbers[count - 1] + numbers[count + 4], 7.0);
  }
  std::vector<double, PanelAllocator<double>> too_many;
  EXPECT_ANY_THROW(too_many.resize(std::size_t{1} << 60));
}

}  // namespace
}  // namespace pliant::linear
