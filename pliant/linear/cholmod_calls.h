// What every call of CHOLMOD needs. Only in builds with it.
#pragma once

#ifdef PLIANT_WITH_CHOLMOD
#include <cholmod.h>

#include <cstdint>
#include <span>

// Declared here because cblas.h has no fixed place, and only OpenBLAS's own declares them.
extern "C" {
void openblas_set_num_threads(int count);
int openblas_get_num_threads(void);
}

namespace pliant::linear {

static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));  // our indices are CHOLMOD's

// Threads for the length of a call: OpenBLAS has `blas_threads`, CHOLMOD's own OpenMP regions run on the calling thread.
// Those would otherwise take four threads, whatever was asked for, to move entries, and spin while they wait.
//
// OpenBLAS's count is one number for the whole process, and calls may overlap (a factor in the background beside one of
// the time step): the first to come remembers what it was, the last to go sets it again.
class CholmodCall {
 public:
  explicit CholmodCall(int blas_threads);
  ~CholmodCall();
  CholmodCall(const CholmodCall&) = delete;
  CholmodCall& operator=(const CholmodCall&) = delete;

 private:
  int levels_before_;  // of nested OpenMP regions, on this thread
};

// Begins a workspace that neither prints nor calls back (statuses carry what went wrong), without a graphics card.
void start_silently(cholmod_common& common);

// CHOLMOD's view of the lower triangle in compressed columns that we own. `values` may be null: a pattern.
[[nodiscard]] cholmod_sparse lower_triangle(std::size_t size, std::span<std::int64_t> start,
                                            std::span<std::int64_t> row, double* values);

}  // namespace pliant::linear
#endif
