// Linear systems for comparing solvers: Newton matrices of sheets and bars in deformed states.
//
// Sheets, 1 m × 1 m, Y t = 10⁴ N/m, ν = 0.3, D = 10⁻⁴ N·m, 0.2 kg/m², one step of 1/60 s of backward Euler: M/h² + ∇²E,
// projected. The five scenes of [Tamstorf2016, sec. 11.7] as single systems in a prescribed shape:
//   pinned           the whole border is held
//   drooping         two opposite sides are held
//   re-entrant       an L, held along the two edges of its inner corner
//   drop_horizontal  lies on a box with a hole: points on the box are held vertically and slide
//   drop_vertical    stands in folds on the box; springs between folds that nearly touch stand for repulsion
// and besides
//   cloth            two corners are held
// A `progress` other than one moves the shape further from rest: another matrix of the same pattern, as Newton's next.
// Bars, 0.4 × 0.1 × 0.1 m of the corotated law, Y = 10⁶ Pa, one end clamped, bent by 60°, without inertia; cells of five
// tets (Pliant's boxes) or of six around a diagonal, on which other libraries' aggregation does better.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/ordering.h"

namespace pliant::systems {

enum class Scene { pinned, drooping, re_entrant, drop_horizontal, drop_vertical, cloth };
inline constexpr Scene kScenes[] = {Scene::pinned, Scene::drooping, Scene::re_entrant, Scene::drop_horizontal,
                                    Scene::drop_vertical};

inline const char* name_of(Scene scene) {
  switch (scene) {
    case Scene::pinned:
      return "pinned";
    case Scene::drooping:
      return "drooping";
    case Scene::re_entrant:
      return "re-entrant";
    case Scene::drop_horizontal:
      return "drop_horizontal";
    case Scene::cloth:
      return "cloth";
    default:
      return "drop_vertical";
  }
}

struct System {
  std::string name;
  sparse::SymmetricBlockMatrix unfiltered, matrix;  // A, and S A S + s (I − S)
  BlockVector positions, right_side;
  BlockFilter filter{0};
};

// Gravity and as much noise, on the free directions; then the filtered matrix.
inline void finish(System& system, const std::vector<double>& masses) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  system.right_side.resize(system.positions.size());
  for (int i = 0; i < system.positions.size(); ++i) {
    const double x = noise(random), y = noise(random), z = noise(random);
    system.right_side[i] = masses[i] * Vec3(x, y - 9.81, z);
  }
  system.filter.apply(system.right_side);
  system.matrix = system.unfiltered;
  system.filter.apply(system.matrix);
}

// --- Sheets ---

// Where a point of the flat sheet (x and z in −½ … ½) is.
inline Vec3 place_in(Scene scene, const Vec3& rest) {
  const double x = rest.x(), z = rest.z();
  switch (scene) {
    case Scene::drop_horizontal: {
      const double inside = std::max(0.0, 0.25 - std::max(std::abs(x), std::abs(z)));
      return {x, -0.6 * inside * inside, z};
    }
    case Scene::drop_vertical: {
      // Twelve folds on top of each other: 80 mm of cloth up and down between heights 8 mm apart.
      const double turn = 12 * (z + 0.5), fold = std::floor(turn), part = turn - fold;
      const double along = std::fmod(fold, 2) == 0 ? part : 1 - part;
      return {x + 0.002 * std::sin(40 * z), 0.008 * turn, 0.08 * along};
    }
    default:
      return {1.005 * x, 0.02 * std::sin(9 * x) * std::cos(7 * z) - 0.1 * (0.25 - x * x), z};
  }
}

