// Finding and mending defects, as surface_repair.h lists them. Edges are compared by sorting their uses.
#include "pliant/mesh/surface_repair.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "pliant/mesh/signed_distance.h"
#include "pliant/mesh/surface.h"

namespace pliant::mesh {
namespace {

constexpr double kMergeDistance = 1e-7;  // of the bounding-box diagonal: below single precision, far above double's

// One triangle's use of an edge.
struct EdgeUse {
  int low, high;  // vertices, sorted
  int triangle;
  bool forward;  // the triangle runs from low to high
};

std::vector<EdgeUse> sorted_edge_uses(const std::vector<Vec3i>& triangles) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      uses.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  return uses;
}

// Calls visit(begin, end) for the uses of every edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeUse>& uses, Visit visit) {
  for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
    while (j < uses.size() && uses[j].low == uses[i].low && uses[j].high == uses[i].high) ++j;
    visit(uses.data() + i, uses.data() + j);
  }
}

bool uses_vertex_twice(const Vec3i& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

std::string text(const Vec3& p) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, "(%.6g, %.6g, %.6g)", p[0], p[1], p[2]);
  return buffer;
}

std::string count_of(int count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// --- The steps of the repair. Each returns how many things it changed. ---

int merge_vertices(TriangleMesh& surface) {
  Box bounds;
  for (const Vec3& x : surface.vertices) bounds.include(x);
  const double reach = kMergeDistance * (bounds.high - bounds.low).norm();
  if (!(reach > 0)) return 0;
  // Hash grid with cells of the merging distance: partners are in the 27 cells around.
  const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    return (i * 73856093) ^ (j * 19349663) ^ (k * 83492791);
  };
  std::unordered_multimap<std::int64_t, int> cells;
  cells.reserve(surface.vertices.size());
  std::vector<int> merged_into(surface.vertices.size());
  int merged = 0;
  for (int v = 0; v < static_cast<int>(surface.vertices.size()); ++v) {
    const Vec3 scaled = (surface.vertices[v] - bounds.low) / reach;
    const auto x = static_cast<std::int64_t>(scaled[0]), y = static_cast<std::int64_t>(scaled[1]),
               z = static_cast<std::int64_t>(scaled[2]);
    int partner = v;
    for (int n = 0; n < 27; ++n) {
      const auto [begin, end] = cells.equal_range(key(x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1));
      for (auto it = begin; it != end; ++it) {
        if ((surface.vertices[it->second] - surface.vertices[v]).norm() <= reach)
          partner = std::min(partner, it->second);
      }
    }
    merged_into[v] = partner;
    if (partner == v) cells.emplace(key(x, y, z), v);
    merged += partner != v ? 1 : 0;
  }
  for (Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) t[k] = merged_into[t[k]];
  }
  return merged;
}

int drop_degenerate(TriangleMesh& surface) {
  return static_cast<int>(std::erase_if(surface.triangles, uses_vertex_twice));
}

int drop_duplicates(TriangleMesh& surface) {
  struct Entry {
    std::array<int, 3> key;
    int triangle;
    int sign;  // parity of the sorting permutation: which way it faces
  };
  std::vector<Entry> entries;
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
    const Vec3i& v = surface.triangles[t];
    std::array<int, 3> key{v[0], v[1], v[2]};
    const int sign = (v[0] < v[1] ? 1 : -1) * (v[1] < v[2] ? 1 : -1) * (v[0] < v[2] ? 1 : -1);
    std::sort(key.begin(), key.end());
    entries.push_back({key, t, sign});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.key, a.triangle) < std::pair(b.key, b.triangle); });
  std::vector<char> keep(surface.triangles.size(), 0);
  for (std::size_t i = 0, j = 0; i < entries.size(); i = j) {
    int sum = 0;
    for (; j < entries.size() && entries[j].key == entries[i].key; ++j) sum += entries[j].sign;
    for (std::size_t k = i; k < j; ++k) {
      if (sum * entries[k].sign <= 0) continue;
      keep[entries[k].triangle] = 1;
      break;
    }
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (keep[t]) surface.triangles[kept++] = surface.triangles[t];
  }
  const int dropped = static_cast<int>(surface.triangles.size() - kept);
  surface.triangles.resize(kept);
  return dropped;
}

