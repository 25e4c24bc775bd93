// The linear tetrahedra that one or more solid energies work on: rest geometry, connectivity, matrix slots, and the
// order in which threads may visit them.
//
//   F = Σ_i (x_i − x_0) b_iᵀ,   b_i = ∇N_i in the rest state [1/m], i = 1..3,   b_0 = −(b_1 + b_2 + b_3)
//
// Tets are kept in groups of four, one per SIMD lane; the last groups are filled up with copies of volume zero. Corners
// are sorted by block index, so that block (corner i, corner j), i < j, always lies in the stored upper half and is
// never transposed (F does not depend on the order of the corners). Groups form chunks of kGroupsPerChunk, coloured so
// that chunks of one colour share no vertex.
#pragma once

#include <span>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/math/lanes.h"
#include "pliant/math/types.h"
#include "pliant/parallel/coloring.h"
#include "pliant/sparse/block_pattern.h"

namespace pliant::solid {

inline constexpr int kGroupsPerChunk = 64;

class TetElements {
 public:
  struct alignas(32) Group {
    double rest_gradient[3][3][math::kLaneCount];  // [corner − 1][axis][lane], 1/m
    double volume[math::kLaneCount];               // m³, 0 for filling lanes
    int corner[4][math::kLaneCount];               // [corner][lane], block index
  };
  // Slots of the blocks (0,0) (1,1) (2,2) (3,3) (0,1) (0,2) (0,3) (1,2) (1,3) (2,3) of each lane's element matrix.
  struct Slots {
    int slot[10][math::kLaneCount];
  };

  // tets: four block indices each; rest: rest position of every block [m]. Sorts the tets by their first block.
  TetElements(std::span<const Vec4i> tets, std::span<const Vec3> rest);

  void couple(sparse::PatternBuilder& builder) const;
  // Once, when the pattern of the whole model is known.
  void find_slots(const sparse::BlockPattern& pattern);

  [[nodiscard]] int tet_count() const { return tet_count_; }
  [[nodiscard]] int group_count() const { return static_cast<int>(groups_.size()); }
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }
  [[nodiscard]] std::span<const Slots> slots() const { return slots_; }
  [[nodiscard]] int chunk_count() const { return (group_count() + kGroupsPerChunk - 1) / kGroupsPerChunk; }
  [[nodiscard]] const parallel::Coloring& coloring() const { return coloring_; }
  // Index, in the constructor's order, of the tet in a group's lane (filling lanes repeat the last tet).
  [[nodiscard]] int tet_at(int group, int lane) const { return tet_of_[math::kLaneCount * group + lane]; }

  // Calls visit(chunk, first_group, last_group) under the colouring; the chunk's energies [J] are summed in chunk
  // order. `Writes::nothing` runs all chunks side by side.
  enum class Writes { nothing, vertices };
  double for_each_chunk(Writes writes, parallel::FunctionRef<double(int, int)> visit) const;

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void color_chunks(int block_count);

  int tet_count_ = 0;
  std::vector<Group> groups_;
  std::vector<Slots> slots_;
  std::vector<int> tet_of_;
  parallel::Coloring coloring_;
};

// Per-tet numbers rearranged to the lanes of the groups: result[group * 4 + lane].
[[nodiscard]] std::vector<double> to_lanes(const TetElements& elements, std::span<const double> per_tet);

// Appends a lane as a soft constraint, unless it only fills its group up.
void add_soft_tet(const TetElements::Group& group, int lane, double mu, double lambda, SolidStrain strain,
                  SoftElements& out);

}  // namespace pliant::solid
