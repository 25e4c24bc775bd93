// ConstantFactor: solutions against dense and block solvers, held rows, updates, precision of every storage, failures as
// statuses, the same bits for any number of threads.
#include "pliant/linear/constant_factor.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/assert.h"
#include "pliant/linear/cholesky.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/scalar_grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

using sparse::SymmetricScalarMatrix;

SymmetricScalarMatrix grid_laplacian(const test::Grid& grid, double mass) {
  return test::laplacian(grid, grid.pattern(), mass);
}

// b = A x for a chosen x, so that the solution is known.
BlockVector image_of(const SymmetricScalarMatrix& matrix, const BlockVector& x) {
  BlockVector b(matrix.row_count());
  matrix.multiply(x, b);
  return b;
}

BlockVector solve_with(ConstantFactor& solver, const SymmetricScalarMatrix& matrix, const BlockVector& b) {
  EXPECT_EQ(solver.factor(matrix), LinearStatus::solved);
  BlockVector x = test::random_vector(matrix.row_count(), 99);  // what it held must not matter
  solver.solve(b, x);
  EXPECT_TRUE(test::padding_is_zero(x));
  return x;
}

TEST(ConstantFactor, SolvesLikeTheDenseMatrix) {
  // One row, chains, sheets and blocks whose sizes hit every remainder of the SIMD vectors.
  for (const test::Grid& grid : {test::Grid{1}, test::Grid{2, 1, 1}, test::Grid{37, 1, 1}, test::Grid{5, 4, 1},
                                 test::Grid{23, 17, 1}, test::Grid{4}, test::Grid{7}}) {
    const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.3);
    const BlockVector b = test::random_vector(grid.size(), 1);
    ConstantFactor solver;
    const BlockVector x = solve_with(solver, matrix, b);
    const Eigen::MatrixX3d expected = test::solve(test::dense(matrix), test::three_columns(b));
    EXPECT_LT((test::three_columns(x) - expected).norm(), 1e-14 * expected.norm()) << grid.size();
  }
}

TEST(ConstantFactor, IsAsAccurateAsTheBlockSolver) {
  for (const test::Grid& grid : {test::Grid{90, 80, 1}, test::Grid{11, 11, 31}}) {
    for (const double mass : {1.0, 1e-6}) {
      const SymmetricScalarMatrix matrix = grid_laplacian(grid, mass);
      sparse::SymmetricBlockMatrix block(matrix.shared_pattern());
      for (int slot = 0; slot < matrix.pattern().slot_count(); ++slot) {
        block.block(slot) = matrix.values()[static_cast<std::size_t>(slot)] * Mat3::Identity();
      }
      const BlockVector known = test::random_vector(grid.size(), 2), b = image_of(matrix, known);
      Cholesky reference;
      BlockVector expected(grid.size());
      ASSERT_EQ(reference.factor(block), LinearStatus::solved);
      (void)reference.solve(b, expected);
      ConstantFactor solver;
      const BlockVector x = solve_with(solver, matrix, b);
      EXPECT_LT(test::relative_difference(x, known), 3 * test::relative_difference(expected, known) + 1e-15);
    }
  }
}

TEST(ConstantFactor, SeveralComponentsAndLonelyRows) {
  // Sheets of 40 × 40 without a link between them, and rows coupled with nothing.
  constexpr int kSheets = 5, kSide = 40, kLonely = 300, kSheet = kSide * kSide;
  const test::Grid sheet{kSide, kSide, 1};
  const int n = kSheets * kSheet + kLonely;
  sparse::PatternBuilder builder(n);
  for (int s = 0; s < kSheets; ++s) {
    sheet.for_each_edge([&](int i, int j, const Vec3&) { builder.couple(std::array{i + s * kSheet, j + s * kSheet}); });
  }
  SymmetricScalarMatrix matrix(builder.build());
  for (int i = 0; i < n; ++i) matrix.add(i, i, 0.1 + 0.001 * i);
  for (int s = 0; s < kSheets; ++s) {
    sheet.for_each_edge([&](int i, int j, const Vec3&) {
      matrix.add(i + s * kSheet, i + s * kSheet, 1);
      matrix.add(j + s * kSheet, j + s * kSheet, 1);
      matrix.add(i + s * kSheet, j + s * kSheet, -1);
    });
  }
  const BlockVector known = test::random_vector(n, 3);
  ConstantFactor solver;
  EXPECT_LT(test::relative_difference(solve_with(solver, matrix, image_of(matrix, known)), known), 1e-14);
}

