#include "pliant/sparse/large_pages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant::sparse {
namespace {

// Below a page, around the size from which large ones are asked for, and beyond it by an odd number.
TEST(LargePages, AllIsFilled) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{7}, std::size_t{1} << 19, (std::size_t{1} << 20) + 13}) {
    const std::vector<double> values = filled_on_large_pages(count, 1.5);
    ASSERT_EQ(values.size(), count);
    EXPECT_EQ(std::count(values.begin(), values.end(), 1.5), static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace
}  // namespace pliant::sparse
