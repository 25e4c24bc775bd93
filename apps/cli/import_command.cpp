// pliant import: a scene file from a robot description.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"
#include "pliant/scene/import_urdf.h"

namespace pliant::cli {

int import_robot(const ImportArguments& arguments) {
  scene::UrdfImport wanted;
  wanted.file = arguments.file;
  wanted.output = arguments.output.empty() ? std::filesystem::path(arguments.file).filename().replace_extension(".yaml")
                                           : std::filesystem::path(arguments.output);
  wanted.base = arguments.fixed_base ? scene::UrdfBase::fixed : scene::UrdfBase::free;
  for (const std::string& option : arguments.pose) {
    const std::size_t equals = option.find('=');
    double value = 0;
    if (equals == std::string::npos || !io::parse_number(std::string_view(option).substr(equals + 1), value))
      throw InputError("--pose " + option, "expected joint=value, in degrees or m, such as --pose elbow=30");
    wanted.pose[option.substr(0, equals)] = value;
  }
  const scene::ImportedScene scene = scene::import_urdf_file(wanted);
  for (const std::string& note : scene.notes) print(fmt::format("note: {}\n", note));
  print(fmt::format("{}: {} bodies, {} joints\n", wanted.output.string(), scene.body_count, scene.joint_count));
  return kDone;
}

}  // namespace pliant::cli
