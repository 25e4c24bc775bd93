#include "pliant/energy/spring/springs.h"

#include <algorithm>

namespace pliant::spring {

// Vectors of four springs, by axis.
struct LaneVectors {
  math::Lanes x, y, z;

  [[nodiscard]] math::Lanes squared_norm() const { return x * x + y * y + z * z; }
};

namespace {

using math::kLaneCount;
using math::Lanes;

// Springs that a thread takes at a time: some 5 µs of work, or handing them out would cost more than doing them. A
// small net is one or two chunks, for which no other thread is woken.
constexpr int kChunk = 1024;

// Sorted by their ends, then dealt out inside each chunk: lane l of a chunk's groups takes its l-th quarter.
std::vector<int> order_in_lanes(const std::vector<std::array<int, 2>>& ends) {
  const std::vector<int> sorted = order_by_blocks<2>(ends);
  std::vector<int> order;
  const int count = static_cast<int>(sorted.size());
  for (int first = 0; first < count; first += kChunk) {
    const int size = std::min(kChunk, count - first), quarter = (size + kLaneCount - 1) / kLaneCount;
    for (int k = 0; k < quarter; ++k) {
      for (int i = k; i < size; i += quarter) order.push_back(sorted[first + i]);
    }
  }
  return order;
}

// From the first to the second ends, of positions or velocities.
LaneVectors difference(const double* points, const int end[2][kLaneCount]) {
  Lanes d[kLaneCount];
  for (int lane = 0; lane < kLaneCount; ++lane) {
    d[lane] = math::load(points + 4 * static_cast<std::size_t>(end[1][lane])) -
              math::load(points + 4 * static_cast<std::size_t>(end[0][lane]));
  }
  math::transpose(d[0], d[1], d[2], d[3]);
  return {d[0], d[1], d[2]};
}

// Adds the vectors to the second ends and takes them from the first. Lane after lane: two may share an end.
void add_pull(double* gradient, const int end[2][kLaneCount], LaneVectors pull) {
  Lanes w{};
  math::transpose(pull.x, pull.y, pull.z, w);
  const Lanes of_lane[kLaneCount] = {pull.x, pull.y, pull.z, w};
  for (int lane = 0; lane < kLaneCount; ++lane) {
    double* from = gradient + 4 * static_cast<std::size_t>(end[0][lane]);
    double* to = gradient + 4 * static_cast<std::size_t>(end[1][lane]);
    math::store(from, math::load(from) - of_lane[lane]);
    math::store(to, math::load(to) + of_lane[lane]);
  }
}

// Lengths that springs would have now if they had only turned.
Lanes turned_length(const Configuration& q, const int end[2][kLaneCount]) {
  const Lanes before = difference(q.before.data(), end).squared_norm();
  if (q.theta >= 1 || q.velocity == nullptr) return math::sqrt(before);
  const double whole_step = q.step / q.theta;
  const Lanes change = whole_step * whole_step * difference(q.velocity->data(), end).squared_norm();
  return math::sqrt(math::max(before - q.theta * (1 - q.theta) * change, Lanes{}));
}

}  // namespace

Springs::Springs(const std::vector<Spring>& springs, int block_count) {
  std::vector<std::array<int, 2>> ends, ordered;
  for (const Spring& spring : springs) ends.push_back({spring.first, spring.second});
  const bool is_viscous =
      std::any_of(springs.begin(), springs.end(), [](const Spring& spring) { return spring.viscosity > 0; });
  for (const int i : order_in_lanes(ends)) {
    const Spring& spring = springs[static_cast<std::size_t>(i)];
    const std::size_t lane = ordered.size() % kLaneCount;
    if (lane == 0) {
      groups_.emplace_back();
      if (is_viscous) dashpots_.emplace_back();
    }
    Group& group = groups_.back();
    group.rest_length[lane] = spring.rest_length;
    group.stiffness[lane] = spring.stiffness;
    for (std::size_t later = lane; later < kLaneCount; ++later)
      group.end[0][later] = spring.first, group.end[1][later] = spring.second;
    if (is_viscous) dashpots_.back().viscosity[lane] = spring.viscosity;
    ordered.push_back({spring.first, spring.second});
  }
  batch_ = ElementBatch<2>(std::move(ordered), block_count, kChunk);
}

struct Springs::Kernel {
  const Springs& springs;
  const Configuration& q;
  const Accumulator& out;

