#include "pliant/linear/cholmod_calls.h"

#ifdef PLIANT_WITH_CHOLMOD
#include <dlfcn.h>

#include <mutex>

namespace pliant::linear {
namespace {

// Looked up at run time, because not every CHOLMOD is built with OpenMP and we would not link it otherwise.
int omp_levels() {
  static const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_active_levels"));
  return get != nullptr ? get() : 0;
}
void set_omp_levels(int count) {
  static const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"));
  if (set != nullptr) set(count);
}

struct BlasUse {
  std::mutex mutex;
  int calls = 0;
  int threads_before = 1;
};
BlasUse& blas_use() {
  static BlasUse use;
  return use;
}

}  // namespace

CholmodCall::CholmodCall(int blas_threads) : levels_before_(omp_levels()) {
  set_omp_levels(0);  // regions nested deeper than this run on the calling thread alone
  BlasUse& use = blas_use();
  const std::scoped_lock lock(use.mutex);
  if (use.calls++ == 0) use.threads_before = openblas_get_num_threads();
  openblas_set_num_threads(blas_threads);
}

CholmodCall::~CholmodCall() {
  set_omp_levels(levels_before_);
  BlasUse& use = blas_use();
  const std::scoped_lock lock(use.mutex);
  if (--use.calls == 0) openblas_set_num_threads(use.threads_before);
}

void start_silently(cholmod_common& common) {
  cholmod_l_start(&common);
  common.print = 0;
  common.error_handler = nullptr;
  common.useGPU = 0;
  common.quick_return_if_not_posdef = 1;
}

cholmod_sparse lower_triangle(std::size_t size, std::span<std::int64_t> start, std::span<std::int64_t> row,
                              double* values) {
  cholmod_sparse a{};
  a.nrow = a.ncol = size;
  a.nzmax = row.size();
  a.p = start.data();
  a.i = row.data();
  a.x = values;
  a.stype = -1;
  a.itype = CHOLMOD_LONG;
  a.xtype = values != nullptr ? CHOLMOD_REAL : CHOLMOD_PATTERN;
  a.dtype = CHOLMOD_DOUBLE;
  a.sorted = a.packed = 1;
  return a;
}

}  // namespace pliant::linear
#endif
