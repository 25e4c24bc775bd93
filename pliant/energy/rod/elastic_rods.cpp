#include "pliant/energy/rod/elastic_rods.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "pliant/assert.h"
#include "pliant/energy/cloth/packed_block.h"
#include "pliant/energy/rod/joint_lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::rod {
// The material frame of an edge.
struct EdgeFrame {
  Vec3 t, m1, m2;
};

namespace {

using cloth::columns_of, cloth::PackedBlock, cloth::rows_of;

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

// along t tᵀ + across I, from (t, along)
PackedBlock stretch_block(Lanes t_and_along, double across) {
  return t_and_along[3] * (rows_of(t_and_along) * columns_of(t_and_along)) + cloth::scaled_identity(across);
}

}  // namespace

// Four joints: their edges and, for stretching, whether an edge is theirs.
struct ElasticRods::JointIndices {
  Lanes seam;                                                    // rad
  Lanes stretches_before, stretches_after;                       // 1 or 0
  int joint[kLaneCount], before[kLaneCount], after[kLaneCount];  // lanes beyond `count` repeat the last joint
  int count;

  // Whether the edges `before` are `held` and the first three of `after`.
  [[nodiscard]] bool follow(int held) const {
    bool result = before[0] == held;
    for (int l = 1; l < kLaneCount; ++l) result = result && before[l] == after[l - 1] && seam[l - 1] == 0;
    return result;
  }
};

// How joints resist their strains κ₁, κ₂, m: w = ∂W/∂ε [J], ∂²W/∂ε² [J] and W itself [J].
struct ElasticRods::JointPull {
  Lanes weight[3], stiffness[3], energy;
};

// How edges resist stretching: tension [N], W [J], and ∂²W/∂e² = along t tᵀ + across I [N/m].
struct ElasticRods::EdgePull {
  Lanes tension, energy, along, across;
};

namespace {

Vec3 vector_of(const LaneVector& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }
EdgeFrame frame_of(const FrameLanes& frame, int lane) {
  return {vector_of(frame.t, lane), vector_of(frame.m1, lane), vector_of(frame.m2, lane)};
}

// What the exact second derivatives of one joint are made of.
struct JointGeometry {
  EdgeFrame e, f;
  double e_inverse, f_inverse;  // 1/m
  Vec3 e_spin, f_spin;          // b, 1/m
  Bend bend;
  Vec2 curvature;
  Vec3 t, m1, m2;  // (t_e + t_f)/χ and so on

  JointGeometry(const EdgeLanes& from, const EdgeLanes& to, const BendLanes& both, int lane)
      : e(frame_of(from.now, lane)),
        f(frame_of(to.now, lane)),
        e_inverse(from.inverse_length[lane]),
        f_inverse(to.inverse_length[lane]),
        e_spin(e_inverse * vector_of(from.spin, lane)),
        f_spin(f_inverse * vector_of(to.spin, lane)),
        bend{both.chi[lane], vector_of(both.binormal, lane)},
        curvature(both.curvature[0][lane], both.curvature[1][lane]),
        t((e.t + f.t) / bend.chi),
        m1((e.m1 + f.m1) / bend.chi),
        m2((e.m2 + f.m2) / bend.chi) {}
};

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

// The term of sym(∂b/∂e); theta_pull = ∂W/∂θ of the edge.
void add_spin(const EdgeLanes& edge, int lane, int at, double theta_pull, Mat8& h) {
  const Vec3 t = vector_of(edge.now.t, lane);
  const Vec3 other = t + (t + vector_of(edge.before.t, lane)) / edge.spin_chi[lane];
  const double inverse = edge.inverse_length[lane];
  h.block<3, 3>(at, at) -= 0.5 * theta_pull * inverse * inverse * symmetric_product(vector_of(edge.spin, lane), other);
}

// Adds to one block of the matrix, whichever half is stored.
void add_packed(double* values, int slot, const PackedBlock& block) {
  cloth::add_block(values, slot >= 0 ? slot : ~slot, slot >= 0 ? block : transposed(block));
}
// Column (vertex, θ) of a block, a point with a zero behind it: one line, whichever half is stored.
void add_column(double* values, int slot, Lanes column) {
  double* block = values + 9 * static_cast<std::size_t>(slot >= 0 ? slot : ~slot);
  if (slot >= 0) {
    math::store(block, math::load(block) + column);
  } else {
    for (int c = 0; c < 3; ++c) block[3 * c] += column[c];
  }
}
void add_row(double* values, int slot, Lanes row) { add_column(values, ~slot, row); }
void add_corner(double* values, int slot, double entry) {
  values[9 * static_cast<std::size_t>(slot >= 0 ? slot : ~slot)] += entry;
}

// A joint's matrix with respect to e and f: blocks of edges, columns (edge, θ), and θ with θ.
struct JointMatrix {
  PackedBlock ee, ef, ff;
  Lanes e_e, e_f, f_e, f_f;  // f_e: edge f with θ_e
  double theta_ee, theta_ef, theta_ff;