  // Springs first … last − 1; chunks begin with a group.
  double operator()(int first, int last) const {
    Lanes total{};
    for (int e = first; e < last; e += kLaneCount) {
      const Stretched s = stretch(e / kLaneCount);
      total += s.energy();
      if (out.gradient != nullptr) add_pull(out.gradient->data(), s.group->end, s.pull());
      if (out.hessian != nullptr) add_hessians(e, std::min(kLaneCount, last - e), s);
    }
    return math::sum(total);
  }

 private:
  struct Stretched {
    const Group* group;
    LaneVectors d;
    Lanes length, stiffness, rest_length;
    Lanes dashpot{}, before{};  // c/θh, l_b

    [[nodiscard]] Lanes energy() const {
      const Lanes strain = length - rest_length, since = length - before;
      return 0.5 * (stiffness * strain * strain + dashpot * since * since);
    }
    // E' u; along x where a spring has no direction.
    [[nodiscard]] LaneVectors pull() const {
      const Lanes tension = stiffness * (length - rest_length) + dashpot * (length - before), over = tension / length;
      const auto is_long = length > 0.0;
      return {math::select(is_long, over * d.x, tension), math::select(is_long, over * d.y, Lanes{}),
              math::select(is_long, over * d.z, Lanes{})};
    }
  };

  [[nodiscard]] Stretched stretch(int index) const {
    const std::size_t g = static_cast<std::size_t>(index);
    const Group& group = springs.groups_[g];
    const LaneVectors d = difference(q.now.data(), group.end);
    Stretched s{&group, d, math::sqrt(d.squared_norm()), math::load(group.stiffness), math::load(group.rest_length)};
    if (q.step > 0 && !springs.dashpots_.empty()) {
      s.dashpot = math::load(springs.dashpots_[g].viscosity) / q.step;
      s.before = math::select(s.dashpot > 0.0, turned_length(q, group.end), Lanes{});
    }
    return s;
  }

  // `count` lanes stand for springs.
  void add_hessians(int first, int count, const Stretched& s) const {
    for (int lane = 0; lane < count; ++lane) {
      const double length = s.length[lane];
      const Vec3 u = length > 0 ? Vec3(Vec3(s.d.x[lane], s.d.y[lane], s.d.z[lane]) / length) : Vec3(Vec3::UnitX());
      // E'/l = k + c/θh − (k l₀ + c/θh l_b)/l, which is also right for springs of no rest length.
      const double along = s.stiffness[lane] + s.dashpot[lane];
      const double pushed = s.stiffness[lane] * s.rest_length[lane] + s.dashpot[lane] * s.before[lane];
      const double floor = 1e-9 * (s.rest_length[lane] + s.before[lane]);
      double across = pushed > 0 ? along - pushed / std::max(length, floor) : along;
      if (out.hessian_kind != HessianKind::exact) across = std::max(across, 0.0);
      const Mat3 block = across * Mat3::Identity() + (along - across) * u * u.transpose();
      const ElementBatch<2>::Slots& slots = springs.batch_.slots(first + lane);
      add_block(*out.hessian, slots[0], block);
      add_block(*out.hessian, slots[1], -block);
      add_block(*out.hessian, slots[2], block);
    }
  }
};

void Springs::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy = batch_.for_each_chunk(writes ? Writes::blocks : Writes::nothing, Kernel{*this, q, out});
  if (out.value != nullptr) *out.value += energy;
}

void Springs::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  static_cast<void>(batch_.for_each_chunk(Writes::blocks, [&](int first, int last) {
    for (int e = first; e < last; ++e) {
      const std::size_t g = static_cast<std::size_t>(e / kLaneCount), lane = static_cast<std::size_t>(e % kLaneCount);
      const double viscosity = dashpots_.empty() ? 0 : dashpots_[g].viscosity[lane];
      const double dashpot = step > 0 ? viscosity / step : 0;
      add_spring_weight(out, batch_[e][0], batch_[e][1], groups_[g].stiffness[lane] + dashpot);
    }
    return 0.0;
  }));
}

bool Springs::add_soft_elements(SoftElements& out) const {
  for (int e = 0; e < batch_.count(); ++e) {
    const std::size_t g = static_cast<std::size_t>(e / kLaneCount), lane = static_cast<std::size_t>(e % kLaneCount);
    const Group& group = groups_[g];
    const double viscosity = dashpots_.empty() ? 0 : dashpots_[g].viscosity[lane];
    const std::array<int, 2> blocks{batch_[e][0], batch_[e][1]};
    if (group.stiffness[lane] > 0) out.links.push_back({blocks, group.rest_length[lane], group.stiffness[lane], false});
    if (viscosity > 0) out.links.push_back({blocks, group.rest_length[lane], viscosity, true});
  }
  return true;
}

}  // namespace pliant::spring