TEST(ConstantFactor, AnEmptyMatrixHasAnEmptySolution) {
  const SymmetricScalarMatrix matrix(sparse::PatternBuilder(0).build());
  ConstantFactor solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  BlockVector x(0);
  EXPECT_NO_THROW(solver.solve(x, x));
}

TEST(ConstantFactor, SolvesInPlace) {
  const test::Grid grid{60, 60, 1};
  const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.1);
  const BlockVector known = test::random_vector(grid.size(), 4);
  ConstantFactor solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  BlockVector x = image_of(matrix, known);
  solver.solve(x, x);
  EXPECT_LT(test::relative_difference(x, known), 1e-13);
}

TEST(ConstantFactor, HeldRowsBecomeThoseOfTheIdentity) {
  const test::Grid grid{13, 11, 2};
  const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.2);
  std::vector<unsigned char> held(grid.size(), 0);
  for (int i = 0; i < grid.size(); i += 7) held[i] = 1;
  Eigen::MatrixXd expected_matrix = test::dense(matrix);
  for (int i = 0; i < grid.size(); i += 7) {
    expected_matrix.row(i).setZero();
    expected_matrix.col(i).setZero();
    expected_matrix(i, i) = 1;
  }
  BlockVector b = test::random_vector(grid.size(), 5);
  for (int i = 0; i < grid.size(); i += 14) b[i].setZero();
  for (const FactorStorage storage : {FactorStorage::float64, FactorStorage::float32, FactorStorage::float16}) {
    ConstantFactor solver(storage);
    solver.set_held(held);
    const BlockVector x = solve_with(solver, matrix, b);
    const Eigen::MatrixX3d expected = test::solve(expected_matrix, test::three_columns(b));
    const double bound = storage == FactorStorage::float64 ? 1e-14 : storage == FactorStorage::float32 ? 3e-7 : 2e-3;
    EXPECT_LT((test::three_columns(x) - expected).norm(), bound * expected.norm());
    for (int i = 0; i < grid.size(); i += 14) EXPECT_EQ(Vec3(x[i]), Vec3(Vec3::Zero()));
  }
}

TEST(ConstantFactor, HoldingAndReleasingKeepsTheAnalysis) {
  const test::Grid grid{30, 30, 1};
  const auto pattern = grid.pattern();
  const BlockVector known = test::random_vector(grid.size(), 6);
  std::vector<unsigned char> held(grid.size(), 0);
  held[5] = held[400] = 1;
  ConstantFactor solver;
  std::size_t memory = 0;
  int factors = 0;
  for (const double mass : {1.0, 1e-3, 50.0}) {
    const SymmetricScalarMatrix matrix = test::laplacian(grid, pattern, mass);
    for (const bool hold : {true, false}) {
      solver.set_held(hold ? std::span<const unsigned char>(held) : std::span<const unsigned char>());
      BlockVector b = image_of(matrix, known);
      if (hold) {
        b[5].setZero();
        b[400].setZero();
      }
      const BlockVector x = solve_with(solver, matrix, b);
      if (hold) {
        EXPECT_EQ(Vec3(x[5]), Vec3(Vec3::Zero()));
      } else {
        EXPECT_LT(test::relative_difference(x, known), 1e-12);
      }
      EXPECT_EQ(solver.factor_count(), ++factors);
      EXPECT_EQ(solver.analysis_count(), 1);
      if (memory == 0) memory = solver.memory_bytes();
      EXPECT_EQ(solver.memory_bytes(), memory);
    }
  }
  // Another pattern is analysed anew; the numbers alone are a lower bound of the memory.
  const SymmetricScalarMatrix other = grid_laplacian(test::Grid{9, 8, 1}, 1.0);
  const BlockVector small = test::random_vector(72, 7);
  EXPECT_LT(test::relative_difference(solve_with(solver, other, image_of(other, small)), small), 1e-13);
  EXPECT_EQ(solver.analysis_count(), 2);
  EXPECT_GT(solver.memory_bytes(), sizeof(double) * solver.value_count());
}

