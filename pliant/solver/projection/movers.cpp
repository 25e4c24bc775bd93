#include "pliant/solver/projection/movers.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

// rad: how far arms lag behind. Gaps follow impulses at such arms by its cosine or more.
constexpr double kLongestLag = 0.5;
// A little above its cosine: what turns by less is passed over at once.
constexpr double kCosineOfLag = 0.878;

// F(L + I Σφ/h) R_b
Mat3 turned_in_middle(const Turner& turner) {
  const RigidFrame& frame = *turner.free.frame;
  const Vec3 gain = turner.metric * frame.inertia().cwiseProduct(turner.metric.transpose() * turner.gained);
  return turned_freely(frame, turner.before, turner.free.momentum + gain / turner.free.step, turner.free.step);
}

}  // namespace

void set_levers(std::vector<Turner>& turners) {
  parallel_for(static_cast<int>(turners.size()), kTurnersAtATime, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      Turner& turner = turners[k];
      turner.lever = turner.before;
      const double cosine = 0.5 * (turner.rotation.cwiseProduct(turner.before).sum() - 1);  // from tr(R R_bᵀ)
      if (cosine > kCosineOfLag) continue;
      const Vec3 turn = math::vector_from_rotation(turner.rotation * turner.before.transpose());
      const double angle = turn.norm();
      if (angle <= kLongestLag) continue;
      const double lag = std::max(kLongestLag, 0.5 * angle);
      turner.lever = math::rotation_from_vector((angle - lag) / angle * turn) * turner.before;
    }
  });
}

bool refresh_rotations(std::vector<Turner>& turners, double least) {
  parallel_for(static_cast<int>(turners.size()), kTurnersAtATime, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      Turner& turner = turners[k];
      turner.has_turned = turner.turned.squaredNorm() > least * least;
      if (!turner.has_turned) continue;
      turner.gained += turner.turned;
      if (turner.free.frame != nullptr) {
        turner.rotation = turned_in_middle(turner);
      } else {
        turner.rotation = math::rotation_from_vector(turner.turned) * turner.rotation;  // errs by 1e-16 each time
      }
      turner.turned.setZero();
    }
  });
  return std::any_of(turners.begin(), turners.end(), [](const Turner& turner) { return turner.has_turned; });
}

}  // namespace pliant::solver
