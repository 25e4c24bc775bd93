// Constraints of one kind, all of a model: what every iteration of projection needs of them.
//
//   c(q) + C⁻¹ λ = 0          soft: C the stiffness; hard: C⁻¹ = 0
//   r = c + ω C⁻¹ Λ           residual, in the units of c;  Λ = λ/ω with the integrator's weight ω (movers.h)
//   A = J W Jᵀ + ω C⁻¹        the dual matrix, never assembled;  D its diagonal blocks, one per element
//
// Gauss-Seidel takes the elements colour by colour: those of one colour share nothing, so that threads and vector lanes work
// side by side, and the order is the same for any number of threads. The other methods see all rows at once.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/configuration/controls.h"
#include "pliant/solver/projection/movers.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::solver {

// What a step begins with.
struct ProjectionStep {
  double step = 0;            // s, h
  double weight = 0;          // 1/s², the integrator's
  const BlockVector& before;  // m
  const Controls& controls;
  bool is_frozen = false;   // soft constraints are linear, with the directions they have before the step
  double apart_weight = 0;  // 1/s², of joints, where they act apart (StepProblem); 0 = they do not
};

// A row that is the length of an edge, or its square: that of a link, or one of the three of a triangle.
struct EdgeRow {
  int row = 0;                // in the vectors of its batch
  std::array<int, 2> edge{};  // blocks
};

template <class Real>
class Batch {
 public:
  virtual ~Batch() = default;
  // Multipliers to zero (or where they start), and what depends on the step.
  virtual void begin(const ProjectionStep& step, Movers<Real>& movers) = 0;
  // One sweep of Gauss-Seidel; ω = 1, or over-relaxed.
  virtual void relax(double omega, Movers<Real>& movers) = 0;
  // What turned has been taken into the rotations.
  virtual void follow(const Movers<Real>&) {}

  // --- All rows at once ---
  [[nodiscard]] virtual int row_count() const = 0;
  // Whether A is the same at every iterate of a step.
  [[nodiscard]] virtual bool is_linear() const { return row_count() == 0; }
  // Evaluates c, J and D⁻¹ here; the residual is written.
  virtual void linearise(const Movers<Real>& movers, std::span<double> residual) = 0;
  virtual void precondition(std::span<const double> r, std::span<double> z) const = 0;  // z = D⁻¹ r
  virtual void pull_back(std::span<const double> d, Impulses& out) const = 0;           // out += Jᵀ d
  // p = J y + ω C⁻¹ d, with y = W Jᵀ d.
  virtual void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const = 0;
  // Λ ← P(Λ + change); change becomes what was really done. Bilateral constraints take it as it is.
  virtual void accept(std::span<double> change) = 0;
  virtual void write_multipliers(std::span<double> out) const = 0;  // Λ
  // Those of its rows that are edges.
  virtual void add_edge_rows(std::vector<EdgeRow>& /*out*/) const {}
};

}  // namespace pliant::solver