TEST(ConstantFactor, SmallerStorageCostsPrecisionAndSavesMemory) {
  for (const test::Grid& grid : {test::Grid{100, 100, 1}, test::Grid{9, 9, 40}}) {
    // The unit of the matrix must not matter, least of all to half precision.
    for (const double unit : {1.0, 1e9, 1e-12}) {
      SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.01);
      for (double& value : matrix.values()) value *= unit;
      const BlockVector b = test::random_vector(grid.size(), 8);
      ConstantFactor exact(FactorStorage::float64), single(FactorStorage::float32), half(FactorStorage::float16);
      const BlockVector x = solve_with(exact, matrix, b);
      EXPECT_LT(test::relative_difference(image_of(matrix, x), b), 1e-13);
      const double single_error = test::relative_difference(solve_with(single, matrix, b), x);
      const double half_error = test::relative_difference(solve_with(half, matrix, b), x);
      EXPECT_LT(single_error, 3e-7);
      EXPECT_GT(single_error, 1e-9);
      EXPECT_LT(half_error, 2e-3);
      EXPECT_GT(half_error, 1e-6);
      EXPECT_EQ(half.storage(), FactorStorage::float16);
      // Four and two bytes less per number, of which longer vectors cost some in padding.
      EXPECT_LT(single.memory_bytes() + 2 * exact.value_count(), exact.memory_bytes());
      EXPECT_LT(half.memory_bytes() + single.value_count(), single.memory_bytes());
    }
  }
}

TEST(ConstantFactor, HalfPrecisionThatWouldOverflowBecomesSingle) {
  // The last pivot is 1e-14 of the first ones: more than half precision spans.
  SymmetricScalarMatrix matrix(test::Grid{2, 1, 1}.pattern());
  matrix.add(0, 0, 1.0);
  matrix.add(0, 1, 1.0);
  matrix.add(1, 1, 1.0 + 1e-14);
  ConstantFactor solver(FactorStorage::float16);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  BlockVector x = image_of(matrix, test::random_vector(2, 9));
  solver.solve(x, x);
  EXPECT_TRUE(sparse::all_finite(x));
}

TEST(ConstantFactor, ReportsWhatIsNotPositiveDefiniteAndRecovers) {
  const test::Grid grid{30, 30, 1};
  const SymmetricScalarMatrix good = grid_laplacian(grid, 1.0);
  SymmetricScalarMatrix negative = good, singular(good.shared_pattern());
  negative.add(450, 450, -100.0);
  ConstantFactor solver;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(solver.factor(negative), LinearStatus::not_positive_definite);
  EXPECT_EQ(solver.factor(singular), LinearStatus::not_positive_definite);
  EXPECT_EQ(::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr(), "");
  BlockVector x(grid.size());
  EXPECT_THROW(solver.solve(x, x), InternalError);

  // Held, the negative row does no harm.
  std::vector<unsigned char> held(grid.size(), 0);
  held[450] = 1;
  solver.set_held(held);
  EXPECT_EQ(solver.factor(negative), LinearStatus::solved);
  solver.set_held({});
  const BlockVector known = test::random_vector(grid.size(), 10);
  EXPECT_LT(test::relative_difference(solve_with(solver, good, image_of(good, known)), known), 1e-13);
  EXPECT_EQ(solver.analysis_count(), 1);
}

