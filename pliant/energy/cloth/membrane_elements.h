// The triangles of sheets of cloth, in the order in which membrane energies work them off.
//
// Corners are sorted by block (membranes do not tell one side from the other), so that no block of a triangle's matrix
// is stored transposed; triangles ascend by their corners, so that neighbours in the list are neighbours in memory.
#pragma once

#include <vector>

#include "pliant/configuration/configuration.h"
#include "pliant/energy/cloth/triangle_rest.h"
#include "pliant/energy/element_batch.h"
#include "pliant/energy/weighted.h"

namespace pliant::cloth {

// What the caller gives; every list of parameters is in the order of its triangles.
struct MembraneSheet {
  std::vector<Vec3i> triangles;    // block indices
  std::vector<TriangleRest> rest;  // per triangle, corners in the same order
  int block_count = 0;             // of the whole model
  int animated = -1;               // index into Controls::rest_lengths; negative = the rest state never changes
};

class MembraneElements {
 public:
  explicit MembraneElements(const MembraneSheet& sheet);

  [[nodiscard]] const ElementBatch<3>& batch() const { return batch_; }
  [[nodiscard]] ElementBatch<3>& batch() { return batch_; }
  [[nodiscard]] int count() const { return batch_.count(); }
  // Which triangle of the sheet element e is.
  [[nodiscard]] int source(int e) const { return source_[e]; }
  [[nodiscard]] bool is_animated() const { return animated_ >= 0; }
  // With the corners of element e. An animated rest state has the lengths of Controls, which must be those of triangles.
  [[nodiscard]] const TriangleRest& rest(int e) const { return rest_[e]; }
  [[nodiscard]] TriangleRest animated_rest(int e, const Controls& controls) const;
  // The constant stand-in of a membrane's Hessian (pliant/energy/weighted.h), with k = stiffness(element, its
  // rest state, animated or not the one it has by itself) [N/m]:  L_ij = k A b_i·b_j = k e_i·e_j/(4A) for i ≠ j, rows sum to zero.
  void add_weights(parallel::FunctionRef<double(int, const TriangleRest&)> stiffness,
                   sparse::SymmetricScalarMatrix& out) const;

 private:
  ElementBatch<3> batch_;
  std::vector<int> source_;
  std::vector<std::array<int, 3>> corner_order_;  // corner i of element e is corner corner_order_[e][i] of its source
  std::vector<TriangleRest> rest_;
  int animated_ = -1;
};

// Asks the memory for the matrix blocks of an element that comes a little later.
inline void prefetch_blocks(const double* values, const ElementBatch<3>& batch, int e, int last) {
  constexpr int kAhead = 6;
  if (e + kAhead >= last) return;
  for (const int slot : batch.slots(e + kAhead)) {
    const double* block = values + 9 * static_cast<std::size_t>(slot);
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + 8, 1);
  }
}

}  // namespace pliant::cloth
