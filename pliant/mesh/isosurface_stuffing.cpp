// The four steps of isosurface_stuffing.h. Sides and cut points are found in parallel; moving lattice points and
// emitting tets run in lattice order, so the mesh has the same bits for any number of threads.
#include "pliant/mesh/isosurface_stuffing.h"

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::mesh {
namespace {

constexpr int kGrain = 256;  // lattice points or cut edges per piece of work

// The half of a lattice point's 14 edges that leads forward, in half cells: 3 long, then 4 short.
const std::array<Vec3i, 7> kForwardEdges{Vec3i(2, 0, 0),  Vec3i(0, 2, 0),  Vec3i(0, 0, 2), Vec3i(-1, -1, 1),
                                         Vec3i(1, -1, 1), Vec3i(-1, 1, 1), Vec3i(1, 1, 1)};
constexpr int kLongCount = 3;

// Points of the lattice, addressed by half cells or by number: first the cube corners, then the cube centres.
class Lattice {
 public:
  explicit Lattice(const CellGrid& grid) : grid_(grid), corner_counts_(grid.cell_counts.array() + 1) {
    const long long corners = static_cast<long long>(corner_counts_[0]) * corner_counts_[1] * corner_counts_[2];
    PLIANT_ASSERT(corners + grid.cell_count() < (1LL << 31), "the lattice's points are numbered by int");
    first_centre_ = static_cast<int>(corners);
    point_count_ = static_cast<int>(corners + grid.cell_count());
  }

  [[nodiscard]] int point_count() const { return point_count_; }
  [[nodiscard]] int number(const Vec3i& place) const {
    const bool centre = place[0] % 2 != 0;
    const Vec3i& counts = centre ? grid_.cell_counts : corner_counts_;
    return (centre ? first_centre_ : 0) + place[0] / 2 + counts[0] * (place[1] / 2 + counts[1] * (place[2] / 2));
  }
  [[nodiscard]] Vec3i place(int number) const {
    const bool centre = number >= first_centre_;
    const Vec3i& counts = centre ? grid_.cell_counts : corner_counts_;
    const int n = centre ? number - first_centre_ : number;
    const int i = n % counts[0], j = n / counts[0] % counts[1], k = n / counts[0] / counts[1];
    return Vec3i(2 * i, 2 * j, 2 * k).array() + (centre ? 1 : 0);
  }
  [[nodiscard]] bool contains(const Vec3i& place) const {
    return (place.array() >= 0).all() && (place.array() <= 2 * grid_.cell_counts.array()).all();
  }
  [[nodiscard]] Vec3 position(const Vec3i& place) const {
    return grid_.origin + 0.5 * grid_.cell_size * place.cast<double>();
  }

 private:
  CellGrid grid_;
  Vec3i corner_counts_;
  int first_centre_ = 0, point_count_ = 0;
};

// An edge from a lattice point inside to one outside.
struct Cut {
  int inner = 0, outer = 0;  // lattice points
  double fraction = 0;       // of the way from inner to outer
  double reach = 0;          // α of the edge
  Vec3 position = Vec3::Zero();
};

std::vector<Side> find_sides(const Solid& solid, const Lattice& lattice) {
  std::vector<Side> sides(lattice.point_count());
  parallel_for(lattice.point_count(), kGrain, [&](int begin, int end) {
    std::vector<Vec3> positions;
    positions.reserve(end - begin);
    for (int p = begin; p < end; ++p) positions.push_back(lattice.position(lattice.place(p)));
    solid.find_sides(positions, std::span<Side>(sides).subspan(begin, end - begin));
  });
  return sides;
}

std::vector<Cut> find_cuts(const Solid& solid, const Lattice& lattice, const std::vector<Side>& sides) {
  std::vector<Cut> cuts;
  for (int p = 0; p < lattice.point_count(); ++p) {
    if (sides[p] == Side::on_surface) continue;
    const Vec3i place = lattice.place(p);
    for (int e = 0; e < static_cast<int>(kForwardEdges.size()); ++e) {
      const Vec3i there = place + kForwardEdges[e];
      if (!lattice.contains(there)) continue;
      const int q = lattice.number(there);
      if (sides[q] == Side::on_surface || sides[q] == sides[p]) continue;
      Cut cut;
      cut.inner = sides[p] == Side::inside ? p : q;
      cut.outer = sides[p] == Side::inside ? q : p;
      cut.reach = e < kLongCount ? kLongReach : kShortReach;
      cuts.push_back(cut);
    }
  }
  parallel_for(static_cast<int>(cuts.size()), kGrain, [&](int begin, int end) {
    for (int c = begin; c < end; ++c) {
      const Vec3 inner = lattice.position(lattice.place(cuts[c].inner));
      const Vec3 outer = lattice.position(lattice.place(cuts[c].outer));
      cuts[c].fraction = solid.cut(inner, outer);
      cuts[c].position = inner + cuts[c].fraction * (outer - inner);
    }
  });
  return cuts;
}

// The cuts at each lattice point, as ranges of one array.
class CutsOfPoint {
 public:
  CutsOfPoint(int point_count, const std::vector<Cut>& cuts) : first_(point_count + 1, 0), list_(2 * cuts.size()) {
    for (const Cut& cut : cuts) {
      ++first_[cut.inner + 1];
      ++first_[cut.outer + 1];
    }
    for (int p = 0; p < point_count; ++p) first_[p + 1] += first_[p];
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for (int c = 0; c < static_cast<int>(cuts.size()); ++c) {
      list_[next[cuts[c].inner]++] = c;
      list_[next[cuts[c].outer]++] = c;
    }
  }
  [[nodiscard]] std::span<const int> operator[](int point) const {
    return std::span<const int>(list_).subspan(first_[point], first_[point + 1] - first_[point]);
  }

 private:
  std::vector<int> first_, list_;
};

// Step 3: moves lattice points onto near cut points. Changes their side to on_surface; returns point → cut.
// In order of number: whoever moves first takes its cut points away from its neighbours, which then need not move.
std::unordered_map<int, int> warp(const std::vector<Cut>& cuts, const CutsOfPoint& cuts_of, std::vector<Side>& sides) {
  std::unordered_map<int, int> moved;
  for (int p = 0; p < static_cast<int>(sides.size()); ++p) {
    if (sides[p] == Side::on_surface) continue;
    int best = -1;
    double best_distance = 0;
    for (const int c : cuts_of[p]) {
      const Cut& cut = cuts[c];
      const bool from_inner = cut.inner == p;
      if (sides[from_inner ? cut.outer : cut.inner] == Side::on_surface) continue;
      const double fraction = from_inner ? cut.fraction : 1 - cut.fraction;
      if (fraction >= cut.reach) continue;
      const double length = cut.reach == kLongReach ? 1.0 : 0.8660254037844386;  // of the edge, in cells
      if (best >= 0 && fraction * length >= best_distance) continue;
      best = c;
      best_distance = fraction * length;
    }
    if (best < 0) continue;
    sides[p] = Side::on_surface;
    moved.emplace(p, best);
  }
  return moved;
}

// Step 4: collects the vertices and tets of all stencils.
class Emitter {
 public:
  Emitter(const Lattice& lattice, const std::vector<Cut>& cuts, const CutsOfPoint& cuts_of,
          const std::vector<Side>& sides, const std::unordered_map<int, int>& moved)
      : lattice_(lattice),
        cuts_(cuts),
        cuts_of_(cuts_of),
        sides_(sides),
        moved_(moved),
        vertex_of_point_(lattice.point_count(), -1),
        vertex_of_cut_(cuts.size(), -1) {}

  void add_lattice_tet(const std::array<Vec3i, 4>& places) {
    std::array<int, 4> points{};
    std::array<Side, 4> sides{};
    for (int k = 0; k < 4; ++k) {
      points[k] = lattice_.number(places[k]);
      sides[k] = sides_[points[k]];
    }
    const Stencil stencil = split_lattice_tet(sides, places);
    for (int t = 0; t < stencil.tet_count; ++t) {
      Vec4i tet;
      for (int k = 0; k < 4; ++k) {
        const StencilVertex& v = stencil.tets[t][k];
        tet[k] = v.from == v.to ? vertex_at_point(points[v.from]) : vertex_at_cut(points[v.from], points[v.to]);
      }
      mesh_.tets.push_back(tet);
    }
  }
  [[nodiscard]] TetMesh take() { return std::move(mesh_); }

 private:
  int add_vertex(const Vec3& position) {
    mesh_.vertices.push_back(position);
    return static_cast<int>(mesh_.vertices.size()) - 1;
  }
  int vertex_at_point(int point) {
    int& vertex = vertex_of_point_[point];
    if (vertex >= 0) return vertex;
    const auto found = moved_.find(point);
    vertex =
        add_vertex(found != moved_.end() ? cuts_[found->second].position : lattice_.position(lattice_.place(point)));
    return vertex;
  }
  int vertex_at_cut(int inner, int outer) {
    for (const int c : cuts_of_[inner]) {
      if (cuts_[c].outer != outer) continue;
      int& vertex = vertex_of_cut_[c];
      if (vertex < 0) vertex = add_vertex(cuts_[c].position);
      return vertex;
    }
    PLIANT_ASSERT(false, "every edge from inside to outside has a cut");
    return -1;
  }

  const Lattice& lattice_;
  const std::vector<Cut>& cuts_;
  const CutsOfPoint& cuts_of_;
  const std::vector<Side>& sides_;
  const std::unordered_map<int, int>& moved_;
  std::vector<int> vertex_of_point_, vertex_of_cut_;
  TetMesh mesh_;
};

// The four tets around the cube face between the centre `near` and the next centre along `axis`.
void add_tets_of_face(Emitter& emitter, const Vec3i& near, int axis) {
  const Vec3i forward = 2 * Vec3i::Unit(axis);
  const Vec3i u = Vec3i::Unit((axis + 1) % 3), v = Vec3i::Unit((axis + 2) % 3);
  const Vec3i middle = near + Vec3i::Unit(axis);
  const std::array<Vec3i, 4> ring{middle + u + v, middle - u + v, middle - u - v, middle + u - v};
  for (int k = 0; k < 4; ++k) {
    emitter.add_lattice_tet({near, near + forward, ring[k], ring[(k + 1) % 4]});
  }
}

}  // namespace

TetMesh stuff_isosurface(const Solid& solid, const CellGrid& grid) {
  const Lattice lattice(grid);
  std::vector<Side> sides = find_sides(solid, lattice);
  const std::vector<Cut> cuts = find_cuts(solid, lattice, sides);
  const CutsOfPoint cuts_of(lattice.point_count(), cuts);
  const std::unordered_map<int, int> moved = warp(cuts, cuts_of, sides);

  Emitter emitter(lattice, cuts, cuts_of, sides, moved);
  const Vec3i& n = grid.cell_counts;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        const Vec3i cell(i, j, k);
        for (int axis = 0; axis < 3; ++axis) {
          if (cell[axis] + 1 < n[axis]) add_tets_of_face(emitter, 2 * cell + Vec3i::Ones(), axis);
        }
      }
    }
  }
  return emitter.take();
}

}  // namespace pliant::mesh
