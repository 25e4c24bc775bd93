#include "pliant/energy/cloth/hinge_bending.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/assert.h"
#include "pliant/energy/cloth/hinge_kernels.h"
#include "pliant/energy/cloth/hinge_laws.h"

namespace pliant::cloth {
namespace {

constexpr int kChunkSize = 256;  // triangles; a multiple of the lanes

// Calls use(law) with the law's type.
template <class Use>
auto with_hinge_law(HingeLaw law, const Use& use) {
  switch (law) {
    case HingeLaw::tan:
      return use(HingeTan{});
    case HingeLaw::angle:
      return use(HingeAngle{});
    case HingeLaw::willmore:
      return use(HingeWillmore{});
    case HingeLaw::bridson:
      break;
  }
  return use(HingeBridson{});
}

int sorted_position(const std::array<int, 3>& sorted, int block) {
  return static_cast<int>(std::find(sorted.begin(), sorted.end(), block) - sorted.begin());
}

bool is_odd_permutation(const std::array<int, 3>& t) {
  return ((t[0] > t[1]) + (t[0] > t[2]) + (t[1] > t[2])) % 2 != 0;
}

}  // namespace

// --- The rest state ---

double hinge_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
  const Vec3 e = x2 - x1, n = e.cross(x0 - x2), far = e.cross(x1 - x3);
  return std::atan2(n.cross(far).dot(e), n.dot(far) * e.norm());
}

HingeParameters hinge_at_rest(const Hinge& hinge, std::span<const Vec3> rest) {
  const Vec3 &x0 = rest[hinge.vertex[0]], &x1 = rest[hinge.vertex[1]], &x2 = rest[hinge.vertex[2]],
             &x3 = rest[hinge.vertex[3]];
  HingeParameters parameters;
  parameters.rest_edge_length = (x2 - x1).norm();
  parameters.rest_area = 0.5 * ((x2 - x1).cross(x0 - x1).norm() + (x2 - x1).cross(x3 - x1).norm());
  parameters.rest_angle = hinge_angle(x0, x1, x2, x3);
  parameters.rest_share = 0.5 * (x2 - x1).cross(x0 - x1).norm() / parameters.rest_area;
  const double squared_length = (x2 - x1).squaredNorm();
  parameters.rest_foot = {(x0 - x1).dot(x2 - x1) / squared_length, (x3 - x1).dot(x2 - x1) / squared_length};
  return parameters;
}

HingeBending::HingeBending(HingeLaw law, std::span<const std::array<int, 3>> triangles, std::span<const Hinge> hinges,
                           std::span<const HingeParameters> parameters)
    : law_(law) {
  PLIANT_ASSERT(hinges.size() == parameters.size(), "every hinge has its parameters");
  const std::vector<int> order = order_by_blocks<3>(triangles);
  std::vector<std::array<int, 3>> sorted;
  int block_count = 0;
  for (const int t : order) {
    sorted.push_back(triangles[t]);
    std::sort(sorted.back().begin(), sorted.back().end());
    block_count = std::max(block_count, sorted.back()[2] + 1);
  }
  batch_ = ElementBatch<3>(std::move(sorted), block_count, kChunkSize);
  for (const Hinge& hinge : hinges) {
    const std::array<int, 3>& t = triangles[hinge.triangle[0]];
    const int i = hinge.local_edge[0];
    couplings_.push_back({t[i], t[(i + 1) % 3], t[(i + 2) % 3], triangles[hinge.triangle[1]][hinge.local_edge[1]]});
  }
  for (const HingeParameters& p : parameters) stencils_.push_back(stencil_of(p));
  fill_groups(triangles, order, hinges, parameters);
}

