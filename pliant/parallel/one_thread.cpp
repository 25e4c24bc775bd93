#include "pliant/parallel/one_thread.h"

#include <oneapi/tbb/task_arena.h>

namespace pliant {

void run_on_one_thread(parallel::FunctionRef<void()> work) {
  const parallel::AloneOnThread alone;
  tbb::task_arena arena(1);  // the caller takes its only place, and no worker finds one
  arena.execute([&] { work(); });
}

}  // namespace pliant
