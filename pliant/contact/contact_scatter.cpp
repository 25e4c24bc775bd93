#include "pliant/contact/contact_scatter.h"

namespace pliant::contact {
namespace {

bool stores_mapped(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
                   const sparse::BlockPattern& pattern) {
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      if (point[i] < 0 || point[j] < 0) continue;
      const MappedPoint &a = points[point[i]], &b = points[point[j]];
      for (int k = 0; k < a.count; ++k) {
        for (int l = 0; l < b.count; ++l) {
          const auto [low, high] = std::minmax(a.block[k], b.block[l]);
          if (pattern.find(low, high) < 0) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

bool locate(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
            const sparse::BlockPattern& pattern, ContactSlots& slots) {
  slots = {};
  slots.is_simple = true;
  for (std::size_t i = 0; i < 4; ++i) {
    if (point[i] < 0 || points[point[i]].count == 0) continue;
    const MappedPoint& p = points[point[i]];
    slots.row[i] = p.block[0];
    slots.is_simple = slots.is_simple && p.count == 1 && p.weight[0] == 1;
    // A round segment is a point and itself.
    for (std::size_t j = 0; j < i; ++j) slots.is_simple = slots.is_simple && slots.row[j] != slots.row[i];
  }
  if (!slots.is_simple) return stores_mapped(point, points, pattern);
  for (std::size_t k = 0; k < 6; ++k) {
    const int a = slots.row[static_cast<std::size_t>(ContactSlots::kFirst[k])],
              b = slots.row[static_cast<std::size_t>(ContactSlots::kSecond[k])];
    if (a < 0 || b < 0) continue;
    slots.slot[k] = pattern.find(std::min(a, b), std::max(a, b));
    if (slots.slot[k] < 0) return false;
  }
  return true;
}

bool touches(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
             sparse::BlockPattern::RowRange rows) {
  return std::any_of(point.begin(), point.end(), [&](int p) {
    if (p < 0) return false;
    const MappedPoint& mapped = points[p];
    return std::any_of(mapped.block.begin(), mapped.block.begin() + mapped.count,
                       [&](int row) { return row >= rows.first && row < rows.last; });
  });
}

}  // namespace pliant::contact
