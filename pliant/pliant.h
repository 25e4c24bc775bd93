// Everything a program that uses Pliant as a library needs, in one include.
//
//   BuiltScene built = build(read_scene("scene.yaml"));   // what was asked → what is simulated
//   Simulation simulation(std::move(built.model), std::move(built.state), built.options);
//   while (simulation.state().time < end) {
//     if (!simulation.advance(0.01).reached) break;       // docs/step.md
//     Vec3 x = simulation.state().positions[simulation.model().bodies[0].block_of_vertex[vertex]];
//   }
//
// run_scene() does the same with a result folder, probes, checkpoints and a summary, as `pliant run` does. Bad input is
// an InputError, a file that cannot be written an io::WriteError; a step that cannot be solved is a status in the
// report. CMake: find_package(Pliant), link pliant::core (examples/hello). Units are SI, Y is up.
#pragma once

#include "pliant/dynamics/simulation.h"  // IWYU pragma: export
#include "pliant/input_error.h"          // IWYU pragma: export
#include "pliant/io/export.h"            // IWYU pragma: export
#include "pliant/io/mesh_file.h"         // IWYU pragma: export
#include "pliant/io/result_reader.h"     // IWYU pragma: export
#include "pliant/io/write_error.h"       // IWYU pragma: export
#include "pliant/mesh/generators.h"      // IWYU pragma: export
#include "pliant/mesh/tetrahedralize.h"  // IWYU pragma: export
#include "pliant/parallel/parallel.h"    // IWYU pragma: export
#include "pliant/scene/build_model.h"    // IWYU pragma: export
#include "pliant/scene/reader.h"         // IWYU pragma: export
#include "pliant/scene/run_scene.h"      // IWYU pragma: export
#include "pliant/scene/run_summary.h"    // IWYU pragma: export
#include "pliant/scene/scene.h"          // IWYU pragma: export
