#include "pliant/energy/rod/elastic_rods.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::rod {
// The material frame of an edge.
struct EdgeFrame {
  Vec3 t, m1, m2;
};

namespace {

constexpr double kSmallestChi = 1e-6;      // of 1 + cos φ; see "Limits"
constexpr double kSmallestStretch = 1e-6;  // of l/l̄ in divisions

EdgeFrame material_frame(const Vec3& t, const Vec3& director, double theta) {
  const Vec3 other = t.cross(director);
  const double c = std::cos(theta), s = std::sin(theta);
  return {t, c * director + s * other, c * other - s * director};
}

// χ and κb of two edges, with the guard for a rod folded flat.
struct Bend {
  double chi;
  Vec3 binormal;
};

Bend bend_of(const EdgeFrame& e, const EdgeFrame& f) {
  const double chi = 1 + e.t.dot(f.t);
  const Vec3 axis = e.t.cross(f.t);
  if (chi >= kSmallestChi) return {chi, 2 / chi * axis};
  const double sine = axis.norm();
  const double size = 2 * std::sqrt((2 - kSmallestChi) / kSmallestChi);
  return {kSmallestChi, size * (sine > 0 ? Vec3(axis / sine) : e.m2)};
}

Vec2 curvature_of(const EdgeFrame& e, const EdgeFrame& f, const Vec3& binormal) {
  return {0.5 * (e.m2 + f.m2).dot(binormal), -0.5 * (e.m1 + f.m1).dot(binormal)};
}

// Derivatives with respect to (e, θ_e, f, θ_f).
using Vec8 = Eigen::Matrix<double, 8, 1>;
using Mat8 = Eigen::Matrix<double, 8, 8>;
constexpr unsigned char kStretchesBefore = 1, kStretchesAfter = 2;
constexpr int kE = 0, kThetaE = 3, kF = 4, kThetaF = 7;

// u vᵀ + v uᵀ
Mat3 symmetric_product(const Vec3& u, const Vec3& v) {
  const Mat3 product = u * v.transpose();
  return product + product.transpose();
}

// ∇ε of κ₁, κ₂ and m, one per column.
using StrainJacobian = Eigen::Matrix<double, 8, 3>;

// h += factor g gᵀ
void add_square(double factor, const Vec8& g, Mat8& h) {
  for (int c = 0; c < 8; ++c) {
    h.col(c) += (factor * g[c]) * g;  // whole columns: two registers each
  }
}

}  // namespace

// An edge at `now`, with what the derivatives need.
struct ElasticRods::EdgeState {
  EdgeFrame now, before;
  Vec3 director;  // d₁ at now
  double theta, theta_before;
  double inverse_length;  // 1/m
  Vec3 spin;              // a
  double spin_chi;        // 1 + t₀·t
};

// How a joint resists its strains κ₁, κ₂, m: w = ∂W/∂ε [J], ∂²W/∂ε² [J] and W itself [J].
struct ElasticRods::JointPull {
  Vec3 weight, stiffness;
  double energy;
};

