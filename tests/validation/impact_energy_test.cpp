// Contact by every method and integrator: what falls and bounces never has more energy than it began with, by those that promise
// it, and pins bear what lies on what they hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "tests/validation/scene_case.h"

namespace pliant::validation::impact_energy_test {
namespace {

const std::string kSoft =
    "  - {name: soft, kind: solid, material: {model: corotated, young: 1.0e6, poisson: 0.3, density: 1000}, mesh: "
    "{box: "
    "{size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, position: [0, 0.25, 0], rotation: {axis: [1, 0.3, 0.2], degrees: "
    "20}}\n";
const std::string kGrain =
    "  - {name: grain, kind: particles, material: {radius: 0.02, density: 1000}, mesh: {box: {size: [0.043, 0.043, "
    "0.043]}}, position: [1, 0.22, 0]}\n";

// A soft block and, but for springs of contact, a grain, let go 0.2 m above a floor.
SceneCase falling(const std::string& method, const std::string& integrator) {
  return SceneCase(parse_scene(fmt::format("pliant: 1\ntime: {{step: 0.004, end: 1.5, {}}}\nsolver: {{method: "
                                           "{}}}\ncontact: {{friction: 0.3{}}}\nbodies:\n"
                                           "  - {{name: floor, kind: obstacle, mesh: {{plane: {{}}}}}}\n{}{}"
                                           "probes: [{{name: energy, quantity: energy}}, {{name: push, body: floor, "
                                           "quantity: contact_force}}, {{name: at, body: soft, quantity: "
                                           "mean_position}}]\n",
                                           integrator, method, method == "newton" ? ", distance: 0.002" : "", kSoft,
                                           method == "quasi_newton" ? "" : kGrain),
                               "impact_energy_test.yaml"));
}

double upward_momentum(const Simulation& simulation) {
  const std::span<const double> masses = simulation.model().inertia.masses();
  double momentum = 0;
  for (std::size_t b = 0; b < masses.size(); ++b)
    momentum += masses[b] * simulation.state().velocities[static_cast<int>(b)].y();
  return momentum;
}

// And what the floor is said to push gives its momentum in every step, h F = Δp + m g h. Not so by bdf2, whose velocities look
// back across the impact: the energy of the start bounds it too, but single steps gain. And not by the ten iterations of
// quasi_newton, which leave a residual.
TEST(ImpactEnergy, IsNeverAboveThatOfTheStart) {
  for (const std::string method : {"newton", "projection", "quasi_newton"}) {
    for (const std::string integrator :
         {"integrator: backward_euler", "integrator: bdf2", "integrator: implicit_midpoint", "integrator: newmark",
          "integrator: newmark, newmark: {beta: 0.3, gamma: 0.6}"}) {
      const bool has_history =
          integrator.find("midpoint") != std::string::npos || integrator.find("newmark") != std::string::npos;
      if (method == "projection" && has_history) continue;  // refused
      SceneCase fall = falling(method, integrator);
      const Simulation& simulation = fall.simulation();
      const std::span<const double> masses = simulation.model().inertia.masses();
      const double start = fall.value("energy.total"), weight = 9.81 * std::reduce(masses.begin(), masses.end());
      const double step = fall.scene().time.step;
      double most = 0, momentum = upward_momentum(simulation), off = 0;
      fall.run([&] {
        most = std::max(most, fall.value("energy.total"));
        const double now = upward_momentum(simulation);
        off = std::max(off, std::abs(-fall.value("push.y") * step - (now - momentum) - weight * step));
        momentum = now;
      });
      const std::string name = method + ", " + integrator;
      record(name + ": most energy / that at the start - 1", most / start - 1);
      const double of_fall = weight / 9.81 * std::sqrt(2 * 9.81 * 0.2);
      record(name + ": momentum, off by in a step / that of the fall", off / of_fall);
      EXPECT_LT(most, (1 + 1e-7) * start) << name;
      EXPECT_LT(fall.value("at.y"), 0.1) << name;  // lies or nearly
      if (method != "quasi_newton" && integrator.find("bdf2") == std::string::npos) {
        EXPECT_LT(off, 1e-5 * of_fall) << name;
      }
    }
  }
}

// Pins bear what lies on the body that they hold: weight of all, a held soft block, a held rigid one that a soft one meets as a
// mesh, or a rigid one as a whole.
TEST(ImpactEnergy, PinsBearWhatLiesOnThem) {
  const std::string law = "material: {model: corotated, young: 1.0e6, poisson: 0.3, density: 1000}";
  const std::string whole = "kind: rigid, shape: box, material: {density: 1000}";
  const auto load = [](const std::string& kind) {
    return "  - {name: load, " + kind +
           ", mesh: {box: {size: [0.08, 0.08, 0.08], cells: [1, 1, 1]}}, position: [0, 0.5902, 0]}\n";
  };
  const std::string box = "mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, position: [0, 0.5, 0]}\n";
  const double weight = 9.81 * (1 + 0.512);
  for (const auto& [method, table] : {std::pair("newton", "kind: solid, " + law),
                                      {"quasi_newton", "kind: solid, " + law},
                                      {"projection", "kind: solid, " + law},
                                      {"newton", std::string("kind: rigid, material: {density: 1000}")},
                                      {"projection", std::string("kind: rigid, material: {density: 1000}")},
                                      {"projection", whole}}) {
    for (const std::string integrator : {"backward_euler", "bdf2", "implicit_midpoint", "newmark"}) {
      const bool is_rigid = table.find("rigid") != std::string::npos;
      if ((is_rigid || method == std::string("projection")) && integrator != "backward_euler") continue;
      SceneCase pinned(parse_scene(
          fmt::format("pliant: 1\ntime: {{step: 0.004, end: 1.2, integrator: {}}}\nsolver: {{method: {}}}\ncontact: "
                      "{{friction: 0.3}}\nbodies:\n  - {{name: table, {}, {}{}pins: [{{body: table, where: {{all: "
                      "true}}}}]\nprobes: [{{name: hold, body: table, quantity: pin_force}}]\n",
                      integrator, method, table, box, load(table == whole ? whole : "kind: solid, " + law)),
          "impact_energy_test.yaml"));
      double hold = 0;
      int count = 0;
      pinned.run([&] {
        if (pinned.simulation().state().time < 0.6) return;
        hold += pinned.value("hold.y");
        ++count;
      });
      record(fmt::format("{}, {}{}: force of pins / weight", method, integrator, is_rigid ? ", rigid" : ""),
             hold / count / weight);
      EXPECT_NEAR(hold / count, weight, 0.02 * weight) << method << ", " << integrator << ", " << table;
    }
  }
}

}  // namespace
}  // namespace pliant::validation::impact_energy_test
