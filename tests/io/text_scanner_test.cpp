// The scanner: words, lines, numbers, bytes.
#include "pliant/io/text_scanner.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "pliant/input_error.h"

namespace pliant::io {
namespace {

TEST(TextScanner, LineEndsAreBlanksOrEndStatements) {
  const std::string text = "1 2 # three\n\n 4\r\n5";
  TextScanner blanks(text, "a", {LineEnds::are_blanks, '#', false});
  std::int64_t sum = 0;
  while (blanks.has_word()) sum += blanks.integer("a number");
  EXPECT_EQ(sum, 12);
  EXPECT_EQ(blanks.place(), "a:4");

  TextScanner lines(text, "a", {LineEnds::end_statements, '#', false});
  EXPECT_EQ(lines.integer("a number"), 1);
  EXPECT_EQ(lines.integer("a number"), 2);
  EXPECT_FALSE(lines.has_word());
  EXPECT_THROW(lines.integer("a third number"), InputError);
  ASSERT_TRUE(lines.next_statement());
  EXPECT_EQ(lines.place(), "a:3");
  EXPECT_EQ(lines.integer("a number"), 4);
  ASSERT_TRUE(lines.next_statement());
  EXPECT_FALSE(lines.next_statement());
}

TEST(TextScanner, NumbersAreExactAndStrict) {
  const auto number = [](const std::string& text) { return TextScanner(text, "a", {}).number("a number"); };
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("+.5"), 0.5);
  EXPECT_EQ(number("-1E+3"), -1000.0);
  EXPECT_EQ(number("5e-324"), 5e-324);
  EXPECT_EQ(number("1e-999"), 0.0);
  for (const char* bad : {"", "1e999", "nan", "inf", "-infinity", "1.0f", "0x10", "1,5", "+-1", "--1", "e5", "+"}) {
    EXPECT_THROW(number(bad), InputError) << bad;
  }
  for (const char* bad : {"1.0", "9223372036854775808", "+-1", "1a"}) {
    EXPECT_THROW(TextScanner(bad, "a", {}).integer("an integer"), InputError) << bad;
  }
}

TEST(TextScanner, BytesRespectTheOrderAndTheEnd) {
  const std::string text("\x01\x02\x03\x04", 4);
  TextScanner scanner(text, "a", {});
  EXPECT_EQ(scanner.binary<std::uint16_t>(std::endian::little, "x"), 0x0201);
  EXPECT_EQ(scanner.binary<std::uint16_t>(std::endian::big, "x"), 0x0304);
  EXPECT_EQ(scanner.place(), "a (byte 4)");
  EXPECT_THROW(scanner.binary<std::uint8_t>(std::endian::big, "x"), InputError);
}

TEST(TextScanner, QuotedWordsArePrintableAndShort) {
  EXPECT_EQ(in_quotes("a\x01z"), "'a?z'");
  EXPECT_LT(in_quotes(std::string(100000, 'x')).size(), 60u);
}

TEST(TextScanner, StreamsThatFailAreErrors) {
  std::istringstream broken("text");
  broken.setstate(std::ios::badbit);
  EXPECT_THROW(read_everything(broken, "a"), InputError);
  std::istringstream empty;
  EXPECT_THROW(read_everything(empty, "a"), InputError);
  std::istringstream large(std::string(1000003, 'x'));
  EXPECT_EQ(read_everything(large, "a").size(), 1000003u);
}

}  // namespace
}  // namespace pliant::io
