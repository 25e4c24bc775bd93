// The page that is compiled in.
#include "pliant/viewer/page.h"

#include <gtest/gtest.h>

namespace pliant::viewer {
namespace {

TEST(Page, IsOneHtmlFileWithoutAddresses) {
  const std::string_view page = page_html();
  EXPECT_EQ(page.substr(0, 2), "<!");
  EXPECT_NE(page.find("</html>"), std::string_view::npos);
  // Nothing is loaded from elsewhere: no scripts, styles or fonts by address.
  for (const char* word : {"src=\"http", "src='http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(page.find(word), std::string_view::npos) << word;
}

}  // namespace
}  // namespace pliant::viewer
