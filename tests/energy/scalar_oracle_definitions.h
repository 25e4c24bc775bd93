// Definitions of scalar_oracle.h, for the one source file of a program that includes this.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "tests/energy/scalar_oracle.h"
#include "tests/support/dense_algebra.h"

namespace pliant::oracle {
namespace {

Mat3 cofactor(const Mat3& f) {
  Mat3 c;
  for (int k = 0; k < 3; ++k) c.col(k) = f.col((k + 1) % 3).cross(f.col((k + 2) % 3));
  return c;
}

// d cof(F) in the direction dF
Mat3 cofactor_change(const Mat3& f, const Mat3& df) {
  Mat3 c;
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    c.col(k) = df.col(a).cross(f.col(b)) + f.col(a).cross(df.col(b));
  }
  return c;
}

double inner(const Mat3& a, const Mat3& b) { return a.cwiseProduct(b).sum(); }

// 2 μ ε + λ tr(ε) 1
Mat3 hooke(double mu, double lambda, const Mat3& strain) {
  return 2 * mu * strain + lambda * strain.trace() * Mat3::Identity();
}

// ln J and its Taylor continuation below J = 0.1 [Liu2018 15.1]
struct LogOfVolume {
  double value, first, second;
  explicit LogOfVolume(double j) {
    const double j0 = 0.1;
    if (j >= j0) {
      value = std::log(j), first = 1 / j, second = -1 / (j * j);
    } else {
      value = std::log(j0) + (j - j0) / j0 - (j - j0) * (j - j0) / (2 * j0 * j0);
      first = 1 / j0 - (j - j0) / (j0 * j0), second = -1 / (j0 * j0);
    }
  }
};

class NeoHookean final : public Law {
 public:
  NeoHookean(double mu, double lambda) : mu_(mu), lambda_(lambda) {}
  double density(const Mat3& f) const override {
    const double l = LogOfVolume(f.determinant()).value;
    return mu_ / 2 * (f.squaredNorm() - 3) - mu_ * l + lambda_ / 2 * l * l;
  }
  Mat3 stress(const Mat3& f) const override {
    const LogOfVolume l(f.determinant());
    return mu_ * f + (lambda_ * l.value - mu_) * l.first * cofactor(f);
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const LogOfVolume l(f.determinant());
    const Mat3 c = cofactor(f);
    const double slope = (lambda_ * l.value - mu_) * l.first;
    const double curvature = lambda_ * l.first * l.first + (lambda_ * l.value - mu_) * l.second;
    return mu_ * df + curvature * inner(c, df) * c + slope * cofactor_change(f, df);
  }

 private:
  double mu_, lambda_;
};

class StableNeoHookean final : public Law {
 public:
  StableNeoHookean(double mu, double lambda)
      : m_(4.0 / 3.0 * mu), l_(lambda + 5.0 / 6.0 * mu), alpha_(1 + 3 * m_ / (4 * l_)) {}
  double density(const Mat3& f) const override {
    const double ic = f.squaredNorm(), j = f.determinant();
    return m_ / 2 * (ic - 3) - m_ / 2 * std::log((ic + 1) / 4) +
           l_ / 2 * (std::pow(j - alpha_, 2) - std::pow(1 - alpha_, 2));
  }
  Mat3 stress(const Mat3& f) const override {
    return m_ * (1 - 1 / (f.squaredNorm() + 1)) * f + l_ * (f.determinant() - alpha_) * cofactor(f);
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const double ic = f.squaredNorm();
    const Mat3 c = cofactor(f);
    return m_ * (1 - 1 / (ic + 1)) * df + 2 * m_ / ((ic + 1) * (ic + 1)) * inner(f, df) * f + l_ * inner(c, df) * c +
           l_ * (f.determinant() - alpha_) * cofactor_change(f, df);
  }

 private:
  double m_, l_, alpha_;
};

class Corotated final : public Law {
 public:
  Corotated(double mu, double lambda) : mu_(mu), lambda_(lambda) {}
  double density(const Mat3& f) const override {
    const Mat3 strain = rotation_of(f).transpose() * f - Mat3::Identity();
    return mu_ * strain.squaredNorm() + lambda_ / 2 * std::pow(strain.trace(), 2);
  }
  Mat3 stress(const Mat3& f) const override {
    const Mat3 r = rotation_of(f);
    return 2 * mu_ * (f - r) + lambda_ * (inner(r, f) - 3) * r;
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const Mat3 r = rotation_of(f), s = r.transpose() * f;
    // R turns by R [w]×; the skew part of Rᵀ dF = [w]× S + dS gives (tr S − S) w = axial(Rᵀ dF − dFᵀ R).
    const Mat3 skew = r.transpose() * df - df.transpose() * r;
    const Vec3 axial(skew(2, 1), skew(0, 2), skew(1, 0));
    const Mat3 system = s.trace() * Mat3::Identity() - s;
    const Vec3 w = system.fullPivLu().solve(axial);
    Mat3 cross;
    cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    return 2 * mu_ * df + (lambda_ * (s.trace() - 3) - 2 * mu_) * r * cross + lambda_ * inner(r, df) * r;
  }

