// What a linear solver may want to know besides the matrix: which blocks are points, where they are, what is held.
#pragma once

#include "pliant/configuration/block_filter.h"
#include "pliant/configuration/dof_layout.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::linear {

// Pointers may be null: all blocks are points, nothing is known of where they are, nothing is held.
struct SystemGeometry {
  const BlockVector* positions = nullptr;  // m
  const DofLayout* layout = nullptr;
  const BlockFilter* filter = nullptr;  // the matrices are already filtered
};

// For solvers that use it, besides LinearSolver.
class GeometricSolver {
 public:
  virtual ~GeometricSolver() = default;
  // What all matrices from here on are about, until the next call. What it points at must outlive them and is read by
  // factor and solve; positions may change between those. Nothing that was learnt from earlier matrices is used any
  // more, so that a step's result depends on that step alone: a resumed run repeats it to the bit.
  virtual void begin_step(const SystemGeometry& geometry) = 0;
};

}  // namespace pliant::linear
