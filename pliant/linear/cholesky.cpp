// Sparse Cholesky by CHOLMOD or, built without it, by Eigen: each is one class Factorization; the rest is common.
#include "pliant/linear/cholesky.h"

#include <numeric>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

#ifdef PLIANT_WITH_CHOLMOD
#include <new>

#include "pliant/linear/cholmod_calls.h"
#else
#include <Eigen/SparseCholesky>
#endif

namespace pliant::linear {

#ifdef PLIANT_WITH_CHOLMOD
class Cholesky::Factorization {
 public:
  Factorization() { start_silently(common_); }
  ~Factorization() {
    cholmod_l_free_factor(&factor_, &common_);
    for (cholmod_dense** dense : {&x_, &y_, &e_}) cholmod_l_free_dense(dense, &common_);
    cholmod_l_finish(&common_);
  }
  Factorization(const Factorization&) = delete;
  Factorization& operator=(const Factorization&) = delete;

  // The better of two orders of elimination, for fill, postordered.
  std::vector<int> order_blocks(const sparse::BlockPattern& pattern) {
    common_.nmethods = 2;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.method[1].ordering = CHOLMOD_METIS;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_SIMPLICIAL;
    // Upper block rows are lower block columns.
    std::vector<std::int64_t> start(pattern.row_start().begin(), pattern.row_start().end());
    std::vector<std::int64_t> row(pattern.column().begin(), pattern.column().end());
    cholmod_sparse graph = lower_triangle(pattern.row_count(), start, row, nullptr);
    cholmod_factor* symbolic = cholmod_l_analyze(&graph, &common_);
    check_memory();
    PLIANT_ASSERT(symbolic, "the graph of the matrix can be ordered");
    const auto* perm = static_cast<const std::int64_t*>(symbolic->Perm);
    std::vector<int> order(perm, perm + pattern.row_count());
    cholmod_l_free_factor(&symbolic, &common_);
    return order;
  }

  void analyze(PermutedLower& lower) {
    values_.assign(static_cast<std::size_t>(lower.entry_count()), 0.0);
    matrix_ = lower_triangle(lower.size(), lower.column_start(), lower.row_index(), values_.data());
    // The matrix comes permuted, so that CHOLMOD neither copies nor transposes it.
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = 0;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    factor_ = cholmod_l_analyze(&matrix_, &common_);
    check_memory();
    PLIANT_ASSERT(factor_, "the pattern of the matrix can be analysed");
  }

  std::span<double> values() { return values_; }

  // As CHOLMOD counted them in its analysis.
  [[nodiscard]] double operations() const { return common_.fl; }

  LinearStatus factorize(BlasThreads threads) {
    const CholmodCall call(threads == BlasThreads::one ? 1 : thread_count());
    cholmod_l_factorize(&matrix_, factor_, &common_);
    check_memory();
    const bool whole = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    return whole ? LinearStatus::solved : LinearStatus::not_positive_definite;
  }

  // L Lᵀ x = b
  std::span<const double> solve(std::span<double> b, BlasThreads threads) {
    const CholmodCall call(threads == BlasThreads::one ? 1 : thread_count());
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = b.size();
    right.ncol = 1;
    right.x = b.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_l_solve2(CHOLMOD_A, factor_, &right, nullptr, &x_, nullptr, &y_, &e_, &common_);
    check_memory();
    PLIANT_ASSERT(x_, "a factored system can be solved");
    return {static_cast<const double*>(x_->x), b.size()};
  }

  [[nodiscard]] std::size_t memory_bytes() const { return common_.memory_inuse + sizeof(double) * values_.capacity(); }

 private:
  void check_memory() const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE) throw std::bad_alloc();
  }

  cholmod_common common_{};
  cholmod_sparse matrix_{};
  std::vector<double> values_;
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;  // solution and workspace, kept from solve to solve
};

#else

