// The ball described in ball_mesh.h.
#include "pliant/mesh/ball_mesh.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "pliant/mesh/generator_arguments.h"
#include "pliant/mesh/lattice_tets.h"

namespace pliant {
namespace {

// Lattice points of the octahedron |i| + |j| + |k| ≤ m, numbered by rows along i.
class OctahedronNumbering {
 public:
  explicit OctahedronNumbering(int m) : m_(m), row_middle_(static_cast<std::size_t>(2 * m + 1) * (2 * m + 1), -1) {
    for (int k = -m; k <= m; ++k) {
      for (int j = -m; j <= m; ++j) {
        const int reach = m - std::abs(k) - std::abs(j);
        if (reach < 0) continue;
        row_middle_[row(j, k)] = count_ + reach;
        count_ += 2 * reach + 1;
      }
    }
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool contains(const Vec3i& p) const { return p.cwiseAbs().sum() <= m_; }
  [[nodiscard]] int index(const Vec3i& p) const { return row_middle_[row(p.y(), p.z())] + p.x(); }

 private:
  [[nodiscard]] std::size_t row(int j, int k) const {
    return static_cast<std::size_t>(k + m_) * (2 * m_ + 1) + (j + m_);
  }

  int m_;
  int count_ = 0;
  std::vector<int> row_middle_;  // index of the point with i = 0 in row (j, k)
};

Vec3 inflate(const Vec3i& p, int m, double radius) {
  const int distance = p.cwiseAbs().sum();
  if (distance == 0) return Vec3::Zero();
  Vec3 direction;
  for (int a = 0; a < 3; ++a) direction[a] = std::sin(0.5 * std::numbers::pi * p[a] / distance);
  return direction * (radius * distance / (m * direction.norm()));
}

}  // namespace

TetMesh make_ball(const BallOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "sphere"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_count(where, "cells", options.cells, 2, 368);  // 368³ is just below 50 million

  const int m = (options.cells + 1) / 2;
  const OctahedronNumbering numbering(m);
  TetMesh ball;
  ball.vertices.reserve(numbering.count());
  for (int k = -m; k <= m; ++k)
    for (int j = -m; j <= m; ++j)
      for (int i = -m; i <= m; ++i)
        if (numbering.contains({i, j, k})) ball.vertices.push_back(inflate({i, j, k}, m, options.radius));

  for (int k = -m; k < m; ++k) {
    for (int j = -m; j < m; ++j) {
      for (int i = -m; i < m; ++i) {
        for (const auto& tet : mesh::cell_tets(i + m, j, k)) {  // + m: the octahedron's tips belong to middle tets
          std::array<Vec3i, 4> p;
          bool inside = true;
          for (int c = 0; c < 4; ++c) {
            p[c] = Vec3i(i + (tet[c] & 1), j + ((tet[c] >> 1) & 1), k + (tet[c] >> 2));
            inside = inside && numbering.contains(p[c]);
          }
          if (inside)
            ball.tets.emplace_back(numbering.index(p[0]), numbering.index(p[1]), numbering.index(p[2]),
                                   numbering.index(p[3]));
        }
      }
    }
  }
  return ball;
}

}  // namespace pliant
