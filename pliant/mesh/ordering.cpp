// The Hilbert numbering of ordering.h.
//
// At every level a cube has eight parts. In the curve's own frame they are visited in Gray code order
// 000 001 011 010 110 111 101 100, bit by bit along the axes. The frame is given by the corner where the curve enters
// and the axis along which it leaves; part w of it is entered at corner gray(2⌊(w−1)/2⌋) and crossed along the axis
// numbered by the trailing ones of w or w − 1, whichever is odd.
#include "pliant/mesh/ordering.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "pliant/assert.h"

namespace pliant {
namespace {

constexpr int kLevels = 21;  // three coordinates of 21 bits fill a 64-bit key

unsigned gray(unsigned w) { return w ^ (w >> 1); }
unsigned gray_inverse(unsigned g) { return g ^ (g >> 1) ^ (g >> 2); }
unsigned rotate_right(unsigned bits, unsigned by) { return ((bits >> by) | (bits << (3 - by))) & 7u; }
unsigned rotate_left(unsigned bits, unsigned by) { return rotate_right(bits, (3 - by) % 3); }

unsigned entry_corner(unsigned w) { return w == 0 ? 0 : gray(2 * ((w - 1) / 2)); }
unsigned crossing_axis(unsigned w) {
  if (w == 0) return 0;
  return static_cast<unsigned>(std::countr_one(w % 2 == 0 ? w - 1 : w)) % 3;
}

std::uint64_t hilbert_key(const std::array<std::uint32_t, 3>& cell) {
  std::uint64_t key = 0;
  unsigned entry = 0, axis = 0;
  for (int level = kLevels - 1; level >= 0; --level) {
    // Which eighth, in the world's axes, then in the curve's frame, then as a place along the curve.
    unsigned part = 0;
    for (unsigned a = 0; a < 3; ++a) part |= ((cell[a] >> level) & 1u) << a;
    const unsigned shift = (axis + 1) % 3;
    const unsigned w = gray_inverse(rotate_right(part ^ entry, shift));
    key = (key << 3) | w;
    // The frame of that eighth.
    entry ^= rotate_left(entry_corner(w), shift);
    axis = (axis + crossing_axis(w) + 1) % 3;
  }
  return key;
}

// Elements with the new vertex numbers, sorted by their vertices in increasing order.
template <class Element>
std::vector<Element> renumber_elements(const std::vector<Element>& elements, const std::vector<int>& new_number) {
  constexpr int corners = Element::RowsAtCompileTime;
  struct Keyed {
    std::array<int, corners> sorted;
    Element element;
  };
  std::vector<Keyed> keyed(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (int c = 0; c < corners; ++c) keyed[e].element[c] = keyed[e].sorted[c] = new_number[elements[e][c]];
    std::sort(keyed[e].sorted.begin(), keyed[e].sorted.end());
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.sorted < b.sorted; });
  std::vector<Element> result;
  result.reserve(elements.size());
  for (const Keyed& k : keyed) result.push_back(k.element);
  return result;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& items, std::span<const int> order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const int old_index : order) result.push_back(items[old_index]);
  return result;
}

}  // namespace

std::vector<int> hilbert_order(std::span<const Vec3> points) {
  if (points.empty()) return {};
  Vec3 low = points[0], high = points[0];
  for (const Vec3& x : points) {
    PLIANT_ASSERT(x.allFinite(), "points to be ordered are finite");
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  // One scale for all axes: cells are cubes, also for a flat or long body.
  const double extent = (high - low).maxCoeff();
  constexpr double last_cell = (1u << kLevels) - 1;
  const double scale = extent > 0 ? last_cell / extent : 0.0;
  std::vector<std::uint64_t> keys;
  keys.reserve(points.size());
  for (const Vec3& x : points) {
    std::array<std::uint32_t, 3> cell;
    for (int a = 0; a < 3; ++a) cell[a] = static_cast<std::uint32_t>(std::min(last_cell, (x[a] - low[a]) * scale));
    keys.push_back(hilbert_key(cell));
  }
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  return order;
}

std::vector<int> inverse_order(std::span<const int> order) {
  std::vector<int> inverse(order.size(), -1);
  for (int i = 0; i < static_cast<int>(order.size()); ++i) {
    PLIANT_ASSERT(order[i] >= 0 && order[i] < static_cast<int>(order.size()) && inverse[order[i]] < 0,
                  "an order names every index once");
    inverse[order[i]] = i;
  }
  return inverse;
}

TetMesh renumber(const TetMesh& mesh, std::span<const int> order) {
  PLIANT_ASSERT(order.size() == mesh.vertices.size(), "an order has one entry per vertex");
  return {permuted(mesh.vertices, order), renumber_elements(mesh.tets, inverse_order(order))};
}

TriangleMesh renumber(const TriangleMesh& mesh, std::span<const int> order) {
  PLIANT_ASSERT(mesh.corner_texture.empty(), "coordinates per corner do not follow the sorting of triangles");
  PLIANT_ASSERT(order.size() == mesh.vertices.size(), "an order has one entry per vertex");
  return {permuted(mesh.vertices, order),
          renumber_elements(mesh.triangles, inverse_order(order)),
          mesh.texture.empty() ? std::vector<Vec2>{} : permuted(mesh.texture, order),
          {}};
}

}  // namespace pliant
