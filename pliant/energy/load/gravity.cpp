#include "pliant/energy/load/gravity.h"

#include "pliant/parallel/parallel.h"

namespace pliant {

void Gravity::evaluate(const Configuration& q, Accumulator& out) const {
  const int count = static_cast<int>(masses_.size());
  if (out.value != nullptr) {
    *out.value -= parallel_sum(count, [&](int begin, int end) {
      double sum = 0;
      for (int i = begin; i < end; ++i) sum += masses_[i] * acceleration_.dot(q.now[i]);
      return sum;
    });
  }
  if (out.gradient != nullptr) {
    parallel_for(count, parallel::kSumBlock, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) (*out.gradient)[i] -= masses_[i] * acceleration_;
    });
  }
}

}  // namespace pliant
