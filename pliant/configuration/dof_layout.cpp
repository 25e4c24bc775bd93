#include "pliant/configuration/dof_layout.h"

#include <algorithm>

#include "pliant/assert.h"

namespace pliant {

int DofLayout::add_body(const std::string& name, int count, BlockKind kind, double length) {
  const int first = block_count();
  bodies_.push_back({name, first, count});
  kind_.insert(kind_.end(), count, kind);
  length_.insert(length_.end(), count, length);
  return first;
}

int DofLayout::add_body(const std::string& name, std::span<const BlockKind> kinds, double length) {
  const int first = block_count();
  bodies_.push_back({name, first, static_cast<int>(kinds.size())});
  for (const BlockKind kind : kinds) {
    kind_.push_back(kind);
    length_.push_back(kind == BlockKind::rod_twist ? length : 1.0);
  }
  return first;
}

int DofLayout::add_rigid_body(const std::string& name, std::span<const double, 3> extents) {
  const int first = add_body(name, 1);
  bodies_.back().count = 4;
  for (const double extent : extents) {
    kind_.push_back(BlockKind::rigid_axis);
    length_.push_back(extent);
  }
  return first;
}

BlockPlace DofLayout::locate(int block) const {
  PLIANT_ASSERT(block >= 0 && block < block_count(), "the block is one of the layout's");
  const auto after =
      std::upper_bound(bodies_.begin(), bodies_.end(), block, [](int b, const Body& body) { return b < body.first; });
  const int body = static_cast<int>(after - bodies_.begin()) - 1;
  return {body, block - bodies_[body].first};
}

}  // namespace pliant
