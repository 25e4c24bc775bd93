// Air on sheets: drag against and lift across the motion of every triangle relative to the wind.
//
//   u = v − w          velocity of the centroid relative to the wind [m/s]
//   drag  F = −½ ρ A C_D |n·u₀| u                                  at rest in a wind w, facing it: ½ ρ A C_D w²
//   lift  F = −½ ρ A C_L |u₀|² (n·û)(n − (n·û) û),  û = u₀/|u₀|    perpendicular to u₀
//   ρ density of air [kg/m³], A area [m²], n unit normal (its sign does not matter); each corner takes a third
//
// n, A and u₀ are those of the start of the step (u₀ from the velocities there), u in the drag is that of the end,
// v = (now − before)/θh. With the lagged factor κ = ½ ρ A C_D |n·u₀| drag is the gradient of a convex quadratic,
//   D = θh κ/2 |v − w|²
// so it never takes out more momentum than there is, whatever the step. Lift has no potential; it is constant over the
// step. Quasi-static problems have v = 0: both are constant forces of the wind. No shadow: every triangle meets the
// undisturbed wind.
#pragma once

#include <vector>

#include "pliant/energy/element_batch.h"
#include "pliant/energy/energy.h"

namespace pliant {

struct WindOptions {
  Vec3 velocity = Vec3::Zero();  // w, m/s
  double density = 1.2;          // ρ, kg/m³; air at 20 °C
  double drag = 1.2;             // C_D; a flat plate across the flow
  double lift = 0;               // C_L
};

class Wind final : public Energy {
 public:
  // Triangles as block indices; block_count: of the whole model.
  Wind(const std::vector<Vec3i>& triangles, int block_count, const WindOptions& options);

  void couple(sparse::PatternBuilder& builder) const { batch_.couple(builder); }
  void find_slots(const sparse::BlockPattern& pattern) { batch_.find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "wind"; }

 private:
  [[nodiscard]] double evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const;

  ElementBatch<3> batch_;
  WindOptions options_;
};

}  // namespace pliant