namespace {

// What both derivatives of a joint are made of.
struct JointGeometry {
  const EdgeFrame& e;
  const EdgeFrame& f;
  double e_inverse, f_inverse;  // 1/m
  Vec3 e_spin, f_spin;          // b, 1/m
  Bend bend;
  Vec2 curvature;
  Vec3 t, m1, m2;  // (t_e + t_f)/χ and so on
};

StrainJacobian strain_jacobian(const JointGeometry& g) {
  StrainJacobian d;
  const Vec3& kb = g.bend.binormal;
  const double k1 = g.curvature[0], k2 = g.curvature[1];
  // Along parallel transport.
  d.block<3, 1>(kE, 0) = (g.f.t.cross(g.m2) - k1 * g.t) * g.e_inverse;
  d.block<3, 1>(kF, 0) = -(g.e.t.cross(g.m2) + k1 * g.t) * g.f_inverse;
  d.block<3, 1>(kE, 1) = -(g.f.t.cross(g.m1) + k2 * g.t) * g.e_inverse;
  d.block<3, 1>(kF, 1) = (g.e.t.cross(g.m1) - k2 * g.t) * g.f_inverse;
  d.block<3, 1>(kE, 2) = 0.5 * g.e_inverse * kb;
  d.block<3, 1>(kF, 2) = 0.5 * g.f_inverse * kb;
  d(kThetaE, 0) = -0.5 * g.e.m1.dot(kb), d(kThetaF, 0) = -0.5 * g.f.m1.dot(kb);
  d(kThetaE, 1) = -0.5 * g.e.m2.dot(kb), d(kThetaF, 1) = -0.5 * g.f.m2.dot(kb);
  d(kThetaE, 2) = -1, d(kThetaF, 2) = 1;
  // The spin of the carried directors.
  for (int k = 0; k < 3; ++k) {
    d.block<3, 1>(kE, k) += d(kThetaE, k) * g.e_spin;
    d.block<3, 1>(kF, k) += d(kThetaF, k) * g.f_spin;
  }
  return d;
}

// Σ_k w_k ∂²ε_k, the upper triangle, without the terms of sym(∂b/∂e). The formulas of κ₁ turn into those of κ₂ with
// m₂ → −m₁, so both are one with M = w₁ m₂ − w₂ m₁ and N = w₁ m₁ + w₂ m₂.
Mat8 weighted_second_derivatives(const JointGeometry& g, const Vec3& w) {
  const Vec3& kb = g.bend.binormal;
  const double chi = g.bend.chi, ei = g.e_inverse, fi = g.f_inverse;
  const double kappa = w[0] * g.curvature[0] + w[1] * g.curvature[1];
  const Vec3 m = w[0] * g.m2 - w[1] * g.m1;
  const Vec3 me = w[0] * g.e.m2 - w[1] * g.e.m1, mf = w[0] * g.f.m2 - w[1] * g.f.m1;
  const Vec3 ne = w[0] * g.e.m1 + w[1] * g.e.m2, nf = w[0] * g.f.m1 + w[1] * g.f.m2;
  const Vec3 tf_m = g.f.t.cross(m), te_m = g.e.t.cross(m);
  const Mat3 tt = 2 * kappa * g.t * g.t.transpose();

  Mat8 h = Mat8::Zero();
  // θ with θ and with the edges, along parallel transport.
  const double theta_ee = -0.5 * kb.dot(me), theta_ff = -0.5 * kb.dot(mf);
  const Vec3 e_theta_e = (0.5 * kb.dot(ne) * g.t - g.f.t.cross(ne) / chi) * ei;
  const Vec3 e_theta_f = (0.5 * kb.dot(nf) * g.t - g.f.t.cross(nf) / chi) * ei;
  const Vec3 f_theta_e = (0.5 * kb.dot(ne) * g.t + g.e.t.cross(ne) / chi) * fi;
  const Vec3 f_theta_f = (0.5 * kb.dot(nf) * g.t + g.e.t.cross(nf) / chi) * fi;
  h(kThetaE, kThetaE) = theta_ee, h(kThetaF, kThetaF) = theta_ff, h(kThetaE, kThetaF) = 0;
  h.block<3, 1>(kE, kThetaE) = e_theta_e + theta_ee * g.e_spin;
  h.block<3, 1>(kE, kThetaF) = e_theta_f;
  h.block<1, 3>(kThetaE, kF) = f_theta_e.transpose();
  h.block<3, 1>(kF, kThetaF) = f_theta_f + theta_ff * g.f_spin;

  // One edge with itself.
  h.block<3, 3>(kE, kE) =
      ei * ei *
      (tt - symmetric_product(tf_m, g.t) - kappa / chi * (Mat3::Identity() - g.e.t * g.e.t.transpose()) +
       0.25 * symmetric_product(kb, me - w[2] * (g.e.t + g.t)));
  h.block<3, 3>(kE, kE) += symmetric_product(g.e_spin, e_theta_e + 0.5 * theta_ee * g.e_spin);
  h.block<3, 3>(kF, kF) =
      fi * fi *
      (tt + symmetric_product(te_m, g.t) - kappa / chi * (Mat3::Identity() - g.f.t * g.f.t.transpose()) +
       0.25 * symmetric_product(kb, mf - w[2] * (g.f.t + g.t)));
  h.block<3, 3>(kF, kF) += symmetric_product(g.f_spin, f_theta_f + 0.5 * theta_ff * g.f_spin);

  // One edge with the other: −[M]× from bending, (w₃/χ) [t_e]× from twisting.
  Mat3 ef = tt - kappa / chi * (Mat3::Identity() + g.e.t * g.f.t.transpose()) - tf_m * g.t.transpose() +
            g.t * te_m.transpose() - 0.5 * w[2] * kb * g.t.transpose();
  const Vec3 skew = w[2] / chi * g.e.t - m;
  ef(0, 1) -= skew.z(), ef(1, 0) += skew.z();
  ef(0, 2) += skew.y(), ef(2, 0) -= skew.y();
  ef(1, 2) -= skew.x(), ef(2, 1) += skew.x();
  h.block<3, 3>(kE, kF) = ei * fi * ef + e_theta_f * g.f_spin.transpose() + g.e_spin * f_theta_e.transpose();
  return h;
}

// Writes a joint's matrix, x0 = −e, x1 = e − f, x2 = f.
void scatter_joint(const Mat8& h, const ElementBatch<5>::Slots& slots, sparse::SymmetricBlockMatrix& matrix) {
  const Mat3 ee = h.block<3, 3>(kE, kE).selfadjointView<Eigen::Upper>();
  const Mat3 ff = h.block<3, 3>(kF, kF).selfadjointView<Eigen::Upper>();
  const Mat3 ef = h.block<3, 3>(kE, kF);
  const auto at = [&](int i, int j) { return slots[pair_index<5>(i, j)]; };
  add_block(matrix, at(0, 0), ee);
  add_block(matrix, at(0, 2), ef - ee);
  add_block(matrix, at(0, 4), -ef);
  add_block(matrix, at(2, 2), ee + ff - ef - ef.transpose());
  add_block(matrix, at(2, 4), ef - ff);
  add_block(matrix, at(4, 4), ff);

  // Column (vertex, θ) or row (θ, vertex): one line of the block, whichever half is stored.
  const auto add_column = [&](int i, int j, const Vec3& column) {
    const int slot = at(i, j);
    if (slot >= 0) {
      matrix.block(slot).col(0) += column;
    } else {
      matrix.block(~slot).row(0) += column.transpose();
    }
  };
  const auto add_row = [&](int i, int j, const Vec3& row) {
    const int slot = at(i, j);
    if (slot >= 0) {
      matrix.block(slot).row(0) += row.transpose();
    } else {
      matrix.block(~slot).col(0) += row;
    }
  };
  const Vec3 e_e = h.block<3, 1>(kE, kThetaE), e_f = h.block<3, 1>(kE, kThetaF);
  const Vec3 f_e = h.block<1, 3>(kThetaE, kF).transpose(), f_f = h.block<3, 1>(kF, kThetaF);
  add_column(0, 1, -e_e);
  add_column(0, 3, -e_f);
  add_row(1, 2, e_e - f_e);
  add_row(1, 4, f_e);
  add_column(2, 3, e_f - f_f);
  add_row(3, 4, f_f);
  matrix.block(at(1, 1))(0, 0) += h(kThetaE, kThetaE);
  matrix.block(at(3, 3))(0, 0) += h(kThetaF, kThetaF);
  const int both = at(1, 3);
  matrix.block(both >= 0 ? both : ~both)(0, 0) += h(kThetaE, kThetaF);
}

}  // namespace

