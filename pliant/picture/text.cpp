#include "pliant/picture/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pliant::picture {
namespace {

// Strokes separated by blanks. A stroke is a sort and its points, two base-36 digits x, y each, the baseline at y = 3:
//   -  straight lines through the points (one point: a dot)
//   ~  a curve from the first to the last point, drawn towards those between: it passes halfway between neighbours
//   o  the same, closed
struct Glyph {
  char32_t code;
  std::string_view strokes;
};
constexpr Glyph kGlyphs[] = {{U'0', "o0c5c5303"},
                             {U'1', "-0a2c23"},
                             {U'2', "~0a0c5c5803 -0353"},
                             {U'3', "~0b0c5c5828 ~2858530304"},
                             {U'4', "-434c0656"},
                             {U'5', "-5c0c08 ~0859530304"},
                             {U'6', "o08585303 ~4c0b05"},
                             {U'7', "-0c5c13"},
                             {U'8', "o0c5c5808 o08585303"},
                             {U'9', "o0c5c5707 ~5a5413"},
                             {U'A', "-033c63 -1656"},
                             {U'B', "-2c0c0323 -0828 ~2c5c5828 ~28686323"},
                             {U'C', "~6a6c0c036365"},
                             {U'D', "-2c0c0323 ~2c6c6323"},
                             {U'E', "-5c0c0353 -0848"},
                             {U'F', "-5c0c03 -0848"},
                             {U'G', "~6a6c0c036367 -6737"},
                             {U'H', "-0c03 -6c63 -0868"},
                             {U'I', "-0c03"},
                             {U'J', "~4c430305"},
                             {U'K', "-0c03 -5c07 -2953"},
                             {U'L', "-0c0353"},
                             {U'M', "-030c366c63"},
                             {U'N', "-030c636c"},
                             {U'O', "o0c6c6303"},
                             {U'P', "-030c2c ~2c6c6727 -2707"},
                             {U'Q', "o0c6c6303 -4572"},
                             {U'R', "-030c2c ~2c6c6727 -2707 -3763"},
                             {U'S', "~5b5c0c0858530304"},
                             {U'T', "-0c6c -3c33"},
                             {U'U', "-0c06 ~06036366 -666c"},
                             {U'V', "-0c336c"},
                             {U'W', "-0c234b638c"},
                             {U'X', "-0c63 -036c"},
                             {U'Y', "-0c386c -3833"},
                             {U'Z', "-0c6c0363"},
                             {U'a', "o09595303 -5953"},
                             {U'b', "o09595303 -0c03"},
                             {U'c', "~585909035354"},
                             {U'd', "o09595303 -5c53"},
                             {U'e', "~565909035354 -0656"},
                             {U'f', "~3c1c19 -1913 -0939"},
                             {U'g', "o09595303 -5952 ~52500001"},
                             {U'h', "-0c03 ~07095957 -5753"},
                             {U'i', "-0903 -0c"},
                             {U'j', "-1912 ~121000 -1c"},
                             {U'k', "-0c03 -4905 -2743"},
                             {U'l', "-0c05 ~050323"},
                             {U'm', "-0903 ~07093937 -3733 ~37396967 -6763"},
                             {U'n', "-0903 ~07095957 -5753"},
                             {U'o', "o09595303"},
                             {U'p', "o09595303 -0900"},
                             {U'q', "o09595303 -5950"},
                             {U'r', "-0903 ~07093938"},
                             {U's', "~4849090646430304"},
                             {U't', "-1b15 ~151333 -0939"},
                             {U'u', "-0905 ~05035355 -5953"},
                             {U'v', "-092349"},
                             {U'w', "-0923486389"},
                             {U'x', "-0943 -0349"},
                             {U'y', "-0923 -4910"},
                             {U'z', "-09490343"},
                             {U'.', "-13"},
                             {U',', "-1301"},
                             {U'-', "-0747"},
                             {U'\u2212', "-0747"},
                             {U'+', "-0747 -2925"},
                             {U'=', "-0848 -0646"},
                             {U'/', "-024d"},
                             {U':', "-14 -18"},
                             {U'[', "-2d0d0121"},
                             {U']', "-0d2d2101"},
                             {U'(', "~2d0a0421"},
                             {U')', "~0d2a2401"},
                             {U'_', "-0252"},
                             {U'%', "o0c2c2909 o46666343 -5c13"},
                             {U'^', "-0a2c4a"},
                             {U'<', "-4a0743"},
                             {U'>', "-0a4703"},
                             {U'\u00b2', "~0b0d3d3b08 -0838"},
                             {U'\u00b3', "~0c0d3d3b1b ~1b3b380809"},
                             {U'\u00b0', "o0d2d2b0b"},
                             {U'\u00b7', "-17"},
                             {U'\u00d7', "-0549 -0945"},
                             {U'\u00b5', "-0900 ~05035355 -5953"},
                             {U' ', ""}};

constexpr std::string_view kUnknownGlyph = "-030c5c5303";
constexpr double kCapHeight = 9, kBaseline = 3;  // grid units
constexpr double kSpace = 4, kGap = 2.4;         // grid units: width of a blank, distance between letters
constexpr double kStrokeShare = 0.125;           // stroke width over cap height: a regular, not a bold face
constexpr int kCurvePieces = 6;

std::string_view strokes_of(char32_t code) {
  const auto* found =
      std::find_if(std::begin(kGlyphs), std::end(kGlyphs), [&](const Glyph& g) { return g.code == code; });
  return found == std::end(kGlyphs) ? kUnknownGlyph : found->strokes;
}

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// Quadratic pieces between the midpoints of the control polygon; ends are met exactly when open.
std::vector<Vec2> curve(const std::vector<Vec2>& control, bool is_closed) {
  std::vector<Vec2> line;
  const std::size_t n = control.size();
  const auto middle = [&](std::size_t i) { return Vec2((control[i % n] + control[(i + 1) % n]) / 2); };
  const std::size_t first = is_closed ? 0 : 1, last = is_closed ? n : n - 1;
  for (std::size_t i = first; i < last; ++i) {
    const Vec2 begin = !is_closed && i == 1 ? control[0] : middle(i + n - 1);
    const Vec2 end = !is_closed && i + 2 == n ? control[n - 1] : middle(i);
    for (int k = 0; k <= kCurvePieces; ++k) {
      const double t = static_cast<double>(k) / kCurvePieces;
      line.emplace_back((1 - t) * (1 - t) * begin + 2 * t * (1 - t) * control[i] + t * t * end);
    }
  }
  return line;
}

std::vector<std::vector<Vec2>> glyph_strokes(std::string_view glyph) {
  std::vector<std::vector<Vec2>> strokes;
  while (!glyph.empty()) {
    const std::string_view stroke = glyph.substr(0, glyph.find(' '));
    glyph.remove_prefix(std::min(glyph.size(), stroke.size() + 1));
    std::vector<Vec2> points;
    for (std::size_t i = 1; i + 1 < stroke.size(); i += 2)
      points.emplace_back(digit(stroke[i]), digit(stroke[i + 1]) - kBaseline);
    strokes.push_back(stroke[0] == '-' ? points : curve(points, stroke[0] == 'o'));
  }
  return strokes;
}

// The code points of UTF-8 text; bytes that are none are taken as they are.
std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int rest = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    char32_t code = rest == 0 ? lead : lead & (0x3fU >> rest);
    for (int k = 0; k < rest && i < text.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3fU);
    result.push_back(code);
  }
  return result;
}

