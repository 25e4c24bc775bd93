// Springs between two points, with an optional dashpot on the rate of their length.
//
//   E = k/2 (l − l₀)² + c/(2θh) (l − l_b)²,   d = x1 − x0, l = |d|, u = d/l                      [Liu2018, eq. 4.2]
//   k stiffness [N/m], l₀ rest length [m], c viscosity [N·s/m], θh the time from before to now [s]
//   gradient of x1: E' u;     block (1, 1): E'' u uᵀ + E'/l (1 − u uᵀ)
//
// `projected` clamps E'/l at zero: a compressed spring buckles sideways, and that direction gets no stiffness.
// l_b is the length before the step; for θ < 1 it is shortened to l_b² − θ(1−θ)|δd|², what the chord of a pure rotation
// shows, with δd the change of d to which the velocities at the start of the step lead (cloth/membrane_damping.h).
// A spring of length zero has no direction: it pushes along x, and divisors are at least 1e-9 of l₀ + l_b.
// Quasi-static problems have no rates: no dashpot.
//
// Four springs are worked out at a time. Sorted by their ends, springs that follow each other share one, and additions
// to its force would have to wait for each other: the four come from different quarters of a chunk.
#pragma once

#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/energy/element_batch.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"
#include "pliant/math/lanes.h"

namespace pliant::spring {

struct Spring {
  int first = 0, second = 0;  // blocks
  double rest_length = 0;     // m
  double stiffness = 0;       // N/m
  double viscosity = 0;       // N·s/m
};

class Springs final : public Energy, public Weighted, public Compliant {
 public:
  // block_count: of the whole model
  Springs(const std::vector<Spring>& springs, int block_count);

  void couple(sparse::PatternBuilder& builder) const { batch_.couple(builder); }
  void find_slots(const sparse::BlockPattern& pattern) { batch_.find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k + c/step between the two ends.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override { return "springs"; }

 private:
  struct Kernel;

  // Four springs side by side; the last group is filled up with copies of the last spring without stiffness.
  struct alignas(32) Group {
    double rest_length[math::kLaneCount], stiffness[math::kLaneCount];
    int end[2][math::kLaneCount];
  };
  struct alignas(32) Dashpots {
    double viscosity[math::kLaneCount];
  };

  ElementBatch<2> batch_;
  std::vector<Group> groups_;       // springs in the order of the batch
  std::vector<Dashpots> dashpots_;  // likewise; empty when nothing is viscous
};

}  // namespace pliant::spring