  // Σ_k s_k ∇ε_k ∇ε_kᵀ; gradients as (edge, θ)
  JointMatrix(const double stiffness[3], const Lanes e_gradient[3], const Lanes f_gradient[3])
      : ee{}, ef{}, ff{}, e_e{}, e_f{}, f_e{}, f_f{} {
    for (int k = 0; k < 3; ++k) {
      const Lanes e = e_gradient[k], f = f_gradient[k];
      const double theta_e = e[3], theta_f = f[3];
      const Lanes se = stiffness[k] * e, sf = stiffness[k] * f;
      const PackedBlock rows = rows_of(e), columns = columns_of(sf);
      ee = ee + rows * columns_of(se), ef = ef + rows * columns, ff = ff + rows_of(f) * columns;
      e_e += theta_e * se, e_f += theta_f * se, f_e += theta_e * sf, f_f += theta_f * sf;
    }
    ee = mirrored(ee), ff = mirrored(ff);
    theta_ee = e_e[3], theta_ef = e_f[3], theta_ff = f_f[3];
    e_e[3] = e_f[3] = f_e[3] = f_f[3] = 0;
  }
  // h: with respect to (e, θ_e, f, θ_f), the upper triangle
  void add(const Mat8& h) {
    const auto block = [&](int row, int column) {
      const auto at = [&](int i, int j) { return h(row + i, column + j); };
      return PackedBlock{{at(0, 0), at(1, 0), at(2, 0), at(0, 1)}, {at(1, 1), at(2, 1), at(0, 2), at(1, 2)}, at(2, 2)};
    };
    ee = ee + mirrored(transposed(block(kE, kE))), ff = ff + mirrored(transposed(block(kF, kF)));
    ef = ef + block(kE, kF);
    const auto column = [&](int row, int theta) {
      return Lanes{h(row, theta), h(row + 1, theta), h(row + 2, theta), 0};
    };
    e_e += column(kE, kThetaE), e_f += column(kE, kThetaF), f_f += column(kF, kThetaF);
    f_e += Lanes{h(kThetaE, kF), h(kThetaE, kF + 1), h(kThetaE, kF + 2), 0};
    theta_ee += h(kThetaE, kThetaE), theta_ef += h(kThetaE, kThetaF), theta_ff += h(kThetaF, kThetaF);
  }
};

struct StretchLanes {
  LaneVector t;
  Lanes along, across;
};

// The matrices of four joints without the second derivatives of strains, and with the stretching of their edges.
class LaneMatrices {
 public:
  LaneMatrices(const JacobianLanes& jacobian, const Lanes stiffness[3], const StretchLanes& e, const StretchLanes& f)
      : e_t_(per_joint(e.t, e.along)), f_t_(per_joint(f.t, f.along)), e_across_(e.across), f_across_(f.across) {
    for (int k = 0; k < 3; ++k) {
      stiffness_[k] = stiffness[k];
      e_[k] = per_joint(jacobian.e[k], jacobian.theta_e[k]);
      f_[k] = per_joint(jacobian.f[k], jacobian.theta_f[k]);
    }
  }
  [[nodiscard]] JointMatrix of(int lane) const {
    const double stiffness[3] = {stiffness_[0][lane], stiffness_[1][lane], stiffness_[2][lane]};
    const Lanes e[3] = {e_[0][lane], e_[1][lane], e_[2][lane]}, f[3] = {f_[0][lane], f_[1][lane], f_[2][lane]};
    JointMatrix matrix(stiffness, e, f);
    matrix.ee = matrix.ee + stretch_block(e_t_[lane], e_across_[lane]);
    matrix.ff = matrix.ff + stretch_block(f_t_[lane], f_across_[lane]);
    return matrix;
  }

