// YAML tree to text. Only forms that every YAML reader takes the same way are written: plain words and numbers,
// everything else in double quotes with escapes.
#include <algorithm>
#include <cstdio>

#include "pliant/scene/yaml_document.h"

namespace pliant::scene {
namespace {

// A map or list that fits on such a line is written on one.
constexpr std::size_t kLineWidth = 110;

bool is_plain_word(const std::string& text) {
  if (text.empty()) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  if (!is_letter(text.front()) || !std::all_of(text.begin(), text.end(), is_inner)) return false;
  // Words with a meaning of their own in YAML 1.1 or 1.2.
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  static constexpr const char* kReserved[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return std::none_of(std::begin(kReserved), std::end(kReserved), [&](const char* word) { return lower == word; });
}

std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 32 || byte == 127) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(byte));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string key_text(const std::string& key) {
  // x, y and n are fine as keys in our own reader, but not in YAML 1.1 readers: is_plain_word refuses those.
  return is_plain_word(key) ? key : quote(key);
}

std::string on_one_line(const YamlNode& node) {
  std::string text;
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return node.quoted && !is_plain_word(node.text) ? quote(node.text) : node.text;
    case YamlNode::Kind::sequence:
      for (const YamlNode& item : node.items) text += (text.empty() ? "" : ", ") + on_one_line(item);
      return "[" + text + "]";
    case YamlNode::Kind::map:
      break;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    text += (i == 0 ? "" : ", ") + key_text(node.keys[i].text) + ": " + on_one_line(node.items[i]);
  }
  return "{" + text + "}";
}

bool is_flat(const YamlNode& node) {
  const auto is_leaf = [](const YamlNode& item) { return item.items.empty(); };
  return std::all_of(node.items.begin(), node.items.end(), is_leaf);
}

bool fits_one_line(const YamlNode& node, std::size_t indent) {
  if (node.items.empty()) return true;
  if (node.kind == YamlNode::Kind::sequence && is_flat(node)) return true;  // numbers and names, however many
  return on_one_line(node).size() + indent <= kLineWidth;
}

void write_block(const YamlNode& node, std::size_t indent, std::string& out);

// The value after "key:" or "-", on the same line or as an indented block.
void write_value(const YamlNode& node, std::size_t indent, std::string& out) {
  if (fits_one_line(node, indent + 20)) {
    out += ' ';
    out += on_one_line(node);
    out += '\n';
  } else {
    out += "\n";
    write_block(node, indent + 2, out);
  }
}

void write_block(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.kind == YamlNode::Kind::sequence && !fits_one_line(node.items[i], indent + 20)) {
      std::string item;  // its first line begins with the dash
      write_block(node.items[i], indent + 2, item);
      item[indent] = '-';
      out += item;
      continue;
    }
    out += margin + (node.kind == YamlNode::Kind::map ? key_text(node.keys[i].text) + ":" : "-");
    write_value(node.items[i], indent, out);
  }
}

}  // namespace

std::string write_yaml(const YamlNode& document) {
  if (document.items.empty()) return on_one_line(document) + "\n";
  std::string out;
  write_block(document, 0, out);
  return out;
}

}  // namespace pliant::scene
