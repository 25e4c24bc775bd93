#include "pliant/mesh/tear.h"

#include <algorithm>
#include <map>
#include <set>

#include "pliant/mesh/disjoint_sets.h"

namespace pliant {
namespace {

template <class Element>
inline constexpr int kCorners = Element::RowsAtCompileTime;

// The corners of a face, ascending; −1 in front when it has fewer than three.
template <class Element>
Vec3i face_key(const Element& element, int opposite) {
  Vec3i key(-1, -1, -1);
  int count = 0;
  for (int c = 0; c < kCorners<Element>; ++c) {
    if (c != opposite) key[count++] = element[c];
  }
  std::sort(key.data(), key.data() + 3);
  return key;
}

template <class Element>
int corner_of(const Element& element, int vertex) {
  for (int c = 0; c < kCorners<Element>; ++c) {
    if (element[c] == vertex) return c;
  }
  return -1;
}

// Faces that are still closed between elements that are still there: element, corner opposite, element beyond.
template <class Element, class Visit>
void for_each_joint(std::span<const Element> across, const std::set<std::array<int, 2>>& opened,
                    const std::vector<char>& is_removed, const Visit& visit) {
  for (int e = 0; e < static_cast<int>(across.size()); ++e) {
    for (int c = 0; c < kCorners<Element>; ++c) {
      const int other = across[e][c];
      if (other > e && !is_removed[e] && !is_removed[other] && !opened.contains({e, other})) visit(e, c, other);
    }
  }
}

constexpr int kTetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

int edge_of(const Vec4i& tet, int a, int b) {
  for (int k = 0; k < 6; ++k) {
    const int p = tet[kTetEdges[k][0]], q = tet[kTetEdges[k][1]];
    if ((p == a && q == b) || (p == b && q == a)) return k;
  }
  return -1;
}

// Tets that are held to the others around an edge by that edge alone: all fans around it but the largest. Edges whose
// both ends are `looked_at` count.
std::vector<int> hanging_tets(std::span<const Vec4i> tets, std::span<const Vec4i> across,
                              const std::set<std::array<int, 2>>& opened, const std::vector<char>& is_removed,
                              const std::vector<char>& looked_at) {
  DisjointSets fans(6 * tets.size());  // of tets around edges: 6 e + k for edge k of tet e
  for_each_joint(across, opened, is_removed, [&](int e, int opposite, int other) {
    for (int k = 0; k < 6; ++k) {
      const auto [a, b] = kTetEdges[k];
      if (a != opposite && b != opposite)
        fans.join(6 * e + k, 6 * other + edge_of(tets[other], tets[e][a], tets[e][b]));
    }
  });
  // Vertices have copies by now, so fans of different copies do not meet here.
  std::map<std::array<int, 2>, std::map<int, std::vector<int>>> around;  // edge → fan → its tets
  for (int e = 0; e < static_cast<int>(tets.size()); ++e) {
    for (int k = 0; k < 6 && !is_removed[e]; ++k) {
      const int a = tets[e][kTetEdges[k][0]], b = tets[e][kTetEdges[k][1]];
      if (looked_at[a] && looked_at[b]) around[{std::min(a, b), std::max(a, b)}][fans.root(6 * e + k)].push_back(e);
    }
  }
  std::vector<int> hanging;
  for (const auto& [edge, groups] : around) {
    if (groups.size() < 2) continue;
    const auto largest = std::max_element(
        groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
    for (const auto& group : groups) {
      if (group.first != largest->first) hanging.insert(hanging.end(), group.second.begin(), group.second.end());
    }
  }
  return hanging;
}

// Around a vertex of a manifold the outside is one fan of faces. Where two hollows meet in a vertex there are several:
// of each such vertex one tet, the one with most of these faces, so that the hollows grow into one.
std::vector<int> pinched_tets(std::span<const Vec4i> tets, std::span<const Vec4i> across,
                              const std::set<std::array<int, 2>>& opened, const std::vector<char>& is_removed,
                              const std::vector<char>& looked_at) {
  const auto is_closed = [&](int e, int other) {
    return other >= 0 && !is_removed[other] && !opened.contains({std::min(e, other), std::max(e, other)});
  };
  struct OuterFace {
    int tet;
    std::array<int, 2> others;  // its vertices besides the one it is listed at
  };
  std::map<int, std::vector<OuterFace>> at_vertex;
  for (int e = 0; e < static_cast<int>(tets.size()); ++e) {
    for (int c = 0; c < 4 && !is_removed[e]; ++c) {
      if (is_closed(e, across[e][c])) continue;
      const Vec4i& t = tets[e];
      const std::array<int, 3> face = {t[(c + 1) % 4], t[(c + 2) % 4], t[(c + 3) % 4]};
      for (int i = 0; i < 3; ++i) {
        if (looked_at[face[i]]) at_vertex[face[i]].push_back({e, {face[(i + 1) % 3], face[(i + 2) % 3]}});
      }
    }
  }
  std::vector<int> pinched;
  for (const auto& [vertex, faces] : at_vertex) {
    DisjointSets fans(faces.size());
    std::map<int, int> first_at;  // other vertex → face
    for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
      for (const int other : faces[f].others) fans.join(f, first_at.try_emplace(other, f).first->second);
    }
    int fan_count = 0;
    std::map<int, int> faces_of_tet;
    for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
      fan_count += fans.root(f) == f ? 1 : 0;
      ++faces_of_tet[faces[f].tet];
    }
    if (fan_count < 2) continue;
    const auto most = std::max_element(faces_of_tet.begin(), faces_of_tet.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    pinched.push_back(most->first);
  }
  return pinched;
}

// Elements with their vertices doubled where a vertex that is looked at has several fans.
template <class Element>
struct Doubled {
  std::vector<Element> elements;
  std::vector<int> source;
};
template <class Element>
Doubled<Element> double_vertices(std::span<const Element> elements, std::span<const Element> across, int vertex_count,
                                 const std::set<std::array<int, 2>>& opened, const std::vector<char>& is_removed,
                                 const std::vector<char>& looked_at) {
  constexpr int n = kCorners<Element>;
  DisjointSets fans(n * elements.size());  // of corners that are one vertex: n e + c for corner c of element e
  for_each_joint(across, opened, is_removed, [&](int e, int opposite, int other) {
    for (int c = 0; c < n; ++c) {
      if (c != opposite) fans.join(n * e + c, n * other + corner_of(elements[other], elements[e][c]));
    }
  });
  Doubled<Element> doubled{{elements.begin(), elements.end()}, {}};
  std::vector<int> first_fan(static_cast<std::size_t>(vertex_count), -1);
  std::map<int, int> copy_of_fan;
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    for (int c = 0; c < n && !is_removed[e]; ++c) {
      const int v = elements[e][c], fan = fans.root(n * e + c);
      if (!looked_at[v]) continue;
      if (first_fan[v] < 0) first_fan[v] = fan;
      if (first_fan[v] == fan) continue;
      const auto [found, is_new] = copy_of_fan.try_emplace(fan, vertex_count + static_cast<int>(doubled.source.size()));
      if (is_new) doubled.source.push_back(v);
      doubled.elements[e][c] = found->second;
    }
  }
  return doubled;
}

}  // namespace