TEST(ConstantFactor, ReportsNumbersThatAreNotFinite) {
  const test::Grid grid{6, 6, 1};
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    SymmetricScalarMatrix matrix = grid_laplacian(grid, 1.0);
    matrix.values()[40] = bad;
    ConstantFactor solver;
    EXPECT_EQ(solver.factor(matrix), LinearStatus::not_finite);
    BlockVector x(grid.size());
    EXPECT_THROW(solver.solve(x, x), InternalError);
  }
}

TEST(ConstantFactor, ABadRightHandSideDoesNotSpoilTheNextSolve) {
  const test::Grid grid{70, 70, 1};
  const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.1);
  const BlockVector known = test::random_vector(grid.size(), 11), b = image_of(matrix, known);
  for (const FactorStorage storage : {FactorStorage::float64, FactorStorage::float32}) {
    ConstantFactor solver(storage);
    const BlockVector before = solve_with(solver, matrix, b);
    BlockVector bad = b, x(grid.size());
    bad[1234][1] = std::numeric_limits<double>::quiet_NaN();
    solver.solve(bad, x);
    EXPECT_FALSE(sparse::all_finite(x));
    solver.solve(b, x);
    EXPECT_EQ(x, before);
  }
}

TEST(ConstantFactor, SolutionHasTheSameBitsForAnyThreadCount) {
  for (const test::Grid& grid : {test::Grid{120, 110, 1}, test::Grid{12, 12, 40}}) {
    const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.1);
    const BlockVector b = test::random_vector(grid.size(), 12);
    for (const FactorStorage storage : {FactorStorage::float64, FactorStorage::float32, FactorStorage::float16}) {
      BlockVector expected(grid.size());
      for (const int threads : {1, 2, 3, 8}) {
        set_thread_count(threads);
        ConstantFactor solver(storage);
        BlockVector x = solve_with(solver, matrix, b);
        if (threads == 1) expected = x;
        EXPECT_EQ(x, expected) << threads << " threads";
        solver.solve(b, x);
        EXPECT_EQ(x, expected) << threads << " threads, second solve";
      }
    }
  }
  set_thread_count(0);
}

// --- Updates ---

// Free rows of a sheet that become held or stiffer, and held ones that are released.
struct ChangingPins {
  test::Grid grid;
  SymmetricScalarMatrix matrix;
  std::vector<unsigned char> held;
  std::vector<RowChange> changes;

  explicit ChangingPins(const test::Grid& of, double mass = 0.1)
      : grid(of), matrix(grid_laplacian(of, mass)), held(static_cast<std::size_t>(of.size()), 0) {
    for (const int row : {0, 1, 2, 40, 41, 100}) held[static_cast<std::size_t>(row)] = 1;
    changes = {{.row = 1, .state = RowState::released},
               {.row = 40, .state = RowState::released, .diagonal = 0.5},
               {.row = 41, .state = RowState::released},
               {.row = 42, .state = RowState::held},
               {.row = grid.size() - 1, .state = RowState::held},
               {.row = 60, .diagonal = 2.5},
               {.row = 61, .diagonal = 1e5},
               {.row = 7, .diagonal = -0.05}};
  }
  // The matrix and the held rows after the changes.
  [[nodiscard]] std::pair<SymmetricScalarMatrix, std::vector<unsigned char>> changed() const {
    SymmetricScalarMatrix result = matrix;
    std::vector<unsigned char> now = held;
    for (const RowChange& change : changes) {
      result.add(change.row, change.row, change.diagonal);
      if (change.state != RowState::unchanged)
        now[static_cast<std::size_t>(change.row)] = change.state == RowState::held;
    }
    return {result, now};
  }
};

