#include "pliant/energy/solid/tet_elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pliant/assert.h"

namespace pliant::solid {
namespace {

using math::kLaneCount;

// Pairs of corners in the order of Slots.
constexpr std::array<std::array<int, 2>, 10> kCornerPairs{
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

void fill_lane(TetElements::Group& group, int lane, const Vec4i& tet, std::span<const Vec3> rest, double weight) {
  Mat3 edges;
  for (int i = 0; i < 3; ++i) edges.col(i) = rest[tet[i + 1]] - rest[tet[0]];
  const double six_volumes = std::abs(edges.determinant());
  PLIANT_ASSERT(six_volumes > 0, "tets are checked when they are read: none is flat");
  const Mat3 gradients = edges.inverse();  // row i is ∇N_{i+1}
  for (int i = 0; i < 3; ++i) {
    for (int axis = 0; axis < 3; ++axis) group.rest_gradient[i][axis][lane] = gradients(i, axis);
  }
  group.volume[lane] = weight * six_volumes / 6;
  for (int c = 0; c < 4; ++c) group.corner[c][lane] = tet[c];
}

}  // namespace

TetElements::TetElements(std::span<const Vec4i> tets, std::span<const Vec3> rest)
    : tet_count_(static_cast<int>(tets.size())) {
  // Corners ascending in each tet, tets ascending by their corners: neighbours in memory are neighbours in space.
  std::vector<Vec4i> sorted(tets.begin(), tets.end());
  for (Vec4i& tet : sorted) std::sort(tet.data(), tet.data() + 4);
  std::vector<int> order(tets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::lexicographical_compare(sorted[a].data(), sorted[a].data() + 4, sorted[b].data(), sorted[b].data() + 4);
  });

  // Groups of four, the last ones filled up. A group takes its lanes from the four quarters of a chunk: neighbours share
  // vertices, and adding to a vertex waits for the addition before (13 cycles on Zen 4). That saves a seventh of value and
  // gradient.
  const int group_total = (tet_count_ + kLaneCount - 1) / kLaneCount;
  groups_.resize(group_total);
  tet_of_.resize(static_cast<std::size_t>(kLaneCount) * group_total);
  for (int first = 0; first < group_total; first += kGroupsPerChunk) {
    const int quarter = std::min(kGroupsPerChunk, group_total - first);
    const int begin = kLaneCount * first, end = std::min(tet_count_, begin + kLaneCount * quarter);
    for (int k = 0; k < kLaneCount * quarter; ++k) {
      const int group = first + k % quarter, lane = k / quarter;
      const int tet = order[std::min(begin + k, end - 1)];
      tet_of_[kLaneCount * group + lane] = tet;
      fill_lane(groups_[group], lane, sorted[tet], rest, begin + k < end ? 1.0 : 0.0);
    }
  }
  color_chunks(static_cast<int>(rest.size()));
}

void TetElements::color_chunks(int block_count) {
  std::vector<int> touch_start{0}, touched;
  for (int chunk = 0; chunk < chunk_count(); ++chunk) {
    std::vector<int> blocks;
    const int last = std::min(group_count(), (chunk + 1) * kGroupsPerChunk);
    for (int g = chunk * kGroupsPerChunk; g < last; ++g) {
      for (const auto& corner : groups_[g].corner) blocks.insert(blocks.end(), corner, corner + kLaneCount);
    }
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    touched.insert(touched.end(), blocks.begin(), blocks.end());
    touch_start.push_back(static_cast<int>(touched.size()));
  }
  coloring_ = parallel::color_items(touch_start, touched, block_count);
}

void TetElements::couple(sparse::PatternBuilder& builder) const {
  for (int k = 0; k < kLaneCount * group_count(); ++k) {
    const Group& group = groups_[k / kLaneCount];
    std::array<int, 4> blocks{};
    for (int c = 0; c < 4; ++c) blocks[c] = group.corner[c][k % kLaneCount];
    builder.couple(blocks);
  }
}

void TetElements::find_slots(const sparse::BlockPattern& pattern) {
  slots_.resize(groups_.size());
  parallel_for(group_count(), 256, [&](int begin, int end) {
    for (int g = begin; g < end; ++g) {
      for (int lane = 0; lane < kLaneCount; ++lane) {
        for (int pair = 0; pair < 10; ++pair) {
          const auto [i, j] = kCornerPairs[pair];
          slots_[g].slot[pair][lane] = pattern.slot(groups_[g].corner[i][lane], groups_[g].corner[j][lane]);
        }
      }
    }
  });
}

double TetElements::for_each_chunk(Writes writes, parallel::FunctionRef<double(int, int)> visit) const {
  std::vector<double> energy(chunk_count());
  const auto run = [&](int chunk) {
    const int first = chunk * kGroupsPerChunk;
    energy[chunk] = visit(first, std::min(group_count(), first + kGroupsPerChunk));
  };
  if (writes == Writes::vertices) {
    parallel::for_each_item(coloring_, run);
  } else {
    parallel_for(chunk_count(), 1, [&](int begin, int end) {
      for (int chunk = begin; chunk < end; ++chunk) run(chunk);
    });
  }
  return std::accumulate(energy.begin(), energy.end(), 0.0);
}

std::size_t TetElements::memory_bytes() const {
  return groups_.size() * sizeof(Group) + slots_.size() * sizeof(Slots) + tet_of_.size() * sizeof(int);
}

std::vector<double> to_lanes(const TetElements& elements, std::span<const double> per_tet) {
  std::vector<double> lanes(static_cast<std::size_t>(kLaneCount) * elements.group_count());
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    lanes[k] = per_tet[elements.tet_at(static_cast<int>(k) / kLaneCount, static_cast<int>(k) % kLaneCount)];
  }
  return lanes;
}

void add_soft_tet(const TetElements::Group& group, int lane, double mu, double lambda, SolidStrain strain,
                  SoftElements& out) {
  if (group.volume[lane] == 0) return;
  SoftTet tet;
  for (int c = 0; c < 4; ++c) tet.block[c] = group.corner[c][lane];
  for (int c = 0; c < 3; ++c) {
    for (int a = 0; a < 3; ++a) tet.rest_inverse(c, a) = group.rest_gradient[c][a][lane];
  }
  tet.volume = group.volume[lane];
  tet.mu = mu;
  tet.lambda = lambda;
  tet.strain = strain;
  out.tets.push_back(tet);
}

}  // namespace pliant::solid
