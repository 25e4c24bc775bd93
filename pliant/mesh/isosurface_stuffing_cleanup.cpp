// The rounds of isosurface_stuffing_cleanup.h. Only the neighbourhoods of offending places are looked at in detail; all
// adjacency comes from sorting.
#include "pliant/mesh/isosurface_stuffing_cleanup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <utility>

#include "pliant/mesh/disjoint_sets.h"

namespace pliant::mesh {
namespace {

// Faces of a positive tet, counter-clockwise seen from outside; face k is opposite corner k.
constexpr std::array<std::array<int, 3>, 4> kFaces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

Vec3i face_of(const Vec4i& tet, int face) { return {tet[kFaces[face][0]], tet[kFaces[face][1]], tet[kFaces[face][2]]}; }

struct Face {
  std::array<int, 3> key;  // sorted vertices
  int tet, face;
};

// All faces of all tets; the two sides of an inner face stand next to each other.
std::vector<Face> sorted_faces(const TetMesh& mesh) {
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tets.size());
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    for (int f = 0; f < 4; ++f) {
      const Vec3i v = face_of(mesh.tets[t], f);
      std::array<int, 3> key{v[0], v[1], v[2]};
      std::sort(key.begin(), key.end());
      faces.push_back({key, t, f});
    }
  }
  std::sort(faces.begin(), faces.end(),
            [](const Face& a, const Face& b) { return std::pair(a.key, a.tet) < std::pair(b.key, b.tet); });
  return faces;
}

bool has_vertex(const Vec4i& tet, int v) { return (tet.array() == v).any(); }
bool has_vertex(const Vec3i& triangle, int v) { return (triangle.array() == v).any(); }

// Corners two tets have in common.
int shared_corners(const Vec4i& a, const Vec4i& b) {
  int count = 0;
  for (int k = 0; k < 4; ++k) count += has_vertex(b, a[k]) ? 1 : 0;
  return count;
}

// Marks for removal all of `tets` but the largest group of those joined by faces. True if there were several groups.
bool keep_largest_group(const TetMesh& mesh, std::span<const int> tets, std::vector<char>& removed) {
  const int n = static_cast<int>(tets.size());
  DisjointSets sets(n);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      if (shared_corners(mesh.tets[tets[i]], mesh.tets[tets[j]]) == 3) sets.join(i, j);
    }
  }
  std::vector<int> sizes(n, 0);
  for (int i = 0; i < n; ++i) ++sizes[sets.root(i)];
  const int largest = static_cast<int>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  if (n == 0 || sizes[largest] == n) return false;
  for (int i = 0; i < n; ++i) {
    if (sets.root(i) != largest) removed[tets[i]] = 1;
  }
  return true;
}

// Boundary triangles around `vertex` → ring number each; rings are joined through edges at the vertex.
std::vector<int> find_rings(std::span<const Vec3i> triangles, int vertex) {
  const int n = static_cast<int>(triangles.size());
  DisjointSets sets(n);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      int shared = 0;
      for (int k = 0; k < 3; ++k) shared += has_vertex(triangles[j], triangles[i][k]) ? 1 : 0;
      if (shared >= 2 && has_vertex(triangles[j], vertex)) sets.join(i, j);
    }
  }
  std::vector<int> rings(n);
  for (int i = 0; i < n; ++i) rings[i] = sets.root(i);
  return rings;
}

