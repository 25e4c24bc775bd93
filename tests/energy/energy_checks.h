// Small models and the checks that every energy must pass: derivatives against finite differences, invariance, no net
// force or torque, definiteness, equality with the scalar oracle, same bits for any number of threads.
// Defined in energy_checks_test.cpp, which also tests that the checks can fail.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pliant/energy/energy.h"
#include "pliant/energy/solid/tet_elements.h"
#include "tests/energy/scalar_oracle.h"

namespace pliant::checks {

// --- Random numbers, from fixed seeds ---

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  Vec3 vector(double size = 1);  // in a cube
  Mat3 rotation();               // by 0.3 to 3 radians

 private:
  std::mt19937 engine_;
};

// --- Models ---

struct TetModel {
  std::vector<Vec3> rest, moved;
  std::vector<Vec4i> tets;
  std::shared_ptr<solid::TetElements> elements;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  BlockVector now, before;  // moved and rest, at first
  Controls controls;
  double step = 0.01;  // s

  void finish();  // once rest, moved and tets are filled
  [[nodiscard]] int tet_count() const { return static_cast<int>(tets.size()); }
  [[nodiscard]] Configuration configuration() const { return {now, before, step, controls}; }
  [[nodiscard]] oracle::Mesh mesh() const { return {tets, rest, moved}; }
};

void move(TetModel& model, const Mat3& rotation, const Vec3& shift);
// Separate tets of random shape; tet t has the deformation gradient gradients[t] and the vertices 4t … 4t + 3.
[[nodiscard]] TetModel make_soup(const std::vector<Mat3>& gradients, unsigned seed = 1);
// A box of jittered unit cells, bent, twisted and shaken by up to `noise`; from 0.3 on some tets turn inside out.
[[nodiscard]] TetModel make_bent_box(std::array<int, 3> cells, double noise = 0.06, unsigned seed = 2);
// U diag(stretches) Vᵀ with random rotations
[[nodiscard]] Mat3 turned(const Vec3& stretches, Random& random);
// All classes of states: rest, near rest, large, near-flat and flat, inverted, equal stretches. 37 of them, so that one
// lane of the last group is used.
[[nodiscard]] std::vector<Mat3> gradients_of_all_classes();

// --- Evaluation ---

struct Evaluation {
  double value = 0;
  BlockVector gradient;
  sparse::SymmetricBlockMatrix hessian;
};

[[nodiscard]] Evaluation evaluate(const Energy& energy, const TetModel& model, HessianKind kind = HessianKind::exact);
[[nodiscard]] double value_of(const Energy& energy, const TetModel& model);
[[nodiscard]] BlockVector gradient_of(const Energy& energy, const TetModel& model);
[[nodiscard]] Eigen::VectorXd flat(const BlockVector& x);
[[nodiscard]] Eigen::MatrixXd dense(const sparse::SymmetricBlockMatrix& a);
// The matrix of tet t of a soup.
[[nodiscard]] oracle::Mat12 element_matrix(const sparse::SymmetricBlockMatrix& hessian, int t);

// --- Checks ---

// |actual − expected| ≤ tolerance (|expected| + scale)
void expect_close(const Eigen::MatrixXd& expected, const Eigen::MatrixXd& actual, double tolerance, double scale = 0,
                  const std::string& what = "");
// Errors of central differences at h, h/2, h/4, h/8 fall with the second order, or are down to rounding.
void expect_second_order(const std::array<double, 4>& errors, double scale, const char* what);
// Gradient against differences of the value, Hessian against differences of the gradient, along random directions.
void expect_derivatives_converge(const Energy& energy, TetModel model, double largest_step = 4e-3);
// Value alone, gradient alone, Hessian alone and all three at once agree.
void expect_views_agree(const Energy& energy, const TetModel& model);
// Results are added to what is there.
void expect_adds(const Energy& energy, const TetModel& model);
void expect_no_net_force(const Energy& energy, const TetModel& model);
void expect_no_net_torque(const Energy& energy, const TetModel& model);
// A rigid motion leaves the value and turns gradient and Hessian with the body.
void expect_rotation_invariant(const Energy& energy, const TetModel& model);
void expect_projected_is_semidefinite(const Energy& energy, const TetModel& model);
// Equal bits for 1, 2, 3 and 8 threads.
void expect_same_bits_for_any_thread_count(const Energy& energy, const TetModel& model);

// Value, gradient and both Hessians equal the oracle's within 1e-10, element by element of a soup. Where the oracle's
// result vanishes, differences count relative to `modulus` [Pa].
void expect_soup_equals_oracle(const Energy& energy, const TetModel& soup, const oracle::LawOf& law_of, double modulus);
// The same after assembly on a connected mesh.
void expect_assembled_equals_oracle(const Energy& energy, const TetModel& model, const oracle::LawOf& law_of);
// Elements of a soup that are semi-definite already are not changed by the projection; there are at least three.
void expect_projection_leaves_definite_elements(const Energy& energy, const TetModel& soup,
                                                const oracle::LawOf& law_of);

}  // namespace pliant::checks
