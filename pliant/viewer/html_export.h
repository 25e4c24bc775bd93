// A result as one HTML file: the viewer's page with all its data inside, to be opened from disk.
#pragma once

#include <cstdint>
#include <filesystem>

namespace pliant::viewer {

struct HtmlReport {
  std::int64_t frame_count = 0;
  std::int64_t bytes = 0;
};

// Positions are kept as 16-bit steps between each body's bounds, quantities as floats. Throws InputError and WriteError.
[[nodiscard]] HtmlReport export_html(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace pliant::viewer
