// Grains of the study, and their motion under the library's contact rows and iterations: spheres that do not turn, between
// planes. The study holds the loop itself, to look between iterations and to choose what the solver does not let a user choose.
//
//   vts   normals and gaps before the step; an overlap shrinks by γ of itself in a step       [Francu2016, 6.3, eq. 6.21]
//   pbd   normals where inertia alone leads, overlap undone as a whole                         [6.2.3]
//   sp    like pbd for positions; velocities get a tenth of that, and lose what approaches. The reference names it ("sequential
//         positions", k_c = 1, k_v = 0.1) and does not define it: this is one reading. Gauss-Seidel, without friction.
#pragma once

#include <vector>

#include "benchmarks/projection_study/cloth_run.h"
#include "pliant/contact/sphere_pairs.h"
#include "pliant/solver/projection/contact_batch.h"

namespace pliant::projection_study {

struct Plane {
  Vec3 normal = Vec3::UnitY();  // into the room
  double offset = 0;            // m, of the plane along it
};

struct Grains {
  std::vector<Vec3> points;  // m, at the start
  std::vector<double> inverse_masses;
  double radius = 0.05;  // m
  std::vector<Plane> planes;
};

// A loose lattice of `count` grains, `row` × `row` in a layer, with random offsets, above a floor, of 1 kg each.
[[nodiscard]] Grains make_grains(int count, int row);
// Walls around the lattice.
void add_walls(Grains& grains, int row);

enum class Stepping { vts, pbd, sp };

struct GrainOptions {
  solver::ProjectionIteration iteration = solver::ProjectionIteration::gauss_seidel;
  int iterations = 15;
  double step = 1.0 / 60;  // s
  double friction = 0;
  Stepping stepping = Stepping::vts;
  double recovered = 0.5;    // γ of vts
  double fixed_omega = 0;    // > 0: Jacobi with this ω and a printed momentum
  double momentum_gain = 1;  // a, of that momentum
};

class GrainRun {
 public:
  GrainRun(const Grains& grains, const GrainOptions& options);

  void step() {
    begin_step();
    for (int k = 0; k < options_.iterations; ++k) iterate();
    end_step();
  }
  void begin_step();
  void iterate();
  void end_step();

  void set_options(const GrainOptions& options) { options_ = options; }
  [[nodiscard]] const std::vector<Vec3>& points() const { return points_; }
  [[nodiscard]] double kinetic_energy() const;
  // m, Σ and largest of overlaps, as they are.
  struct Overlap {
    double sum = 0, largest = 0;
  };
  [[nodiscard]] Overlap overlap() const;
  // m/s: Σ over contacts of the speed that is missing along them, between iterations.
  [[nodiscard]] double missing_speed();
  [[nodiscard]] std::vector<Vec3> present_points() const;  // between iterations
  [[nodiscard]] int contact_count() const { return static_cast<int>(pairs_.pairs.size()); }
  [[nodiscard]] bool is_finite() const;
  [[nodiscard]] double seconds() const {
    return seconds_;
  }  // processor time of all iterations so far, without colours of Gauss-Seidel

 private:
  void find_pairs(const std::vector<Vec3>& at, double reach);
  void iterate_sp();
  // A contact of grain i with grain j, or with a fixed place where j < 0; r: from there to the grain.
  void add_pair(int i, int j, const Vec3& place, const Vec3& normal);

  Grains grains_;
  GrainOptions options_;
  std::vector<double> radii_;
  std::vector<Vec3> points_, velocities_, target_;
  std::vector<double> pushes_;  // kg m/s, of sp, per pair
  contact::SpherePairs near_;
  contact::ProjectedPairs pairs_;
  solver::ContactBatch<double> contacts_{solver::FrictionCone::cylinder};
  std::vector<solver::Batch<double>*> active_;
  solver::DualIteration<double> dual_;
  PrintedJacobi printed_;
  solver::Movers<double> movers_;
  BlockVector before_;
  Controls controls_;
  double seconds_ = 0;
};

}  // namespace pliant::projection_study
