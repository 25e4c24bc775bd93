// Which vertices a `where` of the scene means, as points that move with the unknowns.
//
// `vertices` counts the body's own mesh, or the surface the user gave when it was tetrahedralised; the other forms
// select vertices of the simulation mesh by their place at t = 0. After a tear a selection means the same places: copies
// of a vertex are selected if the vertex is.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pliant/contact/surface_map.h"
#include "pliant/dynamics/model.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

struct SelectedPoint {
  int vertex = 0;  // the user's number
  MappedPoint point;
};

// Never empty: an empty selection is an InputError at `place` that says what the body's extent is.
[[nodiscard]] std::vector<SelectedPoint> select(const Model& model, const State& start, int body,
                                                const Selection& where, const std::string& place);

// Whether a vertex at x is meant by `where`; `boundary` means every vertex here. border: m, added to boxes and spheres.
[[nodiscard]] bool is_selected(const Selection& where, int vertex, const Vec3& x, double border = 0);

// A vertex of the surface that was given for the body, as a mix of its tet's corners.
[[nodiscard]] MappedPoint embedded_point(const ModelBody& body, int vertex);

// The border as vertices of `rest`. Solids: the surface. Sheets: their edge. Lines: their ends.
[[nodiscard]] std::set<int> border_vertices(const ModelBody& body);

// The blocks of a selection, each once, ascending. A surface vertex inside a tet stands for all four corners.
[[nodiscard]] std::vector<int> blocks_of(const std::vector<SelectedPoint>& points);

// Boundary triangles of the body, all of whose corners are in `blocks` (ascending), as block indices.
[[nodiscard]] std::vector<Vec3i> boundary_triangles_of(const Model& model, int body, const std::vector<int>& blocks);

// Bodies of the model that a name in the scene stands for: one, or all copies ("boxes" → "boxes.0", "boxes.1", …).
[[nodiscard]] std::vector<int> bodies_named(const Model& model, const std::string& name);

}  // namespace pliant::scene