struct LineLayout {
  std::vector<std::vector<Vec2>> strokes;  // grid units
  double width = 0;
};

LineLayout layout(std::string_view text) {
  LineLayout line;
  double pen = 0;
  for (const char32_t code : code_points(text)) {
    double width = code == U' ' ? kSpace - kGap : 0;
    for (std::vector<Vec2>& stroke : glyph_strokes(strokes_of(code))) {
      for (Vec2& point : stroke) {
        width = std::max(width, point[0]);
        point[0] += pen;
      }
      line.strokes.push_back(std::move(stroke));
    }
    line.width = pen + width;
    pen = line.width + kGap;
  }
  return line;
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const double length_squared = (b - a).squaredNorm();
  const double t = length_squared > 0 ? std::clamp((p - a).dot(b - a) / length_squared, 0.0, 1.0) : 0.0;
  return (p - a - t * (b - a)).norm();
}

}  // namespace

double text_width(std::string_view text, double cap_height) { return layout(text).width * cap_height / kCapHeight; }

std::vector<std::vector<Vec2>> text_strokes(std::string_view text, double cap_height) {
  std::vector<std::vector<Vec2>> strokes = layout(text).strokes;
  for (std::vector<Vec2>& stroke : strokes)
    for (Vec2& point : stroke) point = Vec2(point[0], -point[1]) * (cap_height / kCapHeight);
  return strokes;
}

void draw_text(Image& image, Vec2 baseline, std::string_view text, double cap_height, Rgb8 colour) {
  const double half_width = std::max(1.0, kStrokeShare * cap_height) / 2;
  for (const std::vector<Vec2>& stroke : text_strokes(text, cap_height)) {
    Vec2 low = stroke[0], high = stroke[0];
    for (const Vec2& point : stroke) low = low.cwiseMin(point), high = high.cwiseMax(point);
    const double reach = half_width + 1;
    // Pixels around the stroke; where strokes of a letter meet, the later adds nothing to what is already dark.
    for (int y = static_cast<int>(std::floor(baseline[1] + low[1] - reach)); y <= baseline[1] + high[1] + reach; ++y) {
      for (int x = static_cast<int>(std::floor(baseline[0] + low[0] - reach)); x <= baseline[0] + high[0] + reach;
           ++x) {
        const Vec2 pixel = Vec2(x + 0.5, y + 0.5) - baseline;
        double distance = (pixel - stroke[0]).norm();
        for (std::size_t i = 1; i < stroke.size(); ++i)
          distance = std::min(distance, distance_to_segment(pixel, stroke[i - 1], stroke[i]));
        image.blend(x, y, colour, std::clamp(half_width + 0.5 - distance, 0.0, 1.0));
      }
    }
  }
}

}  // namespace pliant::picture