TEST(ConstantFactor, AnUpdateAgreesWithAFreshFactor) {
  for (const test::Grid& grid : {test::Grid{21, 17, 1}, test::Grid{70, 61, 1}, test::Grid{11, 11, 31}}) {
    const ChangingPins pins(grid);
    const auto [matrix, held] = pins.changed();
    const BlockVector b = test::random_vector(grid.size(), 13);
    for (const auto& [storage, bound] :
         {std::pair(FactorStorage::float64, 1e-14), std::pair(FactorStorage::float32, 1e-6),
          std::pair(FactorStorage::float16, 1e-2)}) {
      ConstantFactor fresh(FactorStorage::float64), updated(storage);
      fresh.set_held(held);
      const BlockVector expected = solve_with(fresh, matrix, b);
      updated.set_held(pins.held);
      const BlockVector before = solve_with(updated, pins.matrix, b);
      ASSERT_EQ(updated.update(pins.changes), LinearStatus::solved);
      EXPECT_EQ(updated.change_count(), 8);
      BlockVector x(grid.size());
      updated.solve(b, x);
      EXPECT_TRUE(test::padding_is_zero(x));
      EXPECT_LT(test::relative_difference(x, expected), bound);
      EXPECT_GT(test::relative_difference(before, expected), 1e-2);  // the changes matter
      EXPECT_EQ(updated.factor_count(), 1);
    }
  }
}

TEST(ConstantFactor, UpdatesDoNotRememberWhatCameBefore) {
  const ChangingPins pins(test::Grid{40, 31, 1});
  const BlockVector b = test::random_vector(pins.grid.size(), 14);
  ConstantFactor direct, wandering;
  for (ConstantFactor* solver : {&direct, &wandering}) {
    solver->set_held(pins.held);
    ASSERT_EQ(solver->factor(pins.matrix), LinearStatus::solved);
  }
  BlockVector plain(pins.grid.size()), expected(pins.grid.size()), x(pins.grid.size());
  direct.solve(b, plain);
  ASSERT_EQ(direct.update(pins.changes), LinearStatus::solved);
  direct.solve(b, expected);

  ASSERT_EQ(wandering.update(std::span(pins.changes).first(3)), LinearStatus::solved);
  ASSERT_EQ(wandering.update(std::span(pins.changes).last(2)), LinearStatus::solved);
  ASSERT_EQ(wandering.update(pins.changes), LinearStatus::solved);
  wandering.solve(b, x);
  EXPECT_EQ(x, expected);
  ASSERT_EQ(wandering.update({}), LinearStatus::solved);
  EXPECT_EQ(wandering.change_count(), 0);
  wandering.solve(b, x);
  EXPECT_EQ(x, plain);
  // A new factor starts without changes, even if held rows are set for the one after.
  ASSERT_EQ(wandering.update(pins.changes), LinearStatus::solved);
  ASSERT_EQ(wandering.factor(pins.matrix), LinearStatus::solved);
  wandering.set_held({});
  wandering.solve(b, x);
  EXPECT_EQ(x, plain);
  ASSERT_EQ(wandering.update(pins.changes), LinearStatus::solved);
  wandering.solve(b, x);
  EXPECT_EQ(x, expected);
}

TEST(ConstantFactor, UpdatedSolutionHasTheSameBitsForAnyThreadCount) {
  const ChangingPins pins(test::Grid{90, 83, 1});
  const BlockVector b = test::random_vector(pins.grid.size(), 15);
  for (const FactorStorage storage : {FactorStorage::float64, FactorStorage::float32, FactorStorage::float16}) {
    BlockVector expected(pins.grid.size());
    for (const int threads : {1, 2, 3, 8}) {
      set_thread_count(threads);
      ConstantFactor solver(storage);
      solver.set_held(pins.held);
      ASSERT_EQ(solver.factor(pins.matrix), LinearStatus::solved);
      ASSERT_EQ(solver.update(pins.changes), LinearStatus::solved);
      BlockVector x(pins.grid.size());
      solver.solve(b, x);
      if (threads == 1) expected = x;
      EXPECT_EQ(x, expected) << threads << " threads";
    }
  }
  set_thread_count(0);
}

