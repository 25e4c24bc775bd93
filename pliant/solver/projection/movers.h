// What moves while constraints are projected: points with their inverse masses, and the turning of rigid bodies.
//
//   point   x ← x + w f            w = 1/m [1/kg], 0 where held; f = force/W with the integrator's weight W (1/h² for backward
//                                  Euler), so that multipliers are Λ = λ/W [kg m]
//   rigid   c ← c + w f,  φ ← φ + I⁻¹ τ,  R = exp(φ) R_k       φ: turned since R_k was last refreshed
//           where impulses act in the middle of the step (Turner::free), R_k = F(L + I Σφ/h) R_b at every refresh, F the free
//           turning of a whole step: half the angular impulse before it and half after it, which is the same backwards in time.
//           By exp(Σφ) F(L) R_b a top of three moments at 200 rad/s gained 0.1 of its energy in 10⁴ steps of 1 ms
//
// Contacts push at the arms that bodies have before the step, R_b a, though gaps are those of where they are (set_levers).
// Two bodies then push each other along one line while their momentum is x_b × m v: what one gains in angular momentum the
// other loses, to rounding. And a corner that turns over the ground loses a little energy with every step; pushed at the arm
// of the step's end it gains F |a| θ²/2, by which a wheel of 32 facets drove itself [validation/projection.md].
//
// I⁻¹ is taken where inertia alone would lead (half way there, where impulses act in the middle of the step), and stays for the
// step: the metric in which the step is a projection.
// A point fills one vector register: position and inverse mass side by side.
#pragma once

#include <vector>

#include "pliant/configuration/rigid_frames.h"
#include "pliant/math/types.h"

namespace pliant::solver {

template <class Real>
struct alignas(4 * sizeof(Real)) Mover {
  Real x[3] = {0, 0, 0};  // m
  Real w = 0;             // 1/kg

  [[nodiscard]] Vec3 position() const { return {x[0], x[1], x[2]}; }
  void put(const Vec3& place) {
    for (int a = 0; a < 3; ++a) x[a] = static_cast<Real>(place[a]);
  }
  void move(const Vec3& step) {
    for (int a = 0; a < 3; ++a) x[a] += static_cast<Real>(step[a]);
  }
};

// What a body turns to by itself.
struct FreeTurning {
  const RigidFrame* frame = nullptr;  // null: R_k only gathers what impulses turn
  Vec3 momentum = Vec3::Zero();       // kg m²/s, L at the start of the step
  double step = 0;                    // s
};

// A rigid body's turning; its centre is a point.
struct Turner {
  int centre = 0;                    // block
  Mat3 rotation = Mat3::Identity();  // R_k, of principal coordinates
  Mat3 metric = Mat3::Identity();    // R with which I is taken
  Mat3 inverse = Mat3::Zero();       // I⁻¹ in the world, 1/(kg m²)
  Vec3 turned = Vec3::Zero();        // φ, rad
  Mat3 before = Mat3::Identity();    // R at the start of the step
  Mat3 lever = Mat3::Identity();     // R of the arms at which contacts push
  Vec3 gained = Vec3::Zero();        // rad, Σ φ of all refreshes of the step: what all impulses together did
  Vec3 loaded = Vec3::Zero();        // rad, of it by loads, before the first iteration
  FreeTurning free = {};
  bool has_turned = false;  // by the last refresh

  // What a torque impulse τ [kg m²] does.
  void turn(const Vec3& torque) { turned += inverse * torque; }
};

// f and τ of one sweep of a method that gathers before it moves.
struct Impulses {
  std::vector<Vec3> force;   // kg m, per block
  std::vector<Vec3> torque;  // kg m², per rigid body
  std::vector<int> centre;   // block, per rigid body
};

template <class Real>
struct Movers {
  std::vector<Mover<Real>> points;  // per block
  std::vector<Turner> turners;      // per rigid body
};

// Where they are in an iteration.
struct Orientation {
  Mat3 rotation;
  Vec3 turned;
};
template <class Real>
struct Places {
  std::vector<Mover<Real>> points;
  std::vector<Orientation> turns;

  void note(const Movers<Real>& movers) {
    points = movers.points;
    turns.resize(movers.turners.size());
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = {movers.turners[k].rotation, movers.turners[k].turned};
  }
  void put_back(Movers<Real>& movers) const {
    movers.points = points;
    for (std::size_t k = 0; k < turns.size(); ++k) {
      movers.turners[k].rotation = turns[k].rotation;
      movers.turners[k].turned = turns[k].turned;
    }
  }
};

template <class Real>
Impulses no_impulses(const Movers<Real>& movers) {
  Impulses none{std::vector<Vec3>(movers.points.size(), Vec3::Zero()),
                std::vector<Vec3>(movers.turners.size(), Vec3::Zero()),
                {}};
  for (const Turner& turner : movers.turners) none.centre.push_back(turner.centre);
  return none;
}

inline constexpr int kTurnersAtATime = 128;  // one takes 50 to 100 ns, more where it turns freely

// The levers of a step that begins, from `before` and where the bodies are without contact. One that turns by more than half a
// radian keeps arms less old than those before the step, of the middle at most: far from where the body is they would not
// push it where they say.
void set_levers(std::vector<Turner>& turners);

// Takes what has been turned by more than `least` [rad] into the rotations. Whether there was any.
bool refresh_rotations(std::vector<Turner>& turners, double least = 0);

}  // namespace pliant::solver
