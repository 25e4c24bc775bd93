// Lanczos' three-term recurrence in the inner product of D⁻¹.
#include "pliant/linear/multigrid/spectral_radius.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kLanczosGrain = 1024;  // rows per task

// Numbers in (−1, 1) that depend on the place alone.
template <int B>
void fill_start(int rows, std::vector<float>& y) {
  std::uint32_t state = 2463534242U;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < B; ++k) {
      state ^= state << 13U;
      state ^= state >> 17U;
      state ^= state << 5U;
      y[at_node<B>(i) + k] = static_cast<float>(state) / 2147483648.0F - 1;
    }
  }
}

template <int B>
class Lanczos {
 public:
  explicit Lanczos(const LevelMatrix<B>& matrix) : matrix_(matrix), rows_(matrix.row_count()) {
    for (std::vector<float>* v : {&v_, &y_, &y_old_, &z_}) v->assign(at_node<B>(rows_), 0.0F);
  }

  double run(int steps) {
    fill_start<B>(rows_, z_);
    double beta = normalise();
    std::vector<double> alphas, betas;
    for (int step = 0; step < steps && beta > 0; ++step) {
      matrix_.multiply(v_.data(), z_.data());
      const double alpha = dot(v_, z_);
      alphas.push_back(alpha);
      subtract(alpha, step == 0 ? 0 : beta);
      y_old_.swap(y_);
      const double last = beta;
      beta = normalise();
      // What is left is rounding: the Krylov space is exhausted.
      if (!(beta > 1e-5 * (std::abs(alpha) + last))) break;
      betas.push_back(beta);
    }
    return largest_eigenvalue(alphas, betas);
  }

 private:
  double dot(const std::vector<float>& a, const std::vector<float>& b) const {
    return parallel_sum(rows_, [&](int begin, int end) {
      double sum = 0;
      for (std::size_t k = at_node<B>(begin); k < at_node<B>(end); ++k) sum += static_cast<double>(a[k]) * b[k];
      return sum;
    });
  }
  // v = D⁻¹ z / β, y = z / β; returns β = √(zᵀ D⁻¹ z)
  double normalise() {
    parallel_for(rows_, kLanczosGrain, [&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        store_floats(v_.data() + at_node<B>(i),
                     symmetric_product<B>(matrix_.inverse.data() + at_block<B>(i),
                                          load_floats<BlockRegister<B>>(z_.data() + at_node<B>(i))));
    });
    const double beta = std::sqrt(std::max(0.0, dot(v_, z_)));
    if (!(beta > 0)) return 0;
    const auto factor = static_cast<float>(1 / beta);
    parallel_for(rows_, kLanczosGrain, [&](int begin, int end) {
      for (std::size_t k = at_node<B>(begin); k < at_node<B>(end); ++k) {
        v_[k] *= factor;
        y_[k] = z_[k] * factor;
      }
    });
    return beta;
  }
  // z −= α y + β y_old
  void subtract(double alpha, double beta) {
    const auto a = static_cast<float>(alpha), b = static_cast<float>(beta);
    parallel_for(rows_, kLanczosGrain, [&](int begin, int end) {
      for (std::size_t k = at_node<B>(begin); k < at_node<B>(end); ++k) z_[k] -= a * y_[k] + b * y_old_[k];
    });
  }
  static double largest_eigenvalue(const std::vector<double>& alphas, const std::vector<double>& betas) {
    const int n = static_cast<int>(alphas.size());
    if (n == 0) return 0;
    Eigen::MatrixXd t = Eigen::MatrixXd::Zero(n, n);
    for (int k = 0; k < n; ++k) t(k, k) = alphas[k];
    for (int k = 0; k + 1 < n; ++k) t(k, k + 1) = t(k + 1, k) = betas[k];
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(t, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  }

  const LevelMatrix<B>& matrix_;
  int rows_;
  std::vector<float> v_, y_, y_old_, z_;
};

}  // namespace

template <int B>
double spectral_radius(const LevelMatrix<B>& matrix, int steps) {
  return Lanczos<B>(matrix).run(steps);
}

template double spectral_radius<3>(const LevelMatrix<3>&, int);
template double spectral_radius<6>(const LevelMatrix<6>&, int);

}  // namespace pliant::linear
