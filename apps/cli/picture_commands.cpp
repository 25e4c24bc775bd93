// pliant render and pliant plot: pictures, videos and charts of a result.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <optional>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/drawn_result.h"
#include "pliant/io/probes_csv.h"
#include "pliant/parallel/parallel.h"
#include "pliant/picture/picture.h"
#include "pliant/picture/plot.h"
#include "pliant/picture/png.h"
#include "pliant/scene/reader.h"

namespace pliant::cli {
namespace {

constexpr int kGapOfStrips = 6;  // pixels between frames side by side

// "1,2.5,-3" with `count` numbers.
std::vector<double> numbers_of(const std::string& text, std::size_t count, const std::string& option) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    std::size_t used = 0;
    try {
      numbers.push_back(std::stod(word, &used));
    } catch (const std::exception&) {
      used = std::string::npos;
    }
    if (used != word.size()) throw InputError(fmt::format("{}: '{}' is not a number", option, word));
    begin = comma + 1;
  }
  if (numbers.size() != count)
    throw InputError(fmt::format("{} needs {} numbers with commas between them, got '{}'", option, count, text));
  return numbers;
}

Vec3 point_of(const std::string& text, const std::string& option) {
  const std::vector<double> n = numbers_of(text, 3, option);
  return {n[0], n[1], n[2]};
}

// The frames asked for: last, all, a number, or several of them for a strip.
std::vector<std::int64_t> frames_of(const std::string& word, std::int64_t count) {
  std::vector<std::int64_t> frames;
  if (word == "last") return {count - 1};
  if (word == "all") {
    for (std::int64_t f = 0; f < count; ++f) frames.push_back(f);
    return frames;
  }
  const auto commas = static_cast<std::size_t>(std::count(word.begin(), word.end(), ','));
  for (const double number : numbers_of(word, commas + 1, "--frame")) {
    const auto frame = static_cast<std::int64_t>(number);
    if (static_cast<double>(frame) != number || frame < 0 || frame >= count) {
      throw InputError(
          fmt::format("--frame {}: the result has the frames 0 to {}; use one of them, last or all", word, count - 1));
    }
    frames.push_back(frame);
  }
  return frames;
}

// A name that promises another format than is written.
void check_ending(const std::string& output, const std::string& ending, const std::string& what) {
  const std::string found = std::filesystem::path(output).extension().string();
  if (!found.empty() && found != ending)
    throw InputError(fmt::format("-o {}: {}; give a name that ends in {}", output, what, ending));
}

picture::PictureOptions options_of(const RenderArguments& arguments) {
  picture::PictureOptions options;
  const std::size_t cross = arguments.size.find('x');
  if (cross == std::string::npos) throw InputError("--size must be like 1280x720, got '" + arguments.size + "'");
  options.width = static_cast<int>(numbers_of(arguments.size.substr(0, cross), 1, "--size")[0]);
  options.height = static_cast<int>(numbers_of(arguments.size.substr(cross + 1), 1, "--size")[0]);
  if (arguments.camera == "scene") {
    try {
      const Scene scene = read_scene(std::filesystem::path(arguments.folder) / "scene.yaml");
      options.camera = {scene.view.camera.from, scene.view.camera.to, scene.view.camera.up, scene.view.camera.degrees};
    } catch (const InputError&) {
      // A result without a readable scene is looked at by a fitted camera.
    }
  } else if (arguments.camera != "fitted") {
    throw InputError("--camera must be scene or fitted, got '" + arguments.camera + "'");
  }
  if (!arguments.from.empty()) options.camera.from = point_of(arguments.from, "--from");
  if (!arguments.to.empty()) options.camera.to = point_of(arguments.to, "--to");
  if (!arguments.direction.empty()) options.direction = point_of(arguments.direction, "--direction");
  options.quantity = arguments.quantity;
  if (!arguments.range.empty()) {
    const std::vector<double> range = numbers_of(arguments.range, 2, "--range");
    options.range = {range[0], range[1]};
  }
  options.wireframe = arguments.wireframe;
  options.samples = arguments.samples;
  options.has_ground = arguments.ground != "none";
  if (!arguments.ground.empty() && options.has_ground) options.ground = numbers_of(arguments.ground, 1, "--ground")[0];
  return options;
}

