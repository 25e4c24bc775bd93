// Chains: the catenary of springs and of a limp rod, and the frequencies of a string of beads. [validation.md 4]
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/validation/motion_measures.h"

namespace pliant::validation::springs_test {
namespace {

using std::numbers::pi;

// --- Catenary ---

// Parameter a of the catenary y = a cosh(x/a) with a span and a length: 2 a sinh(span/(2a)) = length, by bisection.
double catenary_parameter(double span, double length) {
  double low = 1e-2 * span, high = 1e2 * span;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (2 * middle * std::sinh(0.5 * span / middle) > length ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Largest distance of a vertex from where the catenary has its arc length, over the length.
double distance_from_catenary(const std::vector<std::string>& overrides) {
  SceneCase chain("catenary.yaml", overrides);
  chain.run();
  const int segments = 80;
  const double length = segments * std::sin(pi / (2 * segments)), a = catenary_parameter(1, length);
  double largest = 0;
  for (int v = 0; v <= segments; ++v) {
    const double s =
        length * (0.5 - static_cast<double>(v) / segments);  // arc length from the lowest point; v = 0 is at +x
    const Vec3 expected(a * std::asinh(s / a), std::hypot(a, s) - a * std::cosh(0.5 / a), 0);
    largest = std::max(largest, (chain.position(0, v) - expected).norm());
  }
  // Weight, and half of it at each hook; the pull along the chain is a times the weight of a metre.
  const double weight_per_metre = chain.value("hook.y") / (0.5 * length);
  EXPECT_NEAR(chain.value("hook.x") / weight_per_metre, a, 1e-2 * a);
  return largest / length;
}

TEST(Catenary, ChainOfStiffSprings) {
  const double distance = distance_from_catenary({});
  record("distance", distance);
  EXPECT_LT(distance, 1e-3);
}

TEST(Catenary, LimpRod) {
  const double distance = distance_from_catenary({"bodies.chain.kind=rod",
                                                  "bodies.chain.material={model: elastic_rod, density: 1000, young: "
                                                  "1.0e8, shear: 1.0e8, section: {circle: 1.0e-5}}"});
  record("distance", distance);
  EXPECT_LT(distance, 1e-3);
}

// --- String ---

constexpr int kBeads = 20;                                          // links
constexpr double kStretched = 1.05, kRest = 1.0, kStiffness = 2e3;  // m, m, N/m
constexpr double kLinearDensity = 0.05;                             // kg/m at rest

// Of a chain of n links under tension T, beads m apart by l: ω = 2 √(T/(m l)) sin(k π/(2n)).
double chain_frequency(int mode) {
  const double link = kStretched / kBeads, bead = kLinearDensity * kRest / kBeads;
  const double tension = kStiffness * (kStretched - kRest) / kBeads;
  return 2 * std::sqrt(tension / (bead * link)) * std::sin(mode * pi / (2 * kBeads)) / (2 * pi);
}
double chain_mode(int mode, const Vec3& rest) { return std::sin(mode * pi * rest.x() / kRest); }

TEST(String, SwingsWithTheFrequencyOfTheChain) {
  SceneCase string("string.yaml", {});
  std::vector<double> amplitude;
  string.run([&] {
    if (string.simulation().state().time > 0.5)
      amplitude.push_back(modal_amplitude(string, 1, [](const Vec3& x) { return chain_mode(1, x); }));
  });
  const double frequency = frequency_of(amplitude, string.scene().time.step);
  record("frequency_ratio", frequency / chain_frequency(1));
  EXPECT_NEAR(frequency, chain_frequency(1), 0.005 * chain_frequency(1));
  // It has swung, and little enough to be linear.
  const auto [low, high] = std::minmax_element(amplitude.begin(), amplitude.end());
  record("largest_over_smallest", *high / *low);
  EXPECT_NEAR(*high / *low, -1, 0.1);
}

// High modes of a chain are slower than those of a string: 10 % at half the number of beads. Started in
// place, drawn out.
TEST(String, HighModesAreThoseOfBeads) {
  for (const int mode : {1, 10}) {
    const double step = 1 / (200 * chain_frequency(mode));
    SceneCase string(
        read_case("string.yaml", {fmt::format("time.step={:.17g}", step), fmt::format("time.end={:.17g}", 1000 * step),
                                  "loads=[]", "pins=[{body: string, where: {boundary: true}}]", "expect=[]"}),
        [&](const Model& model, State& state) {
          const ModelBody& body = model.bodies[0];
          for (int v = 0; v <= kBeads; ++v) {
            const Vec3& rest = body.rest.vertices[v];
            state.positions[body.block_of_vertex[v]] = Vec3(kStretched * rest.x(), 1e-4 * chain_mode(mode, rest), 0);
          }
        });
    std::vector<double> amplitude;
    string.run(
        [&] { amplitude.push_back(modal_amplitude(string, 1, [&](const Vec3& x) { return chain_mode(mode, x); })); });
    const double frequency = frequency_of(amplitude, step);
    record(fmt::format("frequency_ratio_{}", mode), frequency / chain_frequency(mode));
    EXPECT_NEAR(frequency, chain_frequency(mode), 0.005 * chain_frequency(mode));
  }
}

}  // namespace
}  // namespace pliant::validation::springs_test