int drop_unused_vertices(TriangleMesh& surface) {
  std::vector<int> moved_to(surface.vertices.size(), -1);
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) moved_to[t[k]] = 0;
  }
  int count = 0;
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    if (moved_to[v] < 0) continue;
    surface.vertices[count] = surface.vertices[v];
    moved_to[v] = count++;
  }
  const int dropped = static_cast<int>(surface.vertices.size()) - count;
  surface.vertices.resize(count);
  for (Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) t[k] = moved_to[t[k]];
  }
  return dropped;
}

// A set of triangles connected through ordinary edges.
struct Patch {
  std::vector<int> triangles;
  bool closed = true;  // every edge is ordinary
};

struct Neighbour {
  int triangle;
  bool agrees;
};

// Neighbours through ordinary edges, per triangle; `closed` is cleared for triangles with any other edge.
std::vector<std::vector<Neighbour>> find_neighbours(const TriangleMesh& surface, std::vector<char>& closed) {
  std::vector<std::vector<Neighbour>> neighbours(surface.triangles.size());
  closed.assign(surface.triangles.size(), 1);
  for_each_edge(sorted_edge_uses(surface.triangles), [&](const EdgeUse* begin, const EdgeUse* end) {
    if (end - begin == 2) {
      const bool agrees = begin[0].forward != begin[1].forward;
      neighbours[begin[0].triangle].push_back({begin[1].triangle, agrees});
      neighbours[begin[1].triangle].push_back({begin[0].triangle, agrees});
    } else {
      for (const EdgeUse* use = begin; use != end; ++use) closed[use->triangle] = 0;
    }
  });
  return neighbours;
}

void turn(Vec3i& triangle) { std::swap(triangle[1], triangle[2]); }

// Makes neighbours agree where that is possible; returns the patches and adds the number of turned triangles.
std::vector<Patch> orient_patches(TriangleMesh& surface, int& turned) {
  std::vector<char> closed;
  const auto neighbours = find_neighbours(surface, closed);
  std::vector<Patch> patches;
  std::vector<signed char> facing(surface.triangles.size(), 0);  // relative to the patch's first triangle
  for (int start = 0; start < static_cast<int>(surface.triangles.size()); ++start) {
    if (facing[start] != 0) continue;
    Patch patch;
    patch.triangles.push_back(start);
    facing[start] = 1;
    int against = 0;
    for (std::size_t next = 0; next < patch.triangles.size(); ++next) {
      const int t = patch.triangles[next];
      patch.closed = patch.closed && closed[t] != 0;
      against += facing[t] < 0 ? 1 : 0;
      for (const Neighbour& n : neighbours[t]) {
        if (facing[n.triangle] != 0) continue;
        facing[n.triangle] = static_cast<signed char>(n.agrees ? facing[t] : -facing[t]);
        patch.triangles.push_back(n.triangle);
      }
    }
    const int size = static_cast<int>(patch.triangles.size());
    const int minority = 2 * against > size ? 1 : -1;
    for (const int t : patch.triangles) {
      if (facing[t] != minority) continue;
      turn(surface.triangles[t]);
      ++turned;
    }
    patches.push_back(std::move(patch));
  }
  return patches;
}

// Turns closed patches that enclose negative volume, unless they are the inner wall of another patch.
int turn_inside_out_patches(TriangleMesh& surface, const std::vector<Patch>& patches) {
  int turned = 0;
  for (const Patch& patch : patches) {
    if (!patch.closed) continue;
    std::vector<Vec3i> wall;
    for (const int t : patch.triangles) wall.push_back(surface.triangles[t]);
    if (signed_volume(surface.vertices, wall) >= 0) continue;
    std::vector<char> in_patch(surface.triangles.size(), 0);
    for (const int t : patch.triangles) in_patch[t] = 1;
    TriangleMesh rest;
    rest.vertices = surface.vertices;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (!in_patch[t]) rest.triangles.push_back(surface.triangles[t]);
    }
    const Vec3& sample = surface.vertices[surface.triangles[patch.triangles[0]][0]];
    if (SignedDistance(rest).inside(sample)) continue;
    for (const int t : patch.triangles) turn(surface.triangles[t]);
    ++turned;
  }
  return turned;
}

}  // namespace

