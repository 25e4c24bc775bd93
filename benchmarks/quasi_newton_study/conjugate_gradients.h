// Conjugate gradients for a fixed number of products, whatever the matrix and the preconditioner.
//
// A direction with pᵀAp ≤ 0 ends the iteration with what has been reached, or with the preconditioned right-hand side if
// it is the first [Gast2015].
#pragma once

#include <cmath>

#include "pliant/sparse/block_vector.h"

namespace pliant::study {

struct CgLimits {
  int products = 15;
  double tolerance = 0;  // of √(rᵀ M r) relative to its start
};

struct CgScratch {
  BlockVector r, z, p, product;
  void resize(int count) {
    if (r.size() == count) return;
    for (BlockVector* v : {&r, &z, &p, &product}) v->resize(count);
  }
};

// multiply(p, out) and precondition(r, out); x is overwritten. Returns the number of products.
template <class Multiply, class Precondition>
int conjugate_gradients(const Multiply& multiply, const Precondition& precondition, const BlockVector& b,
                        BlockVector& x, const CgLimits& limits, CgScratch& scratch) {
  scratch.resize(b.size());
  auto& [r, z, p, product] = scratch;
  sparse::set_zero(x);
  r = b;
  precondition(r, z);
  p = z;
  double r_dot_z = sparse::dot(r, z);
  const double goal = limits.tolerance * limits.tolerance * r_dot_z;
  int products = 0;
  while (products < limits.products && r_dot_z > goal && r_dot_z > 0) {
    multiply(p, product);
    ++products;
    const double curvature = sparse::dot(p, product);
    if (!(curvature > 0)) {
      if (products == 1) x = z;
      break;
    }
    const double alpha = r_dot_z / curvature;
    sparse::add_scaled(x, alpha, p);
    sparse::add_scaled(r, -alpha, product);
    precondition(r, z);
    const double next = sparse::dot(r, z);
    sparse::combine(p, 1, z, next / r_dot_z, p);
    r_dot_z = next;
  }
  return products;
}

}  // namespace pliant::study