std::vector<JointStrain> measure(const RodTopology& topology, const BlockVector& positions, const RodFrames& frames) {
  std::vector<JointStrain> strains(topology.joints.size());
  parallel_for(static_cast<int>(strains.size()), 512, [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      const auto frame = [&](int edge) {
        const RodEdge& it = topology.edges[edge];
        return material_frame(tangent(it, positions), frames.directors[edge], positions[it.twist][0]);
      };
      const auto [before, after] = topology.joints[j];
      const EdgeFrame e = frame(before), f = frame(after);
      strains[j].curvature = curvature_of(e, f, bend_of(e, f).binormal);
      strains[j].twist = positions[topology.edges[after].twist][0] - positions[topology.edges[before].twist][0] +
                         frames.reference_twist[j];
    }
  });
  return strains;
}

ElasticRods::ElasticRods(RodTopology topology, std::vector<RodEdgeRest> edges, std::vector<RodJointRest> joints,
                         int block_count)
    : topology_(std::move(topology)), edge_rest_(std::move(edges)), joint_rest_(std::move(joints)) {
  PLIANT_ASSERT(edge_rest_.size() == topology_.edges.size(), "every edge has a rest state");
  PLIANT_ASSERT(joint_rest_.size() == topology_.joints.size(), "every joint has a rest state");

  std::vector<ElementBatch<3>::Element> edge_blocks;
  for (const RodEdge& edge : topology_.edges) edge_blocks.push_back({edge.from, edge.twist, edge.to});
  edges_ = ElementBatch<3>(std::move(edge_blocks), block_count);

  padding_stiffness_.assign(edge_rest_.size(), 0.0);
  std::vector<ElementBatch<5>::Element> joint_blocks;
  for (std::size_t j = 0; j < joint_rest_.size(); ++j) {
    const auto [before, after] = topology_.joints[j];
    const RodEdge &e = topology_.edges[before], &f = topology_.edges[after];
    PLIANT_ASSERT(e.to == f.from && e.from != f.to, "a joint is where one edge ends and another begins");
    joint_blocks.push_back({e.from, e.twist, e.to, f.twist, f.to});
    const RodJointRest& rest = joint_rest_[j];
    viscous_joints_ = viscous_joints_ || !rest.viscous_bend.isZero(0) || rest.viscous_twist != 0;
    for (const int edge : {before, after}) {
      padding_stiffness_[edge] = std::max(padding_stiffness_[edge], rest.twist_stiffness / edge_rest_[edge].length);
    }
  }
  joints_ = ElementBatch<5>(std::move(joint_blocks), block_count);

  // The first joint of an edge stretches it.
  std::vector<bool> is_taken(edge_rest_.size(), false);
  for (const auto [before, after] : topology_.joints) {
    stretches_.push_back((is_taken[before] ? 0 : kStretchesBefore) | (is_taken[after] ? 0 : kStretchesAfter));
    is_taken[before] = is_taken[after] = true;
  }
  for (std::size_t e = 0; e < is_taken.size(); ++e) {
    if (!is_taken[e]) lone_edges_.push_back(static_cast<int>(e));
  }

  // Without a joint or without twist stiffness: any positive number does.
  for (std::size_t e = 0; e < edge_rest_.size(); ++e) {
    if (padding_stiffness_[e] > 0) continue;
    const double other = edge_rest_[e].stretch_stiffness * edge_rest_[e].length;
    padding_stiffness_[e] = other > 0 ? other : 1;
  }
}

