// Solid energies written the plain way, one tet at a time: what the kernels of pliant/energy/solid must reproduce, and
// the baseline of their benchmark. Nothing here is shared with the kernels.
//
//   F = D_s D_m⁻¹,   E = V Ψ(F),   vec(F) = B x,   g = V Bᵀ vec(P),   K = V Bᵀ (dP/dF) B          [Liu2018 4.1, 4.2]
//
// Laws are textbook formulas in F with the differential dP(F; dF) by the product rule, so dP/dF (9×9) never passes
// through the eigensystem that the kernels use; laws known only by their stretches go through Eigen's Jacobi SVD.
// Projection: dense eigenvalue solve of dP/dF. Assembly: triplets.
//
// One source file per program includes scalar_oracle_definitions.h; all others need only this header.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::oracle {

using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

struct Svd {
  Mat3 u, v;
  Vec3 s;
};

// U and V rotations; the last stretch carries the sign of det F [Verschoor2019 1.8].
[[nodiscard]] Svd signed_svd(const Mat3& f);
// U Vᵀ
[[nodiscard]] Mat3 rotation_of(const Mat3& f);
// ½ (FᵀF − 1)
[[nodiscard]] Mat3 green_strain(const Mat3& f);

// --- Laws ---

class Law {
 public:
  virtual ~Law() = default;
  [[nodiscard]] virtual double density(const Mat3& f) const = 0;                      // J/m³
  [[nodiscard]] virtual Mat3 stress(const Mat3& f) const = 0;                         // P [Pa]
  [[nodiscard]] virtual Mat3 stress_change(const Mat3& f, const Mat3& df) const = 0;  // dP along dF
};

using LawPointer = std::unique_ptr<const Law>;

// μ, λ [Pa] or as the law's header in pliant/energy/solid names them.
[[nodiscard]] LawPointer neo_hookean(double mu, double lambda);
[[nodiscard]] LawPointer stable_neo_hookean(double mu, double lambda);
[[nodiscard]] LawPointer corotated(double mu, double lambda);
[[nodiscard]] LawPointer st_venant_kirchhoff(double mu, double lambda);
[[nodiscard]] LawPointer linear(double mu, double lambda);
[[nodiscard]] LawPointer mooney_rivlin(double c1, double c2, double kappa);
[[nodiscard]] LawPointer polynomial(double mu);
[[nodiscard]] LawPointer fibre(double kappa, const Vec3& direction);
// A law known by its stretches: the generic eigensystem with plain quotients [Teran2005].
struct OfStretches {
  std::function<double(const Vec3&)> density;
  std::function<Vec3(const Vec3&)> first;
  std::function<Mat3(const Vec3&)> second;
};
[[nodiscard]] LawPointer of_stretches(OfStretches functions);

// --- One tet ---

enum class Kind { exact, projected };

struct Element {
  double volume = 0;                  // m³
  Eigen::Matrix<double, 9, 12> from;  // B
  Mat3 f;

  Element(const std::array<Vec3, 4>& rest, const std::array<Vec3, 4>& now);
};

struct ElementResult {
  double value = 0;
  Vec12 gradient;
  Mat12 hessian;
};

// d vec(P) / d vec(F), columns of the matrices stacked
[[nodiscard]] Mat9 stress_derivative(const Law& law, const Mat3& f);
[[nodiscard]] double smallest_eigenvalue(const Mat9& a);
[[nodiscard]] Vec12 gradient(const Law& law, const Element& element);
[[nodiscard]] ElementResult evaluate(const Law& law, const Element& element, Kind kind);

// --- Many tets ---

struct Mesh {
  std::span<const Vec4i> tets;
  std::span<const Vec3> rest, now;
};

[[nodiscard]] Element element_of(const Mesh& mesh, int tet);

struct Total {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::SparseMatrix<double> hessian;  // both halves
};

// law_of(t): the law of tet t with its own parameters.
using LawOf = std::function<LawPointer(int tet)>;
[[nodiscard]] Total assemble(const Mesh& mesh, const LawOf& law_of, Kind kind);

}  // namespace pliant::oracle
