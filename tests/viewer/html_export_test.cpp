// One HTML file with the page and its data.
#include "pliant/viewer/html_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pliant/input_error.h"
#include "pliant/viewer/page.h"
#include "pliant/viewer/result_source.h"
#include "tests/viewer/viewed_result.h"

namespace pliant::viewer {
namespace {

std::string decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((bits += 6) >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 255);
  }
  return bytes;
}

TEST(HtmlExport, HoldsEveryAnswerThePageNeeds) {
  const testing::ViewedResult viewed;
  const std::filesystem::path file = viewed.folder / "result.html";
  if (page_html().find(kDataPlace) == std::string_view::npos) {
    EXPECT_THROW((void)export_html(viewed.folder.path(), file), InputError);
    EXPECT_FALSE(std::filesystem::exists(file));
    GTEST_SKIP() << "this build has no page";
  }
  const HtmlReport report = export_html(viewed.folder.path(), file);
  EXPECT_EQ(report.frame_count, 4);
  const std::string html = io::testing::content(file);
  EXPECT_EQ(static_cast<std::int64_t>(html.size()), report.bytes);
  EXPECT_EQ(html.find(kDataPlace), std::string::npos);
  const std::string opening = "<script>window.PLIANT_EMBEDDED=";
  const std::size_t begin = html.find(opening) + opening.size(), end = html.find("</script>", begin);
  const auto store = nlohmann::json::parse(html.substr(begin, end - begin));  // the title has markup in it
  ResultSource source(viewed.folder.path());
  EXPECT_EQ(store["/api/results/0"]["data"]["title"], "A <b>box</b>");
  EXPECT_EQ(decoded(store["/api/results/0/frames/2"]["data"]), source.frame(2, true));
  EXPECT_EQ(decoded(store["/api/results/0/bodies/0/revisions/0/mesh"]["data"]), source.mesh(0, 0));
  EXPECT_EQ(decoded(store["/api/results/0/frames/1/quantity/speed"]["data"]), source.quantity(1, "speed"));
  EXPECT_EQ(decoded(store["/api/results/0/frames/1/contacts"]["data"]), source.contacts(1));
  EXPECT_EQ(store["/api/results/0/scene"]["data"], source.scene_text());
  EXPECT_EQ(store["/api/results/0/summary"]["data"]["steps"], 3);
}

}  // namespace
}  // namespace pliant::viewer
