// Every mesh Pliant can make by itself, in one include.
//
//   TriangleMesh sheet = make_grid({.size = {1.0, 1.0}, .cells = {40, 40}});
//   TetMesh block = make_box({.size = {0.1, 0.1, 1.0}, .cells = {4, 4, 40}});
//
// Y is up, lengths are metres, meshes are centred at the origin (strands start there), closed surfaces face outwards.
// The last argument of each function is the place ("scene.yaml:12") an InputError about its options should name.
#pragma once

#include "pliant/mesh/ball_mesh.h"       // IWYU pragma: export
#include "pliant/mesh/box_mesh.h"        // IWYU pragma: export
#include "pliant/mesh/grid_sheet.h"      // IWYU pragma: export
#include "pliant/mesh/polyline.h"        // IWYU pragma: export
#include "pliant/mesh/round_surfaces.h"  // IWYU pragma: export
