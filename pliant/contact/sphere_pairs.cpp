#include "pliant/contact/sphere_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kRowsPerList = 32;  // rows of cubes that a thread searches at a time
constexpr int kSpheresPerPiece = 4096;
constexpr double kCubesPerSphere = 2;  // of the table: more are emptier and take longer to pass by

// Cubes are so much wider than partners reach: rounding of places up to 1e11 cubes away from the origin does no harm.
constexpr double kRoundingRoom = 1.0001;

// By insertion: a sphere has a handful of partners, unless the reach is long.
void sort_few(std::pair<int, int>* begin, std::pair<int, int>* end) {
  constexpr int kFew = 24;
  if (end - begin > kFew) {
    std::sort(begin, end);
    return;
  }
  for (auto* next = begin; next < end; ++next) {
    const std::pair<int, int> pair = *next;
    auto* place = next;
    for (; place > begin && (place - 1)->second > pair.second; --place) *place = *(place - 1);
    *place = pair;
  }
}

// The index of a cube modulo the side of the table. Beyond what a 64-bit number holds, and for NaN, 0 does.
int fold(double cubes, int side) {
  constexpr double kMost = 9e18;
  return cubes >= 0 && cubes < kMost ? static_cast<int>(static_cast<std::int64_t>(cubes) % side) : 0;
}

}  // namespace

// As many cubes along each axis as the spheres need, but at least 3 and not many more in all than there are spheres.
void SpherePairs::shape_table(std::span<const Vec3> centres, double cell) {
  cell_ = cell;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vec3& x : centres) {
    if (!x.allFinite()) continue;
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  if (!low.allFinite()) low = high = Vec3::Zero();
  const double most = std::max(27.0, kCubesPerSphere * static_cast<double>(centres.size()));
  low_ = (low / cell).array().floor();
  Vec3 wanted = (high / cell).array().floor() - low_.array() + 1;
  // The longest side is folded first.
  while (wanted.cwiseMax(3.0).prod() > most) {
    Eigen::Index longest = 0;
    wanted.maxCoeff(&longest);
    wanted[longest] = std::ceil(0.5 * wanted[longest]);
  }
  for (int axis = 0; axis < 3; ++axis)
    side_[static_cast<std::size_t>(axis)] = std::max(3, static_cast<int>(wanted[axis]));
}

void SpherePairs::sort_by_cube(std::span<const Vec3> centres, std::span<const double> radii) {
  const int count = static_cast<int>(centres.size());
  const int table = side_[0] * side_[1] * side_[2];
  cube_.resize(centres.size());
  parallel_for(count, kSpheresPerPiece, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      std::array<int, 3> at{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<Eigen::Index>(axis);
        const double cubes = std::floor(centres[static_cast<std::size_t>(i)][a] / cell_) - low_[a];
        at[axis] = cubes >= 0 && cubes < side_[axis] ? static_cast<int>(cubes) : fold(cubes, side_[axis]);
      }
      cube_[static_cast<std::size_t>(i)] = (at[2] * side_[1] + at[1]) * side_[0] + at[0];
    }
  });
  // Counting sort; spheres of a cube keep their order.
  first_.assign(static_cast<std::size_t>(table) + 1, 0);
  for (const int cube : cube_) ++first_[static_cast<std::size_t>(cube) + 1];
  for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
  sorted_.resize(centres.size());
  index_.resize(centres.size());
  for (int i = 0; i < count; ++i) {
    const auto s = static_cast<std::size_t>(i);
    const auto place = static_cast<std::size_t>(first_[static_cast<std::size_t>(cube_[s])]++);
    sorted_[place] = {centres[s][0], centres[s][1], centres[s][2], radii[s]};
    index_[place] = i;
  }
  // Each has run on to the start of the next.
  std::copy_backward(first_.begin(), first_.end() - 1, first_.end());
  first_[0] = 0;
}

void SpherePairs::meet(int sphere, Range range, double reach, List& found) const {
  const Sphere& a = sorted_[static_cast<std::size_t>(sphere)];
  const int index = index_[static_cast<std::size_t>(sphere)];
  const double longest = a.radius + reach;
  // Every pair is written, and stays if it is near: no branch to mispredict.
  std::pair<int, int>* next = found.room.data() + found.count;
  for (int k = range.first; k < range.second; ++k) {
    const Sphere& b = sorted_[static_cast<std::size_t>(k)];
    const int other = index_[static_cast<std::size_t>(k)];
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, sum = longest + b.radius;
    *next = {std::min(index, other), std::max(index, other)};
    next += x * x + y * y + z * z < sum * sum ? 1 : 0;
  }
  found.count = static_cast<int>(next - found.room.data());
}

