// From text to a checked Scene: parse, override, read by the schema, resolve materials and curve files, check.
#include "pliant/scene/reader.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "pliant/input_error.h"
#include "pliant/io/number_rows.h"
#include "pliant/scene/override.h"
#include "pliant/scene/presets.h"
#include "pliant/scene/reader_visitor.h"
#include "pliant/scene/schema.h"
#include "pliant/scene/settings_check.h"
#include "pliant/scene/yaml_document.h"

namespace pliant {
namespace {

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw InputError(file.string(), "the file does not exist or is not a regular file; check the path");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputError(file.string(), "the file cannot be read; check its permissions");
  return text.str();
}

// Presets that bodies name become materials of the scene, after the file's own, which win over presets.
void add_presets(Scene& scene) {
  for (const scene::Body& body : scene.bodies) {
    const auto is_it = [&body](const scene::Material& material) { return material.name == body.material; };
    if (std::any_of(scene.materials.begin(), scene.materials.end(), is_it)) continue;
    const scene::MaterialPreset* preset = scene::find_preset(body.material);
    if (preset == nullptr) continue;  // an unknown name: check_scene says so
    scene.materials.push_back(preset->material);
    scene.materials.back().source = body.source;
  }
}

// A curve file: a stretch and a value on each line.
void load_curve(scene::SplineCurve& curve) {
  if (!curve.file) return;
  constexpr const char* kColumns[] = {"the stretch", "the value in Pa"};
  const std::vector<double> numbers =
      io::read_number_rows(read_text_file(curve.file->resolved), curve.file->written, kColumns);
  curve.points.clear();
  for (std::size_t i = 0; i < numbers.size(); i += 2) curve.points.emplace_back(numbers[i], numbers[i + 1]);
}

}  // namespace

Scene parse_scene(std::string_view text, const std::string& name, const ParseOptions& options) {
  scene::YamlNode document = scene::parse_yaml(text, name);
  if (document.kind != scene::YamlNode::Kind::map) {
    throw InputError(document.place(), "a scene is a map that begins with 'pliant: 1', got " + document.summary());
  }
  for (const std::string& option : options.overrides) scene::apply_override(document, option);

  Scene scene;
  scene::ReaderVisitor reader(document, "", options.folder);
  scene::describe(reader, scene);
  reader.refuse_unknown_keys();

  add_presets(scene);
  for (scene::Material& material : scene.materials) {
    for (scene::SplineCurve* curve : {&material.a, &material.b, &material.c}) load_curve(*curve);
  }
  scene::check_scene(scene);
  return scene;
}

Scene read_scene(const std::filesystem::path& file, std::span<const std::string> overrides) {
  return parse_scene(read_text_file(file), file.string(), {.folder = file.parent_path(), .overrides = overrides});
}

}  // namespace pliant
