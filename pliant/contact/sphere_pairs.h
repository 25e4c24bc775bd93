// All pairs of spheres that are near each other: |x_i − x_j| − r_i − r_j < reach.
//
//   SpherePairs near;                                       // keeps its memory between calls
//   near.find(centres, radii, reach);
//   for (const auto& [i, j] : near.pairs()) ...             // i < j, ascending in i, then in j
//
// Space is cut into cubes as wide as the largest pair reaches, 2 r_max + reach, so that partners are in neighbouring
// cubes; spheres are sorted by cubes (counting sort). The cubes are folded into a table of at most twice as many as there
// are spheres, by their indices modulo its sides: what has flown far away costs no memory and spoils nothing, as cubes
// that share a place in the table are told apart by the distances of their spheres. Each side is at least 3 long, so that
// the neighbours of a cube are 26 different ones: half of them are searched, and each pair is met once.
//
// Radii may differ: the time grows with the number of spheres per largest cube, eightfold when all but one are half as large.
// The result is the same for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::contact {

class SpherePairs {
 public:
  // centres [m], radii [m], one each; reach: m, at least 0. Spheres with centres that are not finite have no partners.
  void find(std::span<const Vec3> centres, std::span<const double> radii, double reach);

  [[nodiscard]] std::span<const std::pair<int, int>> pairs() const { return pairs_; }

 private:
  struct Sphere {
    double x, y, z, radius;  // m
  };
  using Range = std::pair<int, int>;  // of sorted_, from and past the end
  struct List {
    std::vector<std::pair<int, int>> room;  // longer than count, and never shortened
    int count = 0;
  };

  void shape_table(std::span<const Vec3> centres, double cell);
  void sort_by_cube(std::span<const Vec3> centres, std::span<const double> radii);
  // Pairs of the spheres of one row of cubes along x with what comes after them.
  void search_row(int row, double reach, List& found) const;
  void meet(int sphere, Range range, double reach, List& found) const;
  void put_in_order(int sphere_count, int list_count);

  Vec3 low_ = Vec3::Zero();      // index of the lowest cube
  double cell_ = 1;              // m
  std::array<int, 3> side_{};    // of the table, in cubes
  std::vector<int> cube_;        // per sphere: its place in the table
  std::vector<int> first_;       // per place in the table, and one more: into sorted_
  std::vector<Sphere> sorted_;   // by cube
  std::vector<int> index_;       // of sorted_
  std::vector<List> lists_;      // scratch of the search, one per piece
  std::vector<int> first_pair_;  // per sphere: into pairs_
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace pliant::contact