void ElasticRods::couple(sparse::PatternBuilder& builder) const {
  edges_.couple(builder);
  joints_.couple(builder);
}

void ElasticRods::find_slots(const sparse::BlockPattern& pattern) {
  edges_.find_slots(pattern);
  joints_.find_slots(pattern);
}

double ElasticRods::evaluate_edge(int k, const Configuration& q, const Accumulator& out) const {
  const RodEdge& edge = topology_.edges[k];
  const RodEdgeRest& rest = edge_rest_[k];
  const Vec3 along = q.now[edge.to] - q.now[edge.from];
  const double length = along.norm();
  const Vec3 t = length > 0 ? Vec3(along / length) : Vec3(Vec3::UnitX());

  // ½ EA (l/l̄ − 1)² l̄ and its viscous twin
  const double strain = length / rest.length - 1;
  double tension = rest.stretch_stiffness * strain, modulus = rest.stretch_stiffness;
  double energy = 0.5 * rest.length * tension * strain;
  if (q.step > 0 && rest.viscous_stretch > 0) {
    const double length_before = (q.before[edge.to] - q.before[edge.from]).norm();
    const double grown = (length - length_before) / rest.length, viscous = rest.viscous_stretch / q.step;
    tension += viscous * grown;
    modulus += viscous;
    energy += 0.5 * rest.length * viscous * grown * grown;
  }
  const double padding = padding_stiffness_[k];
  const double y = q.now[edge.twist][1], z = q.now[edge.twist][2];
  energy += 0.5 * padding * (y * y + z * z);

  if (out.gradient != nullptr) {
    (*out.gradient)[edge.from] -= tension * t;
    (*out.gradient)[edge.to] += tension * t;
    (*out.gradient)[edge.twist] += padding * Vec3(0, y, z);
  }
  if (out.hessian != nullptr) {
    const double stiffness = modulus / rest.length;
    double across = tension / std::max(length, kSmallestStretch * rest.length);
    if (out.hessian_kind != HessianKind::exact) across = std::max(across, 0.0);
    const Mat3 block = (stiffness - across) * t * t.transpose() + across * Mat3::Identity();
    const ElementBatch<3>::Slots& slots = edges_.slots(k);
    add_block(*out.hessian, slots[pair_index<3>(0, 0)], block);
    add_block(*out.hessian, slots[pair_index<3>(2, 2)], block);
    add_block(*out.hessian, slots[pair_index<3>(0, 2)], -block);
    auto twist = out.hessian->block(slots[pair_index<3>(1, 1)]);
    twist(1, 1) += padding;
    twist(2, 2) += padding;
  }
  return energy;
}

