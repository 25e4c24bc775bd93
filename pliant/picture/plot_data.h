// Which curves a word means, in a table of probes.
//
//   energy      → energy.kinetic, energy.elastic, …          all columns that begin with "energy."
//   top.y       → that column alone
#pragma once

#include <string>
#include <vector>

#include "pliant/io/probes_csv.h"

namespace pliant::picture {

// A curve: points (x_i, y_i) in order; NaN interrupts it.
struct Series {
  std::string name;
  std::vector<double> x, y;
};

struct PlotData {
  std::vector<Series> series;  // over time, s
  std::string unit;            // of all of them; empty when the word does not tell
};

// Throws InputError, naming what there is, when no column is meant or there are no rows.
[[nodiscard]] PlotData plot_series(const io::ProbeTable& table, const std::string& word);

// By the quantity's name or a column's: J for energies, m/s for velocities, N for forces, m³ for volumes, 1 for
// stretches, m for positions. Probes carry names of their users' choice: others give "".
[[nodiscard]] std::string unit_of(const std::string& name);

}  // namespace pliant::picture