inline void hold_points(Scene scene, const std::vector<Vec3>& rest, BlockFilter& filter) {
  constexpr double kEdge = 0.5 - 1e-9;
  for (int i = 0; i < static_cast<int>(rest.size()); ++i) {
    const double x = rest[i].x(), z = rest[i].z();
    if (scene == Scene::pinned && std::max(std::abs(x), std::abs(z)) > kEdge) filter.hold(i);
    if (scene == Scene::drooping && std::abs(x) > kEdge) filter.hold(i);
    if (scene == Scene::cloth && x < -kEdge && std::abs(z) > kEdge) filter.hold(i);
    const bool is_at_corner = (std::abs(x) < 1e-9 && z >= -1e-9) || (std::abs(z) < 1e-9 && x >= -1e-9);
    if (scene == Scene::re_entrant && is_at_corner) filter.hold(i);
    const bool is_on_box = scene == Scene::drop_horizontal ? std::max(std::abs(x), std::abs(z)) > 0.25
                                                           : scene == Scene::drop_vertical && z < -0.5 + 1.0 / 24;
    if (is_on_box) filter.hold(i, Vec3::UnitY());
  }
}

// Pairs of points, the second half a fold on or back from where the first would be mirrored.
inline std::vector<std::array<int, 2>> repelling_pairs(int cells, const std::vector<int>& block_of_vertex) {
  std::vector<std::array<int, 2>> pairs;
  const int side = cells + 1;
  for (int crease = 1; crease < 12; ++crease) {
    const int row = crease * cells / 12;
    for (int off = 1; off <= cells / 48; ++off) {
      for (int k = 0; k < side && row - off >= 0 && row + off < side; ++k)
        pairs.push_back({block_of_vertex[(row - off) * side + k], block_of_vertex[(row + off) * side + k]});
    }
  }
  return pairs;
}

inline TriangleMesh flat_sheet(Scene scene, int cells, GridPattern pattern) {
  TriangleMesh grid = make_grid({.size = {1, 1}, .cells = {cells, cells}, .pattern = pattern});
  if (scene != Scene::re_entrant) return grid;
  // Without the quarter x > 0, z > 0.
  std::vector<Vec3i> kept;
  for (const Vec3i& t : grid.triangles) {
    const Vec3 middle = (grid.vertices[t[0]] + grid.vertices[t[1]] + grid.vertices[t[2]]) / 3;
    if (middle.x() < 0 || middle.z() < 0) kept.push_back(t);
  }
  std::vector<int> number(grid.vertices.size(), -1);
  TriangleMesh result;
  for (Vec3i& t : kept) {
    for (int c = 0; c < 3; ++c) {
      int& n = number[t[c]];
      if (n < 0) {
        n = static_cast<int>(result.vertices.size());
        result.vertices.push_back(grid.vertices[t[c]]);
        result.texture.push_back(grid.texture[t[c]]);
      }
      t[c] = n;
    }
  }
  result.triangles = std::move(kept);
  return result;
}

// Y t = 10⁴ N/m, ν = 0.3, D = 10⁻⁴ N·m, 0.2 kg/m².
struct Cloth {
  explicit Cloth(const TriangleMesh& grid) {
    constexpr double kDensity = 0.2, kBending = 1e-4;
    const std::vector<int> order = hilbert_order(grid.vertices);
    mesh = renumber(grid, order);
    const int count = static_cast<int>(mesh.vertices.size());
    block_of_vertex.resize(count);
    for (int i = 0; i < count; ++i) block_of_vertex[order[i]] = i;
    cloth::MembraneSheet sheet;
    masses.assign(count, 0.0);
    std::vector<std::array<int, 3>> triangles;
    for (const Vec3i& t : mesh.triangles) {
      sheet.triangles.push_back(t);
      triangles.push_back({t[0], t[1], t[2]});
      sheet.rest.push_back(
          *cloth::triangle_rest({mesh.texture[t[0]], mesh.texture[t[1]], mesh.texture[t[2]]}, Vec2(1, 0)));
      const Vec3 a = mesh.vertices[t[1]] - mesh.vertices[t[0]], b = mesh.vertices[t[2]] - mesh.vertices[t[0]];
      for (int c = 0; c < 3; ++c) masses[t[c]] += kDensity * 0.5 * a.cross(b).norm() / 3;
    }
    sheet.block_count = count;
    membrane = std::make_unique<cloth::EdgeMembrane<cloth::StVenantKirchhoff>>(
        sheet,
        std::vector(sheet.triangles.size(), cloth::coefficients(cloth::OrthotropicModuli{
                                                .young_warp = 1e4, .young_weft = 1e4, .poisson = 0.3, .shear = 3846})));
    const SheetHinges hinges = find_hinges(triangles);
    std::vector<cloth::HingeParameters> parameters;
    for (const Hinge& hinge : hinges.hinges) {
      parameters.push_back(cloth::hinge_at_rest(hinge, mesh.vertices));
      parameters.back().stiffness = kBending;
    }
    bending = std::make_unique<cloth::HingeBending>(cloth::HingeLaw::tan, triangles, hinges.hinges, parameters);
  }