 private:
  double mu_, lambda_;
};

class StVenantKirchhoff final : public Law {
 public:
  StVenantKirchhoff(double mu, double lambda) : mu_(mu), lambda_(lambda) {}
  double density(const Mat3& f) const override {
    const Mat3 e = green_strain(f);
    return mu_ * e.squaredNorm() + lambda_ / 2 * std::pow(e.trace(), 2);
  }
  Mat3 stress(const Mat3& f) const override { return f * hooke(mu_, lambda_, green_strain(f)); }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const Mat3 de = 0.5 * (df.transpose() * f + f.transpose() * df);
    return df * hooke(mu_, lambda_, green_strain(f)) + f * hooke(mu_, lambda_, de);
  }

 private:
  double mu_, lambda_;
};

class Linear final : public Law {
 public:
  Linear(double mu, double lambda) : mu_(mu), lambda_(lambda) {}
  double density(const Mat3& f) const override {
    const Mat3 e = 0.5 * (f + f.transpose()) - Mat3::Identity();
    return mu_ * e.squaredNorm() + lambda_ / 2 * std::pow(e.trace(), 2);
  }
  Mat3 stress(const Mat3& f) const override {
    return hooke(mu_, lambda_, 0.5 * (f + f.transpose()) - Mat3::Identity());
  }
  Mat3 stress_change(const Mat3&, const Mat3& df) const override {
    return hooke(mu_, lambda_, 0.5 * (df + df.transpose()));
  }

 private:
  double mu_, lambda_;
};

class MooneyRivlin final : public Law {
 public:
  MooneyRivlin(double c1, double c2, double kappa)
      : c1_(c1), c2_(c2), log_square_(kappa - 2.0 / 3.0 * 2 * (c1 + c2) - 4 * c2) {}
  double density(const Mat3& f) const override {
    const Mat3 c = f.transpose() * f;
    const double i1 = c.trace(), i2 = 0.5 * (i1 * i1 - (c * c).trace()), l = LogOfVolume(f.determinant()).value;
    return c1_ * (i1 - 3) + c2_ * (i2 - 3) - 2 * (c1_ + 2 * c2_) * l + log_square_ / 2 * l * l;
  }
  Mat3 stress(const Mat3& f) const override {
    const Mat3 c = f.transpose() * f;
    const LogOfVolume l(f.determinant());
    return 2 * c1_ * f + 2 * c2_ * (c.trace() * f - f * c) + excess(l) * l.first * cofactor(f);
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const Mat3 c = f.transpose() * f, dc = df.transpose() * f + f.transpose() * df, cof = cofactor(f);
    const LogOfVolume l(f.determinant());
    return 2 * c1_ * df + 2 * c2_ * (dc.trace() * f + c.trace() * df - df * c - f * dc) +
           (log_square_ * l.first * l.first + excess(l) * l.second) * inner(cof, df) * cof +
           excess(l) * l.first * cofactor_change(f, df);
  }

 private:
  double excess(const LogOfVolume& l) const { return log_square_ * l.value - 2 * (c1_ + 2 * c2_); }
  double c1_, c2_, log_square_;
};

class Fibre final : public Law {
 public:
  Fibre(double kappa, Vec3 direction) : kappa_(kappa), d_(std::move(direction)) {}
  double density(const Mat3& f) const override { return kappa_ / 2 * std::pow((f * d_).norm() - 1, 2); }
  Mat3 stress(const Mat3& f) const override {
    const Vec3 n = f * d_;
    return kappa_ * (n.norm() - 1) / n.norm() * n * d_.transpose();
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const Vec3 n = f * d_, dn = df * d_;
    const double l = n.norm(), dl = n.dot(dn) / l;
    return kappa_ * ((1 - 1 / l) * dn + dl / (l * l) * n) * d_.transpose();
  }

 private:
  double kappa_;
  Vec3 d_;
};

class StretchLaw final : public Law {
 public:
  explicit StretchLaw(OfStretches functions) : of_(std::move(functions)) {}
  double density(const Mat3& f) const override { return of_.density(signed_svd(f).s); }
  Mat3 stress(const Mat3& f) const override {
    const Svd svd = signed_svd(f);
    return svd.u * of_.first(svd.s).asDiagonal() * svd.v.transpose();
  }
  Mat3 stress_change(const Mat3& f, const Mat3& df) const override {
    const Svd svd = signed_svd(f);
    const Vec3 p = of_.first(svd.s);
    const Mat3 h = of_.second(svd.s), turned = svd.u.transpose() * df * svd.v;
    const Vec3 along = h * turned.diagonal();
    Mat3 change = along.asDiagonal();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i == j) continue;
        const double gap = svd.s[i] - svd.s[j];
        const double flip = std::abs(gap) > 1e-5 ? (p[i] - p[j]) / gap : 0.5 * (h(i, i) + h(j, j)) - h(i, j);
        const double twist = (p[i] + p[j]) / (svd.s[i] + svd.s[j]);
        change(i, j) = flip * 0.5 * (turned(i, j) + turned(j, i)) + twist * 0.5 * (turned(i, j) - turned(j, i));
      }
    }
    return svd.u * change * svd.v.transpose();
  }

 private:
  OfStretches of_;
};

