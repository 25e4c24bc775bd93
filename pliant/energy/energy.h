// A potential energy: value [J], gradient [N] and Hessian [N/m] in one pass over all its elements.
//
// One object stands for all elements of one kind. It does not know who asks: Newton wants all three, a line search only
// the value. A capability that only some energies have is a class of its own, asked for when a solver is built.
#pragma once

#include <string>

#include "pliant/configuration/configuration.h"
#include "pliant/sparse/block_vector.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant {

enum class HessianKind {
  projected,  // element by element to the nearest positive semi-definite matrix: Newton always gets a descent direction
  exact,      // the second derivative itself
  warped,     // corotated only: the constant stiffness of the rest state, turned with the element
};

// What an evaluation must produce, and where it goes. Null = not wanted. Results are added to what is there.
struct Accumulator {
  double* value = nullptr;
  BlockVector* gradient = nullptr;
  sparse::SymmetricBlockMatrix* hessian = nullptr;
  HessianKind hessian_kind = HessianKind::projected;
};

class Energy {
 public:
  virtual ~Energy() = default;
  virtual void evaluate(const Configuration& q, Accumulator& out) const = 0;
  // For messages and tables: "neo_hookean", "gravity".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace pliant
