#include "pliant/picture/plot_data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "pliant/input_error.h"

namespace pliant::picture {
namespace {

bool is_meant(const std::string& column, const std::string& word) {
  return column == word || (column.size() > word.size() && column.starts_with(word) && column[word.size()] == '.');
}

// The columns without what follows their first dot, each once, in their order.
std::string plot_words(const io::ProbeTable& table) {
  std::vector<std::string> words;
  for (const std::string& column : table.columns) {
    const std::string word = column.substr(0, column.find('.'));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace

PlotData plot_series(const io::ProbeTable& table, const std::string& word) {
  PlotData data;
  data.unit = unit_of(word);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (!is_meant(table.columns[column], word)) continue;
    Series series{table.columns[column], {}, {}};
    for (const io::ProbeRow& row : table.rows) {
      series.x.push_back(row.time);
      series.y.push_back(row.values[column]);
    }
    data.series.push_back(std::move(series));
  }
  if (table.columns.empty()) throw InputError("the run has no probes to plot; name some under `probes:` in its scene");
  if (data.series.empty()) throw InputError("the run has no probe '" + word + "'; there are: " + plot_words(table));
  if (table.rows.empty()) throw InputError("the run has no rows to plot yet; let it go on a little");
  return data;
}

std::string unit_of(const std::string& name) {
  // The first that occurs in the name counts; longer words before those that they contain.
  static const std::array<std::pair<const char*, const char*>, 9> kUnits = {{{"energy", "J"},
                                                                             {"velocity", "m/s"},
                                                                             {"speed", "m/s"},
                                                                             {"force", "N"},
                                                                             {"volume", "m³"},
                                                                             {"stretch", "1"},
                                                                             {"position", "m"},
                                                                             {"displacement", "m"},
                                                                             {"time", "s"}}};
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto& [word, unit] : kUnits)
    if (small.find(word) != std::string::npos) return unit;
  return "";
}

}  // namespace pliant::picture
