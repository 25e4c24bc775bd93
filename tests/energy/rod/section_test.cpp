// Sections: integrals by brute force, limits of thin and round shapes, published torsion constants.
#include "pliant/energy/rod/section.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace pliant::rod {
namespace {

using std::numbers::pi;

// Area and second moments by the midpoint rule over a box that holds the section.
void expect_integrals(const Section& section, double half_a, double half_b,
                      const std::function<bool(double, double)>& inside) {
  constexpr int kCells = 1500;
  const double da = 2 * half_a / kCells, db = 2 * half_b / kCells;
  double area = 0, first = 0, second = 0, reach = 0;
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      const double y1 = -half_a + (i + 0.5) * da, y2 = -half_b + (j + 0.5) * db;
      if (!inside(y1, y2)) continue;
      area += da * db;
      first += y1 * y1 * da * db;
      second += y2 * y2 * da * db;
      reach = std::max(reach, std::hypot(y1, y2));
    }
  }
  EXPECT_NEAR(section.area / area, 1, 1e-4);
  EXPECT_NEAR(section.second_moment[0] / first, 1, 1e-4);
  EXPECT_NEAR(section.second_moment[1] / second, 1, 1e-4);
  EXPECT_NEAR(section.polar_moment / (first + second), 1, 1e-4);
  EXPECT_NEAR(section.bounding_radius / reach, 1, 2e-3);
}

TEST(Section, MomentsAreTheIntegrals) {
  expect_integrals(circle(0.3), 0.3, 0.3, [](double x, double y) { return x * x + y * y < 0.09; });
  expect_integrals(ellipse(0.5, 0.2), 0.5, 0.2, [](double x, double y) { return x * x / 0.25 + y * y / 0.04 < 1; });
  expect_integrals(rectangle(0.4, 0.1), 0.2, 0.05, [](double, double) { return true; });
}

TEST(Section, TorsionOfRoundSections) {
  EXPECT_NEAR(circle(2).torsion_constant, pi * 16 / 2, 1e-12);
  EXPECT_NEAR(circle(2).torsion_constant, circle(2).polar_moment, 1e-12);  // a circle does not warp
  EXPECT_NEAR(ellipse(3, 2).torsion_constant, pi * 27 * 8 / 13, 1e-12);
  EXPECT_EQ(ellipse(3, 2).torsion_constant, ellipse(2, 3).torsion_constant);
  EXPECT_LT(ellipse(3, 2).torsion_constant, ellipse(3, 2).polar_moment);
}

// Prandtl's stress function by finite differences: ∇²φ = −2, φ = 0 on the rim, J = 2 ∫ φ dA.
double torsion_by_relaxation(double a, double b, int cells) {
  const double da = a / cells, db = b / cells;
  std::vector<std::vector<double>> phi(cells + 1, std::vector<double>(cells + 1, 0.0));
  const double wa = 1 / (da * da), wb = 1 / (db * db), relaxation = 2 / (1 + std::sin(pi / cells));
  for (int sweep = 0; sweep < 20 * cells; ++sweep) {
    for (int i = 1; i < cells; ++i) {
      for (int j = 1; j < cells; ++j) {
        const double target =
            (2 + wa * (phi[i - 1][j] + phi[i + 1][j]) + wb * (phi[i][j - 1] + phi[i][j + 1])) / (2 * (wa + wb));
        phi[i][j] += relaxation * (target - phi[i][j]);
      }
    }
  }
  double sum = 0;
  for (const auto& line : phi) {
    for (const double value : line) sum += value;
  }
  return 2 * sum * da * db;
}

TEST(Section, TorsionOfRectanglesSolvesPrandtlsEquation) {
  for (const double ratio : {1.0, 2.0, 3.0}) {
    // Second order in the cell: one extrapolation.
    const double coarse = torsion_by_relaxation(ratio, 1, 20), fine = torsion_by_relaxation(ratio, 1, 40);
    EXPECT_NEAR(rectangle(ratio, 1).torsion_constant / ((4 * fine - coarse) / 3), 1, 2e-4) << ratio;
  }
}

TEST(Section, TorsionOfRectangles) {
  EXPECT_NEAR(rectangle(1, 1).torsion_constant, 0.140577, 1e-6);
  EXPECT_EQ(rectangle(0.2, 0.7).torsion_constant, rectangle(0.7, 0.2).torsion_constant);
  // A thin strip: w h³/3 (1 − 0.63025 h/w)
  EXPECT_NEAR(rectangle(100, 1).torsion_constant, 100.0 / 3 * (1 - 0.0063025), 1e-4);
  // m⁴: twice the size, sixteen times the constant
  EXPECT_NEAR(rectangle(6, 2).torsion_constant, 16 * rectangle(3, 1).torsion_constant, 1e-11);
}

}  // namespace
}  // namespace pliant::rod