// seam: added to the edge's angle, 0 for the edge before a joint.
ElasticRods::EdgeState ElasticRods::edge_state(int k, double seam, const Configuration& q) const {
  const RodEdge& edge = topology_.edges[k];
  const Vec3 along = q.now[edge.to] - q.now[edge.from];
  const double length = along.norm();
  const Vec3 t = length > 0 ? Vec3(along / length) : Vec3(Vec3::UnitX());
  const Vec3 t_before = tangent(edge, q.before);
  EdgeState state;
  state.theta = q.now[edge.twist][0] + seam;
  state.theta_before = q.before[edge.twist][0] + seam;
  state.director = parallel_transport(q.frames->directors[k], t_before, t);
  state.now = material_frame(t, state.director, state.theta);
  if (viscous_joints_) {
    state.before = material_frame(t_before, q.frames->directors[k], state.theta_before);
  } else {
    state.before.t = t_before;
  }
  state.inverse_length = 1 / std::max(length, kSmallestStretch * edge_rest_[k].length);
  state.spin_chi = std::max(1 + t_before.dot(t), kSmallestChi);
  state.spin = t.cross(t_before) / state.spin_chi;
  return state;
}

ElasticRods::JointPull ElasticRods::joint_pull(int j, const EdgeState& e, const EdgeState& f, const Vec2& curvature,
                                               const Configuration& q) const {
  const RodJointRest& rest = joint_rest_[j];
  const double reference = q.frames->reference_twist[j];
  const double twist = f.theta - e.theta + reference_twist(e.now.t, e.director, f.now.t, f.director, reference);
  const Vec3 strain(curvature[0], curvature[1], twist);
  JointPull pull;
  pull.stiffness = Vec3(rest.bend_stiffness[0], rest.bend_stiffness[1], rest.twist_stiffness) / rest.length;
  const Vec3 off = strain - Vec3(rest.curvature[0], rest.curvature[1], rest.twist);
  pull.weight = pull.stiffness.cwiseProduct(off);
  pull.energy = 0.5 * pull.weight.dot(off);
  if (viscous_joints_ && q.step > 0) {
    const Vec2 curvature_before = curvature_of(e.before, f.before, bend_of(e.before, f.before).binormal);
    const double twist_before = f.theta_before - e.theta_before + reference;
    const Vec3 grown = strain - Vec3(curvature_before[0], curvature_before[1], twist_before);
    const Vec3 viscosity =
        Vec3(rest.viscous_bend[0], rest.viscous_bend[1], rest.viscous_twist) / (rest.length * q.step);
    pull.energy += 0.5 * grown.dot(viscosity.cwiseProduct(grown));
    pull.weight += viscosity.cwiseProduct(grown);
    pull.stiffness += viscosity;
  }
  return pull;
}