// ffmpeg, fed with raw frames through a pipe.
class Video {
 public:
  Video(const std::string& file, const picture::PictureOptions& options, double frames_per_second) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw InputError("the video cannot be made: no pipe");
    const std::string size = fmt::format("{}x{}", options.width, options.height),
                      rate = fmt::format("{:.6g}", frames_per_second);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[0], STDIN_FILENO);
      // yuv420p, and sizes cut to even numbers: what browsers and phones play.
      ::execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
               size.c_str(), "-r", rate.c_str(), "-i", "-", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt",
               "yuv420p", "-crf", "18", file.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[0]);
    pipe_ = ends[1];
  }
  ~Video() {
    if (pipe_ >= 0) ::close(pipe_);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  void append(const picture::Image& image) {
    for (std::size_t done = 0; done < image.rgb.size();) {
      const ssize_t count = ::write(pipe_, image.rgb.data() + done, image.rgb.size() - done);
      if (count <= 0) {
        finish();
        throw InputError("ffmpeg stopped before the video was done");
      }
      done += static_cast<std::size_t>(count);
    }
  }
  void finish() {
    ::close(pipe_);
    pipe_ = -1;
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      throw InputError("--video needs ffmpeg, which is not installed (Debian: apt install ffmpeg)");
    if (status != 0) throw InputError("ffmpeg could not make the video; its message is above");
  }

 private:
  pid_t child_ = 0;
  int pipe_ = -1;
};

std::string numbered(const std::string& file, std::int64_t frame) {
  const std::filesystem::path path(file);
  return (path.parent_path() / fmt::format("{}_{:04}{}", path.stem().string(), frame, path.extension().string()))
      .string();
}

}  // namespace

int render(const RenderArguments& arguments) {
  check_ending(arguments.output, ".png", "pictures are PNG files");
  set_thread_count(arguments.threads);
  std::signal(SIGPIPE, SIG_IGN);  // ffmpeg may be missing or die: that is said, not died of
  io::DrawnResult result(arguments.folder);
  if (result.frame_count() == 0) throw InputError(arguments.folder, "the result has no frames yet");
  const picture::PictureOptions options = options_of(arguments);
  const std::string word = arguments.frame.empty() ? (arguments.video.empty() ? "last" : "all") : arguments.frame;
  const std::vector<std::int64_t> frames = frames_of(word, result.frame_count());
  picture::PictureMaker maker(result, options);

  if (!arguments.video.empty()) {
    const std::vector<double>& times = result.outline().times;
    const double length = times.back() - times.front();
    const double rate = length > 0 ? static_cast<double>(times.size() - 1) / length : 30;
    Video video(arguments.video, options, rate);
    for (const std::int64_t frame : frames) video.append(maker.frame(frame));
    video.finish();
    print(fmt::format("{}: {} frames\n", arguments.video, frames.size()));
    if (arguments.output.empty()) return kDone;
  }
  const std::string output = arguments.output.empty() ? "picture.png" : arguments.output;
  if (word == "all") {
    for (const std::int64_t frame : frames) picture::write_png(numbered(output, frame), maker.frame(frame));
    print(fmt::format("{} … {}\n", numbered(output, frames.front()), numbered(output, frames.back())));
    return kDone;
  }
  std::vector<picture::Image> images;
  images.reserve(frames.size());
  for (const std::int64_t frame : frames) images.push_back(maker.frame(frame));
  picture::write_png(output, images.size() == 1 ? images[0] : picture::side_by_side(images, kGapOfStrips));
  print(output + "\n");
  return kDone;
}

int plot(const PlotArguments& arguments) {
  check_ending(arguments.output, ".svg", "curves are SVG files");
  const std::filesystem::path folder(arguments.folder);
  io::ProbeTable table = io::read_probes(folder / "probes.csv");
  // Probes and the solver's own record have a row per nominal step each.
  if (std::filesystem::exists(folder / "convergence.csv")) {
    const io::ProbeTable solver = io::read_probes(folder / "convergence.csv");
    table.rows.resize(std::min(table.rows.size(), solver.rows.size()));
    table.columns.insert(table.columns.end(), solver.columns.begin(), solver.columns.end());
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      table.rows[r].values.insert(table.rows[r].values.end(), solver.rows[r].values.begin(),
                                  solver.rows[r].values.end());
  }
  std::vector<picture::Series> series;
  std::string unit, words;
  for (std::size_t w = 0; w < arguments.words.size(); ++w) {
    const picture::PlotData data = picture::plot_series(table, arguments.words[w]);
    series.insert(series.end(), data.series.begin(), data.series.end());
    unit = w == 0 || unit == data.unit ? data.unit : "";
    words += (words.empty() ? "" : ", ") + arguments.words[w];
  }
  picture::PlotOptions options;
  options.title = arguments.title.empty() ? folder.filename().string() : arguments.title;
  options.y_label = unit.empty() ? words : fmt::format("{} [{}]", words, unit);
  if (arguments.log) options.y_scale = picture::PlotScale::logarithmic;
  if (arguments.linear) options.y_scale = picture::PlotScale::linear;
  const std::string output = arguments.output.empty() ? arguments.words[0] + ".svg" : arguments.output;
  io::write_file_atomically(output, picture::plot_svg(series, options));
  print(output + "\n");
  return kDone;
}

}  // namespace pliant::cli
