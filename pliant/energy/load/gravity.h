// Weight: E = −Σ m_i g·x_i [J], gradient −m_i g [N], no Hessian. Heights count from the origin.
#pragma once

#include <vector>

#include "pliant/energy/energy.h"

namespace pliant {

class Gravity final : public Energy {
 public:
  // masses: kg per block (0 for blocks without weight); acceleration: m/s².
  Gravity(std::vector<double> masses, const Vec3& acceleration)
      : masses_(std::move(masses)), acceleration_(acceleration) {}

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "gravity"; }

 private:
  std::vector<double> masses_;
  Vec3 acceleration_;
};

}  // namespace pliant
