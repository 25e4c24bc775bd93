#include "benchmarks/projection_study/spring_step.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace pliant::projection_study {
namespace {

using Eigen::VectorXd;

}  // namespace

SpringRun::SpringRun(const Cloth& cloth, Rival rival, int iterations, double step)
    : cloth_(cloth),
      rival_(rival),
      iterations_(iterations),
      h_(step),
      mass_(cloth.mass / static_cast<double>(cloth.points.size())) {
  int count = 0;
  for (std::size_t i = 0; i < cloth.points.size(); ++i) free_.push_back(cloth.is_held[i] != 0 ? -1 : count++);
  x_.resize(3 * count);
  v_ = VectorXd::Zero(3 * count);
  set_motion(cloth.points, std::vector<Vec3>(cloth.points.size(), Vec3::Zero()));
}

void SpringRun::set_motion(const std::vector<Vec3>& points, const std::vector<Vec3>& velocities) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (free_[i] < 0) continue;
    x_.segment<3>(3 * free_[i]) = points[i];
    v_.segment<3>(3 * free_[i]) = velocities[i];
  }
}

namespace {

Vec3 place(const Cloth& cloth, const std::vector<int>& free, const VectorXd& x, int i) {
  return free[i] < 0 ? cloth.points[i] : Vec3(x.segment<3>(3 * free[i]));
}

}  // namespace

VectorXd SpringRun::force(const VectorXd& x) const {
  VectorXd f = VectorXd::Zero(x.size());
  for (const SoftLink& link : cloth_.links) {
    const Vec3 d = place(cloth_, free_, x, link.block[1]) - place(cloth_, free_, x, link.block[0]);
    const double length = d.norm();
    const Vec3 pull = link.stiffness * (length - link.rest) / length * d;
    if (free_[link.block[0]] >= 0) f.segment<3>(3 * free_[link.block[0]]) += pull;
    if (free_[link.block[1]] >= 0) f.segment<3>(3 * free_[link.block[1]]) -= pull;
  }
  return f;
}