 private:
  std::array<Lanes, kLaneCount> e_[3], f_[3];  // ∇ε_k of each joint, (edge, θ)
  std::array<Lanes, kLaneCount> e_t_, f_t_;    // (t, along) of each joint
  Lanes stiffness_[3], e_across_, f_across_;
};

// Adds a joint's gradient, x0 = −e, x1 = e − f, x2 = f; e, f: (force, torque).
void scatter_gradient(Lanes e, Lanes f, const ElementBatch<5>::Element& blocks, double* gradient) {
  gradient[4 * static_cast<std::size_t>(blocks[1])] += e[3];
  gradient[4 * static_cast<std::size_t>(blocks[3])] += f[3];
  e[3] = f[3] = 0;
  cloth::add_point(gradient, blocks[0], -e);
  cloth::add_point(gradient, blocks[2], e - f);
  cloth::add_point(gradient, blocks[4], f);
}

// Writes a joint's matrix, x0 = −e, x1 = e − f, x2 = f.
void scatter_joint(const JointMatrix& h, const ElementBatch<5>::Slots& slots, double* values) {
  const auto at = [&](int i, int j) { return slots[pair_index<5>(i, j)]; };
  cloth::add_block(values, at(0, 0), h.ee);
  add_packed(values, at(0, 2), h.ef - h.ee);
  add_packed(values, at(0, 4), PackedBlock{} - h.ef);
  cloth::add_block(values, at(2, 2), h.ee + h.ff - (h.ef + transposed(h.ef)));
  add_packed(values, at(2, 4), h.ef - h.ff);
  cloth::add_block(values, at(4, 4), h.ff);

  add_column(values, at(0, 1), -h.e_e);
  add_column(values, at(0, 3), -h.e_f);
  add_row(values, at(1, 2), h.e_e - h.f_e);
  add_row(values, at(1, 4), h.f_e);
  add_column(values, at(2, 3), h.e_f - h.f_f);
  add_row(values, at(3, 4), h.f_f);
  add_corner(values, at(1, 1), h.theta_ee);
  add_corner(values, at(3, 3), h.theta_ff);
  add_corner(values, at(1, 3), h.theta_ef);
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

// An edge without a joint.
double ElasticRods::evaluate_lone_edge(int k, const Configuration& q, const Accumulator& out) const {
  const int edges[kLaneCount] = {k, k, k, k};
  EdgeLanes state;
  measure_edges(edges, Lanes{}, q, state);
  const EdgePull pull = edge_pull(edges, math::lanes_of(1), state, q.step, out.hessian_kind);
  const RodEdge& edge = topology_.edges[k];
  if (out.gradient != nullptr) {
    const Lanes force = per_joint(pull.tension * state.now.t, Lanes{})[0];
    cloth::add_point(out.gradient->data(), edge.from, -force);
    cloth::add_point(out.gradient->data(), edge.to, force);
  }
  if (out.hessian != nullptr) {
    const PackedBlock block = stretch_block(per_joint(state.now.t, pull.along)[0], pull.across[0]);
    const ElementBatch<3>::Slots& slots = edges_.slots(k);
    double* values = out.hessian->values();
    cloth::add_block(values, slots[pair_index<3>(0, 0)], block);
    cloth::add_block(values, slots[pair_index<3>(2, 2)], block);
    add_packed(values, slots[pair_index<3>(0, 2)], PackedBlock{} - block);
  }
  return pull.energy[0] + evaluate_padding_of(k, q, out);
}

ElasticRods::JointIndices ElasticRods::joint_indices(int first, int last) const {
  JointIndices at;
  at.count = std::min(kLaneCount, last - first);
  for (int l = 0; l < kLaneCount; ++l) {
    const int j = first + std::min(l, at.count - 1);
    at.joint[l] = j;
    at.before[l] = topology_.joints[j].before;
    at.after[l] = topology_.joints[j].after;
    at.seam[l] = joint_rest_[j].seam;
    at.stretches_before[l] = (stretches_[j] & kStretchesBefore) != 0 ? 1 : 0;
    at.stretches_after[l] = (stretches_[j] & kStretchesAfter) != 0 ? 1 : 0;
  }
  return at;
}

// seam: added to the edge's angle, 0 for the edge before a joint.
void ElasticRods::measure_edges(const int edges[4], Lanes seam, const Configuration& q, EdgeLanes& state) const {
  int from[kLaneCount], to[kLaneCount], twist[kLaneCount];
  Lanes rest_length;
  LaneVector director;
  for (int l = 0; l < kLaneCount; ++l) {
    const RodEdge& edge = topology_.edges[edges[l]];
    from[l] = edge.from, to[l] = edge.to, twist[l] = edge.twist;
    rest_length[l] = edge_rest_[edges[l]].length;
    const Vec3& d = q.frames->directors[edges[l]];
    director.x[l] = d.x(), director.y[l] = d.y(), director.z[l] = d.z();
  }
  const double *now = q.now.data(), *before = q.before.data();
  const LaneVector t = unit_tangent(gather_points(now, to) - gather_points(now, from), state.length);
  const LaneVector t_before =
      unit_tangent(gather_points(before, to) - gather_points(before, from), state.length_before);
  state.theta = gather_first_entries(now, twist) + seam;
  state.theta_before = gather_first_entries(before, twist) + seam;
  state.director = transported(director, t_before, t);
  state.now = material_frame(t, state.director, state.theta);
  state.before =
      viscous_joints_ ? material_frame(t_before, director, state.theta_before) : FrameLanes{t_before, {}, {}};
  state.inverse_length = 1.0 / math::max(state.length, kSmallestStretch * rest_length);
  state.spin_chi = math::max(1.0 + dot(t_before, t), math::lanes_of(kSmallestChi));
  state.spin = (1.0 / state.spin_chi) * cross(t, t_before);
}

ElasticRods::JointPull ElasticRods::joint_pull(const JointIndices& at, const EdgeLanes& e, const EdgeLanes& f,
                                               const BendLanes& bend, const Configuration& q) const {
  const auto gather = [&](auto&& field) {
    Lanes result;
    for (int l = 0; l < kLaneCount; ++l) result[l] = field(joint_rest_[at.joint[l]]);
    return result;
  };
  // m_ref, as in reference_twist of configuration/rod_frames.h
  const LaneVector carried = transported(e.director, e.now.t, f.now.t);
  const Lanes sine = dot(f.now.t, cross(carried, f.director)), cosine = dot(carried, f.director);
  Lanes reference, turned;
  constexpr double kTurn = 2 * std::numbers::pi;
  for (int l = 0; l < kLaneCount; ++l) {
    const double angle = std::atan2(sine[l], cosine[l]);
    reference[l] = q.frames->reference_twist[at.joint[l]];
    turned[l] = angle + kTurn * std::round((reference[l] - angle) / kTurn);
  }

  const Lanes inverse_length = 1.0 / gather([](const RodJointRest& rest) { return rest.length; });
  const Lanes strain[3] = {bend.curvature[0], bend.curvature[1], f.theta - e.theta + turned};
  const Lanes at_rest[3] = {gather([](const RodJointRest& rest) { return rest.curvature[0]; }),
                            gather([](const RodJointRest& rest) { return rest.curvature[1]; }),
                            gather([](const RodJointRest& rest) { return rest.twist; })};
  const Lanes modulus[3] = {gather([](const RodJointRest& rest) { return rest.bend_stiffness[0]; }),
                            gather([](const RodJointRest& rest) { return rest.bend_stiffness[1]; }),
                            gather([](const RodJointRest& rest) { return rest.twist_stiffness; })};
  JointPull pull;
  pull.energy = Lanes{};
  for (int k = 0; k < 3; ++k) {
    const Lanes off = strain[k] - at_rest[k];
    pull.stiffness[k] = inverse_length * modulus[k];
    pull.weight[k] = pull.stiffness[k] * off;
    pull.energy += 0.5 * pull.weight[k] * off;
  }
  if (!viscous_joints_ || q.step <= 0) return pull;

  const BendLanes bend_before(e.before, f.before);
  const Lanes strain_before[3] = {bend_before.curvature[0], bend_before.curvature[1],
                                  f.theta_before - e.theta_before + reference};
  const Lanes viscosity[3] = {gather([](const RodJointRest& rest) { return rest.viscous_bend[0]; }),
                              gather([](const RodJointRest& rest) { return rest.viscous_bend[1]; }),
                              gather([](const RodJointRest& rest) { return rest.viscous_twist; })};
  for (int k = 0; k < 3; ++k) {
    const Lanes grown = strain[k] - strain_before[k], viscous = inverse_length * viscosity[k] / q.step;
    pull.energy += 0.5 * viscous * grown * grown;
    pull.weight[k] += viscous * grown;
    pull.stiffness[k] += viscous;
  }
  return pull;
}

// ½ EA (l/l̄ − 1)² l̄ and its viscous twin, times share.
ElasticRods::EdgePull ElasticRods::edge_pull(const int edges[4], Lanes share, const EdgeLanes& edge, double step,
                                             HessianKind kind) const {
  Lanes rest_length, stiffness, viscosity;
  for (int l = 0; l < kLaneCount; ++l) {
    const RodEdgeRest& rest = edge_rest_[edges[l]];
    rest_length[l] = rest.length, stiffness[l] = rest.stretch_stiffness, viscosity[l] = rest.viscous_stretch;
  }
  stiffness *= share;
  const Lanes inverse = 1.0 / rest_length;
  const Lanes strain = edge.length * inverse - 1.0;
  EdgePull pull;
  pull.tension = stiffness * strain;
  pull.energy = 0.5 * rest_length * pull.tension * strain;
  Lanes modulus = stiffness;
  if (step > 0) {
    const Lanes grown = (edge.length - edge.length_before) * inverse, viscous = share * viscosity / step;
    pull.tension += viscous * grown;
    pull.energy += 0.5 * rest_length * viscous * grown * grown;
    modulus += viscous;
  }
  pull.across = pull.tension * edge.inverse_length;
  if (kind != HessianKind::exact) pull.across = math::max(pull.across, Lanes{});
  pull.along = modulus * inverse - pull.across;
  return pull;
}

double ElasticRods::evaluate_padding_of(int k, const Configuration& q, const Accumulator& out) const {
  const int block = topology_.edges[k].twist;
  const double stiffness = padding_stiffness_[k];
  const double y = q.now[block][1], z = q.now[block][2];
  if (out.gradient != nullptr) (*out.gradient)[block] += stiffness * Vec3(0, y, z);
  if (out.hessian != nullptr) {
    auto twist = out.hessian->block(edges_.slots(k)[pair_index<3>(1, 1)]);
    twist(1, 1) += stiffness;
    twist(2, 2) += stiffness;
  }
  return 0.5 * stiffness * (y * y + z * z);
}

double ElasticRods::evaluate_padding(int j, const Configuration& q, const Accumulator& out) const {
  const auto [before, after] = topology_.joints[j];
  double energy = 0;
  if ((stretches_[j] & kStretchesBefore) != 0) energy += evaluate_padding_of(before, q, out);
  if ((stretches_[j] & kStretchesAfter) != 0) energy += evaluate_padding_of(after, q, out);
  return energy;
}

double ElasticRods::evaluate_joints(int first, int last, const Configuration& q, const Accumulator& out) const {
  const HessianKind kind = out.hessian_kind;
  double energy = 0;
  int held = -1;          // the edge in the last lane of f: along a rod it is the next joint's e
  EdgeLanes e, after[2];  // f now and before, taking turns
  for (int j = first, turn = 0; j < last; j += kLaneCount, turn = 1 - turn) {
    // Frames, strains, forces
    const JointIndices at = joint_indices(j, last);
    EdgeLanes& f = after[turn];
    measure_edges(at.after, at.seam, q, f);
    if (at.follow(held)) {
      shift_in(after[1 - turn], f, e);
    } else {
      measure_edges(at.before, Lanes{}, q, e);
    }
    held = at.seam[3] == 0 ? at.after[3] : -1;
    const BendLanes bend(e.now, f.now);
    const JointPull pull = joint_pull(at, e, f, bend, q);
    const EdgePull e_pull = edge_pull(at.before, at.stretches_before, e, q.step, kind);
    const EdgePull f_pull = edge_pull(at.after, at.stretches_after, f, q.step, kind);
    const Lanes energies = pull.energy + e_pull.energy + f_pull.energy;
    for (int l = 0; l < at.count; ++l) energy += energies[l] + evaluate_padding(j + l, q, out);
    if (out.gradient == nullptr && out.hessian == nullptr) continue;

    // Gradient
    const JacobianLanes jacobian(e, f, bend);
    LaneVector e_force = e_pull.tension * e.now.t, f_force = f_pull.tension * f.now.t;
    Lanes e_torque{}, f_torque{};
    for (int k = 0; k < 3; ++k) {
      e_force = e_force + pull.weight[k] * jacobian.e[k], f_force = f_force + pull.weight[k] * jacobian.f[k];
      e_torque += pull.weight[k] * jacobian.theta_e[k], f_torque += pull.weight[k] * jacobian.theta_f[k];
    }
    if (out.gradient != nullptr) {
      const auto g_e = per_joint(e_force, e_torque), g_f = per_joint(f_force, f_torque);
      for (int l = 0; l < at.count; ++l) scatter_gradient(g_e[l], g_f[l], joints_[j + l], out.gradient->data());
    }
    if (out.hessian == nullptr) continue;

    // Hessian
    const LaneMatrices matrices(jacobian, pull.stiffness, {e.now.t, e_pull.along, e_pull.across},
                                {f.now.t, f_pull.along, f_pull.across});
    for (int l = 0; l < at.count; ++l) {
      JointMatrix matrix = matrices.of(l);
      if (kind == HessianKind::exact) {
        const Vec3 weight(pull.weight[0][l], pull.weight[1][l], pull.weight[2][l]);
        Mat8 h = weighted_second_derivatives(JointGeometry(e, f, bend, l), weight);
        add_spin(e, l, kE, e_torque[l], h);
        add_spin(f, l, kF, f_torque[l], h);
        matrix.add(h);
      }
      scatter_joint(matrix, joints_.slots(j + l), out.hessian->values());
    }
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
  for (const int edge : lone_edges_) energy += evaluate_lone_edge(edge, q, out);
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
