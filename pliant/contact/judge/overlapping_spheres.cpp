#include "pliant/contact/judge/overlapping_spheres.h"

#include <algorithm>
#include <numeric>

namespace pliant::contact {

std::vector<std::array<int, 2>> overlapping_spheres(std::span<const Vec3> centres, std::span<const double> radii) {
  if (centres.empty()) return {};
  Vec3 low = centres[0], high = centres[0];
  for (const Vec3& x : centres) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);

  std::vector<int> order(centres.size());
  std::iota(order.begin(), order.end(), 0);
  const auto begin_of = [&](int i) { return centres[i][axis] - radii[i]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return begin_of(i) < begin_of(j); });

  std::vector<std::array<int, 2>> pairs;
  for (std::size_t a = 0; a < order.size(); ++a) {
    const int i = order[a];
    const double end = centres[i][axis] + radii[i];
    for (std::size_t b = a + 1; b < order.size() && begin_of(order[b]) < end; ++b) {
      const int j = order[b];
      if ((centres[i] - centres[j]).norm() < radii[i] + radii[j]) pairs.push_back({std::min(i, j), std::max(i, j)});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace pliant::contact
