#include "pliant/scene/tearing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pliant/input_error.h"
#include "pliant/scene/build_bodies.h"
#include "pliant/scene/element_stretches.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

std::vector<Vec3> positions_of(const ModelBody& body, const State& state) {
  std::vector<Vec3> positions;
  for (const int block : body.block_of_vertex) positions.emplace_back(state.positions[block]);
  return positions;
}

// Elements around each vertex, ascending.
template <class Element>
std::vector<std::vector<int>> elements_around(const std::vector<Element>& elements, std::size_t vertex_count) {
  std::vector<std::vector<int>> around(vertex_count);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const int v : elements[e]) around[v].push_back(static_cast<int>(e));
  }
  return around;
}

// Where a body parts by itself: around a vertex of each element that is stretched too far and furthest of its
// neighbours; of its vertices the one whose elements bear most comes first.
template <class Element>
MeshOpening split_where_stretched(const std::vector<Element>& elements, const std::vector<Stretch>& stretches,
                                  const std::vector<Vec3>& x, double limit) {
  const std::vector<std::vector<int>> around = elements_around(elements, x.size());
  const std::vector<Element> across = across_faces<Element>(elements);
  const auto is_furthest = [&](int e) {
    for (const int v : elements[e]) {
      for (const int other : around[v]) {
        const bool is_more = stretches[other].size > stretches[e].size;
        if (is_more || (stretches[other].size == stretches[e].size && other < e)) return false;
      }
    }
    return true;
  };
  const auto load = [&](int v) {
    double sum = 0;
    for (const int e : around[v]) sum += stretches[e].size;
    return sum / static_cast<double>(around[v].size());
  };
  MeshOpening all;
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    if (!(stretches[e].size > limit) || !is_furthest(e)) continue;
    std::vector<int> vertices(elements[e].begin(), elements[e].end());
    std::stable_sort(vertices.begin(), vertices.end(), [&](int a, int b) { return load(a) > load(b); });
    for (const int v : vertices) {
      const MeshOpening opening = part_vertex<Element>(elements, across, around[v], x, v, stretches[e].direction);
      all.faces.insert(all.faces.end(), opening.faces.begin(), opening.faces.end());
      if (!opening.empty()) break;
    }
  }
  return all;
}

template <class Element>
MeshOpening tear_of(const std::vector<Element>& elements, const std::vector<Stretch>& stretches,
                    const std::vector<Vec3>& x, const BodyTearing& tearing) {
  if (tearing.by == TearForm::splitting) return split_where_stretched(elements, stretches, x, tearing.stretch);
  MeshOpening opening;
  for (std::size_t e = 0; e < stretches.size(); ++e) {
    if (stretches[e].size > tearing.stretch) opening.removed.push_back(static_cast<int>(e));
  }
  return opening;
}

template <class Element>
MeshOpening cut_of(const std::vector<Element>& elements, const std::vector<Vec3>& x, const std::vector<char>& selected,
                   const Cut& cut) {
  const auto height = [&](const Vec3& p) { return (p - cut.point).dot(cut.normal); };
  const auto takes_part = [&](int e) {
    return std::all_of(elements[e].begin(), elements[e].end(), [&](int v) { return selected[v] != 0; });
  };
  MeshOpening opening;
  if (cut.by == TearForm::removal) {
    for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
      const auto above = std::count_if(elements[e].begin(), elements[e].end(), [&](int v) { return height(x[v]) > 0; });
      if (above > 0 && above < elements[e].size() && takes_part(e)) opening.removed.push_back(e);
    }
    return opening;
  }
  const std::vector<Element> across = across_faces<Element>(elements);
  std::vector<char> is_above(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    Vec3 centre = Vec3::Zero();
    for (const int v : elements[e]) centre += x[v];
    is_above[e] = height(centre / static_cast<double>(elements[e].size())) > 0;
  }
  // An element with all its neighbours on the other side would be a crumb: it joins them.
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto is_alike = [&](int other) { return other >= 0 && is_above[other] == is_above[e]; };
    const bool has_neighbours = std::any_of(across[e].begin(), across[e].end(), [](int other) { return other >= 0; });
    if (has_neighbours && std::none_of(across[e].begin(), across[e].end(), is_alike)) is_above[e] ^= 1;
  }
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    for (const int other : across[e]) {
      if (other > e && is_above[e] != is_above[other] && takes_part(e) && takes_part(other))
        opening.faces.push_back({e, other});
    }
  }
  return opening;
}