// k (n nᵀ + (1 − l/|d|)(1 − n nᵀ)); the second part only if wanted, and never negative if clamped.
SpringRun::Sparse SpringRun::stiffness(const VectorXd& x, bool with_geometry, bool clamps) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (const SoftLink& link : cloth_.links) {
    const Vec3 d = place(cloth_, free_, x, link.block[1]) - place(cloth_, free_, x, link.block[0]);
    const double length = d.norm();
    const Vec3 n = d / length;
    Mat3 block = link.stiffness * n * n.transpose();
    const double across = clamps ? std::max(1 - link.rest / length, 0.0) : 1 - link.rest / length;
    if (with_geometry) block += link.stiffness * across * (Mat3::Identity() - n * n.transpose());
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const int row = free_[link.block[i]], column = free_[link.block[j]];
        if (row < 0 || column < 0) continue;
        for (int a = 0; a < 9; ++a)
          entries.emplace_back(3 * row + a / 3, 3 * column + a % 3, (i == j ? 1 : -1) * block(a / 3, a % 3));
      }
    }
  }
  Sparse matrix(x.size(), x.size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void SpringRun::step() {
  VectorXd target = x_ + h_ * v_;
  for (Eigen::Index i = 1; i < target.size(); i += 3) target[i] -= h_ * h_ * kGravity;
  const VectorXd before = x_;
  const double start = processor_seconds();
  switch (rival_) {
    case Rival::ncg:
      step_ncg(target);
      break;
    case Rival::linear_cg:
      step_linear(target, false);
      break;
    case Rival::linear_exact:
      step_linear(target, true);
      break;
    case Rival::fast_projection:
      step_fast(target);
      break;
    case Rival::newton:
      step_newton(target);
      break;
    case Rival::kkt:
      step_kkt(target);
      break;
  }
  target_ = target;
  seconds_ += processor_seconds() - start;
  v_ = (x_ - before) / h_;
}

void SpringRun::step_ncg(const VectorXd& target) {
  x_ = target;
  VectorXd r = h_ * force(x_), d = r;
  double delta = r.squaredNorm();
  for (int k = 0; k < iterations_ && delta > 1e-30; ++k) {
    // q = (M + h² k JᵀJ) d, matrix-free
    VectorXd q = mass_ * d;
    for (const SoftLink& link : cloth_.links) {
      const int i = free_[link.block[0]], j = free_[link.block[1]];
      const Vec3 n = (place(cloth_, free_, x_, link.block[1]) - place(cloth_, free_, x_, link.block[0])).normalized();
      double along = 0;
      if (j >= 0) along += n.dot(d.segment<3>(3 * j));
      if (i >= 0) along -= n.dot(d.segment<3>(3 * i));
      const Vec3 pull = h_ * h_ * link.stiffness * along * n;
      if (j >= 0) q.segment<3>(3 * j) += pull;
      if (i >= 0) q.segment<3>(3 * i) -= pull;
    }
    x_ += h_ * (delta / q.dot(d)) * d;
    r = h_ * force(x_) - mass_ / h_ * (x_ - target);
    const double next = r.squaredNorm();
    d = r + next / delta * d;
    delta = next;
  }
}

// (M + h² K(x_b)) Δv = h f(x̃) about x̃, one linear solve.
void SpringRun::step_linear(const VectorXd& target, bool is_exact) {
  x_ = target;
  Sparse matrix = h_ * h_ * stiffness(x_, true, true);
  for (Eigen::Index i = 0; i < x_.size(); ++i) matrix.coeffRef(i, i) += mass_;
  const VectorXd b = h_ * force(x_);
  VectorXd dv;
  if (is_exact) {
    dv = Eigen::SimplicialLDLT<Sparse>(matrix).solve(b);
  } else {
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver(matrix);
    solver.setMaxIterations(iterations_);
    solver.setTolerance(1e-12);
    dv = solver.solve(b);
  }
  x_ += h_ * dv;
}

void SpringRun::step_fast(const VectorXd& target) {
  x_ = target;
  const auto rows = static_cast<Eigen::Index>(cloth_.links.size());
  VectorXd multipliers = VectorXd::Zero(rows);
  for (int k = 0; k < iterations_; ++k) {
    std::vector<Eigen::Triplet<double>> entries;
    VectorXd c(rows);
    Sparse matrix(rows, rows);
    for (Eigen::Index l = 0; l < rows; ++l) {
      const SoftLink& link = cloth_.links[static_cast<std::size_t>(l)];
      const Vec3 d = place(cloth_, free_, x_, link.block[1]) - place(cloth_, free_, x_, link.block[0]);
      c[l] = d.norm() - link.rest + multipliers[l] / (h_ * h_ * link.stiffness);
      for (int end = 0; end < 2; ++end) {
        const int i = free_[link.block[end]];
        for (int a = 0; a < 3 && i >= 0; ++a) entries.emplace_back(l, 3 * i + a, (end == 1 ? 1 : -1) * d[a] / d.norm());
      }
    }
    Sparse jacobian(rows, x_.size());
    jacobian.setFromTriplets(entries.begin(), entries.end());
    matrix = 1 / mass_ * (jacobian * Sparse(jacobian.transpose()));
    for (Eigen::Index l = 0; l < rows; ++l)
      matrix.coeffRef(l, l) += 1 / (h_ * h_ * cloth_.links[static_cast<std::size_t>(l)].stiffness);
    const VectorXd change = Eigen::SimplicialLDLT<Sparse>(matrix).solve(-c);
    multipliers += change;
    const VectorXd move = 1 / mass_ * (jacobian.transpose() * change);
    x_ += move;
    if (move.cwiseAbs().maxCoeff() < 1e-13) break;
  }
}

double SpringRun::objective(const VectorXd& x, const VectorXd& target) const {
  double sum = 0.5 * mass_ / (h_ * h_) * (x - target).squaredNorm();
  for (const SoftLink& link : cloth_.links) {
    const double c =
        (place(cloth_, free_, x, link.block[1]) - place(cloth_, free_, x, link.block[0])).norm() - link.rest;
    sum += 0.5 * link.stiffness * c * c;
  }
  return sum;
}

void SpringRun::step_newton(const VectorXd& target) {
  x_ = target;
  for (int k = 0; k < 200; ++k) {
    const VectorXd gradient = mass_ / (h_ * h_) * (x_ - target) - force(x_);
    if (gradient.cwiseAbs().maxCoeff() < 1e-11) break;
    VectorXd move;
    for (const bool clamps : {false, true}) {
      Sparse matrix = stiffness(x_, true, clamps);
      for (Eigen::Index i = 0; i < x_.size(); ++i) matrix.coeffRef(i, i) += mass_ / (h_ * h_);
      move = Eigen::SimplicialLDLT<Sparse>(matrix).solve(-gradient);
      if (move.dot(gradient) < 0) break;
    }
    double length = 1;
    const double value = objective(x_, target);
    while (length > 1e-10 && objective(x_ + length * move, target) > value + 1e-4 * length * move.dot(gradient))
      length *= 0.5;
    x_ += length * move;
  }
}

VectorXd SpringRun::kkt_residual(const VectorXd& x, const VectorXd& multipliers, const VectorXd& target) const {
  VectorXd r(x.size() + multipliers.size());
  r.head(x.size()) = x - target;
  for (Eigen::Index l = 0; l < multipliers.size(); ++l) {
    const SoftLink& link = cloth_.links[static_cast<std::size_t>(l)];
    const Vec3 d = place(cloth_, free_, x, link.block[1]) - place(cloth_, free_, x, link.block[0]);
    for (int end = 0; end < 2; ++end) {
      const int i = free_[link.block[end]];
      if (i >= 0) r.segment<3>(3 * i) -= (end == 1 ? 1 : -1) * multipliers[l] / mass_ * d.normalized();
    }
    r[x.size() + l] = -(d.norm() - link.rest) - multipliers[l] / (h_ * h_ * link.stiffness);
  }
  return r;
}

SpringRun::Sparse SpringRun::kkt_matrix(const VectorXd& x, const VectorXd& multipliers) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < x.size(); ++i) entries.emplace_back(i, i, mass_);
  for (Eigen::Index l = 0; l < multipliers.size(); ++l) {
    const SoftLink& link = cloth_.links[static_cast<std::size_t>(l)];
    const Vec3 d = place(cloth_, free_, x, link.block[1]) - place(cloth_, free_, x, link.block[0]);
    const Vec3 n = d.normalized();
    const Mat3 turning = -multipliers[l] / d.norm() * (Mat3::Identity() - n * n.transpose());
    const Eigen::Index row = x.size() + l;
    entries.emplace_back(row, row, -1 / (h_ * h_ * link.stiffness));
    for (int i = 0; i < 2; ++i) {
      const int at = free_[link.block[i]];
      if (at < 0) continue;
      for (int a = 0; a < 3; ++a) {
        const double entry = (i == 1 ? -1 : 1) * n[a];
        entries.emplace_back(row, 3 * at + a, entry);
        entries.emplace_back(3 * at + a, row, entry);
      }
      for (int j = 0; j < 2; ++j) {
        const int other = free_[link.block[j]];
        for (int k = 0; k < 9 && other >= 0; ++k)
          entries.emplace_back(3 * at + k / 3, 3 * other + k % 3, (i == j ? 1 : -1) * turning(k / 3, k % 3));
      }
    }
  }
  const Eigen::Index size = x.size() + multipliers.size();
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Steps are halved until the residual, a length, has become smaller.
void SpringRun::step_kkt(const VectorXd& target) {
  x_ = target;
  VectorXd multipliers = VectorXd::Zero(static_cast<Eigen::Index>(cloth_.links.size()));
  for (int k = 0; k < iterations_; ++k) {
    const VectorXd r = kkt_residual(x_, multipliers, target);
    if (r.cwiseAbs().maxCoeff() < 1e-13) break;
    VectorXd right = -r;
    right.head(x_.size()) *= mass_;
    Eigen::SparseLU<Sparse> solver(kkt_matrix(x_, multipliers));
    if (solver.info() != Eigen::Success) break;
    const VectorXd change = solver.solve(right);
    double length = 1;
    const auto residual_after = [&] {
      return kkt_residual(x_ + length * change.head(x_.size()), multipliers + length * change.tail(multipliers.size()),
                          target)
          .norm();
    };
    while (length > 1e-3 && residual_after() > (1 - 1e-4 * length) * r.norm()) length *= 0.5;
    x_ += length * change.head(x_.size());
    multipliers += length * change.tail(multipliers.size());
  }
}

double SpringRun::inertia(const VectorXd& x) const { return 0.5 * mass_ / (h_ * h_) * (x - target_).squaredNorm(); }

double SpringRun::link_error() const {
  double sum = 0;
  for (const SoftLink& link : cloth_.links)
    sum += std::abs((place(cloth_, free_, x_, link.block[1]) - place(cloth_, free_, x_, link.block[0])).norm() -
                    link.rest);
  return sum;
}

double SpringRun::total_energy() const {
  double sum = objective(x_, x_) + 0.5 * mass_ * v_.squaredNorm();
  for (std::size_t i = 0; i < cloth_.points.size(); ++i)
    sum += mass_ * kGravity * place(cloth_, free_, x_, static_cast<int>(i)).y();
  return sum;
}

double SpringRun::worst_stretch() const {
  double worst = 0;
  for (const SoftLink& link : cloth_.links) {
    const Vec3 d = place(cloth_, free_, x_, link.block[1]) - place(cloth_, free_, x_, link.block[0]);
    worst = std::max(worst, d.norm() / link.rest - 1);
  }
  return worst;
}

}  // namespace pliant::projection_study