Mat9 project(const Mat9& a) {
  const test::Eigensystem eigen = test::eigensystem(a);
  return eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

Svd signed_svd(const Mat3& f) {
  const Eigen::JacobiSVD<Mat3> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Svd r{svd.matrixU(), svd.matrixV(), svd.singularValues()};
  if (r.u.determinant() < 0) r.u.col(2) *= -1, r.s[2] *= -1;
  if (r.v.determinant() < 0) r.v.col(2) *= -1, r.s[2] *= -1;
  return r;
}

Mat3 rotation_of(const Mat3& f) {
  const Svd svd = signed_svd(f);
  return svd.u * svd.v.transpose();
}

Mat3 green_strain(const Mat3& f) { return 0.5 * (f.transpose() * f - Mat3::Identity()); }

LawPointer neo_hookean(double mu, double lambda) { return std::make_unique<NeoHookean>(mu, lambda); }
LawPointer stable_neo_hookean(double mu, double lambda) { return std::make_unique<StableNeoHookean>(mu, lambda); }
LawPointer corotated(double mu, double lambda) { return std::make_unique<Corotated>(mu, lambda); }
LawPointer st_venant_kirchhoff(double mu, double lambda) { return std::make_unique<StVenantKirchhoff>(mu, lambda); }
LawPointer linear(double mu, double lambda) { return std::make_unique<Linear>(mu, lambda); }
LawPointer mooney_rivlin(double c1, double c2, double kappa) { return std::make_unique<MooneyRivlin>(c1, c2, kappa); }
LawPointer fibre(double kappa, const Vec3& direction) { return std::make_unique<Fibre>(kappa, direction); }
LawPointer of_stretches(OfStretches functions) { return std::make_unique<StretchLaw>(std::move(functions)); }
LawPointer polynomial(double mu) {
  return of_stretches({[mu](const Vec3& s) { return mu * (s.array() - 1).pow(4).sum(); },
                       [mu](const Vec3& s) { return Vec3(4 * mu * (s.array() - 1).pow(3)); },
                       [mu](const Vec3& s) { return Mat3(Vec3(12 * mu * (s.array() - 1).pow(2)).asDiagonal()); }});
}

Element::Element(const std::array<Vec3, 4>& rest, const std::array<Vec3, 4>& now) {
  Mat3 dm, ds;
  for (int i = 0; i < 3; ++i) dm.col(i) = rest[i + 1] - rest[0], ds.col(i) = now[i + 1] - now[0];
  const Mat3 inverse = dm.inverse();
  volume = std::abs(dm.determinant()) / 6;
  f = ds * inverse;
  from.setZero();
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < 3; ++i) {
        from(3 * column + row, 3 * (i + 1) + row) = inverse(i, column);
        from(3 * column + row, row) -= inverse(i, column);
      }
    }
  }
}

Mat9 stress_derivative(const Law& law, const Mat3& f) {
  Mat9 a;
  for (int k = 0; k < 9; ++k) {
    Mat3 unit = Mat3::Zero();
    unit(k % 3, k / 3) = 1;
    a.col(k) = law.stress_change(f, unit).reshaped();
  }
  return 0.5 * (a + a.transpose());
}

double smallest_eigenvalue(const Mat9& a) { return test::eigenvalues(a)[0]; }

Vec12 gradient(const Law& law, const Element& element) {
  return element.volume * element.from.transpose() * law.stress(element.f).reshaped();
}

ElementResult evaluate(const Law& law, const Element& element, Kind kind) {
  const Mat9 exact = stress_derivative(law, element.f), a = kind == Kind::projected ? project(exact) : exact;
  return {element.volume * law.density(element.f), gradient(law, element),
          element.volume * element.from.transpose() * a * element.from};
}

Element element_of(const Mesh& mesh, int tet) {
  std::array<Vec3, 4> corners, moved;
  for (int c = 0; c < 4; ++c) corners[c] = mesh.rest[mesh.tets[tet][c]], moved[c] = mesh.now[mesh.tets[tet][c]];
  return {corners, moved};
}

Total assemble(const Mesh& mesh, const LawOf& law_of, Kind kind) {
  const int size = 3 * static_cast<int>(mesh.rest.size());
  Total total;
  total.gradient = Eigen::VectorXd::Zero(size);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(144 * mesh.tets.size());
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    const ElementResult one = evaluate(*law_of(t), element_of(mesh, t), kind);
    const Vec4i& corners = mesh.tets[t];
    total.value += one.value;
    for (int i = 0; i < 12; ++i) {
      total.gradient[3 * corners[i / 3] + i % 3] += one.gradient[i];
      for (int j = 0; j < 12; ++j) {
        triplets.emplace_back(3 * corners[i / 3] + i % 3, 3 * corners[j / 3] + j % 3, one.hessian(i, j));
      }
    }
  }
  total.hessian.resize(size, size);
  total.hessian.setFromTriplets(triplets.begin(), triplets.end());
  return total;
}

}  // namespace pliant::oracle
