// Loops and sums over many cores, with the same bits for any number of threads.
//
//   set_thread_count(2);
//   parallel_for(n, 1024, [&](int begin, int end) { for (int i = begin; i < end; ++i) y[i] = f(x[i]); });
//   double energy = parallel_sum(n, [&](int begin, int end) { double e = 0; ...; return e; });
//
// Sums are formed over fixed blocks of items, whose results are added in order: who computed a block never
// matters. This folder is the only code that knows threads; waiting threads sleep instead of spinning.
#pragma once

#include <functional>
#include <vector>

namespace pliant {

// Number of threads of all later loops; 0 = one per core. Not while a loop runs.
void set_thread_count(int count);
[[nodiscard]] int thread_count();

namespace parallel {

inline constexpr int kSumBlock = 4096;

// A non-owning reference to a callable (begin, end): no allocation per loop.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  FunctionRef(const F& f)
      : object_(&f),
        call_([](const void* o, Args... args) -> R { return (*static_cast<const F*>(o))(args...); }) {
  }  // NOLINT(google-explicit-constructor)
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  const void* object_;
  R (*call_)(const void*, Args...);
};

// While one lives, loops of its thread do not use others.
class AloneOnThread {
 public:
  AloneOnThread();
  ~AloneOnThread();
  AloneOnThread(const AloneOnThread&) = delete;
  AloneOnThread& operator=(const AloneOnThread&) = delete;

 private:
  bool was_alone_;
};

}  // namespace parallel

// Calls body(begin, end) on pieces of [0, count) of at most `grain` items.
void parallel_for(int count, int grain, parallel::FunctionRef<void(int, int)> body);
// Sum of body(begin, end) over the fixed blocks of [0, count); smaller ones where an item is much work.
[[nodiscard]] double parallel_sum(int count, parallel::FunctionRef<double(int, int)> body,
                                  int block = parallel::kSumBlock);
// Largest body(begin, end), at least `lowest`; NaN if one of them is.
[[nodiscard]] double parallel_max(int count, double lowest, parallel::FunctionRef<double(int, int)> body);

}  // namespace pliant