  // Of the cloth and of springs between pairs of points; energies know their places in it afterwards.
  [[nodiscard]] sparse::SymmetricBlockMatrix make_matrix(const std::vector<std::array<int, 2>>& pairs) {
    sparse::PatternBuilder builder(static_cast<int>(masses.size()));
    membrane->couple(builder);
    bending->couple(builder);
    for (const auto& pair : pairs) builder.couple(pair);
    sparse::SymmetricBlockMatrix matrix(builder.build());
    membrane->find_slots(matrix.pattern());
    bending->find_slots(matrix.pattern());
    return matrix;
  }

  // ∇E, and M/h² + ∇²E projected.
  void evaluate(const BlockVector& positions, double step, BlockVector& gradient,
                sparse::SymmetricBlockMatrix& a) const {
    const Controls controls;
    const Configuration q{positions, positions, step, controls};
    a.set_zero();
    sparse::set_zero(gradient);
    Accumulator out{.gradient = &gradient, .hessian = &a};
    out.hessian_kind = HessianKind::projected;
    membrane->evaluate(q, out);
    bending->evaluate(q, out);
    for (int i = 0; i < positions.size(); ++i)
      a.block(a.pattern().diagonal_slot(i)) += masses[i] / (step * step) * Mat3::Identity();
  }

  TriangleMesh mesh;
  std::vector<int> block_of_vertex;
  std::vector<double> masses;  // kg
  std::unique_ptr<cloth::EdgeMembrane<cloth::StVenantKirchhoff>> membrane;
  std::unique_ptr<cloth::HingeBending> bending;
};

// k n nᵀ between two points.
inline void add_spring(const std::array<int, 2>& pair, const Vec3& normal, double stiffness,
                       sparse::SymmetricBlockMatrix& a) {
  const auto [i, j] = pair;
  const Mat3 k = stiffness * normal * normal.transpose();
  a.block(a.pattern().diagonal_slot(i)) += k;
  a.block(a.pattern().diagonal_slot(j)) += k;
  a.block(a.pattern().slot(std::min(i, j), std::max(i, j))) -= k;
}

// `cells` along a side, even except for cloth; of drop_vertical a multiple of 48.
inline System make_sheet(Scene scene, int cells, GridPattern pattern, double progress = 1) {
  constexpr double kStep = 1.0 / 60, kRepulsion = 100;
  Cloth cloth(flat_sheet(scene, cells, pattern));
  const std::vector<std::array<int, 2>> pairs =
      scene == Scene::drop_vertical ? repelling_pairs(cells, cloth.block_of_vertex) : std::vector<std::array<int, 2>>{};
  System system;
  system.name = std::string(name_of(scene)) + (pattern == GridPattern::irregular ? "_irregular" : "");
  system.unfiltered = cloth.make_matrix(pairs);
  const int count = static_cast<int>(cloth.masses.size());
  system.positions.resize(count);
  for (int i = 0; i < count; ++i) {
    const Vec3& rest = cloth.mesh.vertices[i];
    system.positions[i] = rest + progress * (place_in(scene, rest) - rest);
  }
  BlockVector gradient(count);
  cloth.evaluate(system.positions, kStep, gradient, system.unfiltered);
  for (const auto& pair : pairs) {
    const Vec3 apart = system.positions[pair[1]] - system.positions[pair[0]];
    add_spring(pair, apart.normalized(), kRepulsion, system.unfiltered);
  }
  system.filter = BlockFilter(count);
  hold_points(scene, cloth.mesh.vertices, system.filter);
  finish(system, cloth.masses);
  return system;
}

