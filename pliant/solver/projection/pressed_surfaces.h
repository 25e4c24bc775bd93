// Light surfaces under pressure: how finely they are stepped, and what makes sweeps find their tension.
//
// Projection starts a step where inertia and loads alone lead. That is p h²/ρ away, ρ mass per area: 0.5 m for 500 Pa on
// 0.1 kg/m² with h = 10 ms, on a balloon of 0.2 m radius. From there two things go wrong:
//   - Tension is pushed along the directions that edges have out there, and adds up along those of each sweep: even 1000 sweeps
//     come to 0.88 of the volume (docs/solvers/projection.md).
//   - Sweeps are local. The even tension that balances a pressure is what they change least; with 30 of them what is left of the
//     load grows from step to step.
//
// Against the first, a step is taken in parts in which the load moves the surface by no more than a part of its edges:
//
//   h ≤ √(kLoadWay e ρ/|p|)          e mean edge [m], ρ = m/A [kg/m²], p pressure [Pa]            (longest_step)
//
// each with fewer sweeps: of a mode with stiffness k accelerated sweeps take about h √(k/m) to see it    (sweeps_of_part)
//
// Against the second, after each sweep the multipliers of a surface go on to the best place in the plane of all that they
// are, Λ, and of what the sweep changed, d:
//
//   ΔΛ = a Λ + b d,   [ Λ·AΛ  Λ·Ad ] [a]     [ Λ·r ]
//                     [ Λ·Ad  d·Ad ] [b] = − [ d·r ]          A = J W Jᵀ + ω C⁻¹, r = c + ω C⁻¹Λ, of where things are now
//
// the minimum of the dual objective ½ Λ·AΛ + Λ·c there. Λ scales the tension that was found to the load, d is the way the
// sweep goes: this is what conjugate gradients with the sweep as their preconditioner would do, without their memory.
// Both directions are made of forces within the surface: linear momentum stays as it is, to rounding. Angular momentum does
// not, as each sweep pushes along edges of where things are in that sweep. In the order of the elements that is a torque, small
// but the same in every step: a balloon at rest in free space had 0.28 J after ten seconds, a spin of about 19 rad/s. So at the end a
// free surface is turned as a whole by θ, so that what it gained is what loads, contacts and joints gave it       (balance)
//
//   Σ m x × (x − q̃ − u) = Σ m q̃ × (q̃_load − q̃)       x places at the end, q̃ where inertia leads, q̃_load loads with it,
//                                                     u = W J_cᵀΛ_c what contacts and joints did
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/energy.h"
#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

// A sheet of triangles or springs that pressure acts on, with all that hangs together with it.
struct PressedSurface {
  std::vector<std::array<int, 2>> edges;  // blocks, each once
  std::vector<int> points;                // blocks, ascending
  std::vector<Vec3i> triangles;           // that pressure acts on
  std::vector<int> loads;                 // into Controls::load_values
};

// In the order of their lowest points. Solids under pressure are none.
[[nodiscard]] std::vector<PressedSurface> find_pressed_surfaces(std::span<const std::unique_ptr<Energy>> energies,
                                                                int block_count);

// s; infinite without pressure. pressure: Pa, the largest; masses: kg, per block.
[[nodiscard]] double longest_step(const PressedSurface& surface, double pressure, std::span<const double> masses,
                                  const BlockVector& positions);

// Of each of the equal parts of a step for which the user wants so many.
[[nodiscard]] int sweeps_of_part(int budget, int parts);

template <class Real>
class SurfaceAcceleration {
 public:
  // Once per model: those batches that have edges of these surfaces.
  void set_batches(std::span<const std::unique_ptr<Batch<Real>>> batches, std::span<const PressedSurface> surfaces,
                   int block_count);
  [[nodiscard]] bool is_empty() const { return parts_.empty(); }
  // A step begins, with all multipliers zero.
  void begin();
  // After a sweep.
  void accelerate(Movers<Real>& movers);
  // What a step did besides forces within its elements.
  struct Outside {
    const BlockVector& inertial;  // m, q̃
    const BlockVector& target;    // m, with loads
    std::span<const Vec3> given;  // kg m, per block: J_cᵀΛ_c of contacts and joints
    std::span<const int> held;    // blocks that pins or hands hold or pull at: their surfaces are left as they are
  };
  // After the last sweep.
  void balance(const Outside& outside, Movers<Real>& movers);

 private:
  struct Part {
    Batch<Real>* batch = nullptr;
    int first_row = 0;  // in the vectors below
    int row_count = 0;
  };
  template <class Vector>
  [[nodiscard]] static auto rows_of(const Part& part, Vector& v) {
    return std::span(v.data() + part.first_row, static_cast<std::size_t>(part.row_count));
  }
  void write_multipliers();
  void respond(const std::vector<double>& d, const Movers<Real>& movers);
  void multiply(const std::vector<double>& d, const Movers<Real>& movers, std::vector<double>& p);
  [[nodiscard]] double dot(const std::vector<int>& rows, const std::vector<double>& a,
                           const std::vector<double>& b) const;

  std::vector<Part> parts_;
  std::vector<std::vector<int>> rows_;    // per surface
  std::vector<std::vector<int>> blocks_;  // per surface
  std::vector<int> surface_of_;           // per block, −1 = none
  std::vector<int> points_;               // blocks of all of them
  std::vector<double> total_;             // Λ, zero in rows of others
  std::vector<double> last_;              // the same after the last call
  std::vector<double> change_, residual_, total_product_, change_product_;
  Impulses response_;
};

}  // namespace pliant::solver