std::string SurfaceDefects::describe() const {
  std::vector<std::string> parts;
  if (open_edges > 0) parts.push_back(count_of(open_edges, "open edge", "open edges"));
  if (crowded_edges > 0) {
    parts.push_back(count_of(crowded_edges, "edge", "edges") + " shared by more than two triangles");
  }
  if (disagreeing_edges > 0) {
    parts.push_back(count_of(disagreeing_edges, "edge", "edges") + " whose triangles face opposite sides");
  }
  if (degenerate_triangles > 0) {
    parts.push_back(count_of(degenerate_triangles, "triangle", "triangles") + " using a vertex twice");
  }
  if (parts.empty() && volume <= 0) return "its triangles face inwards (enclosed volume is not positive)";
  std::string sentence;
  for (std::size_t i = 0; i < parts.size(); ++i) sentence += (i == 0 ? "" : ", ") + parts[i];
  return first.empty() ? sentence : sentence + "; the first is " + first;
}

SurfaceDefects find_defects(const TriangleMesh& surface) {
  SurfaceDefects defects;
  defects.volume = signed_volume(surface.vertices, surface.triangles);
  const auto remember = [&](const std::string& what) {
    if (defects.first.empty()) defects.first = what;
  };
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (!uses_vertex_twice(surface.triangles[t])) continue;
    ++defects.degenerate_triangles;
    remember("triangle " + std::to_string(t) + " at " + text(surface.vertices[surface.triangles[t][0]]));
  }
  for_each_edge(sorted_edge_uses(surface.triangles), [&](const EdgeUse* begin, const EdgeUse* end) {
    const auto count = end - begin;
    if (begin->low == begin->high) return;  // of a degenerate triangle
    if (count == 2 && begin[0].forward != begin[1].forward) return;
    int& kind = count == 1 ? defects.open_edges : count == 2 ? defects.disagreeing_edges : defects.crowded_edges;
    ++kind;
    const Vec3 middle = 0.5 * (surface.vertices[begin->low] + surface.vertices[begin->high]);
    remember("the edge between vertices " + std::to_string(begin->low) + " and " + std::to_string(begin->high) +
             " (counted from 0) at " + text(middle));
  });
  return defects;
}

RepairedSurface repair_surface(const TriangleMesh& surface) {
  RepairedSurface result;
  TriangleMesh& mended = result.surface;
  mended.vertices = surface.vertices;
  mended.triangles = surface.triangles;
  const auto note = [&result](int count, const std::string& one, const std::string& many) {
    if (count > 0) result.notes.push_back("repair: " + count_of(count, one, many));
  };
  note(merge_vertices(mended), "vertex merged with its double", "vertices merged with their doubles");
  note(drop_degenerate(mended), "triangle without area dropped", "triangles without area dropped");
  note(drop_duplicates(mended), "doubled triangle dropped", "doubled triangles dropped");
  note(drop_unused_vertices(mended), "vertex without a triangle dropped", "vertices without triangles dropped");
  int turned = 0;
  const std::vector<Patch> patches = orient_patches(mended, turned);
  note(turned, "triangle turned to agree with its neighbours", "triangles turned to agree with their neighbours");
  note(turn_inside_out_patches(mended, patches), "inside-out patch turned", "inside-out patches turned");

  const SurfaceDefects left = find_defects(mended);
  if (left.open_edges + left.crowded_edges + left.disagreeing_edges > 0) {
    result.notes.push_back("repair: left as they are: " + left.describe() +
                           "; inside is where the winding number exceeds 1/2");
  }
  return result;
}

}  // namespace pliant::mesh