template <class Element>
std::vector<Element> across_faces(std::span<const Element> elements) {
  struct Face {
    Vec3i key;
    int element, opposite;
  };
  std::vector<Face> faces;
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    for (int c = 0; c < kCorners<Element>; ++c) faces.push_back({face_key(elements[e], c), e, c});
  }
  const auto same = [](const Face& a, const Face& b) { return a.key == b.key; };
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::lexicographical_compare(a.key.begin(), a.key.end(), b.key.begin(), b.key.end());
  });
  std::vector<Element> across(elements.size(), Element::Constant(-1));
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && same(faces[i], faces[end])) ++end;
    if (end - i == 2) {
      across[faces[i].element][faces[i].opposite] = faces[i + 1].element;
      across[faces[i + 1].element][faces[i + 1].opposite] = faces[i].element;
    }
    i = end;
  }
  return across;
}

template <class Element>
MeshOpening part_vertex(std::span<const Element> elements, std::span<const Element> across,
                        std::span<const int> around_vertex, std::span<const Vec3> positions, int vertex,
                        const Vec3& normal) {
  const auto is_above = [&](int e) {
    Vec3 centre = Vec3::Zero();
    for (const int v : elements[e]) centre += positions[v] / kCorners<Element>;
    return (centre - positions[vertex]).dot(normal) > 0;
  };
  MeshOpening opening;
  for (const int e : around_vertex) {
    for (int c = 0; c < kCorners<Element>; ++c) {
      const int other = across[e][c];
      if (elements[e][c] != vertex && other > e && is_above(e) != is_above(other)) opening.faces.push_back({e, other});
    }
  }
  return opening;
}

template <class Element>
OpenedMesh open_mesh(std::vector<Element>& elements, int vertex_count, const MeshOpening& opening) {
  const std::vector<Element> across = across_faces<Element>(elements);
  std::set<std::array<int, 2>> opened;
  std::vector<char> is_removed(elements.size(), 0), looked_at(static_cast<std::size_t>(vertex_count), 0);
  for (const auto& [a, b] : opening.faces) {
    opened.insert({std::min(a, b), std::max(a, b)});
    for (const int v : elements[a]) {
      if (corner_of(elements[b], v) >= 0) looked_at[v] = 1;
    }
  }
  const auto remove = [&](const std::vector<int>& which) {
    for (const int e : which) {
      is_removed[e] = 1;
      for (const int v : elements[e]) looked_at[v] = 1;
    }
  };
  remove(opening.removed);
  Doubled<Element> doubled;
  for (;;) {
    doubled = double_vertices<Element>(elements, across, vertex_count, opened, is_removed, looked_at);
    if constexpr (kCorners<Element> == 4) {
      std::vector<char> copies_too = looked_at;
      copies_too.resize(looked_at.size() + doubled.source.size(), 1);
      std::vector<int> doomed = hanging_tets(doubled.elements, across, opened, is_removed, copies_too);
      if (doomed.empty()) doomed = pinched_tets(doubled.elements, across, opened, is_removed, copies_too);
      remove(doomed);
      if (!doomed.empty()) continue;
    }
    break;
  }
  OpenedMesh result;
  result.source = std::move(doubled.source);
  elements.clear();
  for (int e = 0; e < static_cast<int>(is_removed.size()); ++e) {
    if (!is_removed[e]) elements.push_back(doubled.elements[e]);
    (is_removed[e] ? result.removed : result.kept).push_back(e);
  }
  return result;
}

template std::vector<Vec3i> across_faces<Vec3i>(std::span<const Vec3i>);
template std::vector<Vec4i> across_faces<Vec4i>(std::span<const Vec4i>);
template MeshOpening part_vertex<Vec3i>(std::span<const Vec3i>, std::span<const Vec3i>, std::span<const int>,
                                        std::span<const Vec3>, int, const Vec3&);
template MeshOpening part_vertex<Vec4i>(std::span<const Vec4i>, std::span<const Vec4i>, std::span<const int>,
                                        std::span<const Vec3>, int, const Vec3&);
template OpenedMesh open_mesh<Vec3i>(std::vector<Vec3i>&, int, const MeshOpening&);
template OpenedMesh open_mesh<Vec4i>(std::vector<Vec4i>&, int, const MeshOpening&);

}  // namespace pliant
