// A small, strict reader of XML: elements and attributes with the lines they stand on, which is all that URDF needs.
//
// Read: elements, attributes in either kind of quotes, comments, the declaration and other <?…?>, the entities &lt; &gt;
// &amp; &quot; &apos;. Text between elements is skipped. Refused with a sentence: document types, CDATA and other
// entities. Our own, because what URDF needs is less than a dependency costs, and every error here is a sentence.
//
// Bounded on purpose, because a file may come from anyone: 16 MiB of text, 64 levels, a million elements and attributes,
// 100 attributes of one element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

struct XmlAttribute {
  std::string name, value;  // the value with its entities replaced
};

struct XmlElement {
  std::string name;
  int line = 0;  // from 1, of its "<"
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  // The value of an attribute, or nullptr.
  [[nodiscard]] const std::string* attribute(std::string_view wanted) const;
};

// The root element. name: the file as the user knows it, for messages. Throws InputError "name:line: …".
[[nodiscard]] XmlElement parse_xml(std::string_view text, const std::string& name);

}  // namespace pliant::io
