// Loops and fixed-block reductions on oneTBB.
#include "pliant/parallel/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "pliant/assert.h"

#ifdef PLIANT_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace pliant {
namespace {

// TBB is not compiled for the thread sanitizer, which therefore does not see that a loop's pieces begin after the loop
// and end before what follows it, also when one throws. Told so here, it judges what the pieces do to each other.
// Nothing in other builds.
void tell_acquire([[maybe_unused]] char& what) {
#ifdef PLIANT_THREAD_SANITIZER
  __tsan_acquire(&what);
#endif
}
void tell_release([[maybe_unused]] char& what) {
#ifdef PLIANT_THREAD_SANITIZER
  __tsan_release(&what);
#endif
}

struct LoopOrder {
  char begin = 0, end = 0;  // only their addresses count

  LoopOrder() { tell_release(begin); }
  ~LoopOrder() { tell_acquire(end); }
  LoopOrder(const LoopOrder&) = delete;
  LoopOrder& operator=(const LoopOrder&) = delete;
};

struct PieceOrder {
  LoopOrder& loop;

  explicit PieceOrder(LoopOrder& its_loop) : loop(its_loop) { tell_acquire(loop.begin); }
  ~PieceOrder() { tell_release(loop.end); }
  PieceOrder(const PieceOrder&) = delete;
  PieceOrder& operator=(const PieceOrder&) = delete;
};

// The arena that runs every loop. TBB's workers are created on first use and sleep when there is no work.
struct Pool {
  int count = std::max(1, tbb::info::default_concurrency());
  std::unique_ptr<tbb::global_control> limit;
  std::unique_ptr<tbb::task_arena> arena;

  void resize(int wanted) {
    count = wanted > 0 ? wanted : std::max(1, tbb::info::default_concurrency());
    arena.reset();
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, count);
    arena = std::make_unique<tbb::task_arena>(count);
  }
};

Pool& pool() {
  static Pool instance;
  return instance;
}

thread_local bool is_alone = false;

// body(begin, end) of every block of so many items.
std::vector<double> results_of_blocks(int count, int block, parallel::FunctionRef<double(int, int)> body) {
  std::vector<double> results(static_cast<std::size_t>((count - 1) / block + 1));
  parallel_for(count, block,
               [&](int begin, int end) { results[static_cast<std::size_t>(begin / block)] = body(begin, end); });
  return results;
}

}  // namespace

parallel::AloneOnThread::AloneOnThread() : was_alone_(std::exchange(is_alone, true)) {}
parallel::AloneOnThread::~AloneOnThread() { is_alone = was_alone_; }

void set_thread_count(int count) { pool().resize(count); }

int thread_count() { return pool().count; }

void parallel_for(int count, int grain, parallel::FunctionRef<void(int, int)> body) {
  PLIANT_ASSERT(grain > 0, "a piece holds at least one item");
  if (count <= 0) return;
  Pool& workers = pool();
  // One thread, or one piece: no scheduler at all.
  if (is_alone || workers.count == 1 || count <= grain) {
    for (int begin = 0; begin < count;) {
      const int end = begin + std::min(grain, count - begin);
      body(begin, end);
      begin = end;
    }
    return;
  }
  if (!workers.arena) workers.resize(workers.count);
  LoopOrder order;
  workers.arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, (count - 1) / grain + 1),
        [&](const tbb::blocked_range<int>& pieces) {
          for (int piece = pieces.begin(); piece < pieces.end(); ++piece) {
            const int begin = piece * grain;
            const PieceOrder piece_order(order);
            body(begin, begin + std::min(grain, count - begin));
          }
        },
        tbb::auto_partitioner{});
  });
}

double parallel_sum(int count, parallel::FunctionRef<double(int, int)> body, int block) {
  PLIANT_ASSERT(block > 0, "a block holds at least one item");
  if (count <= 0) return 0;
  if (count <= block) return body(0, count);
  double total = 0;
  for (const double p : results_of_blocks(count, block, body)) total += p;
  return total;
}

double parallel_max(int count, double lowest, parallel::FunctionRef<double(int, int)> body) {
  if (count <= 0) return lowest;
  double largest = lowest;
  for (const double p : results_of_blocks(count, parallel::kSumBlock, body)) {
    if (std::isnan(p)) return p;  // a comparison would drop it, and a solver would take the rest for the whole
    largest = std::max(largest, p);
  }
  return largest;
}

}  // namespace pliant
