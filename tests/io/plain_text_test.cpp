#include "pliant/io/plain_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

TEST(PlainText, FilesAreReadWholeAndMissingOnesSayWhatToDo) {
  const testing::TemporaryFolder folder;
  const std::string text("a\r\n\0b", 5);
  std::ofstream(folder / "a", std::ios::binary) << text;
  EXPECT_EQ(read_text_file(folder / "a", "look elsewhere"), text);
  try {
    (void)read_text_file(folder / "none", "look elsewhere");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("none: there is no such file; look elsewhere"), std::string::npos);
  }
}

TEST(PlainText, NumbersFillTheWord) {
  double x = 0;
  int i = 0;
  EXPECT_TRUE(parse_number("-2.5e-3", x) && x == -2.5e-3);
  EXPECT_TRUE(parse_number("42", i) && i == 42);
  for (const char* word : {"", " 1", "1 ", "1,2", "x", "+1"}) EXPECT_FALSE(parse_number(word, x)) << word;
  for (const char* word : {"1.5", "99999999999", "0x1"}) EXPECT_FALSE(parse_number(word, i)) << word;
}

TEST(PlainText, XmlIsEscaped) { EXPECT_EQ(escape_xml("a<b> & \"c\"\n'"), "a&lt;b&gt; &amp; &quot;c&quot; '"); }

}  // namespace
}  // namespace pliant::io
