// Is a mesh its own mirror image in one axis, vertices and elements, to the last bit? In two axes at once that is half a
// turn about the third.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

template <class Element>
bool is_mirror_symmetric(const std::vector<Vec3>& vertices, const std::vector<Element>& elements,
                         std::initializer_list<int> axes) {
  constexpr int corners = Element::RowsAtCompileTime;
  const auto key = [](const Vec3& x) { return std::array<double, 3>{x.x() + 0.0, x.y() + 0.0, x.z() + 0.0}; };
  std::map<std::array<double, 3>, int> index;
  for (int v = 0; v < static_cast<int>(vertices.size()); ++v) index[key(vertices[v])] = v;
  std::vector<int> image;
  for (Vec3 x : vertices) {
    for (const int axis : axes) x[axis] = -x[axis];
    const auto found = index.find(key(x));
    if (found == index.end()) return false;
    image.push_back(found->second);
  }
  std::set<std::array<int, corners>> originals, images;
  for (const Element& element : elements) {
    std::array<int, corners> original, reflected;
    for (int c = 0; c < corners; ++c) {
      original[c] = element[c];
      reflected[c] = image[element[c]];
    }
    std::sort(original.begin(), original.end());
    std::sort(reflected.begin(), reflected.end());
    originals.insert(original);
    images.insert(reflected);
  }
  return originals == images;
}

template <class Element>
bool is_mirror_symmetric(const std::vector<Vec3>& vertices, const std::vector<Element>& elements, int axis) {
  return is_mirror_symmetric(vertices, elements, std::initializer_list<int>{axis});
}

}  // namespace pliant
