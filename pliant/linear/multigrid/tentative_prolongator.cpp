// Gram-Schmidt in every aggregate, in double precision.
#include "pliant/linear/multigrid/tentative_prolongator.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kModes = kCoarseBlock;
constexpr int kAggregateGrain = 64;  // aggregates per task
// A translation that keeps less than this of its length, and a rotation shorter than this against the longest, is
// dropped: what is left of it would be amplified by the inverse.
constexpr double kSmallestMode = 1e-3;
// Rotations of an aggregate without extent: rounding of coordinates far from the mean.
constexpr double kRotationRounding = 1e-9;

using Modes = Eigen::Matrix<double, Eigen::Dynamic, kModes>;
using ModeSquare = Eigen::Matrix<double, kModes, kModes>;

// columns → Q and R with columns = Q R; returns which columns were dropped.
std::uint8_t orthonormalise(Modes& columns, ModeSquare& triangle) {
  triangle.setZero();
  std::uint8_t dropped = 0;
  double longest_rotation = 0;
  const double rounding = kRotationRounding * columns.rightCols<3>().norm();
  // Takes column k away from the columns after it, and makes it a unit vector; or drops it.
  const auto take = [&](int k, double reference) {
    const double length = columns.col(k).norm();
    if (!(length > reference)) {
      dropped = static_cast<std::uint8_t>(dropped | (1U << k));
      columns.col(k).setZero();
      return;
    }
    triangle(k, k) = length;
    columns.col(k) /= length;
    for (int later = k + 1; later < kModes; ++later) {
      const double part = columns.col(k).dot(columns.col(later));
      triangle(k, later) = part;
      columns.col(later) -= part * columns.col(k);
    }
  };
  const double longest_translation = columns.leftCols<3>().colwise().norm().maxCoeff();
  for (int k = 0; k < 3; ++k) take(k, kSmallestMode * longest_translation);
  for (int k = 3; k < kModes; ++k) longest_rotation = std::max(longest_rotation, columns.col(k).norm());
  for (int k = 3; k < kModes; ++k) take(k, std::max(rounding, kSmallestMode * longest_rotation));
  return dropped;
}

}  // namespace

NearKernel rigid_motions(const BlockVector& positions, const BlockFilter* filter,
                         const std::vector<std::uint8_t>& excluded) {
  const int nodes = positions.size();
  Vec3 mean = Vec3::Zero();
  int points = 0;
  for (int i = 0; i < nodes; ++i) {
    if (!excluded.empty() && excluded[i] != 0) continue;
    mean += positions[i];
    ++points;
  }
  mean /= std::max(1, points);
  NearKernel result;
  result.values.resize(3 * kModes * static_cast<std::size_t>(nodes));
  parallel_for(nodes, 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Eigen::Map<Eigen::Matrix<double, 3, kModes, Eigen::RowMajor>> k(result.values.data() + at_block<3, kModes>(i));
      k.setZero();
      if (!excluded.empty() && excluded[i] != 0) continue;
      const Vec3 x = positions[i] - mean;
      k.leftCols<3>().setIdentity();
      k.rightCols<3>() << 0, x.z(), -x.y(), -x.z(), 0, x.x(), x.y(), -x.x(), 0;
      if (filter != nullptr && filter->held_directions(i) > 0) k = (filter->projector(i) * k).eval();
    }
  });
  return result;
}

template <int B>
void make_tentative(const NearKernel& kernel, const Aggregates& aggregates, TentativeProlongator& result) {
  using NodeRows = Eigen::Matrix<double, B, kModes, Eigen::RowMajor>;
  size_blocks(result.values, B * kModes * aggregates.of_node.size());
  result.dropped.resize(aggregates.count);
  result.coarse.values.resize(kModes * kModes * static_cast<std::size_t>(aggregates.count));
  parallel_for(aggregates.count, kAggregateGrain, [&](int begin, int end) {
    Modes columns;
    for (int a = begin; a < end; ++a) {
      const int first = aggregates.members.start[a], size = aggregates.members.start[a + 1] - first;
      columns.resize(B * size, kModes);
      for (int m = 0; m < size; ++m) {
        const int node = aggregates.members.column[first + m];
        columns.middleRows<B>(B * m) = Eigen::Map<const NodeRows>(kernel.values.data() + at_block<B, kModes>(node));
      }
      ModeSquare triangle;
      result.dropped[a] = orthonormalise(columns, triangle);
      for (int m = 0; m < size; ++m) {
        const int node = aggregates.members.column[first + m];
        Eigen::Map<Eigen::Matrix<float, B, kModes, Eigen::RowMajor>>(result.values.data() + at_block<B, kModes>(node)) =
            columns.middleRows<B>(B * m).template cast<float>();
      }
      Eigen::Map<Eigen::Matrix<double, kModes, kModes, Eigen::RowMajor>>(result.coarse.values.data() +
                                                                         at_block<kModes, kModes>(a)) = triangle;
    }
  });
}

template void make_tentative<3>(const NearKernel&, const Aggregates&, TentativeProlongator&);
template void make_tentative<6>(const NearKernel&, const Aggregates&, TentativeProlongator&);

}  // namespace pliant::linear
