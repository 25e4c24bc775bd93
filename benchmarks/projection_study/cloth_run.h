// Cloth of the study, and its motion under the library's batches and iterations (pliant/solver/projection).
//
// A step as solver::Projection does it, without contact: q̃ by inertia and gravity, a number of iterations, velocities from
// positions. The study holds the loop itself, to look at residuals between iterations.
#pragma once

#include <memory>
#include <vector>

#include "benchmarks/projection_study/printed_jacobi.h"
#include "pliant/energy/compliant.h"
#include "pliant/solver/projection/dual_iteration.h"

namespace pliant::projection_study {

constexpr double kGravity = 9.8;  // m/s², as the reference has it

struct Cloth {
  std::vector<Vec3> points;  // m, at the start
  std::vector<SoftLink> links;
  std::vector<SoftTriangle> triangles;
  std::vector<Vec3i> faces;
  std::vector<unsigned char> is_held;
  double mass = 1;  // kg, in all, shared equally

  [[nodiscard]] double inverse_mass(std::size_t i) const {
    return is_held[i] != 0 ? 0 : static_cast<double>(points.size()) / mass;
  }
};

enum class LinkKinds { stretch, all };

struct SheetOptions {
  int side = 50;         // points
  double spacing = 0.1;  // m
  double stiffness = 0;  // N/m; 0: hard
  LinkKinds kinds = LinkKinds::stretch;
};
// Horizontal, held at two corners of one side.
[[nodiscard]] Cloth make_sheet(const SheetOptions& options);

struct RunOptions {
  solver::ProjectionIteration iteration = solver::ProjectionIteration::gauss_seidel;
  int iterations = 15;
  double step = 0.016;      // s
  double relaxation = 1.2;  // of sor
  double speed_kept = 1;    // part of velocities that is left after a step
  double damping = 0;       // s, ρ of links: stiffness times ρ on rates
  bool is_newmark = false;  // β = 1/4, γ = 1/2
  double fixed_omega = 0;   // > 0: Jacobi with this ω, as printed, and improved_jacobi's momentum
};

class ClothRun {
 public:
  ClothRun(const Cloth& cloth, const RunOptions& options);
  ~ClothRun();

  void step() {
    begin_step();
    for (int k = 0; k < options_.iterations; ++k) iterate();
    end_step();
  }
  void begin_step();
  void iterate();
  void end_step();

  void set_motion(const std::vector<Vec3>& points, const std::vector<Vec3>& velocities);
  [[nodiscard]] const Cloth& cloth() const { return cloth_; }
  [[nodiscard]] std::vector<Vec3> points() const;
  [[nodiscard]] const std::vector<Vec3>& velocities() const { return velocities_; }
  [[nodiscard]] double link_error() const;  // m, Σ |c|
  [[nodiscard]] double kinetic_energy() const;
  [[nodiscard]] double gravity_energy() const;
  [[nodiscard]] double elastic_energy() const;  // of links
  [[nodiscard]] bool is_finite() const;
  [[nodiscard]] double seconds() const { return seconds_; }  // processor time of all iterations so far

 private:
  Cloth cloth_;
  RunOptions options_;
  std::vector<std::unique_ptr<solver::Batch<double>>> batches_;
  std::vector<solver::Batch<double>*> active_;
  solver::DualIteration<double> dual_;
  PrintedJacobi printed_;
  solver::Movers<double> movers_;
  std::vector<Vec3> velocities_, accelerations_;
  BlockVector before_;
  Controls controls_;
  double seconds_ = 0;
};

[[nodiscard]] double processor_seconds();

}  // namespace pliant::projection_study
