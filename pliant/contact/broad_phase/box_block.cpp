// Loading and bounding eight boxes at a time.
#include "pliant/contact/broad_phase/box_block.h"

#include <algorithm>

namespace pliant::contact {
namespace {

using Floats4 = float __attribute__((vector_size(16)));

// Four floats of each of two boxes, from the given byte.
Floats8 load_rows(const Box* a, const Box* b, int offset) {
  Floats4 of_a, of_b;
  __builtin_memcpy(&of_a, reinterpret_cast<const char*>(a) + offset, sizeof of_a);
  __builtin_memcpy(&of_b, reinterpret_cast<const char*>(b) + offset, sizeof of_b);
  return __builtin_shufflevector(of_a, of_b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Within each half of four floats: a0 b0 a1 b1, a2 b2 a3 b3; a0 a1 b0 b1, a2 a3 b2 b3.
Floats8 interleave_front(Floats8 a, Floats8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); }
Floats8 interleave_back(Floats8 a, Floats8 b) { return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); }
Floats8 first_halves(Floats8 a, Floats8 b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); }
Floats8 second_halves(Floats8 a, Floats8 b) { return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15); }

static_assert(sizeof(Box) == 24);

using PickLane = Floats8 (*)(Floats8, Floats8);

// Lane i is the least (Pick = lesser) or greatest lane of v[i]. Three rounds halve the number of values of each v[i]
// and the number of vectors.
template <PickLane Pick>
Floats8 pick_across(const Floats8* v) {
  Floats8 pairs[4], quads[2];
  for (int k = 0; k < 4; ++k) {
    const Floats8 a = v[2 * k], b = v[2 * k + 1];
    pairs[k] = Pick(__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
                    __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15));
  }
  for (int k = 0; k < 2; ++k) {
    const Floats8 a = pairs[2 * k], b = pairs[2 * k + 1];
    quads[k] = Pick(first_halves(a, b), second_halves(a, b));
  }
  return Pick(__builtin_shufflevector(quads[0], quads[1], 0, 1, 2, 3, 8, 9, 10, 11),
              __builtin_shufflevector(quads[0], quads[1], 4, 5, 6, 7, 12, 13, 14, 15));
}

}  // namespace

BoxBlock stored_form(const BoxBlock& raw) {
  const Floats8 zero = floats_of(0.0f);  // times infinity is NaN
  const Floats8 zero_if_bounded = (zero * raw.low[0] + zero * raw.high[0]) + (zero * raw.low[1] + zero * raw.high[1]) +
                                  (zero * raw.low[2] + zero * raw.high[2]);
  const Ints8 empty = (raw.low[0] > raw.high[0]) | (raw.low[1] > raw.high[1]) | (raw.low[2] > raw.high[2]);
  const Ints8 bounded = zero_if_bounded == 0.0f;
  if (bits_of(bounded & ~empty) == 255) return raw;
  BoxBlock stored;
  for (int a = 0; a < 3; ++a) {
    const Floats8 nan = floats_of(std::numeric_limits<float>::quiet_NaN());
    stored.low[a] = bounded ? (empty ? nan : raw.low[a]) : floats_of(-kInfinity);
    stored.high[a] = bounded ? (empty ? nan : raw.high[a]) : floats_of(kInfinity);
  }
  return stored;
}

// Rows of 16 bytes, two boxes a vector, are transposed to columns. A box has 24 bytes: low x y z and high x are its
// first 16, high y z the end of its last 16.
BoxBlock load_boxes(std::span<const Box> boxes, const int* index, int count) {
  static constexpr Box kNoBox;
  const Box* at[kBlockSize];
  for (int lane = 0; lane < kBlockSize; ++lane) at[lane] = lane < count ? &boxes[index[lane]] : &kNoBox;
  const Floats8 front0 = load_rows(at[0], at[4], 0), front1 = load_rows(at[1], at[5], 0);
  const Floats8 front2 = load_rows(at[2], at[6], 0), front3 = load_rows(at[3], at[7], 0);
  const Floats8 back0 = load_rows(at[0], at[4], 8), back1 = load_rows(at[1], at[5], 8);
  const Floats8 back2 = load_rows(at[2], at[6], 8), back3 = load_rows(at[3], at[7], 8);
  const Floats8 xy01 = interleave_front(front0, front1), xy23 = interleave_front(front2, front3);
  const Floats8 zx01 = interleave_back(front0, front1), zx23 = interleave_back(front2, front3);
  const Floats8 yz01 = interleave_back(back0, back1), yz23 = interleave_back(back2, back3);
  return stored_form({{first_halves(xy01, xy23), second_halves(xy01, xy23), first_halves(zx01, zx23)},
                      {second_halves(zx01, zx23), first_halves(yz01, yz23), second_halves(yz01, yz23)}});
}

BoxBlock bounds_of(const BoxBlock* children, int count) {
  BoxBlock bounds;
  for (int a = 0; a < 3; ++a) {
    // NaN lanes, and children that do not exist, take no part.
    Floats8 low[kBlockSize], high[kBlockSize];
    for (int c = 0; c < kBlockSize; ++c) {
      const BoxBlock& child = children[c < count ? c : 0];
      low[c] = lesser(child.low[a], floats_of(kInfinity));
      high[c] = greater(child.high[a], floats_of(-kInfinity));
    }
    bounds.low[a] = pick_across<lesser>(low);
    bounds.high[a] = pick_across<greater>(high);
  }
  // A child with no boxes at all came out as [∞, −∞].
  const Ints8 exists = Ints8{0, 1, 2, 3, 4, 5, 6, 7} < count;
  const Ints8 filled = (bounds.low[0] <= bounds.high[0]) & exists;
  if (bits_of(filled) == 255) return bounds;
  for (int a = 0; a < 3; ++a) {
    const Floats8 nan = floats_of(std::numeric_limits<float>::quiet_NaN());
    bounds.low[a] = filled ? bounds.low[a] : nan;
    bounds.high[a] = filled ? bounds.high[a] : nan;
  }
  return bounds;
}

}  // namespace pliant::contact