// The tets around one vertex form one group with several rings: removes a shortest path of tets between two rings.
void open_tunnel(const TetMesh& mesh, std::span<const int> tets, std::span<const BoundaryTriangle> boundary,
                 std::span<const int> rings, std::vector<char>& removed) {
  const int n = static_cast<int>(tets.size());
  const auto touches = [&](int tet, bool first_ring) {
    for (std::size_t b = 0; b < boundary.size(); ++b) {
      if (boundary[b].tet == tet && (rings[b] == rings[0]) == first_ring) return true;
    }
    return false;
  };
  // Breadth first from the first ring.
  std::vector<int> from(n, -2);  // −2: not seen, −1: start
  std::deque<int> queue;
  for (int i = 0; i < n; ++i) {
    if (!touches(tets[i], true)) continue;
    from[i] = -1;
    queue.push_back(i);
  }
  while (!queue.empty()) {
    const int i = queue.front();
    queue.pop_front();
    if (touches(tets[i], false)) {
      for (int k = i; k >= 0; k = from[k]) removed[tets[k]] = 1;
      return;
    }
    for (int j = 0; j < n; ++j) {
      if (from[j] != -2 || shared_corners(mesh.tets[tets[i]], mesh.tets[tets[j]]) != 3) continue;
      from[j] = i;
      queue.push_back(j);
    }
  }
}

// item → keys, turned around: the items of each key as ranges of one array, for the keys that are wanted.
class Lists {
 public:
  explicit Lists(std::vector<std::pair<int, int>> key_and_item) : pairs_(std::move(key_and_item)) {
    std::sort(pairs_.begin(), pairs_.end());
    items_.reserve(pairs_.size());
    for (const auto& [key, item] : pairs_) items_.push_back(item);
  }
  [[nodiscard]] std::span<const int> operator[](int key) const {
    const auto low = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(key, -1));
    const auto high = std::lower_bound(low, pairs_.end(), std::pair(key + 1, -1));
    return std::span<const int>(items_).subspan(low - pairs_.begin(), high - low);
  }

 private:
  std::vector<std::pair<int, int>> pairs_;
  std::vector<int> items_;
};

using Edge = std::pair<int, int>;

// Edges that do not have exactly two boundary triangles.
std::vector<Edge> find_bad_edges(std::span<const BoundaryTriangle> boundary) {
  std::vector<Edge> edges;
  edges.reserve(3 * boundary.size());
  for (const BoundaryTriangle& b : boundary) {
    for (int k = 0; k < 3; ++k) edges.push_back(std::minmax({b.vertices[k], b.vertices[(k + 1) % 3]}));
  }
  std::sort(edges.begin(), edges.end());
  std::vector<Edge> bad;
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    while (j < edges.size() && edges[j] == edges[i]) ++j;
    if (j - i != 2) bad.push_back(edges[i]);
  }
  return bad;
}

struct BadVertex {
  int vertex;
  std::vector<BoundaryTriangle> triangles;
  std::vector<int> rings;
};

// Vertices whose boundary triangles do not form one ring.
std::vector<BadVertex> find_bad_vertices(std::span<const BoundaryTriangle> boundary) {
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(3 * boundary.size());
  for (int b = 0; b < static_cast<int>(boundary.size()); ++b) {
    for (int k = 0; k < 3; ++k) pairs.emplace_back(boundary[b].vertices[k], b);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<BadVertex> bad;
  std::vector<Vec3i> triangles;
  for (std::size_t i = 0, j = 0; i < pairs.size(); i = j) {
    triangles.clear();
    for (; j < pairs.size() && pairs[j].first == pairs[i].first; ++j) {
      triangles.push_back(boundary[pairs[j].second].vertices);
    }
    std::vector<int> rings = find_rings(triangles, pairs[i].first);
    if (std::all_of(rings.begin(), rings.end(), [](int ring) { return ring == 0; })) continue;
    BadVertex vertex{pairs[i].first, {}, std::move(rings)};
    for (std::size_t k = i; k < j; ++k) vertex.triangles.push_back(boundary[pairs[k].second]);
    bad.push_back(std::move(vertex));
  }
  return bad;
}

// One round: marks the tets to remove.
std::vector<char> find_offending_tets(const TetMesh& mesh) {
  std::vector<char> removed(mesh.tets.size(), 0);
  const std::vector<BoundaryTriangle> boundary = find_boundary(mesh);
  const std::vector<Edge> bad_edges = find_bad_edges(boundary);
  const std::vector<BadVertex> bad_vertices = find_bad_vertices(boundary);
  if (bad_edges.empty() && bad_vertices.empty()) return removed;

  // Tets around the offending places only.
  std::vector<char> wanted(mesh.vertices.size(), 0);
  for (const Edge& edge : bad_edges) wanted[edge.first] = 1;
  for (const BadVertex& bad : bad_vertices) wanted[bad.vertex] = 1;
  std::vector<std::pair<int, int>> pairs;
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    for (int k = 0; k < 4; ++k) {
      if (wanted[mesh.tets[t][k]]) pairs.emplace_back(mesh.tets[t][k], t);
    }
  }
  const Lists tets_of(std::move(pairs));

  // A place where this round has already removed a tet waits for the next one: it may be mended by now.
  const auto untouched = [&](std::span<const int> tets) {
    return std::none_of(tets.begin(), tets.end(), [&](int t) { return removed[t] != 0; });
  };
  for (const Edge& edge : bad_edges) {
    std::vector<int> fan;
    for (const int t : tets_of[edge.first]) {
      if (has_vertex(mesh.tets[t], edge.second)) fan.push_back(t);
    }
    if (untouched(fan)) keep_largest_group(mesh, fan, removed);
  }
  for (const BadVertex& bad : bad_vertices) {
    const std::span<const int> star = tets_of[bad.vertex];
    if (!untouched(star) || keep_largest_group(mesh, star, removed)) continue;
    open_tunnel(mesh, star, bad.triangles, bad.rings, removed);
  }
  return removed;
}

