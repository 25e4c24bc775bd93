#include "pliant/energy/load/gravity.h"

#include "pliant/parallel/parallel.h"

namespace pliant {

void Gravity::evaluate(const Configuration& q, Accumulator& out) const {
  const math::Lanes acceleration = {acceleration_.x(), acceleration_.y(), acceleration_.z(), 0};
  const double* x = q.now.data();
  double* gradient = out.gradient != nullptr ? out.gradient->data() : nullptr;
  const double work = parallel_sum(static_cast<int>(masses_.size()), [&](int begin, int end) {
    math::Lanes moment{};  // Σ m x
    for (int i = begin; i < end; ++i) {
      const double mass = masses_[static_cast<std::size_t>(i)];
      moment += mass * math::load(x + 4 * i);
      if (gradient != nullptr) math::store(gradient + 4 * i, math::load(gradient + 4 * i) - mass * acceleration);
    }
    return math::sum(acceleration * moment);
  });
  if (out.value != nullptr) *out.value -= work;
}

}  // namespace pliant
