#include "pliant/contact/pair_lanes.h"

#include <limits>

namespace pliant::contact {
namespace {

using math::Lanes;
using math::lanes_of;
using math::LaneVector;

// Points of the first primitive.
int first_count(PairKind kind) { return kind == PairKind::edges ? 2 : 1; }

}  // namespace

Lanes sizes_of(const PairLanes& x) {
  Lanes largest{};
  for (int j = 1; j < 4; ++j) {
    const LaneVector edge = x.vertex[j] - x.vertex[0];
    largest = math::max(largest, math::abs(edge.x) + math::abs(edge.y) + math::abs(edge.z));
  }
  return 2.0 * largest;
}

Lanes edge_products(const PairLanes& x) {
  const LaneVector n = cross(x.vertex[1] - x.vertex[0], x.vertex[3] - x.vertex[2]);
  return dot(n, n);
}

Lanes motions_between(PairKind kind, const PairLanes& way) {
  const int count = first_count(kind);
  Lanes first{}, second{};
  for (int j = 0; j < 4; ++j) {
    Lanes& most = j < count ? first : second;
    most = math::max(most, dot(way.vertex[j], way.vertex[j]));
  }
  return math::sqrt(first) + math::sqrt(second);
}

Lanes distances_along_middles(PairKind kind, const PairLanes& x, const PairLanes& way) {
  const int count = first_count(kind);
  const Lanes first = lanes_of(1.0 / count), second = lanes_of(-1.0 / (4 - count));
  LaneVector along{};
  for (int j = 0; j < 4; ++j)
    along = along + (j < count ? first : second) * (x.vertex[j] + x.vertex[j] + way.vertex[j]);
  Lanes low = lanes_of(std::numeric_limits<double>::infinity()), high = -low;
  for (int j = 0; j < 4; ++j) {
    const Lanes from = dot(along, x.vertex[j]), to = dot(along, x.vertex[j] + way.vertex[j]);
    if (j < count) {
      low = math::min(low, math::min(from, to));
    } else {
      high = math::max(high, math::max(from, to));
    }
  }
  const Lanes length = math::sqrt(dot(along, along));
  return math::select(length > Lanes{}, (low - high) / length, Lanes{});
}

}  // namespace pliant::contact