TEST(ConstantFactor, RefusesMoreChangesThanPay) {
  const test::Grid grid{50, 50, 1};
  const SymmetricScalarMatrix matrix = grid_laplacian(grid, 0.1);
  const BlockVector known = test::random_vector(grid.size(), 16), b = image_of(matrix, known);
  ConstantFactor solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  std::vector<RowChange> changes;
  for (int k = 0; k < solver.most_changes(); ++k) changes.push_back({.row = 30 * k, .state = RowState::held});
  EXPECT_GE(solver.most_changes(), 8);
  EXPECT_EQ(solver.update(changes), LinearStatus::solved);
  changes.push_back({.row = 1, .state = RowState::held});
  EXPECT_EQ(solver.update(changes), LinearStatus::not_converged);
  // Refused, the factor is as it was.
  BlockVector x(grid.size());
  solver.solve(b, x);
  EXPECT_LT(test::relative_difference(x, known), 1e-13);
  EXPECT_EQ(solver.change_count(), 0);
}

TEST(ConstantFactor, UpdatesOfIllScaledMatrices) {
  // Rows of stiffness 1e8, and the whole in units of 1e-9: as accurate as a factor of the changed matrix.
  ChangingPins pins(test::Grid{40, 31, 1});
  for (int i = 0; i < pins.grid.size(); i += 9) pins.matrix.add(i, i, 1e8);
  for (double& value : pins.matrix.values()) value *= 1e-9;
  for (RowChange& change : pins.changes) change.diagonal *= 1e-9;
  const auto [matrix, held] = pins.changed();
  BlockVector known = test::random_vector(pins.grid.size(), 17);
  for (int i = 0; i < known.size(); ++i) {
    if (held[static_cast<std::size_t>(i)]) known[i].setZero();
  }
  BlockVector b = image_of(matrix, known);
  for (int i = 0; i < b.size(); ++i) {
    if (held[static_cast<std::size_t>(i)]) b[i].setZero();
  }
  ConstantFactor fresh, updated;
  fresh.set_held(held);
  const double fresh_error = test::relative_difference(solve_with(fresh, matrix, b), known);
  updated.set_held(pins.held);
  ASSERT_EQ(updated.factor(pins.matrix), LinearStatus::solved);
  ASSERT_EQ(updated.update(pins.changes), LinearStatus::solved);
  BlockVector x(pins.grid.size());
  updated.solve(b, x);
  EXPECT_LT(test::relative_difference(x, known), 10 * fresh_error + 1e-15);
}

TEST(HalfPrecision, RoundsToTheNearestAndBack) {
  for (std::uint32_t bits = 0; bits < 0x7c00u; ++bits) {
    const Half h{static_cast<std::uint16_t>(bits)}, next{static_cast<std::uint16_t>(bits + 1)};
    const float value = float_of(h);
    EXPECT_EQ(half_of(value).bits, bits);
    EXPECT_EQ(half_of(-value).bits, bits | 0x8000u);
    if (bits + 1 == 0x7c00u) break;
    const float middle = 0.5f * (value + float_of(next));
    EXPECT_EQ(half_of(std::nextafter(middle, 0.0f)).bits, bits);
    EXPECT_EQ(half_of(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(half_of(std::nextafter(middle, 1e6f)).bits, bits + 1);
  }
  EXPECT_EQ(float_of(half_of(65504.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(float_of(half_of(65520.0f))));
  EXPECT_TRUE(std::isnan(float_of(half_of(std::numeric_limits<float>::quiet_NaN()))));
#if defined(__F16C__)
  // The vector conversion is the same function.
  for (std::uint32_t bits = 0; bits < 0x7c00u; bits += 8) {
    Half eight[8];
    for (std::uint32_t k = 0; k < 8; ++k) eight[k] = {static_cast<std::uint16_t>(bits + k)};
    const auto vector = load_stored(eight);
    for (int k = 0; k < 8; ++k) EXPECT_EQ(vector[k], float_of(eight[k]));
  }
#endif
}

}  // namespace
}  // namespace pliant::linear
