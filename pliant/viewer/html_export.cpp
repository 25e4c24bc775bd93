#include "pliant/viewer/html_export.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/viewer/page.h"
#include "pliant/viewer/result_source.h"

namespace pliant::viewer {
namespace {

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// JSON inside a script: no "</script>" may end it early.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

// window.PLIANT_EMBEDDED, request by request.
class Store {
 public:
  void add_json(const std::string& path, const std::string& json) { add(path, "json", inside_script(json)); }
  void add_text(const std::string& path, const std::string& content) {
    const auto replace = nlohmann::json::error_handler_t::replace;  // of bytes that are not UTF-8
    add(path, "text", inside_script(nlohmann::json(content).dump(-1, ' ', false, replace)));
  }
  void add_binary(const std::string& path, const std::string& bytes) {
    add(path, "binary", "\"" + base64(bytes) + "\"");
  }
  [[nodiscard]] std::string script() const { return "<script>window.PLIANT_EMBEDDED={" + text_ + "}</script>"; }

 private:
  void add(const std::string& path, const char* type, const std::string& data) {
    text_ += (text_.empty() ? "\"" : ",\n\"") + path + "\":{\"type\":\"" + type + "\",\"data\":" + data + "}";
  }
  std::string text_;
};

void add_if_there(Store& store, const std::string& path, std::string (ResultSource::*text)() const,
                  const ResultSource& source, bool is_json) {
  try {
    const std::string content = (source.*text)();
    if (is_json) {
      store.add_json(path, content);
    } else {
      store.add_text(path, content);
    }
  } catch (const InputError&) {
    // The page says what is missing.
  }
}

}  // namespace

HtmlReport export_html(const std::filesystem::path& folder, const std::filesystem::path& file) {
  ResultSource source(folder);
  const std::string root = "/api/results/0";
  Store store;
  store.add_json("/api/results", nlohmann::json::array({{{"id", 0}, {"name", source.name()}}}).dump());
  store.add_json(root, source.manifest_json(false));
  add_if_there(store, root + "/probes", &ResultSource::probes_json, source, true);
  add_if_there(store, root + "/summary", &ResultSource::summary_text, source, true);
  add_if_there(store, root + "/scene", &ResultSource::scene_text, source, false);
  for (int b = 0; b < source.result().body_count(); ++b) {
    const auto& revisions = source.result().outline().bodies[static_cast<std::size_t>(b)].revisions;
    for (int k = 0; k < static_cast<int>(revisions.size()); ++k) {
      store.add_binary(root + "/bodies/" + std::to_string(b) + "/revisions/" + std::to_string(k) + "/mesh",
                       source.mesh(b, k));
    }
  }
  bool has_contacts = false;
  for (const io::QuantityDescription& q : source.result().quantities())
    has_contacts = has_contacts || q.name == "contact_force";
  for (std::int64_t f = 0; f < source.result().frame_count(); ++f) {
    const std::string frame = root + "/frames/" + std::to_string(f);
    store.add_binary(frame, source.frame(f, true));
    for (const io::QuantityDescription& q : source.result().quantities())
      store.add_binary(frame + "/quantity/" + q.name, source.quantity(f, q.name));
    if (has_contacts) store.add_binary(frame + "/contacts", source.contacts(f));
  }

  std::string html(page_html());
  const std::size_t place = html.find(kDataPlace);
  if (place == std::string::npos)
    throw InputError("this build of Pliant has no viewer page; install Node.js and npm, and build it again");
  html.replace(place, kDataPlace.size(), store.script());
  io::write_file_atomically(file, html);
  return {source.result().frame_count(), static_cast<std::int64_t>(html.size())};
}

}  // namespace pliant::viewer
