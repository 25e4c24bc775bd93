// Written YAML reads back as the same tree, whatever the texts contain.
#include <gtest/gtest.h>

#include "pliant/scene/yaml_document.h"

namespace pliant::scene {
namespace {

bool same(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (a.keys[i].text != b.keys[i].text) return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same(a.items[i], b.items[i])) return false;
  }
  return true;
}

TEST(YamlWriter, WrittenTextReadsBackAsTheSameTree) {
  YamlNode document = yaml_map();
  const auto add = [&document](const std::string& key, YamlNode node) {
    document.keys.push_back({key, 0});
    document.items.push_back(std::move(node));
  };
  for (const char* text :
       {"",  " ",    "null", "~",  "true", "No", "3", "1e5", "a: b", "- x", "#",   "a\nb", "\x01\x7f", "[",
        "'", "\"\\", "ü",    "*a", "&b",   "!c", "%", "@",   "`",    "...", "---", "? x",  "|",        ">"}) {
    add(std::string("key ") + text, yaml_text(text));
  }
  YamlNode list = yaml_sequence();
  for (int i = 0; i < 300; ++i) list.items.push_back(yaml_scalar(std::to_string(i)));
  add("long", list);
  add("empty list", yaml_sequence());
  add("empty map", yaml_map());
  add("nothing", YamlNode());
  YamlNode nested = yaml_sequence();
  for (int i = 0; i < 30; ++i) nested.items.push_back(list);
  add("nested", nested);
  YamlNode outer = yaml_map();
  outer.keys.push_back({"inner", 0});
  outer.items.push_back(document);
  const YamlNode again = parse_yaml(write_yaml(outer), "again.yaml");
  EXPECT_TRUE(same(outer, again)) << write_yaml(outer);
}

TEST(YamlWriter, WordsKeepTheirQuotesWhenTheyNeedThem) {
  const YamlNode again = parse_yaml("{a: \"3\", b: 3, c: null}", "x");
  EXPECT_EQ(write_yaml(again), "a: \"3\"\nb: 3\nc: null\n");
}

}  // namespace
}  // namespace pliant::scene
