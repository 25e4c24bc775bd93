// Joints as energies, for solvers that minimise (newton, quasi_newton): the same constraints as joint_rows.h.
//
//   E = Σ ½ k c² + ρ k/(2h) (c − c_b)²,     k = 1/compliance, ρ damping [s], h the step, c_b before it
//
//   anchors      ½ k |x_a − x_b|²            quadratic in the blocks of rigid bodies (configuration/rigid_frames.h)
//   one axis     ½ k |u₀ − v₀|²              |u₀ − v₀| = 2 sin(α/2)
//   all axes     ¼ k Σ |uᵢ − vᵢ|²            the same of the turn from v to u
//   the others   slider (x_a − x_b)·v₁, ·v₂; universal u₀·v₁; distance |x_a − x_b| − length
//   limits       ½ k min(c, 0)²
//   motors       springs towards a place, or towards where the speed leads in this step; with a largest force
//
// A compliance of zero is Joint::rigid_stiffness here, so stiff that what gives is far below a millionth of a body.
// A motor of a given speed and a largest force takes as stiffness what falls short by a hundredth of the speed at that
// force.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/configuration/rigid_frames.h"
#include "pliant/constraint/joint.h"
#include "pliant/constraint/joint_terms.h"
#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"
#include "pliant/sparse/block_pattern.h"

namespace pliant::constraint {

class JointEnergy final : public Energy, public Weighted, public Compliant {
 public:
  // frames: what JointSide::rigid counts.
  JointEnergy(std::vector<Joint> joints, std::span<const RigidFrame> frames);

  void couple(sparse::PatternBuilder& builder) const;
  void find_slots(const sparse::BlockPattern& pattern);
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // Of anchors and axes; limits, motors and what is not quadratic in the blocks count by their stiffness at the anchors.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  // Projection takes the joints themselves (joint_rows.h).
  [[nodiscard]] bool add_soft_elements(SoftElements&) const override { return true; }
  [[nodiscard]] std::string name() const override { return "joint"; }

  [[nodiscard]] std::span<const Joint> joints() const { return joints_; }
  // After a step: coordinates and forces as they are now, and the joints broken that bear more than they can. The memory
  // has a place for each joint. forces: N, of a solver that knows them; empty = what the energy says.
  void remember(const Configuration& q, std::span<const double> forces, JointMemory& memory) const;

 private:
  struct Side {
    std::array<int, 4> local{};  // of the point's blocks, among those of the joint
    double length = 1;           // m, ℓ of a rigid body
  };
  struct Element {
    std::array<int, kMostJointBlocks> block{};
    int count = 0;
    std::array<Side, 2> side;
    std::array<int, kMostJointBlocks*(kMostJointBlocks + 1) / 2> slot{};
  };
  struct Part;   // what one joint adds
  struct Stand;  // its anchors and axes

  [[nodiscard]] Stand stand(int joint, const Configuration& q) const;
  [[nodiscard]] JointScalar coordinate(int joint, const Stand& stand, const Configuration& q) const;
  void add_holds(const Joint& joint, const Stand& stand, double step, Part& part) const;
  void add_coordinate(const Joint& joint, const JointScalar& c, double step, Part& part) const;
  void evaluate(int joint, const Configuration& q, Part& part) const;
  void scatter(int joint, const Part& part, Accumulator& out) const;
  [[nodiscard]] double pull(int joint, const Configuration& q) const;  // N

  std::vector<Joint> joints_;
  std::vector<Element> elements_;
};

}  // namespace pliant::constraint
