// Small sheets of cloth for tests, and an element oracle in extended precision.
//
// A sheet is irregular, numbered at random, bent and shaken; the checks of tests/energy/energy_checks.h apply to it.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <functional>
#include <numeric>

#include "pliant/energy/cloth/membrane_elements.h"
#include "pliant/mesh/grid_sheet.h"
#include "tests/energy/energy_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::cloth_checks {

struct Sheet {
  checks::TetModel model;  // without tets
  cloth::MembraneSheet sheet;
  std::vector<Vec2> uv;  // m, per vertex: the rest state
  Vec2 warp{0.8, 0.6};

  [[nodiscard]] int triangle_count() const { return static_cast<int>(sheet.triangles.size()); }
  [[nodiscard]] std::array<Vec2, 3> corners(int t) const {
    const Vec3i& v = sheet.triangles[t];
    return {uv[v[0]], uv[v[1]], uv[v[2]]};
  }
  // Puts every vertex at its rest place in space.
  void lay_flat() {
    for (std::size_t v = 0; v < uv.size(); ++v) model.now[static_cast<int>(v)] = Vec3(uv[v].x(), uv[v].y(), 0);
  }
};

// Bent into a wave, stretched by about a tenth, shaken by up to `noise` metres; cells of about 0.1 m.
inline Sheet make_sheet(std::array<int, 2> cells = {4, 3}, double noise = 0.01, unsigned seed = 5) {
  const TriangleMesh grid = make_grid(
      {.size = {0.1 * cells[0], 0.1 * cells[1]}, .cells = cells, .pattern = GridPattern::irregular, .seed = seed});
  checks::Random random(seed);
  Sheet s;
  const int count = static_cast<int>(grid.vertices.size());
  std::vector<int> number(count);
  std::iota(number.begin(), number.end(), 0);
  for (int v = count - 1; v > 0; --v) std::swap(number[v], number[static_cast<int>(random.between(0, v + 1))]);
  s.uv.resize(count), s.model.rest.resize(count);
  s.model.now.resize(count), s.model.before.resize(count);
  for (int v = 0; v < count; ++v) {
    const Vec2 p = grid.texture[v];
    s.uv[number[v]] = p;
    s.model.rest[number[v]] = Vec3(p.x(), p.y(), 0);
    s.model.before[number[v]] = Vec3(p.x(), p.y(), 0);
    s.model.now[number[v]] =
        Vec3(1.1 * p.x(), 0.93 * p.y() + 0.1 * p.x(), 0.05 * std::sin(9 * p.x() + 4 * p.y())) + random.vector(noise);
  }
  for (const Vec3i& t : grid.triangles) {
    s.sheet.triangles.emplace_back(number[t[0]], number[t[1]], number[t[2]]);
    s.sheet.rest.push_back(*cloth::triangle_rest(s.corners(s.triangle_count() - 1), s.warp));
  }
  s.sheet.block_count = count;
  return s;
}

// Builds the pattern for one energy.
template <class E>
E attached(E energy, checks::TetModel& model) {
  sparse::PatternBuilder builder(model.now.size());
  energy.couple(builder);
  model.pattern = builder.build();
  energy.find_slots(*model.pattern);
  return energy;
}

// One triangle of random shape and place, at rest in the plane.
struct LoneTriangle {
  Sheet s;
  Mat32 f;  // deformation gradient in the frame of uv
};

inline Mat32 gradient_of_triangle(const std::array<Vec2, 3>& rest, const std::array<Vec3, 3>& x) {
  Mat2 edges;
  edges << rest[1] - rest[0], rest[2] - rest[0];
  Mat32 now;
  now << x[1] - x[0], x[2] - x[0];
  return now * edges.inverse();
}

// Deformed by f in a random frame, corners numbered at random.
inline LoneTriangle make_triangle(checks::Random& random, const Mat2& stretch) {
  LoneTriangle lone;
  Sheet& s = lone.s;
  double area = 0;
  do {
    s.uv.clear();
    for (int v = 0; v < 3; ++v) s.uv.emplace_back(random.between(-1, 1), random.between(-1, 1));
    const Vec2 a = s.uv[1] - s.uv[0], b = s.uv[2] - s.uv[0];
    area = std::abs(a.x() * b.y() - a.y() * b.x());
  } while (area < 0.3);
  const double angle = random.between(0, 6.28);
  s.warp = Vec2(std::cos(angle), std::sin(angle));
  std::array<int, 3> number{0, 1, 2};
  std::swap(number[0], number[static_cast<int>(random.between(0, 3))]);
  std::swap(number[1], number[1 + static_cast<int>(random.between(0, 2))]);
  s.sheet.triangles.emplace_back(number[0], number[1], number[2]);
  s.sheet.rest.push_back(*cloth::triangle_rest(s.corners(0), s.warp));
  s.sheet.block_count = 3;
  lone.f = random.rotation().leftCols<2>() * stretch;
  const Vec3 shift = random.vector();
  s.model.now.resize(3), s.model.before.resize(3);
  for (int v = 0; v < 3; ++v) {
    s.model.now[v] = lone.f * s.uv[v] + shift;
    s.model.before[v] = Vec3(s.uv[v].x(), s.uv[v].y(), 0);
  }
  return lone;
}

inline Mat2 random_stretch(checks::Random& random) {
  Mat2 m;
  m << random.between(0.6, 1.6), random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(0.6, 1.6);
  return m;
}

// --- Oracle: differences of fourth order in extended precision ---

using Wide = long double;
using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;
using WideEnergy = std::function<Wide(const WideVector&)>;

inline WideVector wide(const BlockVector& x) { return checks::flat(x).cast<Wide>(); }

// d/dt of f(t) at 0; exact for polynomials of degree four.
inline Wide slope(const std::function<Wide(Wide)>& f, Wide h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

inline Eigen::VectorXd wide_gradient(const WideEnergy& energy, const WideVector& x, Wide h) {
  Eigen::VectorXd gradient(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    gradient[i] = static_cast<double>(slope(
        [&](Wide t) {
          WideVector y = x;
          y[i] += t;
          return energy(y);
        },
        h));
  }
  return gradient;
}

inline Eigen::MatrixXd wide_hessian(const WideEnergy& energy, const WideVector& x, Wide h) {
  Eigen::MatrixXd hessian(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      hessian(i, j) = static_cast<double>(slope(
          [&](Wide a) {
            return slope(
                [&](Wide b) {
                  WideVector y = x;
                  y[i] += a;
                  y[j] += b;
                  return energy(y);
                },
                h);
          },
          h));
    }
  }
  return hessian;
}

// FᵀF of triangle t in extended precision.
inline Eigen::Matrix<Wide, 2, 2> wide_gram(const Sheet& s, int t, const WideVector& x) {
  const std::array<Vec2, 3> rest = s.corners(t);
  const Vec3i& v = s.sheet.triangles[t];
  Eigen::Matrix<Wide, 2, 2> edges;
  edges << (rest[1] - rest[0]).cast<Wide>(), (rest[2] - rest[0]).cast<Wide>();
  Eigen::Matrix<Wide, 3, 2> now;
  now << x.segment<3>(3 * v[1]) - x.segment<3>(3 * v[0]), x.segment<3>(3 * v[2]) - x.segment<3>(3 * v[0]);
  const Eigen::Matrix<Wide, 3, 2> f = now * edges.inverse();
  return f.transpose() * f;
}

inline double smallest_eigenvalue(const Eigen::MatrixXd& a) { return test::eigenvalues(a)[0]; }

}  // namespace pliant::cloth_checks
