// The probes of a scene: what they are called in probes.csv, and their values in the current state.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/scene.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {

class ProbeSet {
 public:
  // Throws InputError when a probe selects nothing.
  ProbeSet(const Scene& scene, const Model& model, const State& start);

  // "corner.x", "corner.20.y", "energy.total", …
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  // One value per column, SI units.
  // intersections: what the judge has counted in this state; NaN when nobody asked it.
  [[nodiscard]] std::vector<double> measure(Simulation& simulation, double intersections) const;
  [[nodiscard]] std::vector<double> measure(Simulation& simulation) const {
    return measure(simulation, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  struct Entry {
    Quantity quantity = Quantity::position;
    int body = -1;
    std::vector<SelectedPoint> points;
    std::string first, second;  // contact_force: bodies by name; an empty second stands for all. joint: its name
    Selection where;            // count_inside
  };
  void add_columns(const Probe& probe, const std::string& name, const Entry& entry);

  std::vector<Entry> entries_;
  std::vector<std::string> columns_;
};

// Largest and smallest stretch of the body's elements, or of its springs and edges (1 = undeformed; the smallest is
// negative where a tet is inside out). Zero for a body without any.
[[nodiscard]] double largest_stretch(const ModelBody& body, const State& state);
[[nodiscard]] double smallest_stretch(const ModelBody& body, const State& state);
// Volume of the deformed body, inverted tets counting as negative [m³].
[[nodiscard]] double volume(const ModelBody& body, const State& state);

}  // namespace pliant::scene
