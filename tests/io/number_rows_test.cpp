#include "pliant/io/number_rows.h"

#include <gtest/gtest.h>

#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

constexpr const char* kColumns[] = {"the first", "the second"};

std::vector<double> rows(const std::string& text) { return read_number_rows(text, "rows.txt", kColumns); }
std::vector<double> numbers(const std::string& text) { return read_numbers(text, "numbers.txt", "a number"); }

TEST(NumberRows, RowsAreLines) {
  EXPECT_EQ(rows("1 2\n3 4\n"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(rows("# head\r\n\r\n 1,\t2 # two\r\n-3e-1 , +4"), (std::vector<double>{1, 2, -0.3, 4}));
  EXPECT_EQ(rows("1 1e-400"), (std::vector<double>{1, 0}));
  EXPECT_TRUE(rows("").empty());
  EXPECT_TRUE(rows("\n# nothing\n ,\n").empty());
}

TEST(NumberRows, BadRowsAreNamed) {
  const auto expect = [](const std::string& text, const std::string& place, const std::string& words) {
    testing::expect_parse_error(rows, text, place, words);
  };
  expect("1 2\n3\n4 5", "rows.txt:2", "the line ends where the second should stand");
  expect("1 2\n3", "rows.txt:2", "the file ends where the second should stand");
  expect("1 2\n\n1 2 3\n", "rows.txt:3", "there are more than 2 numbers, the last of which is the second");
  expect("1 2\nx 2\n", "rows.txt:2", "found 'x' where the first should stand");
  expect("1 2x", "rows.txt:1", "found '2x' where the second should stand");
  expect("1 nan", "rows.txt:1", "a finite number");
  expect("inf 1", "rows.txt:1", "a finite number");
  expect("1 1e400", "rows.txt:1", "found '1e400'");
  expect(std::string("1 \0", 3), "rows.txt:1", "found '?'");
}

TEST(NumberRows, NumbersStandOnAnyLines) {
  EXPECT_EQ(numbers("0 0.5\n# half\n1, 0.25\n\n7"), (std::vector<double>{0, 0.5, 1, 0.25, 7}));
  EXPECT_TRUE(numbers(" \n").empty());
  testing::expect_parse_error(numbers, "0\n1 half", "numbers.txt:2", "found 'half' where a number should stand");
}

}  // namespace
}  // namespace pliant::io