class Cholesky::Factorization {
 public:
  // Eigen permutes by itself: blocks keep their order here.
  std::vector<int> order_blocks(const sparse::BlockPattern& pattern) {
    std::vector<int> order(pattern.row_count());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  void analyze(PermutedLower& lower) {
    std::vector<double> zeros(static_cast<std::size_t>(lower.entry_count()), 0.0);
    matrix_ = Eigen::Map<const Matrix>(lower.size(), lower.size(), lower.entry_count(), lower.column_start().data(),
                                       lower.row_index().data(), zeros.data());
    factor_.analyzePattern(matrix_);
  }

  std::span<double> values() { return {matrix_.valuePtr(), static_cast<std::size_t>(matrix_.nonZeros())}; }

  [[nodiscard]] double operations() const { return factor_.operations(); }

  LinearStatus factorize(BlasThreads) {
    factor_.factorize(matrix_);
    const bool whole = factor_.info() == Eigen::Success && (factor_.vectorD().array() > 0).all();
    return whole ? LinearStatus::solved : LinearStatus::not_positive_definite;
  }

  std::span<const double> solve(std::span<double> b, BlasThreads) {
    x_ = factor_.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size())));
    return {x_.data(), b.size()};
  }

  // The factor holds a value and a row index per entry.
  [[nodiscard]] std::size_t memory_bytes() const {
    const auto entries = static_cast<std::size_t>(matrix_.nonZeros() + factor_.matrixL().nestedExpression().nonZeros());
    return entries * (sizeof(double) + sizeof(std::int64_t));
  }

 private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t>;
  class Factor : public Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<std::int64_t> > {
   public:
    // After the analysis L has its columns, not yet its entries.
    [[nodiscard]] double operations() const {
      double sum = 0;
      for (Eigen::Index j = 0; j < m_matrix.outerSize(); ++j) {
        const auto below = static_cast<double>(m_matrix.outerIndexPtr()[j + 1] - m_matrix.outerIndexPtr()[j]);
        sum += (1 + below) * (1 + below);
      }
      return sum;
    }
  };
  Matrix matrix_;
  Factor factor_;
  Eigen::VectorXd x_;
};

#endif

Cholesky::Cholesky(BlasThreads blas_threads) : blas_threads_(blas_threads) {}
Cholesky::~Cholesky() = default;

void Cholesky::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  if (pattern == pattern_) return;
  matrix_ = nullptr;
  pattern_ = nullptr;
  factorization_ = std::make_unique<Factorization>();
  lower_ = PermutedLower(*pattern, factorization_->order_blocks(*pattern));
  factorization_->analyze(lower_);
  permuted_b_.assign(static_cast<std::size_t>(lower_.size()), 0.0);
  row_count_ = pattern->row_count();
  pattern_ = pattern;
}

LinearStatus Cholesky::factor(const sparse::SymmetricBlockMatrix& matrix) {
  analyze(matrix.shared_pattern());
  matrix_ = nullptr;
  if (lower_.copy_values(matrix, factorization_->values()) == PermutedLower::Finite::no)
    return LinearStatus::not_finite;
  const LinearStatus status = factorization_->factorize(blas_threads_);
  if (status == LinearStatus::solved) matrix_ = &matrix;
  return status;
}

LinearReport Cholesky::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  PLIANT_ASSERT(b.size() == row_count_ && x.size() == row_count_, "vectors have a block per row of the matrix");
  lower_.permute(b, permuted_b_);
  lower_.permute_back(factorization_->solve(permuted_b_, blas_threads_), x);
  LinearReport report;
  if (!sparse::all_finite(x)) report.status = LinearStatus::not_finite;
  return report;
}

double Cholesky::factor_operations() const { return factorization_ ? factorization_->operations() : 0; }

std::size_t Cholesky::memory_bytes() const {
  if (!factorization_) return 0;
  return factorization_->memory_bytes() + lower_.memory_bytes() + sizeof(double) * permuted_b_.capacity();
}

}  // namespace pliant::linear
