// The document tree: lines, quotes, options.
#include "pliant/scene/yaml_document.h"

#include <gtest/gtest.h>

namespace pliant::scene {
namespace {

TEST(YamlDocument, KnowsLinesAndQuotes) {
  const YamlNode document = parse_yaml("a: 1\nb:\n  - x\n  - '2'\n", "f.yaml");
  EXPECT_EQ(document.find("a")->place(), "f.yaml:1");
  EXPECT_EQ(document.find("b")->items.at(1).place(), "f.yaml:4");
  EXPECT_TRUE(document.find("b")->items.at(1).quoted);
  EXPECT_FALSE(document.find("a")->quoted);
  EXPECT_EQ(document.place_of_key(1), "f.yaml:2");
  EXPECT_EQ(document.find("c"), nullptr);
}

TEST(YamlDocument, OptionsHaveNoLines) {
  EXPECT_EQ(parse_yaml_option("[1, 2]", "--set x=[1, 2]").items.at(0).place(), "--set x=[1, 2]");
}

}  // namespace
}  // namespace pliant::scene
