// pliant check, export, info: short commands.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "library_versions.h"
#include "pliant/io/export.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/expectations.h"
#include "pliant/scene/presets.h"
#include "pliant/scene/probe_set.h"
#include "pliant/scene/reader.h"
#include "pliant/scene/run_summary.h"
#include "pliant/scene/schema_names.h"
#include "pliant/viewer/html_export.h"

namespace pliant::cli {
int check(const CheckArguments& arguments) {
  const Scene scene = read_scene(arguments.scene, arguments.overrides);
  const BuiltScene built = build(scene);
  const scene::ProbeSet probes(scene, built.model, built.state);
  const scene::Expectations expectations(scene, probes.columns());
  std::size_t vertices = 0, tets = 0, triangles = 0, segments = 0;
  for (const ModelBody& body : built.model.bodies) {
    vertices += body.rest.vertices.size();
    tets += body.rest.tets.size();
    triangles += body.triangles.size();
    segments += body.segments.size();
  }
  std::string elements;
  if (tets > 0) elements += fmt::format("{} tets, ", tets);
  if (triangles > 0) elements += fmt::format("{} triangles, ", triangles);
  if (segments > 0) elements += fmt::format("{} edges, ", segments);
  for (const std::string& note : built.notes) print(note + "\n");
  print(fmt::format("{} is valid: {} bodies, {} vertices, {}{} pins, {} loads, {} probe columns, {} expectations\n",
                    arguments.scene, built.model.bodies.size() + built.model.obstacles.size(), vertices, elements,
                    built.model.pins.size(), built.model.loads.size(), probes.columns().size(), scene.expect.size()));
  return kDone;
}

int export_result(const ExportArguments& arguments) {
  const std::filesystem::path folder(arguments.folder);
  const bool is_file = arguments.format == "usda" || arguments.format == "glb" || arguments.format == "html";
  const std::filesystem::path output = !arguments.output.empty() ? std::filesystem::path(arguments.output)
                                       : is_file                 ? folder / ("result." + arguments.format)
                                                                 : folder / arguments.format;
  if (arguments.format == "html") {
    const viewer::HtmlReport report = viewer::export_html(folder, output);
    print(fmt::format("{} frames in {} ({:.1f} MB)\n", report.frame_count, output.string(),
                      1e-6 * static_cast<double>(report.bytes)));
    return kDone;
  }
  const io::ExportReport report = io::export_result(folder, io::export_format_from(arguments.format), output);
  if (!is_file) {
    print(fmt::format("{} frames, {} files in {}\n", report.frame_count, report.file_count, output.string()));
  } else if (report.kept_frames < report.frame_count) {
    print(fmt::format("{} of {} frames in {}: viewers blend between them\n", report.kept_frames, report.frame_count,
                      output.string()));
  } else {
    print(fmt::format("{} frames in {}\n", report.frame_count, output.string()));
  }
  return kDone;
}

namespace {

// Young's modulus, or those of warp and weft.
std::string young_text(const scene::Material& m) {
  if (m.model == scene::MaterialModel::orthotropic_st_venant_kirchhoff)
    return fmt::format("{:.4g}/{:.4g}", m.young_warp, m.young_weft);
  return fmt::format("{:.4g}", m.young);
}

void print_materials() {
  constexpr const char* kRow = "{:<12} {:<32} {:>9} {:>13} {:>8}  {}\n";
  print(fmt::format(fmt::runtime(kRow), "name", "model", "density", "young", "poisson", "source"));
  print(fmt::format(fmt::runtime(kRow), "", "", "kg/m³", "Pa", "", ""));
  for (const scene::MaterialPreset& preset : scene::material_presets()) {
    const scene::Material& m = preset.material;
    const bool is_rod = m.model == scene::MaterialModel::elastic_rod;  // has a shear modulus instead
    print(fmt::format(fmt::runtime(kRow), m.name, scene::word_for(m.model), fmt::format("{:.4g}", m.density),
                      young_text(m), is_rod ? "-" : fmt::format("{:g}", m.poisson), preset.reference));
  }
}

}  // namespace

int info(const InfoArguments& arguments) {
  if (arguments.materials) {
    print_materials();
    return kDone;
  }
  print(fmt::format("pliant {}\n", version()));
  print(fmt::format("build: {}\n", PLIANT_BUILD));
#ifdef PLIANT_WITH_CHOLMOD
  print("direct solver: CHOLMOD supernodal (GPL-2.0-or-later) on OpenBLAS\n");
#else
  print("direct solver: Eigen LDLT (MPL-2.0)\n");
#endif
  if (const std::string kernels = blas_kernels(); !kernels.empty()) print(fmt::format("BLAS: {}\n", kernels));
  print(fmt::format("libraries: {}\n", fmt::join(library_versions(), ", ")));
  print(fmt::format("threads: {} (one per core; --threads N changes it)\n", thread_count()));
  print("licence: Apache-2.0\n");
  return kDone;
}

}  // namespace pliant::cli