// --- Bars ---

enum class CellCut { five_tets, six_tets };

// The box's vertices, with six tets around the diagonal of every cell: one per order in which the axes are walked.
inline TetMesh cut_in_six(TetMesh box, const std::array<int, 3>& cells) {
  constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  const int step[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
  box.tets.clear();
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) {
        for (int o = 0; o < 6; ++o) {
          Vec4i tet;
          tet[0] = i * step[0] + j * step[1] + k * step[2];
          for (int c = 0; c < 3; ++c) tet[c + 1] = tet[c] + step[kOrders[o][c]];
          if (o >= 3) std::swap(tet[2], tet[3]);  // odd orders turn the other way
          box.tets.push_back(tet);
        }
      }
    }
  }
  return box;
}

inline System make_bar(int cells, double poisson, double progress = 1, CellCut cut = CellCut::five_tets) {
  constexpr double kYoung = 1e6, kDensity = 1000;
  const std::array<int, 3> counts{4 * cells, cells, cells};
  TetMesh box = make_box({Vec3(0.4, 0.1, 0.1), counts});
  if (cut == CellCut::six_tets) box = cut_in_six(std::move(box), counts);
  const TetMesh mesh = renumber(box, hilbert_order(box.vertices));
  const int count = static_cast<int>(mesh.vertices.size());
  const auto elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
  sparse::PatternBuilder builder(count);
  elements->couple(builder);
  System system;
  system.name = (cut == CellCut::six_tets ? "bar6_" : "bar_") + std::to_string(poisson).substr(0, 4);
  system.unfiltered = sparse::SymmetricBlockMatrix(builder.build());
  elements->find_slots(system.unfiltered.pattern());
  const std::vector<std::vector<double>> lame{
      std::vector(mesh.tets.size(), kYoung / (2 * (1 + poisson))),
      std::vector(mesh.tets.size(), kYoung * poisson / ((1 + poisson) * (1 - 2 * poisson)))};
  const solid::HyperelasticTets<solid::Corotated> energy(elements, solid::Corotated{}, lame);

  // Bent to a sixth of a circle (times progress), one end held.
  system.positions.resize(count);
  system.filter = BlockFilter(count);
  const double radius = 0.4 / (progress * M_PI / 3), low = -0.2;
  for (int i = 0; i < count; ++i) {
    const Vec3& x = mesh.vertices[i];
    const double angle = (x.x() - low) / radius, r = radius - x.y();
    system.positions[i] = Vec3(r * std::sin(angle), radius - r * std::cos(angle), x.z());
    if (x.x() < low + 1e-9) system.filter.hold(i);
  }
  std::vector<double> masses(count, 0.0);
  for (const Vec4i& t : mesh.tets) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]], &d = mesh.vertices[t[3]];
    for (int k = 0; k < 4; ++k) masses[t[k]] += kDensity * (b - a).cross(c - a).dot(d - a) / 24;
  }
  const Controls controls;
  const Configuration q{system.positions, system.positions, 1, controls};
  BlockVector gradient(count);
  Accumulator out{.gradient = &gradient, .hessian = &system.unfiltered};
  out.hessian_kind = HessianKind::projected;
  energy.evaluate(q, out);
  finish(system, masses);
  return system;
}

}  // namespace pliant::systems
