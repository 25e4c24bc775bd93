// The stages of voxel_mesher.h: cells at the surface, cells inside, cells against pinches, six tets each.
#include "pliant/mesh/voxel_mesher.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <vector>

#include "pliant/parallel/parallel.h"

namespace pliant::mesh {
namespace {

constexpr int kGrain = 256;  // cells per piece of work

// A flag per cell of a grid.
class Cells {
 public:
  explicit Cells(const Vec3i& counts)
      : counts_(counts), kept_(static_cast<std::size_t>(counts.cast<long>().prod()), 0) {}
  [[nodiscard]] int count() const { return static_cast<int>(kept_.size()); }
  [[nodiscard]] int number(const Vec3i& c) const { return c[0] + counts_[0] * (c[1] + counts_[1] * c[2]); }
  [[nodiscard]] Vec3i place(int n) const {
    return {n % counts_[0], n / counts_[0] % counts_[1], n / counts_[0] / counts_[1]};
  }
  [[nodiscard]] const Vec3i& counts() const { return counts_; }
  char& operator[](int n) { return kept_[n]; }
  char operator[](int n) const { return kept_[n]; }

 private:
  Vec3i counts_;
  std::vector<char> kept_;
};

// Separating axes: a triangle with corners relative to the centre of a cube of the given half edge.
bool triangle_touches_cube(const std::array<Vec3, 3>& corners, double half) {
  const auto separated = [&](const Vec3& axis) {
    const double p = axis.dot(corners[0]), q = axis.dot(corners[1]), r = axis.dot(corners[2]);
    const double reach = half * axis.cwiseAbs().sum();
    return std::min({p, q, r}) > reach || std::max({p, q, r}) < -reach;
  };
  for (int a = 0; a < 3; ++a) {
    if (separated(Vec3::Unit(a))) return false;
  }
  if (separated((corners[1] - corners[0]).cross(corners[2] - corners[0]))) return false;
  for (int e = 0; e < 3; ++e) {
    const Vec3 edge = corners[(e + 1) % 3] - corners[e];
    for (int a = 0; a < 3; ++a) {
      if (separated(Vec3::Unit(a).cross(edge))) return false;
    }
  }
  return true;
}

void keep_cells_at_surface(const TriangleMesh& surface, const CellGrid& grid, Cells& cells) {
  // Cubes are taken a little larger than they are, so that no surface point is missed by rounding.
  const double half = 0.5 * (1 + 1e-9);
  for (const Vec3i& triangle : surface.triangles) {
    std::array<Vec3, 3> corners;
    Box box;
    for (int k = 0; k < 3; ++k) {
      corners[k] = (surface.vertices[triangle[k]] - grid.origin) / grid.cell_size;
      box.include(corners[k]);
    }
    const Vec3i low = (box.low.array() - 1e-9).floor().cast<int>().max(0);
    const Vec3i high = (box.high.array() + 1e-9).floor().cast<int>().min(grid.cell_counts.array() - 1);
    for (int k = low[2]; k <= high[2]; ++k) {
      for (int j = low[1]; j <= high[1]; ++j) {
        for (int i = low[0]; i <= high[0]; ++i) {
          const Vec3 centre(i + 0.5, j + 0.5, k + 0.5);
          char& kept = cells[cells.number({i, j, k})];
          if (kept) continue;
          kept = triangle_touches_cube({corners[0] - centre, corners[1] - centre, corners[2] - centre}, half) ? 1 : 0;
        }
      }
    }
  }
}

void keep_cells_inside(const SignedDistance& distance, const CellGrid& grid, Cells& cells) {
  parallel_for(cells.count(), kGrain, [&](int begin, int end) {
    std::vector<Vec3> centres(end - begin);
    std::vector<char> inside(end - begin);
    for (int n = begin; n < end; ++n) {
      centres[n - begin] = grid.origin + grid.cell_size * (cells.place(n).cast<double>() + Vec3::Constant(0.5));
    }
    distance.find_inside(centres, inside);
    for (int n = begin; n < end; ++n) cells[n] = cells[n] || inside[n - begin] ? 1 : 0;
  });
}

// The eight cells around a grid vertex, bit i + 2j + 4k: number of groups joined by faces among kept and among other
// cells. The boundary is a manifold at the vertex exactly when each side has at most one group.
int group_count(unsigned kept) {
  int groups = 0;
  unsigned seen = 0;
  for (unsigned start = 0; start < 8; ++start) {
    if (seen >> start & 1U) continue;
    ++groups;
    unsigned reached = 1U << start, before = 0;
    const unsigned same = (kept >> start & 1U) ? kept : ~kept & 255U;
    while (reached != before) {
      before = reached;
      // Neighbours along x, y and z: flip one bit of the cell's number.
      reached |= ((reached & 0x55U) << 1U) | ((reached & 0xAAU) >> 1U);
      reached &= same;
      reached |= ((reached & 0x33U) << 2U) | ((reached & 0xCCU) >> 2U);
      reached &= same;
      reached |= ((reached & 0x0FU) << 4U) | ((reached & 0xF0U) >> 4U);
      reached &= same;
    }
    seen |= reached;
  }
  return groups;
}

// Which of the eight cells to add so that the fewest groups remain.
int best_addition(unsigned kept) {
  int best = -1, fewest = 9;
  for (int c = 0; c < 8; ++c) {
    if (kept >> c & 1U) continue;
    const int groups = group_count(kept | 1U << c);
    if (groups < fewest) {
      fewest = groups;
      best = c;
    }
  }
  return best;
}

// Adds cells until the boundary is a manifold at every grid vertex. Returns how many.
int close_pinches(Cells& cells) {
  const auto corner = [](int c) { return Vec3i(c & 1, c >> 1 & 1, c >> 2 & 1); };
  int added = 0;
  std::deque<Vec3i> waiting;  // first cell of the 2×2×2 block around a vertex
  for (int n = 0; n < cells.count(); ++n) {
    const Vec3i place = cells.place(n);
    if ((place.array() + 1 < cells.counts().array()).all()) waiting.push_back(place);
  }
  while (!waiting.empty()) {
    const Vec3i block = waiting.front();
    waiting.pop_front();
    unsigned kept = 0;
    for (int c = 0; c < 8; ++c) kept |= cells[cells.number(block + corner(c))] ? 1U << c : 0U;
    if (kept == 0 || kept == 255U || group_count(kept) <= 2) continue;
    const Vec3i chosen = block + corner(best_addition(kept));
    cells[cells.number(chosen)] = 1;
    ++added;
    // The new cell takes part in eight blocks.
    for (int c = 0; c < 8; ++c) {
      const Vec3i other = chosen - corner(c);
      if ((other.array() >= 0).all() && (other.array() + 1 < cells.counts().array()).all()) waiting.push_back(other);
    }
  }
  return added;
}

// The six tets of the unit cube: walk from corner 0 to corner 7 along the axes in every order.
std::array<std::array<Vec3i, 4>, 6> kuhn_split() {
  std::array<std::array<Vec3i, 4>, 6> tets;
  constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int o = 0; o < 6; ++o) {
    const Vec3i first = Vec3i::Unit(kOrders[o][0]), second = first + Vec3i::Unit(kOrders[o][1]);
    tets[o] = {Vec3i::Zero(), first, second, Vec3i::Ones()};
    if (o >= 3) std::swap(tets[o][1], tets[o][2]);  // odd orders are mirror images
  }
  return tets;
}

TetMesh split_cells(const Cells& cells, const CellGrid& grid) {
  TetMesh mesh;
  const std::array<std::array<Vec3i, 4>, 6> split = kuhn_split();
  const Vec3i vertex_counts = cells.counts().array() + 1;
  std::vector<int> vertex_at(static_cast<std::size_t>(vertex_counts.cast<long>().prod()), -1);
  const auto vertex = [&](const Vec3i& place) {
    int& number = vertex_at[place[0] + vertex_counts[0] * (place[1] + vertex_counts[1] * place[2])];
    if (number < 0) {
      number = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(grid.origin + grid.cell_size * place.cast<double>());
    }
    return number;
  };
  for (int n = 0; n < cells.count(); ++n) {
    if (!cells[n]) continue;
    const Vec3i place = cells.place(n);
    for (const auto& tet : split) {
      mesh.tets.emplace_back(vertex(place + tet[0]), vertex(place + tet[1]), vertex(place + tet[2]),
                             vertex(place + tet[3]));
    }
  }
  return mesh;
}

}  // namespace

VoxelMesh mesh_voxels(const TriangleMesh& surface, const SignedDistance& distance, const CellGrid& grid) {
  Cells cells(grid.cell_counts);
  keep_cells_at_surface(surface, grid, cells);
  keep_cells_inside(distance, grid, cells);
  VoxelMesh result;
  result.added_cell_count = close_pinches(cells);
  result.mesh = split_cells(cells, grid);
  result.kept_cell_count = static_cast<int>(result.mesh.tets.size() / 6);
  return result;
}

}  // namespace pliant::mesh
