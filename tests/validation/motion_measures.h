// What tests of motion measure beyond the probes of a scene: momenta, the centre of mass, a mode's amplitude, a
// frequency.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "tests/validation/scene_case.h"

namespace pliant::validation {

inline constexpr const char* kMovingIntegrators[] = {"backward_euler", "bdf2", "implicit_midpoint", "newmark",
                                                     "symplectic_euler"};

// M v per block [kg m/s], for lumped and consistent masses.
inline BlockVector momenta(const Simulation& simulation) {
  BlockVector p(simulation.state().velocities.size());
  simulation.model().inertia.multiply(simulation.state().velocities, p);
  return p;
}

inline Vec3 momentum(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  const BlockVector p = momenta(simulation);
  for (int i = 0; i < p.size(); ++i) sum += p[i];
  return sum;
}

inline double mass(const Simulation& simulation) {
  double sum = 0;
  for (const double m : simulation.model().inertia.masses()) sum += m;
  return sum;
}

inline Vec3 centre_of_mass(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  const BlockVector& x = simulation.state().positions;
  for (int i = 0; i < x.size(); ++i) sum += simulation.model().inertia.masses()[i] * x[i];
  return sum / mass(simulation);
}

// Σ (x_i − c) × p_i about the centre of mass c [kg m²/s].
inline Vec3 spin(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  const Vec3 centre = centre_of_mass(simulation);
  const BlockVector p = momenta(simulation);
  for (int i = 0; i < p.size(); ++i) sum += (simulation.state().positions[i] - centre).cross(Vec3(p[i]));
  return sum;
}

// Σ m_i φ(X_i) (x_i − X_i)_axis: how much of the mode φ, a function of the rest position, is in a motion along an axis.
// Modes are orthogonal in this product, so the others hardly show.
template <class Mode>
double modal_amplitude(SceneCase& scene, int axis, const Mode& mode) {
  double sum = 0;
  const ModelBody& body = scene.body(0);
  for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) {
    const Vec3& rest = body.rest.vertices[v];
    const double m = scene.simulation().model().inertia.masses()[body.block_of_vertex[v]];
    sum += m * mode(rest) * (scene.position(0, static_cast<int>(v)) - rest)[axis];
  }
  return sum;
}

// Frequency [Hz] of an oscillation about zero sampled every `step` seconds: two crossings are half a period apart; each
// is interpolated linearly. 0 when there are not two.
inline double frequency_of(const std::vector<double>& values, double step) {
  double first = 0, last = 0;
  int half_periods = -1;
  for (std::size_t n = 1; n < values.size(); ++n) {
    if ((values[n - 1] >= 0) == (values[n] >= 0)) continue;
    last = step * (static_cast<double>(n - 1) + values[n - 1] / (values[n - 1] - values[n]));
    if (++half_periods == 0) first = last;
  }
  return half_periods > 0 ? 0.5 * half_periods / (last - first) : 0;
}

}  // namespace pliant::validation
