#include "pliant/solver/projection/starting_forces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <vector>

namespace pliant::solver {
namespace {

// What the starts together do to each body.
std::vector<Vec3> torques_of(const contact::ProjectedPairs& pairs, std::span<const Turner> turners,
                             std::span<const Vec3> starts) {
  std::vector<Vec3> torques(turners.size(), Vec3::Zero());  // kg m²
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const contact::ProjectedPair& pair = pairs.pairs[i];
    for (std::size_t s = 0; s < 2; ++s) {
      if (pair.rigid[s] < 0) continue;
      const auto rigid = static_cast<std::size_t>(pair.rigid[s]);
      const Vec3 arm = turners[rigid].lever * pair.local[s] + pair.round[s];
      torques[rigid] += contact::kSides[s] * arm.cross(starts[i]);
    }
  }
  return torques;
}

}  // namespace

void drop_spinning_starts(const contact::ProjectedPairs& pairs, std::span<const Turner> turners, double most_turn,
                          std::span<Vec3> starts) {
  std::vector<unsigned char> spins(turners.size());
  for (bool has_dropped = !turners.empty(); has_dropped;) {
    const std::vector<Vec3> torques = torques_of(pairs, turners, starts);
    for (std::size_t k = 0; k < turners.size(); ++k)
      spins[k] = (turners[k].inverse * torques[k]).squaredNorm() > most_turn * most_turn ? 1 : 0;
    has_dropped = false;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::array<int, 2>& rigid = pairs.pairs[i].rigid;
      const bool is_of_spinning = std::any_of(rigid.begin(), rigid.end(),
                                              [&](int k) { return k >= 0 && spins[static_cast<std::size_t>(k)] != 0; });
      if (!is_of_spinning || starts[i].isZero(0)) continue;
      starts[i].setZero();
      has_dropped = true;
    }
  }
}

}  // namespace pliant::solver
