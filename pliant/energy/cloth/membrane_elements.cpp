#include "pliant/energy/cloth/membrane_elements.h"

#include "pliant/assert.h"

namespace pliant::cloth {
namespace {

void add_triangle_weights(const ElementBatch<3>::Slots& slots, const TriangleRest& rest, double k,
                          sparse::SymmetricScalarMatrix& out) {
  const double scale = k / (4 * rest.area);
  const double l01 = scale * rest.dot(0, 1), l02 = scale * rest.dot(0, 2), l12 = scale * rest.dot(1, 2);
  out.add_at(slots[pair_index<3>(0, 1)], l01);  // corners are sorted: no slot is transposed
  out.add_at(slots[pair_index<3>(0, 2)], l02);
  out.add_at(slots[pair_index<3>(1, 2)], l12);
  out.add_at(slots[pair_index<3>(0, 0)], -l01 - l02);
  out.add_at(slots[pair_index<3>(1, 1)], -l01 - l12);
  out.add_at(slots[pair_index<3>(2, 2)], -l02 - l12);
}

}  // namespace

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

void MembraneElements::add_weights(parallel::FunctionRef<double(int, const TriangleRest&)> stiffness,
                                   sparse::SymmetricScalarMatrix& out) const {
  static_cast<void>(batch_.for_each_chunk(Writes::blocks, [&](int first, int last) {
    for (int e = first; e < last; ++e) {
      add_triangle_weights(batch_.slots(e), rest_[e], stiffness(e, rest_[e]), out);
    }
    return 0.0;
  }));
}

}  // namespace pliant::cloth
