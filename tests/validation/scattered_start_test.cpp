// From random places back to the shape at rest. [validation.md 2: rms 1e-3 of size, all det F > 0]
//   rms over vertices of x − (R X + t), with the best rotation R and translation t [Kabsch], relative to the box's
//   diagonal
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "pliant/mesh/mass_properties.h"
#include "tests/support/dense_algebra.h"
#include "tests/validation/motion_measures.h"

namespace pliant::validation::scattered_start_test {
namespace {

double rms_after_alignment(const std::vector<Vec3>& rest, const std::vector<Vec3>& now) {
  Vec3 rest_centre = Vec3::Zero(), centre = Vec3::Zero();
  const double count = static_cast<double>(rest.size());
  for (std::size_t v = 0; v < rest.size(); ++v) rest_centre += rest[v] / count, centre += now[v] / count;
  Mat3 covariance = Mat3::Zero();
  for (std::size_t v = 0; v < rest.size(); ++v) covariance += (now[v] - centre) * (rest[v] - rest_centre).transpose();
  const test::Svd svd = test::jacobi_svd(covariance);
  const double sign = (svd.u * svd.v.transpose()).determinant() < 0 ? -1 : 1;
  const Mat3 rotation = svd.u * Vec3(1, 1, sign).asDiagonal() * svd.v.transpose();
  double sum = 0;
  for (std::size_t v = 0; v < rest.size(); ++v)
    sum += (now[v] - centre - rotation * (rest[v] - rest_centre)).squaredNorm();
  return std::sqrt(sum / count);
}

// det F per tet.
std::vector<double> volume_ratios(const TetMesh& rest, const TetMesh& now) {
  const std::vector<double> before = tet_volumes(rest);
  std::vector<double> ratios = tet_volumes(now);
  for (std::size_t t = 0; t < ratios.size(); ++t) ratios[t] /= before[t];
  return ratios;
}

struct Case {
  const char *law, *integrator, *method = "newton";
};
// Names the case where googletest would print its bytes.
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.law << ", " << c.integrator << ", " << c.method;
}

class ScatteredStart : public ::testing::TestWithParam<Case> {};

TEST_P(ScatteredStart, ReturnsToRest) {
  for (int seed = 1; seed <= (is_fine() ? 10 : 3); ++seed) {
    SceneCase block(
        "scattered.yaml",
        {std::string("materials.soft.model=") + GetParam().law, std::string("time.integrator=") + GetParam().integrator,
         std::string("solver.method=") + GetParam().method, fmt::format("seed={}", seed)});
    const ModelBody& body = block.body(0);
    TetMesh now = body.rest;
    const auto take_positions = [&] {
      for (std::size_t v = 0; v < now.vertices.size(); ++v) now.vertices[v] = block.position(0, static_cast<int>(v));
    };
    take_positions();
    const std::vector<double> start = volume_ratios(body.rest, now);
    ASSERT_GT(std::count_if(start.begin(), start.end(), [](double j) { return j < 0; }),
              static_cast<long>(start.size()) / 3);
    ASSERT_NO_FATAL_FAILURE(block.run());
    take_positions();
    const std::vector<double> ratios = volume_ratios(body.rest, now);
    const double smallest = *std::min_element(ratios.begin(), ratios.end());
    const double size = (Vec3(0.6, 0.4, 0.4)).norm();
    const double rms = rms_after_alignment(body.rest.vertices, now.vertices) / size;
    record(fmt::format("seed_{}_rms", seed), rms);
    record(fmt::format("seed_{}_smallest_volume_ratio", seed), smallest);
    EXPECT_GT(smallest, 0) << seed;
    EXPECT_LT(rms, 1e-3) << seed;
  }
}
INSTANTIATE_TEST_SUITE_P(Laws, ScatteredStart,
                         ::testing::Values(Case{"corotated", "backward_euler"},
                                           Case{"stable_neo_hookean", "backward_euler"},
                                           Case{"corotated", "quasi_static"},
                                           Case{"stable_neo_hookean", "quasi_static"},
                                           // ten iterations a step
                                           Case{"corotated", "backward_euler", "quasi_newton"},
                                           Case{"stable_neo_hookean", "backward_euler", "quasi_newton"}),
                         [](const auto& test) {
                           return std::string(test.param.law) + "_" + test.param.integrator + "_" + test.param.method;
                         });

}  // namespace
}  // namespace pliant::validation::scattered_start_test
