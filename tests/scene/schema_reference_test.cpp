// docs/scene-format.md holds the reference that the schema gives. After a change of the schema, run this test with
// PLIANT_UPDATE_DOCS=1 in the environment: it writes the new reference into the page.
#include "pliant/scene/schema_reference.h"
#include "tests/support/places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace pliant {
namespace {

const std::string kMarker =
    "<!-- What follows is made by the schema: change pliant/scene/schema*.cpp, not this text. -->\n";

std::string read_page(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(SchemaReference, PageIsUpToDate) {
  const std::string file = test::source_folder().string() + "/docs/scene-format.md";
  const std::string page = read_page(file);
  const std::size_t marker = page.find(kMarker);
  ASSERT_NE(marker, std::string::npos) << "docs/scene-format.md lacks the line " << kMarker;
  const std::string hand_written = page.substr(0, marker + kMarker.size());
  if (std::getenv("PLIANT_UPDATE_DOCS") != nullptr) std::ofstream(file) << hand_written << scene::reference_markdown();
  EXPECT_TRUE(read_page(file) == hand_written + scene::reference_markdown())
      << "the reference in docs/scene-format.md is old: run this test with PLIANT_UPDATE_DOCS=1";
}

TEST(SchemaReference, RowsHoldUnitDefaultRangeAndSentence) {
  const std::string text = scene::reference_markdown();
  EXPECT_NE(text.find("| `step` | number | s | 0.01 | above 0 | time step |"), std::string::npos);
  EXPECT_NE(
      text.find("| `poisson` | number |  | 0.45 | above -1 and at most 0.5 | Poisson's ratio, below 0.5 for solids;"),
      std::string::npos);
  EXPECT_NE(text.find("corotated, st_venant_kirchhoff, linear, elastic_rod) |"), std::string::npos);
  EXPECT_NE(
      text.find("| `thickness` | number or null | m | null | above 0 | of cloth; required for it (for models of cloth"),
      std::string::npos);
  EXPECT_NE(text.find("| `end` | number | s | *required* |"), std::string::npos);
  EXPECT_NE(text.find("| `rubber` | `neo_hookean` |"), std::string::npos);
}

}  // namespace
}  // namespace pliant
