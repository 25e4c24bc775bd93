#include "pliant/energy/cloth/membrane_elements.h"

#include "pliant/assert.h"

namespace pliant::cloth {

MembraneElements::MembraneElements(const MembraneSheet& sheet) : animated_(sheet.animated) {
  PLIANT_ASSERT(sheet.rest.size() == sheet.triangles.size(), "every triangle has a rest state");
  const int count = static_cast<int>(sheet.triangles.size());
  std::vector<std::array<int, 3>> corners(count), order(count);
  for (int t = 0; t < count; ++t) {
    const Vec3i& triangle = sheet.triangles[t];
    order[t] = {0, 1, 2};
    std::sort(order[t].begin(), order[t].end(), [&](int a, int b) { return triangle[a] < triangle[b]; });
    corners[t] = {triangle[order[t][0]], triangle[order[t][1]], triangle[order[t][2]]};
  }
  source_ = order_by_blocks<3>(corners);
  std::vector<std::array<int, 3>> elements;
  for (const int t : source_) {
    elements.push_back(corners[t]);
    corner_order_.push_back(order[t]);
    rest_.push_back(reordered(sheet.rest[t], order[t]));
  }
  batch_ = ElementBatch<3>(std::move(elements), sheet.block_count);
}

TriangleRest MembraneElements::animated_rest(int e, const Controls& controls) const {
  const double* lengths = controls.rest_lengths[animated_].data() + 3 * static_cast<std::size_t>(source_[e]);
  const std::array<int, 3>& order = corner_order_[e];
  return with_lengths(rest_[e], std::array{lengths[order[0]], lengths[order[1]], lengths[order[2]]});
}

}  // namespace pliant::cloth
