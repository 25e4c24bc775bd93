// Manifolds of rigid bodies, four of one colour side by side: what contact_batch.h does, for the commonest contact, several
// times as fast. Cylinder friction; what it computes is the same, point by point.
//
// The two bodies of each manifold are gathered once, all of its points (in a sweep, all rounds over them) run in registers, and
// the bodies are written back. Sides that no body carries (obstacles) are bodies without mobility.
//
// Of vectors over all rows (batch.h) each point has twelve: four normals, four first tangents, four second ones.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/projected_pairs.h"
#include "pliant/math/lanes.h"
#include "pliant/solver/projection/movers.h"

namespace pliant::solver {

// What a sweep needs of a contact, and keeps.
struct ContactRow {
  Vec3 normal = Vec3::UnitY();
  std::array<Vec3, 2> tangent = {Vec3::UnitX(), Vec3::UnitZ()};
  std::array<Vec3, 2> arm = {Vec3::Zero(), Vec3::Zero()};  // m, R a + p of rigid sides
  Vec3 rolled = Vec3::Zero();                              // m, Σ ±θ × p up to the last refresh: along the surface
  double normal_inverse = 0;                               // kg, of nᵀ K n
  double tangent_inverse[3] = {0, 0, 0};                   // kg, of the 2×2 matrix of the tangents: 11, 12, 22
  double slide_inverse = 0;                                // kg, of its largest eigenvalue
  bool is_idle = false;                                    // neither pushes nor touches where it was linearised
  double multiplier[3] = {0, 0, 0};                        // kg m, Λ_n, Λ_t
  double shift = 0;                                        // m, −offset − wanted
};

template <class Real>
class ManifoldLanes {
 public:
  static constexpr int kLanes = math::kLaneCount;

  void clear();
  // Groups of one colour, all of rigid bodies: pairs first_pair … last_pair − 1 of each. Returns the range of quads.
  std::array<int, 2> add(std::span<const std::array<int, 2>> groups, const contact::ProjectedPairs& pairs);
  // Rows and inertia as they are now.
  void load(const contact::ProjectedPairs& pairs, std::span<const ContactRow> rows, const Movers<Real>& movers);
  void relax(int quad, double omega, int rounds, Movers<Real>& movers);
  // Multipliers back into the rows.
  void store(std::span<ContactRow> rows) const;

  // --- All rows at once: as in batch.h ---
  [[nodiscard]] int row_count() const { return 3 * kLanes * static_cast<int>(points_.size()); }
  void linearise(const Movers<Real>& movers, std::span<double> residual);
  void precondition(std::span<const double> r, std::span<double> z) const;
  // Of quads first … last − 1, which are of one colour.
  void pull_back(int first, int last, std::span<const double> d, Impulses& out) const;
  void multiply(const Impulses& y, std::span<double> p) const;
  void accept(std::span<double> change);
  void write_multipliers(std::span<double> out) const;

 private:
  using Lanes = math::Lanes;
  struct Point {
    Lanes normal[3], tangent[2][3], arm[2][3];
    Lanes normal_inverse, tangent_inverse[3], slide_inverse;
    Lanes gap_shift;      // n·(scripted + arms) + shift
    Lanes slip_shift[2];  // t·(scripted + arms + rolled − before)
    Lanes friction;
    Lanes multiplier[3];
    int pair[kLanes];  // −1: none
  };
  struct Quad {
    Lanes inverse[2][6];   // I⁻¹: xx, xy, xz, yy, yz, zz
    Lanes w[2];            // 1/kg
    int rigid[2][kLanes];  // −1: none
    int first_point = 0, point_count = 0;
  };
  struct Bodies {
    Lanes x[2][3], turned[2][3];
  };
  // place and turn give three numbers each of a rigid body.
  template <class Place, class Turn>
  static void gather(const Quad& quad, const Place& place, const Turn& turn, Bodies& bodies);
  static void gather(const Quad& quad, const Movers<Real>& movers, Bodies& bodies);
  void scatter(const Quad& quad, const Bodies& bodies, Movers<Real>& movers) const;
  // x + φ × p of side a less that of side b, along the normal and the tangents.
  static void move(const Point& point, const Bodies& bodies, Lanes r[3]);
  // Gap beyond what is wanted, and slip, at the end of the step as it is now [m].
  static void evaluate(const Point& point, const Bodies& bodies, Lanes r[3]);
  // Λ_n ≥ 0, then |Λ_t| ≤ μ Λ_n.
  static void project(const Lanes& friction, Lanes multiplier[3]);
  static void relax_point(const Quad& quad, double omega, Point& point, Bodies& bodies);

  std::vector<Quad> quads_;
  std::vector<Point> points_;
  // Per point, normal and tangents: D⁻¹ where it was linearised, 0 for what neither pushes nor touches there.
  std::vector<std::array<Lanes, 2>> diagonal_;
};

}  // namespace pliant::solver