void append(const MeshOpening& more, MeshOpening& opening) {
  opening.faces.insert(opening.faces.end(), more.faces.begin(), more.faces.end());
  opening.removed.insert(opening.removed.end(), more.removed.begin(), more.removed.end());
}

// Mass of removed elements stays at their vertices; a vertex that gets copies shares what it has with them.
template <class Element>
void keep_loose_mass(const std::vector<Element>& before, const std::vector<double>& masses, const OpenedMesh& opened,
                     std::vector<double>& loose) {
  for (const int e : opened.removed) {
    for (const int v : before[e]) loose[v] += masses[e] / static_cast<double>(before[e].size());
  }
  std::vector<int> copies(loose.size(), 0);
  for (const int v : opened.source) ++copies[v];
  for (std::size_t v = 0; v < copies.size(); ++v) loose[v] /= 1 + copies[v];
  for (const int v : opened.source) loose.push_back(loose[v]);
}

template <class Value>
void add_copies(const std::vector<int>& source, std::vector<Value>& values) {
  if (values.empty()) return;
  for (const int v : source) {
    const Value value = values[v];
    values.push_back(value);
  }
}

template <class Element>
OpenedMesh open_body(const std::vector<double>& masses, const MeshOpening& opening, std::vector<Element>& elements,
                     PlacedBody& placed) {
  const std::vector<Element> before = elements;
  OpenedMesh opened = open_mesh(elements, static_cast<int>(placed.mesh.vertices.size()), opening);
  keep_loose_mass(before, masses, opened, placed.loose_mass);
  add_copies(opened.source, placed.mesh.vertices);
  add_copies(opened.source, placed.texture);
  add_copies(opened.source, placed.origin);
  add_copies(opened.source, placed.start);
  if (!placed.corners.empty()) {
    std::vector<std::array<Vec2, 3>> corners;
    for (const int e : opened.kept) corners.push_back(placed.corners[e]);
    placed.corners = std::move(corners);
  }
  return opened;
}

}  // namespace

Tearing::Tearing(const Scene& scene, std::vector<PlacedBody> placed, const Model& model, State start) : scene_(scene) {
  cuts_of_body_.resize(model.bodies.size());
  for (const Cut& cut : scene.cuts) {
    for (const int body : bodies_named(model, cut.body)) cuts_of_body_[body].push_back(&cut);
  }
  for (std::size_t p = 0; p < placed.size(); ++p) {
    if (placed[p].body->kind == BodyKind::obstacle) continue;
    const std::size_t body = placed_of_body_.size();
    placed_of_body_.push_back(static_cast<int>(p));
    if (!placed[p].body->tearing && cuts_of_body_[body].empty()) continue;
    is_possible_ = true;
    if (placed[p].embedded) {
      throw InputError(
          placed[p].body->source,
          fmt::format("body '{}' cannot be torn or cut: its surface is carried by coarser tets. Give it as "
                      "tets (.msh, .mesh, .node/.ele) or by a generator",
                      placed[p].name));
    }
  }
  if (!is_possible_) return;  // what is not needed is not kept
  placed_ = std::move(placed);
  start_ = std::move(start);
}

// The first step takes cuts at t = 0 too.
bool Tearing::is_due(const Cut& cut, double begin, double end) {
  return cut.at <= end + kTimeTolerance && (cut.at > begin + kTimeTolerance || begin <= 0);
}