void HingeBending::fill_groups(std::span<const std::array<int, 3>> triangles, std::span<const int> order,
                               std::span<const Hinge> hinges, std::span<const HingeParameters> parameters) {
  const int count = batch_.count(), group_count = (count + kLaneCount - 1) / kLaneCount;
  groups_.resize(group_count);
  const bool viscous =
      std::any_of(parameters.begin(), parameters.end(), [](const HingeParameters& p) { return p.viscosity > 0; });
  if (viscous) viscosity_.resize(group_count);

  // Corners; lanes past the end repeat the last triangle, without stiffness.
  std::vector<int> place(triangles.size());
  for (int p = 0; p < kLaneCount * group_count; ++p) {
    Group& group = groups_[p / kLaneCount];
    const int lane = p % kLaneCount, e = std::min(p, count - 1);
    if (p < count) place[order[p]] = p;
    group.orientation[lane] = is_odd_permutation(triangles[order[e]]) ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
      group.corner[i][lane] = group.beyond[i][lane] = batch_[e][i];
      group.stiffness[i][lane] = group.reference[i][0][lane] = group.reference[i][1][lane] = 0;
      if (viscous) viscosity_[p / kLaneCount].stiffness[i][lane] = 0;
    }
  }

  // Every hinge goes to both of its triangles.
  for (std::size_t h = 0; h < hinges.size(); ++h) {
    const HingeParameters& rest = parameters[h];
    const double shape = 3 * rest.rest_edge_length * rest.rest_edge_length / rest.rest_area;
    const HingeReference<double> reference = with_hinge_law(law_, [&](auto law) {
      return law.reference(std::sin(0.5 * rest.rest_angle), std::cos(0.5 * rest.rest_angle));
    });
    for (int side = 0; side < 2; ++side) {
      const int p = place[hinges[h].triangle[side]], lane = p % kLaneCount;
      const int i = sorted_position(batch_[p], couplings_[h][side == 0 ? 0 : 3]);
      Group& group = groups_[p / kLaneCount];
      group.beyond[i][lane] = couplings_[h][side == 0 ? 3 : 0];
      group.stiffness[i][lane] = rest.stiffness / 6 * shape;
      group.reference[i][0][lane] = reference.a;
      group.reference[i][1][lane] = reference.b;
      if (viscous) viscosity_[p / kLaneCount].stiffness[i][lane] = rest.viscosity / 6 * shape;
    }
  }
}

// --- The matrix ---

void HingeBending::couple(sparse::PatternBuilder& builder) const {
  batch_.couple(builder);
  for (const std::array<int, 4>& blocks : couplings_) builder.couple(blocks);
}

void HingeBending::find_slots(const sparse::BlockPattern& pattern) {
  batch_.find_slots(pattern);
  slots_.resize(groups_.size());
  for (int p = 0; p < static_cast<int>(kLaneCount * groups_.size()); ++p) {
    const Group& group = groups_[p / kLaneCount];
    Slots& slots = slots_[p / kLaneCount];
    const int lane = p % kLaneCount;
    const ElementBatch<3>::Slots& own = batch_.slots(std::min(p, batch_.count() - 1));
    for (int pair = 0; pair < 6; ++pair) slots.slot[pair][lane] = own[pair];
    for (int i = 0; i < 3; ++i) {
      const int near = group.corner[i][lane], far = group.beyond[i][lane];
      slots.slot[6 + i][lane] = near < far && p < batch_.count() ? pattern.slot(near, far) : -1;
    }
  }
}

// --- The constant stand-in of the Hessian ---

HingeBending::Stencil HingeBending::stencil_of(const HingeParameters& p) const {
  const double twice_area_per_length = 2 * p.rest_area / p.rest_edge_length;
  const double near = 1 / (p.rest_share * twice_area_per_length);  // 1/h
  const double far = 1 / ((1 - p.rest_share) * twice_area_per_length);
  const auto [f, f_far] = p.rest_foot;
  const double second = with_hinge_law(law_, [&](auto law) {
    const double s = std::sin(0.5 * p.rest_angle), c = std::cos(0.5 * p.rest_angle);
    return law.respond(s, c, law.reference(s, c)).second;
  });
  const double area_factor = 3 * p.rest_edge_length * p.rest_edge_length / p.rest_area;
  const double shape = std::max(second, 0.0) * area_factor;
  return {.slope = {-near, (1 - f) * near + (1 - f_far) * far, f * near + f_far * far, -far},
          .stiffness = p.stiffness / 6 * shape,
          .viscosity = p.viscosity / 6 * shape,
          .energy = p.stiffness / 6 * area_factor,
          .loss = p.viscosity / 6 * area_factor,
          .rest_angle = p.rest_angle};
}

void HingeBending::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  for (std::size_t h = 0; h < stencils_.size(); ++h) {
    const std::array<double, 4>& slope = stencils_[h].slope;
    const double weight = stencils_[h].stiffness + (step > 0 ? stencils_[h].viscosity / step : 0);
    for (int i = 0; i < 4; ++i) {
      for (int j = i; j < 4; ++j) out.add(couplings_[h][i], couplings_[h][j], weight * slope[i] * slope[j]);
    }
  }
}

