#include "pliant/linear/cholmod_calls.h"

#include <gtest/gtest.h>

#ifdef PLIANT_WITH_CHOLMOD
#include <memory>

namespace pliant::linear {
namespace {

// Calls that overlap, however they end, leave OpenBLAS as they found it and do not hand each other more threads.
TEST(CholmodCall, OverlappingCallsRestoreWhatWasThere) {
  openblas_set_num_threads(2);
  const int before = openblas_get_num_threads();  // fewer where there are fewer cores
  auto first = std::make_unique<CholmodCall>(1);
  EXPECT_EQ(openblas_get_num_threads(), 1);
  auto second = std::make_unique<CholmodCall>(1);
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  second.reset();
  EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(CholmodCall, ViewsAreLowerTriangles) {
  std::vector<std::int64_t> start = {0, 2, 3}, row = {0, 1, 1};
  std::vector<double> values = {4, 1, 3};
  const cholmod_sparse pattern = lower_triangle(2, start, row, nullptr),
                       full = lower_triangle(2, start, row, values.data());
  EXPECT_EQ(pattern.xtype, CHOLMOD_PATTERN);
  EXPECT_EQ(full.xtype, CHOLMOD_REAL);
  EXPECT_EQ(full.stype, -1);
  EXPECT_EQ(full.nzmax, 3u);
  cholmod_common common;
  start_silently(common);
  EXPECT_EQ(cholmod_l_check_sparse(const_cast<cholmod_sparse*>(&full), &common), 1);
  cholmod_l_finish(&common);
}

}  // namespace
}  // namespace pliant::linear
#endif