std::vector<Tear> Tearing::find(const Model& model, const State& state, double begin,
                                std::vector<std::string>& notes) const {
  std::vector<Tear> tears;
  for (int b = 0; is_possible_ && b < static_cast<int>(model.bodies.size()); ++b) {
    const ModelBody& body = model.bodies[b];
    const auto for_elements = [&](const auto& find_opening) {
      return body.kind == BodyKind::solid ? find_opening(body.rest.tets) : find_opening(body.triangles);
    };
    MeshOpening opening;
    if (const auto& tearing = placed_[placed_of_body_[b]].body->tearing) {
      const std::vector<Stretch> stretches = element_stretches(body, state);
      const bool tears_here = std::any_of(stretches.begin(), stretches.end(),
                                          [&](const Stretch& stretch) { return stretch.size > tearing->stretch; });
      if (tears_here) {
        const std::vector<Vec3> x = positions_of(body, state);
        opening = for_elements([&](const auto& elements) { return tear_of(elements, stretches, x, *tearing); });
      }
    }
    for (const Cut* cut : cuts_of_body_[b]) {
      if (!is_due(*cut, begin, state.time)) continue;
      const std::vector<Vec3> x = positions_of(body, state);
      std::vector<char> selected(x.size(), 0);
      for (const SelectedPoint& p : select(model, start_, b, cut->where, cut->source)) selected[p.vertex] = 1;
      const MeshOpening parted =
          for_elements([&](const auto& elements) { return cut_of(elements, x, selected, *cut); });
      if (parted.empty()) {
        notes.push_back(
            fmt::format("the cut at {:.4g} s does not meet body '{}': at that moment its plane lies beside "
                        "the selected elements",
                        cut->at, body.name));
      }
      append(parted, opening);
    }
    if (!opening.empty()) tears.push_back({b, std::move(opening)});
  }
  return tears;
}

Tearing::Revision Tearing::apply(const std::vector<Tear>& tears, const Model& model) {
  Revision revision;
  std::vector<std::vector<int>> vertex_source(model.bodies.size());  // of added vertices
  for (const Tear& tear : tears) {
    const ModelBody& body = model.bodies[tear.body];
    PlacedBody& placed = placed_[placed_of_body_[tear.body]];
    if (placed.origin.empty()) {
      placed.origin.resize(body.rest.vertices.size());
      std::iota(placed.origin.begin(), placed.origin.end(), 0);
      const std::set<int> border = border_vertices(body);
      placed.first_border.assign(border.begin(), border.end());
      placed.start = positions_of(body, start_);
      placed.loose_mass.assign(body.rest.vertices.size(), 0);
    }
    const std::vector<double> masses = element_masses(body, scene_.material(placed.body->material), *placed.body);
    const OpenedMesh opened = body.kind == BodyKind::solid ? open_body(masses, tear.opening, placed.mesh.tets, placed)
                                                           : open_body(masses, tear.opening, placed.triangles, placed);
    vertex_source[tear.body] = opened.source;
    revision.vertices_added += static_cast<int>(opened.source.size());
    revision.elements_removed += static_cast<int>(opened.removed.size());
  }
  revision.built = build(scene_, placed_, model.revision + 1);
  start_ = revision.built.state;
  // Blocks that are not vertices (twists of rods) keep their place in their body.
  const Model& next = revision.built.model;
  revision.source.resize(static_cast<std::size_t>(next.layout.block_count()));
  for (int b = 0; b < next.layout.body_count(); ++b) {
    const std::vector<int>& from = model.bodies[b].block_of_vertex;
    if (next.layout.body_block_count(b) == model.layout.body_block_count(b)) {
      for (int i = 0; i < next.layout.body_block_count(b); ++i)
        revision.source[next.layout.first_block(b) + i] = model.layout.first_block(b) + i;
    }
    const std::vector<int>& to = next.bodies[b].block_of_vertex;
    for (std::size_t v = 0; v < to.size(); ++v)
      revision.source[to[v]] = v < from.size() ? from[v] : from[vertex_source[b][v - from.size()]];
  }
  return revision;
}

}  // namespace pliant::scene