double ElasticRods::evaluate_joints(int first, int last, const Configuration& q, const Accumulator& out) const {
  double energy = 0;
  int held = -1;  // the edge in f: along a rod it is the next joint's e
  EdgeState e, f;
  for (int j = first; j < last; ++j) {
    const auto [before, after] = topology_.joints[j];
    const double seam = joint_rest_[j].seam;
    e = before == held ? f : edge_state(before, 0, q);
    f = edge_state(after, seam, q);
    held = seam == 0 ? after : -1;

    const Bend bend = bend_of(e.now, f.now);
    const Vec2 curvature = curvature_of(e.now, f.now, bend.binormal);
    const JointPull pull = joint_pull(j, e, f, curvature, q);
    energy += pull.energy;
    if ((stretches_[j] & kStretchesBefore) != 0) energy += evaluate_edge(before, q, out);
    if ((stretches_[j] & kStretchesAfter) != 0) energy += evaluate_edge(after, q, out);
    if (out.gradient == nullptr && out.hessian == nullptr) continue;

    // Gradient
    const JointGeometry geometry{e.now,
                                 f.now,
                                 e.inverse_length,
                                 f.inverse_length,
                                 e.spin * e.inverse_length,
                                 f.spin * f.inverse_length,
                                 bend,
                                 curvature,
                                 (e.now.t + f.now.t) / bend.chi,
                                 (e.now.m1 + f.now.m1) / bend.chi,
                                 (e.now.m2 + f.now.m2) / bend.chi};
    const StrainJacobian jacobian = strain_jacobian(geometry);
    const Vec8 g = jacobian * pull.weight;
    if (out.gradient != nullptr) {
      const ElementBatch<5>::Element& blocks = joints_[j];
      (*out.gradient)[blocks[0]] -= g.segment<3>(kE);
      (*out.gradient)[blocks[2]] += g.segment<3>(kE) - g.segment<3>(kF);
      (*out.gradient)[blocks[4]] += g.segment<3>(kF);
      (*out.gradient)[blocks[1]][0] += g[kThetaE];
      (*out.gradient)[blocks[3]][0] += g[kThetaF];
    }
    if (out.hessian == nullptr) continue;

    // Hessian
    Mat8 h;
    if (out.hessian_kind == HessianKind::exact) {
      h = weighted_second_derivatives(geometry, pull.weight);
      const auto add_spin = [&](const EdgeState& edge, int at, double theta_pull) {
        const Vec3 other = edge.now.t + (edge.now.t + edge.before.t) / edge.spin_chi;
        h.block<3, 3>(at, at) -=
            0.5 * theta_pull * edge.inverse_length * edge.inverse_length * symmetric_product(edge.spin, other);
      };
      add_spin(e, kE, g[kThetaE]);
      add_spin(f, kF, g[kThetaF]);
    } else {
      h.setZero();
    }
    for (int k = 0; k < 3; ++k) add_square(pull.stiffness[k], jacobian.col(k), h);
    scatter_joint(h, joints_.slots(j), *out.hessian);
  }
  return energy;
}

void ElasticRods::evaluate(const Configuration& q, Accumulator& out) const {
  PLIANT_ASSERT(q.frames != nullptr, "rods come with frames");
  PLIANT_ASSERT(q.frames->directors.size() == topology_.edges.size() &&
                    q.frames->reference_twist.size() == topology_.joints.size(),
                "there is a director per edge and a reference twist per joint");
  const Writes writes = out.gradient != nullptr || out.hessian != nullptr ? Writes::blocks : Writes::nothing;
  double energy =
      joints_.for_each_chunk(writes, [&](int first, int last) { return evaluate_joints(first, last, q, out); });
  for (const int edge : lone_edges_) energy += evaluate_edge(edge, q, out);
  if (out.value != nullptr) *out.value += energy;
}

void ElasticRods::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  const double per_step = step > 0 ? 1 / step : 0;
  for (std::size_t k = 0; k < edge_rest_.size(); ++k) {
    const RodEdgeRest& rest = edge_rest_[k];
    const double modulus = rest.stretch_stiffness + per_step * rest.viscous_stretch;
    add_spring_weight(out, topology_.edges[k].from, topology_.edges[k].to, modulus / rest.length);
  }
  for (std::size_t j = 0; j < joint_rest_.size(); ++j) {
    const RodJointRest& rest = joint_rest_[j];
    const auto [before, after] = topology_.joints[j];
    const RodEdge &e = topology_.edges[before], &f = topology_.edges[after];
    add_spring_weight(out, e.twist, f.twist, (rest.twist_stiffness + per_step * rest.viscous_twist) / rest.length);

    const double bend = (rest.bend_stiffness + per_step * rest.viscous_bend).mean() / rest.length;
    const double e_inverse = 1 / edge_rest_[before].length, f_inverse = 1 / edge_rest_[after].length;
    const int blocks[3] = {e.from, e.to, f.to};
    const double slope[3] = {e_inverse, -e_inverse - f_inverse, f_inverse};
    for (int a = 0; a < 3; ++a) {
      for (int b = a; b < 3; ++b) out.add(blocks[a], blocks[b], bend * slope[a] * slope[b]);
    }
  }
}

}  // namespace pliant::rod
