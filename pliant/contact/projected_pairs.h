// Contacts as projection wants them: linear gaps with their direction, for the length of a step.
//
//   r = Σ w x(block) + Σ ±(c + R a + p) + s    from a point of the second body to one of the first [m]
//   gap = n·r − offset ≥ wanted                slip = r − r_before + Σ ±θ × p, along the surface
//
//   w   weights of points that blocks carry; a   a point of a rigid body, in its principal coordinates, + on the first
//   side and − on the second; s   what scripts contribute at the end of the step
//   p   from the core of a ball or capsule to its surface, along n: what rolls touches with another point all the time, always
//   below its core, so p does not turn with the body. Its turn θ in the step counts for the slip alone
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::contact {

// Signs of the first side and of the second.
inline constexpr double kSides[2] = {1, -1};

struct ProjectedPair {
  int first_term = 0, term_count = 0;                     // of points that blocks carry
  std::array<int, 2> rigid{-1, -1};                       // on the first side, on the second
  std::array<Vec3, 2> local{Vec3::Zero(), Vec3::Zero()};  // m, a
  std::array<Vec3, 2> round{Vec3::Zero(), Vec3::Zero()};  // m, p
  Vec3 scripted = Vec3::Zero();                           // m, s
  Vec3 before = Vec3::Zero();                             // m, r at the start of the step
  Vec3 normal = Vec3::UnitY();                            // n, from the second body to the first
  double offset = 0;                                      // m
  double slop = 0;                                        // m: a gap this small, or an overlap, is left as it is
  double wanted = 0;                                      // m
  double friction = 0;
  double distance = 0;                  // m, from which on the pair was looked at: for reports
  int first_body = 0, second_body = 0;  // of the contact surface
  std::uint64_t key = 0;                // the same contact has the same in the next step
};

// What a solver found for a pair, at the end of the step.
struct ProjectedOutcome {
  Vec3 force = Vec3::Zero(), friction = Vec3::Zero();  // N, on the first body; of it along the surface
  Vec3 slip = Vec3::Zero();                            // m
  double gap = 0;                                      // m
};

struct ProjectedPairs {
  std::vector<ProjectedPair> pairs;
  std::vector<int> block;      // of terms
  std::vector<double> weight;  // likewise
  // Pairs of the same two bodies that are solved one after another: first of each group, and the number of pairs.
  std::vector<int> group_start{0};

  void clear() {
    pairs.clear();
    block.clear();
    weight.clear();
    group_start.assign(1, 0);
  }
};

// A pair that has come while a step was solved, and the one of the same points that it stands for
// from now on, since they meet along another direction; −1: none.
struct MetPair {
  int pair = 0, replaces = -1;
};

}  // namespace pliant::contact
