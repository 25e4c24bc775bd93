#include "pliant/energy/rigid/rigidity.h"

#include <cmath>

#include "pliant/math/psd.h"

namespace pliant::rigid {

Rigidity::Rigidity(const std::vector<RigidFrame>& frames, double step, int block_count) {
  std::vector<std::array<int, 3>> axes;
  for (const RigidFrame& frame : frames) {
    axes.push_back({frame.axis(0), frame.axis(1), frame.axis(2)});
    const Vec3 root = frame.extent().cwiseSqrt();
    const double k = kRigidity * frame.mass * frame.length * frame.length / (step * step);
    bodies_.push_back({frame.length, k * root * root.transpose()});
  }
  batch_ = ElementBatch<3>(std::move(axes), block_count);
}

void Rigidity::couple(sparse::PatternBuilder& builder) const {
  for (const std::array<int, 3>& axes : batch_.elements())
    builder.couple(std::array<int, 4>{axes[0] - 1, axes[0], axes[1], axes[2]});
}

void Rigidity::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy = batch_.for_each_chunk(writes ? Writes::blocks : Writes::nothing, [&](int first, int last) {
    double sum = 0;
    for (int b = first; b < last; ++b) sum += evaluate_body(b, q.now, out);
    return sum;
  });
  if (out.value != nullptr) *out.value += energy;
}

double Rigidity::evaluate_body(int b, const BlockVector& now, Accumulator& out) const {
  const std::array<int, 3>& blocks = batch_[b];
  const Body& body = bodies_[b];
  Mat3 axes;  // A
  for (int i = 0; i < 3; ++i) axes.col(i) = now[blocks[i]] / body.length;
  const Mat3 strain = axes.transpose() * axes - Mat3::Identity();  // C
  const Mat3 stress = body.stiffness.cwiseProduct(strain);         // k_ij C_ij
  if (out.gradient != nullptr) {
    const Mat3 gradient = axes * stress / body.length;
    for (int i = 0; i < 3; ++i) (*out.gradient)[blocks[i]] += gradient.col(i);
  }
  if (out.hessian != nullptr) add_hessian(b, axes, stress, out);
  return 0.25 * stress.cwiseProduct(strain).sum();
}

void Rigidity::add_hessian(int b, const Mat3& axes, const Mat3& stress, Accumulator& out) const {
  const Body& body = bodies_[b];
  const Mat3& k = body.stiffness;
  double geometric[3][3];  // the third term
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) geometric[i][j] = stress(i, j);
  if (out.hessian_kind != HessianKind::exact) math::project_psd_3x3(geometric);
  const double scale = 1 / (body.length * body.length);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      Mat3 block = k(i, j) * axes.col(j) * axes.col(i).transpose();
      if (i == j) {
        for (int l = 0; l < 3; ++l) block += k(i, l) * axes.col(l) * axes.col(l).transpose();
      }
      block.diagonal().array() += geometric[i][j];
      add_block(*out.hessian, batch_.slots(b)[pair_index<3>(i, j)], scale * block);
    }
  }
}

void Rigidity::add_weights(const Controls&, double, sparse::SymmetricScalarMatrix& out) const {
  for (int b = 0; b < batch_.count(); ++b) {
    const double scale = 2 / (bodies_[b].length * bodies_[b].length);
    for (int i = 0; i < 3; ++i) out.add(batch_[b][i], batch_[b][i], scale * bodies_[b].stiffness.row(i).maxCoeff());
  }
}

}  // namespace pliant::rigid
