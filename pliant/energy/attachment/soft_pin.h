// Soft pins: springs of zero length that pull vertices to scripted targets.
//
//   E = Σ ½ k_i ‖D_i (x_i − x_target)‖²,   k_i [N/m] the vertex' share of the pin's stiffness, D_i the held directions
//                                                                                                  [Liu2018, eq. 8.5]
#pragma once

#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"

namespace pliant {

class SoftPin final : public Energy, public Weighted, public Compliant {
 public:
  struct Spring {
    int block = 0;
    int target_index = 0;                // into Controls::soft_pin_targets
    int control = 0;                     // into Controls::soft_pin_active
    double stiffness = 0;                // N/m
    Mat3 directions = Mat3::Identity();  // projector onto the held directions
  };
  explicit SoftPin(std::vector<Spring> springs) : springs_(std::move(springs)) {}

  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k of the active pins, for free directions too: the matrix cannot tell them apart.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] bool add_soft_elements(SoftElements&) const override { return true; }
  void add_targets(const Controls& controls, std::vector<SoftTarget>& out) const override;
  [[nodiscard]] std::string name() const override { return "soft_pin"; }

 private:
  std::vector<Spring> springs_;
};

}  // namespace pliant