void remove_tets(TetMesh& mesh, const std::vector<char>& removed) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (!removed[t]) mesh.tets[kept++] = mesh.tets[t];
  }
  mesh.tets.resize(kept);
}

void drop_unused_vertices(TetMesh& mesh) {
  std::vector<int> moved_to(mesh.vertices.size(), -1);
  for (const Vec4i& tet : mesh.tets) {
    for (int k = 0; k < 4; ++k) moved_to[tet[k]] = 0;
  }
  int count = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (moved_to[v] < 0) continue;
    mesh.vertices[count] = mesh.vertices[v];
    moved_to[v] = count++;
  }
  mesh.vertices.resize(count);
  for (Vec4i& tet : mesh.tets) {
    for (int k = 0; k < 4; ++k) tet[k] = moved_to[tet[k]];
  }
}

}  // namespace

std::vector<BoundaryTriangle> find_boundary(const TetMesh& mesh) {
  const std::vector<Face> faces = sorted_faces(mesh);
  std::vector<std::pair<int, int>> single;  // tet, face
  for (std::size_t i = 0, j = 0; i < faces.size(); i = j) {
    while (j < faces.size() && faces[j].key == faces[i].key) ++j;
    if (j - i == 1) single.emplace_back(faces[i].tet, faces[i].face);
  }
  std::sort(single.begin(), single.end());
  std::vector<BoundaryTriangle> boundary;
  boundary.reserve(single.size());
  for (const auto& [tet, face] : single) boundary.push_back({face_of(mesh.tets[tet], face), tet});
  return boundary;
}

Parts find_parts(const TetMesh& mesh) {
  const std::vector<Face> faces = sorted_faces(mesh);
  DisjointSets sets(static_cast<int>(mesh.tets.size()));
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i].key == faces[i - 1].key) sets.join(faces[i - 1].tet, faces[i].tet);
  }
  Parts parts;
  parts.part_of_tet.resize(mesh.tets.size());
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    const int first = sets.root(t);
    parts.part_of_tet[t] = first == t ? parts.count++ : parts.part_of_tet[first];
  }
  return parts;
}

int make_boundary_manifold(TetMesh& mesh) {
  const std::size_t before = mesh.tets.size();
  for (;;) {
    const std::vector<char> removed = find_offending_tets(mesh);
    if (std::none_of(removed.begin(), removed.end(), [](char r) { return r != 0; })) break;
    remove_tets(mesh, removed);
  }
  drop_unused_vertices(mesh);
  return static_cast<int>(before - mesh.tets.size());
}

}  // namespace pliant::mesh
