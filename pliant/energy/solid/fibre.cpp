#include "pliant/energy/solid/fibre.h"

#include <utility>

#include "pliant/energy/solid/tet_lanes.h"

namespace pliant::solid {
namespace {

// Blocks V (d·b_i)(d·b_j) M.
void fibre_blocks(const Lanes along[3], const Lanes m[3][3], CornerBlocks& k) {
  const auto fill = [&](Lanes factor, Lanes block[3][3]) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) block[r][c] = factor * m[r][c];
    }
  };
  fill(along[0] * along[0], k.k11);
  fill(along[1] * along[1], k.k22);
  fill(along[2] * along[2], k.k33);
  fill(along[0] * along[1], k.k12);
  fill(along[0] * along[2], k.k13);
  fill(along[1] * along[2], k.k23);
}

}  // namespace

Fibre::Fibre(std::shared_ptr<const TetElements> elements, std::span<const Vec3> directions,
             std::span<const double> stiffness)
    : elements_(std::move(elements)) {
  // A zero direction means no fibre; its length 0 would otherwise count as a fibre that is fully compressed.
  std::vector<double> component(directions.size());
  for (std::size_t t = 0; t < directions.size(); ++t) component[t] = directions[t].isZero(0) ? 0 : stiffness[t];
  stiffness_ = to_lanes(*elements_, component);
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t t = 0; t < directions.size(); ++t) component[t] = directions[t][axis];
    direction_[axis] = to_lanes(*elements_, component);
  }
}

double Fibre::evaluate_groups(int first, int last, const double* x, const Accumulator& out) const {
  Lanes total{};
  for (int g = first; g < last; ++g) {
    const TetElements::Group& group = elements_->groups()[g];
    Lanes b[3][3], f[3][3];
    load_rest_gradients(group, b);
    deformation_gradient(x, group, b, f);
    const Lanes d[3] = {math::load(direction_[0].data() + kLaneCount * g),
                        math::load(direction_[1].data() + kLaneCount * g),
                        math::load(direction_[2].data() + kLaneCount * g)};
    const Lanes stiffness = math::load(group.volume) * math::load(stiffness_.data() + kLaneCount * g);

    // n = F d; a collapsed fibre (ℓ → 0) has no direction: the floor makes its force vanish instead of dividing by
    // zero.
    Lanes n[3];
    for (int r = 0; r < 3; ++r) n[r] = f[r][0] * d[0] + f[r][1] * d[1] + f[r][2] * d[2];
    const Lanes length = math::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const Lanes inverse = 1.0 / math::max(length, math::lanes_of(1e-9));
    total += 0.5 * stiffness * (length - 1.0) * (length - 1.0);

    const Lanes across = 1.0 - inverse;
    if (out.gradient != nullptr) {
      Lanes stress[3][3];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) stress[r][c] = stiffness * across * n[r] * d[c];
      }
      scatter_stress(out.gradient->data(), group, b, stress);
    }
    if (out.hessian != nullptr) {
      prefetch_blocks(out.hessian->values(), *elements_, g);
      const Lanes side = out.hessian_kind == HessianKind::exact ? across : math::max(across, Lanes{});
      Lanes m[3][3], along[3];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) m[r][c] = stiffness * (1.0 - side) * (n[r] * inverse) * (n[c] * inverse);
        m[r][r] += stiffness * side;
        along[r] = d[0] * b[r][0] + d[1] * b[r][1] + d[2] * b[r][2];
      }
      CornerBlocks blocks;
      fibre_blocks(along, m, blocks);
      scatter_element_matrix(out.hessian->values(), elements_->slots()[g], blocks);
    }
  }
  return math::sum(total);
}

void Fibre::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy =
      elements_->for_each_chunk(writes ? TetElements::Writes::vertices : TetElements::Writes::nothing,
                                [&](int first, int last) { return evaluate_groups(first, last, q.now.data(), out); });
  if (out.value != nullptr) *out.value += energy;
}

}  // namespace pliant::solid