//   rows of cubes seen along x:      z+1   ● ● ●      ● all three neighbouring cubes of the row
//                                    z     . s ●      s the row itself: the sphere's cube and the next one
//                                            y →
void SpherePairs::search_row(int row, double reach, List& found) const {
  const int width = side_[0], y = row % side_[1], z = row / side_[1];
  const auto row_at = [&](int dy, int dz) {
    const int other_y = (y + dy + side_[1]) % side_[1], other_z = (z + dz) % side_[2];
    return (other_z * side_[1] + other_y) * width;
  };
  const std::array<int, 4> forward = {row_at(1, 0), row_at(-1, 1), row_at(0, 1), row_at(1, 1)};
  const auto range = [&](int from, int past) {
    return Range{first_[static_cast<std::size_t>(from)], first_[static_cast<std::size_t>(past)]};
  };
  const int own = row * width;
  for (int x = 0; x < width; ++x) {
    const auto [begin, end] = range(own + x, own + x + 1);
    if (begin == end) continue;
    // What lies ahead: along the row, and three cubes of each row after it, which may go round its end.
    std::array<Range, 9> ahead;
    std::size_t count = 0;
    const bool is_last = x == width - 1, is_first = x == 0;
    ahead[count++] = is_last ? range(own, own + 1) : range(own + x + 1, own + x + 2);
    for (const int other : forward) {
      ahead[count++] = range(other + (is_first ? x : x - 1), other + (is_last ? x + 1 : x + 2));
      if (is_first) ahead[count++] = range(other + width - 1, other + width);
      if (is_last) ahead[count++] = range(other, other + 1);
    }
    int most = end - begin;
    for (std::size_t k = 0; k < count; ++k) most += ahead[k].second - ahead[k].first;
    for (int s = begin; s < end; ++s) {
      const std::size_t needed = static_cast<std::size_t>(found.count) + static_cast<std::size_t>(most);
      if (found.room.size() < needed) found.room.resize(2 * needed);
      meet(s, {s + 1, end}, reach, found);
      for (std::size_t k = 0; k < count; ++k) meet(s, ahead[k], reach, found);
    }
  }
}

// Counting sort by the first sphere; the few partners of each are then sorted.
void SpherePairs::put_in_order(int sphere_count, int list_count) {
  first_pair_.assign(static_cast<std::size_t>(sphere_count) + 1, 0);
  for (int l = 0; l < list_count; ++l) {
    const List& list = lists_[static_cast<std::size_t>(l)];
    for (int k = 0; k < list.count; ++k)
      ++first_pair_[static_cast<std::size_t>(list.room[static_cast<std::size_t>(k)].first) + 1];
  }
  for (std::size_t i = 1; i < first_pair_.size(); ++i) first_pair_[i] += first_pair_[i - 1];
  pairs_.resize(static_cast<std::size_t>(first_pair_.back()));
  for (int l = 0; l < list_count; ++l) {
    const List& list = lists_[static_cast<std::size_t>(l)];
    for (int k = 0; k < list.count; ++k) {
      const std::pair<int, int>& pair = list.room[static_cast<std::size_t>(k)];
      pairs_[static_cast<std::size_t>(first_pair_[static_cast<std::size_t>(pair.first)]++)] = pair;
    }
  }
  // first_pair_ has run on: entry i is now the end of sphere i.
  parallel_for(sphere_count, kSpheresPerPiece, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int from = i == 0 ? 0 : first_pair_[static_cast<std::size_t>(i) - 1];
      sort_few(pairs_.data() + from, pairs_.data() + first_pair_[static_cast<std::size_t>(i)]);
    }
  });
}

void SpherePairs::find(std::span<const Vec3> centres, std::span<const double> radii, double reach) {
  PLIANT_ASSERT(centres.size() == radii.size() && reach >= 0, "every sphere has a radius, and a reach is a length");
  pairs_.clear();
  if (centres.empty()) return;
  const double cell = kRoundingRoom * (2 * *std::max_element(radii.begin(), radii.end()) + reach);
  shape_table(centres, cell > 0 ? cell : 1);
  sort_by_cube(centres, radii);
  const int rows = side_[1] * side_[2], list_count = (rows + kRowsPerList - 1) / kRowsPerList;
  if (lists_.size() < static_cast<std::size_t>(list_count)) lists_.resize(static_cast<std::size_t>(list_count));
  parallel_for(list_count, 1, [&](int begin, int end) {
    for (int l = begin; l < end; ++l) {
      lists_[static_cast<std::size_t>(l)].count = 0;
      for (int row = l * kRowsPerList; row < std::min(rows, (l + 1) * kRowsPerList); ++row)
        search_row(row, reach, lists_[static_cast<std::size_t>(l)]);
    }
  });
  put_in_order(static_cast<int>(centres.size()), list_count);
}

}  // namespace pliant::contact
