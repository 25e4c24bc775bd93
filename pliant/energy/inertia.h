// Inertia of the incremental potential: ½ (q − q̃)ᵀ M (q − q̃), with lumped masses, and with consistent ones where asked.
//
//   lumped       M_ii = m_i                              [kg]
//   consistent   M_ij = ρ V/20 (1 + δ_ij) per tet        [Verschoor2019, D.35]
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/energy/solid/tet_elements.h"
#include "pliant/sparse/block_vector.h"
#include "pliant/sparse/symmetric_block_matrix.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant {

class Inertia {
 public:
  Inertia() = default;
  // Lumped masses of all blocks [kg], positive. They also weigh residuals, pins and gravity of consistent bodies.
  explicit Inertia(std::vector<double> masses) : masses_(std::move(masses)), lumped_(masses_) {}

  // Makes the mass of these tets consistent: takes their lumped share away and adds element matrices instead.
  // density: kg/m³ per tet, in the order given to TetElements. The elements are shared with the body's energies.
  void add_consistent(std::shared_ptr<const solid::TetElements> elements, std::span<const double> density);

  [[nodiscard]] std::span<const double> masses() const { return masses_; }  // kg per block, lumped
  [[nodiscard]] bool is_lumped() const { return consistent_.empty(); }

  // y = M x
  void multiply(const BlockVector& x, BlockVector& y) const;
  // x = M⁻¹ b on the free directions of the filter, zero along the held ones. Consistent masses by conjugate gradients.
  void solve(const BlockVector& b, const BlockFilter& filter, BlockVector& x) const;
  // A += factor M
  void add_to(sparse::SymmetricBlockMatrix& matrix, double factor) const;
  void add_to(sparse::SymmetricScalarMatrix& matrix, double factor) const;

 private:
  template <class Add>
  void for_each_entry(const sparse::BlockPattern& pattern, const Add& add) const;

  struct Consistent {
    std::shared_ptr<const solid::TetElements> elements;
    std::vector<double> mass;  // ρ V per lane [kg]
  };
  std::vector<double> masses_;  // total, lumped
  std::vector<double> lumped_;  // what of it stays on the diagonal
  std::vector<Consistent> consistent_;
};

}  // namespace pliant
