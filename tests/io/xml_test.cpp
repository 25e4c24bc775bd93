// XML as far as URDF needs it: what is read, and a sentence with the line for everything else.
#include "pliant/io/xml.h"

#include <gtest/gtest.h>

#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

XmlElement parsed_xml(const std::string& text) { return parse_xml(text, "a.urdf"); }

TEST(Xml, ReadsElementsAttributesAndLines) {
  const XmlElement root = parsed_xml(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n"
      "<!-- <no element> -->\n"
      "<robot name = 'the &quot;arm&quot;' size=\"1\n2\">\n"
      "  text between &anything; <link name=\"a&lt;b&gt;c&amp;d&apos;\"/>\n"
      "  <!-- -- --><?skip this?><joint><parent\tlink='\"'></parent ></joint>\n"
      "</robot>\n<!-- the end -->\n");
  EXPECT_EQ(root.name, "robot");
  EXPECT_EQ(root.line, 3);
  ASSERT_EQ(root.attributes.size(), 2U);
  EXPECT_EQ(*root.attribute("name"), "the \"arm\"");
  EXPECT_EQ(*root.attribute("size"), "1 2");
  EXPECT_EQ(root.attribute("Name"), nullptr);
  ASSERT_EQ(root.children.size(), 2U);
  EXPECT_EQ(*root.children[0].attribute("name"), "a<b>c&d'");
  EXPECT_EQ(root.children[0].line, 5);
  EXPECT_EQ(*root.children[1].children.at(0).attribute("link"), "\"");
}

TEST(Xml, SaysWhatIsWrongAndWhere) {
  const auto fails = [](const std::string& text, const std::string& place, const std::string& words) {
    testing::expect_parse_error(parsed_xml, text, place, words);
  };
  fails("", "a.urdf:1", "there is no element");
  fails("\n\nsolid cube\n", "a.urdf:3", "expected <, got 'solid'; is this an XML file?");
  fails("<a>\n<b>\n</a>", "a.urdf:3", "</a> does not match <b> of line 2");
  fails("<a>\n<b/>\n", "a.urdf:1", "<a> has no </a>");
  fails("<a/>\n<b/>", "a.urdf:2", "one outermost element");
  fails("<a/> more", "a.urdf:1", "expected <, got 'more'");
  fails("<a\nb=1/>", "a.urdf:2", "value of attribute 'b' must be in quotes");
  fails("<a b/>", "a.urdf:1", "attribute 'b' needs =");
  fails("<a b='1' b='2'/>", "a.urdf:1", "attribute 'b' of <a> is given twice");
  fails("<a b='1'c='2'/>", "a.urdf:1", "expected a blank");
  fails("<a b='1\n\n<c/></a>", "a.urdf:1", "is not closed by a quote");
  fails("<a b='&#65;'/>", "a.urdf:1", "write &amp; for the sign itself");
  fails("<a b='&lt'/>", "a.urdf:1", "write &amp; for the sign itself");
  fails("<a><!-- \n", "a.urdf:1", "a comment begins here and never ends");
  fails("<a><![CDATA[x]]></a>", "a.urdf:1", "CDATA is not read");
  fails("<!DOCTYPE a>\n<a/>", "a.urdf:1", "document types are not read");
  fails("<a><1/></a>", "a.urdf:1", "the name of an element behind <, got '1'");
  fails("<a", "a.urdf:1", "<a is not closed by >");
  fails("<a></a", "a.urdf:1", "</a is not closed by >");
}

TEST(Xml, IsBounded) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_EQ(parsed_xml(nested(64)).children.size(), 1U);
  testing::expect_parse_error(parsed_xml, nested(65), "a.urdf:1", "nested more than 64 deep");
  testing::expect_parse_error(parsed_xml, std::string((16 << 20) + 1, ' '), "a.urdf:1", "larger than 16 MiB");
  std::string wide = "<a";
  for (int i = 0; i < 101; ++i) wide += " b" + std::to_string(i) + "=''";
  testing::expect_parse_error(parsed_xml, wide + "/>", "a.urdf:1", "more than 100 attributes");
  std::string many = "<a>";
  for (int i = 0; i < 1'000'000; ++i) many += "<b/>";
  testing::expect_parse_error(parsed_xml, many + "</a>", "a.urdf:1", "more than a million");
}

}  // namespace
}  // namespace pliant::io