// E = K c², c of the law: a stiffness of 2K.
bool HingeBending::add_soft_elements(SoftElements& out) const {
  if (law_ == HingeLaw::bridson) return false;
  const HingeMeasure measure = law_ == HingeLaw::tan     ? HingeMeasure::tangent
                               : law_ == HingeLaw::angle ? HingeMeasure::angle
                                                         : HingeMeasure::sine;
  for (std::size_t h = 0; h < stencils_.size(); ++h) {
    const Stencil& stencil = stencils_[h];
    if (stencil.energy > 0) out.hinges.push_back({couplings_[h], stencil.rest_angle, 2 * stencil.energy, measure});
    if (stencil.loss > 0) out.hinges.push_back({couplings_[h], 0, 2 * stencil.loss, measure, true});
  }
  return true;
}

// --- Evaluation ---

template <class Law>
struct HingeBending::Kernel {
  const HingeBending& energy;
  const Configuration& q;
  const Accumulator& out;
  bool viscous;

  // K ψ of the three hinges, elastic and viscous; value to total.
  void respond(int g, const TriangleFan& fan, HingeForces& forces, Lanes& total) const {
    const Group& group = energy.groups_[g];
    TriangleFan start;
    if (viscous) start = measure_fan(q.before.data(), group.corner, group.beyond, math::load(group.orientation));
    for (int h = 0; h < 3; ++h) {
      const Lanes k = math::load(group.stiffness[h]);
      const HingeReference<Lanes> rest{math::load(group.reference[h][0]), math::load(group.reference[h][1])};
      const HingeResponse<Lanes> elastic = Law::respond(fan.sine[h], fan.cosine[h], rest);
      Lanes value = k * elastic.value, first = k * elastic.first, second = k * elastic.second;
      if (viscous) {
        const Lanes k_v = math::load(energy.viscosity_[g].stiffness[h]) / q.step;
        const HingeReference<Lanes> before = Law::reference(start.sine[h], start.cosine[h]);
        const HingeResponse<Lanes> loss = Law::respond(fan.sine[h], fan.cosine[h], before);
        value += k_v * loss.value;
        first += k_v * loss.first;
        second += k_v * loss.second;
      }
      total += 0.5 * value;  // the neighbour adds the other half
      forces.first[h] = first;
      forces.second[h] = second;
    }
  }

  [[nodiscard]] double operator()(int first, int last) const {
    Lanes total{};
    for (int g = first / kLaneCount; g < (last + kLaneCount - 1) / kLaneCount; ++g) {
      const Group& group = energy.groups_[g];
      const TriangleFan fan = measure_fan(q.now.data(), group.corner, group.beyond, math::load(group.orientation));
      HingeForces forces;
      respond(g, fan, forces, total);
      if (out.gradient == nullptr && out.hessian == nullptr) continue;
      const HingeGradients gradients = hinge_gradients(fan, forces);
      if (out.gradient != nullptr) scatter_gradient(out.gradient->data(), group.corner, fan, gradients);
      if (out.hessian == nullptr) continue;
      if (g + 2 < static_cast<int>(energy.groups_.size())) {
        prefetch_slots(out.hessian->values(), energy.slots_[g + 2].slot);
      }
      if (out.hessian_kind == HessianKind::exact) {
        scatter_hessian<true>(out.hessian->values(), energy.slots_[g].slot, fan, gradients);
      } else {
        scatter_hessian<false>(out.hessian->values(), energy.slots_[g].slot, fan, gradients);
      }
    }
    return math::sum(total);
  }
};

void HingeBending::evaluate(const Configuration& q, Accumulator& out) const {
  const Writes writes = out.gradient != nullptr || out.hessian != nullptr ? Writes::blocks : Writes::nothing;
  const bool viscous = !viscosity_.empty() && q.step > 0;
  const double energy = with_hinge_law(law_, [&](auto law) {
    const Kernel<decltype(law)> kernel{*this, q, out, viscous};
    return batch_.for_each_chunk(writes, kernel);
  });
  if (out.value != nullptr) *out.value += energy;
}

std::string HingeBending::name() const {
  return with_hinge_law(law_, [](auto law) { return std::string(law.kName); });
}

}  // namespace pliant::cloth
