// Manifolds of rigid bodies, four of one colour side by side: what contact_batch.h does, for the commonest contact, several
// times as fast. Cylinder friction; what it computes is the same, point by point.
//
// Points of a manifold have one normal n, as a rule, and everything is expressed along n, t₁, t₂: a part. There the residual
// of a point is a vector sum, and an impulse is the change of its multipliers:
//
//   r = u + φ_a × p_a − φ_b × p_b + shift        u = x_a − x_b, p arms
//   u ← u + (w_a + w_b) ΔΛ,   φ_a ← φ_a + I_a⁻¹ (p_a × ΔΛ),   φ_b ← φ_b − I_b⁻¹ (p_b × ΔΛ)
//
// The two bodies of each manifold are gathered once, all of its points (in a sweep, all rounds over them) run in registers, and
// the bodies are written back. Sides that no body carries (obstacles) are bodies without mobility. A manifold with several
// normals (meshes) has as many parts.
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

template <class Real>
class ManifoldLanes {
 public:
  static constexpr int kLanes = math::kLaneCount;

  void clear();
  // Groups of one colour, all of rigid bodies: pairs first_pair … last_pair − 1 of each. Returns the range of quads.
  std::array<int, 2> add(std::span<const std::array<int, 2>> groups, const contact::ProjectedPairs& pairs);
  [[nodiscard]] int quad_count() const { return static_cast<int>(quads_.size()); }
  // Geometry where bodies are now, and multipliers from impulses [kg m], one per pair. Of quads from first_quad on, whose
  // pairs are the last ones; 0: a step begins.
  void begin(int first_quad, const contact::ProjectedPairs& pairs, std::span<const Vec3> impulses,
             const Movers<Real>& movers);
  // What the multipliers do to the bodies.
  void push(int quad, Movers<Real>& movers) const;
  void relax(int quad, double omega, int rounds, Movers<Real>& movers);
  // Gaps of bodies that have turned.
  void follow(const Movers<Real>& movers);
  // Forces are multipliers times weight; gaps and slips are those of where bodies are now.
  void write_outcomes(double weight, const contact::ProjectedPairs& pairs, const Movers<Real>& movers,
                      std::span<contact::ProjectedOutcome> outcomes) const;

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
  // What iterations need of a point; components along n, t₁, t₂.
  struct Point {
    Lanes arm[2][3];           // m, the levers'
    Lanes shift[3];            // m: of the gap beyond what is wanted, and of the slip, with where bodies have turned
    Lanes normal_inverse;      // kg, of K₁₁
    Lanes tangent_inverse[3];  // kg, of the 2×2 matrix of the tangents: 11, 12, 22
    Lanes slide_inverse;       // kg, of its largest eigenvalue
    Lanes friction;
    Lanes multiplier[3];  // kg m
  };
  // What it is set up from.
  struct PointSource {
    Lanes local[2][3];  // m, principal coordinates
    Lanes round[2];     // m, along n
    Lanes base[3];      // m, of the shift: what does not turn
    Lanes is_there;     // 1, or 0
    int pair[kLanes];   // −1: none
  };
  // Points with one normal per lane.
  struct Part {
    Lanes axis[3][3];     // n, t₁, t₂
    Lanes inverse[2][6];  // I⁻¹ along them: 11, 12, 13, 22, 23, 33
    int first_point = 0, point_count = 0;
  };
  struct Quad {
    int rigid[2][kLanes];   // −1: none
    int centre[2][kLanes];  // block
    int first_part = 0, part_count = 0;
    bool is_round = false;  // some point of it rolls
  };
  struct Bodies {
    Lanes x[2][3], turned[2][3];
    Lanes w[2];
  };
  // The bodies' motion in a part's axes.
  struct Motion {
    Lanes between[3], turned[2][3];
  };
  // What a part's multipliers gave, in its axes: the force on the first side, turns of both.
  struct Gain {
    Lanes force[3], turned[2][3];
  };

  void set_axes(const contact::ProjectedPairs& pairs, Part& part);
  void set_source(const contact::ProjectedPairs& pairs, std::span<const Vec3> impulses, const Part& part, int p);
  void set_up(const Quad& quad, const Movers<Real>& movers);
  void carry(const Quad& quad, const Movers<Real>& movers);
  static void arm_of(const Part& part, const Lanes rotation[9], const PointSource& source, int side, Lanes arm[3]);
  static void set_inverses(const Part& part, const Lanes& w, const Lanes& is_there, Point& point);
  void find_rolling(int first_quad, const contact::ProjectedPairs& pairs, const Movers<Real>& movers);
  // body(quad, part) of quads first … last − 1.
  template <class Body>
  void for_parts(int first, int last, const Body& body) const;
  template <class Source, class Body>
  void for_moves(const Source& source, const Body& body) const;
  template <class Body>
  void for_residuals(const Movers<Real>& movers, const Body& body) const;

  static void gather(const Quad& quad, const Movers<Real>& movers, Bodies& bodies);
  static void gather(const Quad& quad, const Impulses& y, Bodies& bodies);
  static void scatter(const Quad& quad, const Bodies& bodies, Movers<Real>& movers);
  static void enter(const Part& part, const Bodies& bodies, Motion& motion);
  static void leave(const Part& part, const Gain& gain, Bodies& bodies);
  // r without the shift.
  static void move(const Point& point, const Motion& motion, Lanes r[3]);
  static void turn(const Part& part, const Point& point, const Lanes change[3], Lanes turned[2][3]);
  // Λ_n ≥ 0, then |Λ_t| ≤ μ Λ_n.
  static void project(const Lanes& friction, Lanes multiplier[3]);
  static void relax_point(const Part& part, const Lanes& w, double omega, Point& point, Motion& motion, Lanes force[3]);

  std::vector<Quad> quads_;
  std::vector<Part> parts_;
  std::vector<Point> points_;
  std::vector<PointSource> sources_;  // per point
  // Per point, normal and tangents: D⁻¹ where it was linearised, 0 for what neither pushes nor touches there.
  std::vector<std::array<Lanes, 2>> diagonal_;
  std::vector<unsigned char> rolls_;  // per rigid body: whether something of it is round
  std::vector<Vec3> rolled_;          // rad, θ up to the last refresh, of those
};

}  // namespace pliant::solver
