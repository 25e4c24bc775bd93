#include "pliant/io/xml.h"

#include <algorithm>

#include "pliant/input_error.h"
#include "pliant/io/text_scanner.h"

namespace pliant::io {
namespace {

constexpr std::size_t kMaxXmlBytes = std::size_t{16} << 20U;
constexpr int kMaxXmlDepth = 64;                // each level is a few hundred bytes of stack
constexpr int kMaxXmlItems = 1'000'000;         // elements and attributes: a few hundred megabytes
constexpr std::size_t kMaxXmlAttributes = 100;  // of one element: each is compared with those before it

bool is_xml_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_xml_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_xml_name_part(char c) { return is_xml_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  XmlElement document() {
    if (rest_.size() > kMaxXmlBytes) fail("the file is larger than 16 MiB; this is no robot description");
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);  // a byte order mark
    skip_between(Text::is_refused);
    if (rest_.empty()) fail("there is no element; an XML file has one, such as <robot name=\"arm\">…</robot>");
    XmlElement root = element(1);
    skip_between(Text::is_refused);
    if (!rest_.empty()) fail("a file has one outermost element, and here something follows it; remove it");
    return root;
  }

 private:
  enum class Text { is_refused, is_skipped };

  [[noreturn]] void fail(const std::string& sentence) const { fail_at(line_, sentence); }
  [[noreturn]] void fail_at(int line, const std::string& sentence) const {
    throw InputError(name_ + ":" + std::to_string(line), sentence);
  }

  void advance(std::size_t count) {
    line_ += static_cast<int>(std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
    rest_.remove_prefix(count);
  }
  [[nodiscard]] bool starts_with(std::string_view mark) const { return rest_.substr(0, mark.size()) == mark; }
  bool take(std::string_view mark) {
    if (!starts_with(mark)) return false;
    advance(mark.size());
    return true;
  }
  void skip_blanks() {
    std::size_t count = 0;
    while (count < rest_.size() && is_xml_blank(rest_[count])) ++count;
    advance(count);
  }
  // Past the next `mark`; what: what it ends.
  void skip_past(std::string_view mark, const char* what) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) fail(std::string(what) + " begins here and never ends; close it");
    advance(at + mark.size());
  }

  // Moves to the next tag or the end of the text.
  void skip_between(Text text) {
    for (;;) {
      skip_blanks();
      if (take("<!--")) {
        skip_past("-->", "a comment");
      } else if (take("<?")) {
        skip_past("?>", "<?");
      } else if (starts_with("<![CDATA[")) {
        fail("CDATA is not read; write the text with &lt; and &amp; instead");
      } else if (starts_with("<!")) {
        fail("document types are not read; remove <!…>");
      } else if (rest_.empty() || rest_.front() == '<') {
        return;
      } else if (text == Text::is_refused) {
        fail("expected <, got " + in_quotes(rest_.substr(0, rest_.find_first_of(" \t\r\n<"))) +
             "; is this an XML file?");
      } else {
        advance(std::min(rest_.find('<'), rest_.size()));
      }
    }
  }

  std::string read_name(const char* what) {
    std::size_t count = 0;
    if (!rest_.empty() && is_xml_name_start(rest_.front())) {
      while (count < rest_.size() && is_xml_name_part(rest_[count])) ++count;
    }
    if (count == 0) fail(std::string("expected ") + what + ", got " + in_quotes(rest_.substr(0, 1)));
    std::string word(rest_.substr(0, count));
    advance(count);
    return word;
  }

  void count_item() {
    if (++item_count_ > kMaxXmlItems) fail("the file has more than a million elements and attributes");
  }

  char read_entity() {
    static constexpr struct {
      std::string_view text;
      char meaning;
    } kEntities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const auto& entity : kEntities) {
      if (take(entity.text)) return entity.meaning;
    }
    fail("& begins one of &lt; &gt; &amp; &quot; &apos; here; write &amp; for the sign itself");
  }

  XmlAttribute read_attribute() {
    XmlAttribute attribute;
    attribute.name = read_name("the name of an attribute");
    skip_blanks();
    if (!take("=")) fail("attribute " + in_quotes(attribute.name) + " needs = and a value in quotes behind it");
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\''))
      fail("the value of attribute " + in_quotes(attribute.name) + " must be in quotes");
    const char quote = rest_.front();
    const int line = line_;
    advance(1);
    while (!rest_.empty() && rest_.front() != quote) {
      if (rest_.front() == '<') break;  // a quote that was forgotten, before it swallows the file
      if (rest_.front() == '&') {
        attribute.value += read_entity();
      } else {
        attribute.value += is_xml_blank(rest_.front()) ? ' ' : rest_.front();
        advance(1);
      }
    }
    if (rest_.empty() || rest_.front() != quote)
      fail_at(line, "the value of attribute " + in_quotes(attribute.name) + " is not closed by a quote");
    advance(1);
    return attribute;
  }

  // rest_ begins with "<".
  XmlElement element(int depth) {
    if (depth > kMaxXmlDepth) fail("elements are nested more than 64 deep");
    XmlElement result;
    result.line = line_;
    advance(1);
    count_item();
    result.name = read_name("the name of an element behind <");
    for (;;) {
      const bool is_apart = !rest_.empty() && is_xml_blank(rest_.front());
      skip_blanks();
      if (take("/>")) return result;
      if (take(">")) break;
      if (rest_.empty()) fail_at(result.line, "<" + result.name + " is not closed by >");
      if (!is_apart) fail("expected a blank, > or /> in <" + result.name + ">, got " + in_quotes(rest_.substr(0, 1)));
      count_item();
      XmlAttribute attribute = read_attribute();
      if (result.attribute(attribute.name) != nullptr)
        fail("attribute " + in_quotes(attribute.name) + " of <" + result.name + "> is given twice");
      result.attributes.push_back(std::move(attribute));
      if (result.attributes.size() > kMaxXmlAttributes) fail("<" + result.name + "> has more than 100 attributes");
    }
    for (;;) {
      skip_between(Text::is_skipped);
      if (rest_.empty()) fail_at(result.line, "<" + result.name + "> has no </" + result.name + ">");
      if (take("</")) break;
      result.children.push_back(element(depth + 1));
    }
    const std::string end = read_name("the name of an element behind </");
    if (end != result.name)
      fail("</" + end + "> does not match <" + result.name + "> of line " + std::to_string(result.line));
    skip_blanks();
    if (!take(">")) fail("</" + end + " is not closed by >");
    return result;
  }

  std::string_view rest_;
  const std::string& name_;
  int line_ = 1;
  int item_count_ = 0;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const XmlAttribute& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &found->value;
}

XmlElement parse_xml(std::string_view text, const std::string& name) { return XmlParser(text, name).document(); }

}  // namespace pliant::io
