// Order in time on a smooth nonlinear motion, each integrator against itself at h/64. [validation.md 2: ≥ 0.9, ≥ 1.9]
//   order = log₂ (e(h)/e(h/2)), e = rms over vertices of the distance to the reference at the end
#include <cmath>
#include <map>
#include <string>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::time_order_test {
namespace {

BlockVector motion(const std::string& integrator, int refinement) {
  const double step = (integrator == "symplectic_euler" ? 0.00125 : 0.005) / refinement;
  SceneCase block("smooth_motion.yaml", {"time.integrator=" + integrator, fmt::format("time.step={}", step)});
  block.run();
  return block.simulation().state().positions;
}

double rms(const BlockVector& a, const BlockVector& b) {
  double sum = 0;
  for (int i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / a.size());
}

TEST(TimeOrder, ObservedAgainstAMuchSmallerStep) {
  const std::map<std::string, double> wanted{
      {"backward_euler", 0.9}, {"bdf2", 1.9}, {"implicit_midpoint", 1.9}, {"newmark", 1.9}, {"symplectic_euler", 0.9}};
  std::map<std::string, BlockVector> references;
  for (const auto& [integrator, order] : wanted) {
    const BlockVector& reference = references[integrator] = motion(integrator, 64);
    const double error = rms(motion(integrator, 1), reference), half = rms(motion(integrator, 2), reference),
                 quarter = rms(motion(integrator, 4), reference);
    record(integrator + "_error", error);
    record(integrator + "_order", std::log2(error / half));
    record(integrator + "_order_next", std::log2(half / quarter));
    EXPECT_GE(std::log2(error / half), order) << integrator;
    EXPECT_GE(std::log2(half / quarter), order) << integrator;
  }
  // All converge to the same motion, not each to its own: the first-order ones are 1/64 of their coarse error away.
  const BlockVector& truth = references["implicit_midpoint"];
  EXPECT_LT(rms(references["newmark"], truth), 1e-6);
  EXPECT_LT(rms(references["bdf2"], truth), 1e-6);
  EXPECT_LT(rms(references["backward_euler"], truth), 1e-3);
  EXPECT_LT(rms(references["symplectic_euler"], truth), 1e-3);
}

}  // namespace
}  // namespace pliant::validation::time_order_test
