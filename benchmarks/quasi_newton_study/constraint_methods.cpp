#include "benchmarks/quasi_newton_study/constraint_methods.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace pliant::study {
namespace {

// Redundant constraints make C M⁻¹ Cᵀ singular: this share of its mean diagonal is added.
constexpr double kRegularisation = 1e-9;

std::vector<double> inverse_masses(const StudyStep& step) {
  std::vector<double> inverse;
  for (const double mass : step.inertia.masses()) inverse.push_back(1 / mass);
  for (const int block : step.attached) inverse[static_cast<std::size_t>(block)] = 0;
  return inverse;
}

BlockVector start_of(const StudyStep& step) {
  BlockVector x = step.target;
  for (std::size_t i = 0; i < step.attached.size(); ++i) x[step.attached[i]] = step.controls.soft_pin_targets[i];
  return x;
}

}  // namespace

BlockVector project_pbd(const StudyStep& step, const PbdOptions& options) {
  const std::vector<double> w = inverse_masses(step);
  BlockVector x = start_of(step);
  for (int k = 0; k < options.iterations; ++k) {
    for (const spring::Spring& s : step.springs) {
      const double w0 = w[static_cast<std::size_t>(s.first)], w1 = w[static_cast<std::size_t>(s.second)];
      if (w0 + w1 == 0) continue;
      const Vec3 d = x[s.second] - x[s.first];
      const double length = d.norm();
      const Vec3 correction = options.share * (length - s.rest_length) / (length * (w0 + w1)) * d;
      x[s.first] += w0 * correction;
      x[s.second] -= w1 * correction;
    }
  }
  return x;
}

BlockVector project_sap(const StudyStep& step, int iterations) {
  const std::vector<double> w = inverse_masses(step);
  const int constraints = static_cast<int>(step.springs.size());
  BlockVector x = start_of(step);
  Eigen::SparseMatrix<double> gradients(3 * step.count(), constraints);  // √(M⁻¹) Cᵀ
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver;
  Eigen::VectorXd c(constraints);
  for (int k = 0; k < iterations; ++k) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < constraints; ++j) {
      const spring::Spring& s = step.springs[static_cast<std::size_t>(j)];
      const Vec3 d = x[s.second] - x[s.first];
      c[j] = d.norm() - s.rest_length;
      const Vec3 u = d.normalized();
      for (int axis = 0; axis < 3; ++axis) {
        entries.emplace_back(3 * s.first + axis, j, -std::sqrt(w[static_cast<std::size_t>(s.first)]) * u[axis]);
        entries.emplace_back(3 * s.second + axis, j, std::sqrt(w[static_cast<std::size_t>(s.second)]) * u[axis]);
      }
    }
    gradients.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseMatrix<double> system = gradients.transpose() * gradients;
    const double shift = kRegularisation * system.diagonal().mean();
    for (int j = 0; j < constraints; ++j) system.coeffRef(j, j) += shift;
    solver.compute(system);
    const Eigen::VectorXd move = gradients * solver.solve(c);
    for (int i = 0; i < step.count(); ++i) x[i] -= std::sqrt(w[static_cast<std::size_t>(i)]) * move.segment<3>(3 * i);
  }
  return x;
}

double largest_strain(const StudyStep& step, const BlockVector& x) {
  double largest = 0;
  for (const spring::Spring& s : step.springs)
    largest = std::max(largest, std::abs((x[s.second] - x[s.first]).norm() / s.rest_length - 1));
  return largest;
}

}  // namespace pliant::study
