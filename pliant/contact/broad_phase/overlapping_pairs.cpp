// Counting and joining lists of pairs.
#include "pliant/contact/broad_phase/overlapping_pairs.h"

namespace pliant::contact {

void PairLists::resize(int count) {
  if (static_cast<int>(lists_.size()) < count) lists_.resize(count);
  list_count_ = count;
}

std::size_t PairLists::pair_count() const {
  std::size_t count = 0;
  for (int k = 0; k < list_count_; ++k) count += lists_[k].count;
  return count;
}

void PairLists::gather(std::vector<Pair>& pairs) const {
  std::vector<std::size_t> first(list_count_ + 1, 0);
  for (int k = 0; k < list_count_; ++k) first[k + 1] = first[k] + lists_[k].count;
  pairs.resize(first.back());
  parallel_for(list_count_, 1, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) std::copy_n(lists_[k].room.data(), lists_[k].count, pairs.data() + first[k]);
  });
}

}  // namespace pliant::contact
