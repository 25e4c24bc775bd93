#include "pliant/io/drawn_result.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/input_error.h"
#include "pliant/math/svd.h"

namespace pliant::io {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Rods and particles of results that do not say how thick they are: this share of their mean distance.
constexpr double kUnknownThickness = 0.1;
constexpr int kBoundsSamples = 12;  // frames that bounds() looks at

// Largest singular value of the map that takes a cell's edges at rest to its edges now: E_now E_rest⁻¹, for triangles
// with E_rest in an orthonormal frame of their plane, for segments the ratio of lengths.
double largest_stretch(std::span<const int> corners, std::span<const Vec3> rest, std::span<const Vec3> now) {
  const auto edge = [&](std::span<const Vec3> x, std::size_t c) -> Vec3 {
    return x[static_cast<std::size_t>(corners[c])] - x[static_cast<std::size_t>(corners[0])];
  };
  if (corners.size() == 2) return edge(now, 1).norm() / edge(rest, 1).norm();
  if (corners.size() == 3) {
    const Vec3 u = edge(rest, 1).normalized(), across = edge(rest, 2) - edge(rest, 2).dot(u) * u;
    Mat2 flat;
    flat << edge(rest, 1).norm(), edge(rest, 2).dot(u), 0, across.norm();
    Mat32 after;
    after << edge(now, 1), edge(now, 2);
    return math::thin_svd(after * flat.inverse()).stretches[0];
  }
  Mat3 before, after;
  before << edge(rest, 1), edge(rest, 2), edge(rest, 3);
  after << edge(now, 1), edge(now, 2), edge(now, 3);
  return math::signed_svd(after * before.inverse()).stretches[0];
}

// Mean of the values of the cells around each vertex; NaN where there is none.
std::vector<double> from_cells(std::span<const int> cells, std::size_t corner_count, std::size_t vertex_count,
                               std::span<const double> values) {
  std::vector<double> sums(vertex_count), counts(vertex_count);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    sums[static_cast<std::size_t>(cells[i])] += values[i / corner_count];
    counts[static_cast<std::size_t>(cells[i])] += 1;
  }
  for (std::size_t v = 0; v < vertex_count; ++v) sums[v] = counts[v] > 0 ? sums[v] / counts[v] : kNone;
  return sums;
}

std::vector<double> magnitudes(std::span<const double> rows, std::size_t components) {
  std::vector<double> result(rows.size() / components);
  for (std::size_t i = 0; i < result.size(); ++i) {
    double squared = 0;
    for (std::size_t c = 0; c < components; ++c) squared += rows[components * i + c] * rows[components * i + c];
    result[i] = components == 1 ? rows[i] : std::sqrt(squared);
  }
  return result;
}

// Half the thickness of rods and particles: as the result says, else a share of the distance between neighbours.
std::vector<double> drawn_radius(const BodyMesh& mesh) {
  if (mesh.shape != CellShape::segment && mesh.shape != CellShape::point) return {};
  if (!mesh.radius.empty()) return mesh.radius;
  double distance = 0;
  if (mesh.shape == CellShape::segment && !mesh.cells.empty()) {
    for (std::size_t i = 0; i + 1 < mesh.cells.size(); i += 2) {
      distance += (mesh.rest_positions[static_cast<std::size_t>(mesh.cells[i + 1])] -
                   mesh.rest_positions[static_cast<std::size_t>(mesh.cells[i])])
                      .norm();
    }
    const std::size_t segments = mesh.cells.size() / 2;
    distance /= static_cast<double>(segments);
  } else if (!mesh.rest_positions.empty()) {
    Vec3 low = mesh.rest_positions[0], high = low;
    for (const Vec3& x : mesh.rest_positions) low = low.cwiseMin(x), high = high.cwiseMax(x);
    distance = (high - low).norm() / std::cbrt(static_cast<double>(mesh.rest_positions.size()));
  }
  return std::vector<double>(mesh.rest_positions.size(), kUnknownThickness * distance);
}

}  // namespace

DrawnResult::DrawnResult(const std::filesystem::path& folder) : folder_(folder), reader_(folder) { find_quantities(); }

void DrawnResult::refresh() {
  reader_ = ResultReader(folder_);
  find_quantities();
}

void DrawnResult::find_quantities() {
  quantities_ = {{"speed", "m/s"}, {"stretch", "1"}};
  for (const BodyOutline& body : outline().bodies) {
    for (const RevisionOutline& revision : body.revisions) {
      for (const FieldDescription& field : revision.fields) {
        const bool is_known = std::any_of(quantities_.begin(), quantities_.end(),
                                          [&](const QuantityDescription& q) { return q.name == field.name; });
        if (!is_known) quantities_.push_back({field.name, field.unit});
      }
    }
  }
  if (reader_.total_contact_count() > 0) quantities_.push_back({"contact_force", "N"});
}

int DrawnResult::revision_at(int body, std::int64_t frame) const {
  return outline().bodies[static_cast<std::size_t>(body)].revision_at(frame);
}

DrawnResult::Kept& DrawnResult::kept(int body, int revision) {
  const auto key = std::pair(body, revision);
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  BodyMesh mesh = reader_.mesh(body, revision);
  DrawnMesh drawn(mesh);
  std::vector<double> radius = drawn_radius(mesh);
  return kept_.emplace(key, Kept{std::move(mesh), std::move(drawn), std::move(radius)}).first->second;
}

const DrawnMesh& DrawnResult::drawn(int body, int revision) { return kept(body, revision).drawn; }

const std::vector<double>& DrawnResult::radius(int body, int revision) { return kept(body, revision).radius; }

std::vector<int> DrawnResult::pinned(int body, int revision) {
  const Kept& k = kept(body, revision);
  std::vector<int> pinned;
  for (int v = 0; v < k.drawn.vertex_count(); ++v) {
    // Behind a vertex of an embedded surface stand the corners of its tet: it counts as held when all of them are.
    const auto is_pinned = [&](int vertex) {
      return std::binary_search(k.mesh.pinned.begin(), k.mesh.pinned.end(), vertex);
    };
    const int source = k.drawn.source_vertex(v);
    bool held = source >= 0 && is_pinned(source);
    if (source < 0) {
      const int* tet = &k.mesh.cells[4 * static_cast<std::size_t>(k.mesh.surface->tet[static_cast<std::size_t>(v)])];
      held = std::all_of(tet, tet + 4, is_pinned);
    }
    if (held) pinned.push_back(v);
  }
  return pinned;
}

std::vector<Vec3> DrawnResult::vertices(int body, std::int64_t frame) {
  return drawn(body, revision_at(body, frame)).vertices(reader_.positions(body, frame));
}

std::vector<unsigned char> DrawnResult::presence(int body, std::int64_t frame) {
  const auto revision = static_cast<std::size_t>(revision_at(body, frame));
  const RevisionOutline& outlined = outline().bodies[static_cast<std::size_t>(body)].revisions[revision];
  const bool is_told =
      outlined.shape == CellShape::point &&
      std::any_of(outlined.fields.begin(), outlined.fields.end(), [](const auto& f) { return f.name == "active"; });
  if (!is_told) return {};
  const std::vector<double> active = reader_.field(body, "active", frame);
  std::vector<unsigned char> is_there(active.size());
  for (std::size_t v = 0; v < active.size(); ++v) is_there[v] = active[v] != 0 ? 1 : 0;
  return is_there;
}

std::vector<double> DrawnResult::quantity(int body, const std::string& name, std::int64_t frame) {
  const DrawnMesh& mesh = drawn(body, revision_at(body, frame));
  if (name == "speed") return mesh.vertex_values(speeds(body, frame));
  if (name == "stretch") return mesh.vertex_values(stretches(body, frame));
  if (name == "contact_force") return contact_forces(body, frame);
  const auto known = std::find_if(quantities_.begin(), quantities_.end(),
                                  [&](const QuantityDescription& q) { return q.name == name; });
  if (known == quantities_.end()) {
    std::string names;
    for (const QuantityDescription& q : quantities_) names += (names.empty() ? "" : ", ") + q.name;
    throw InputError("the result has no quantity '" + name + "'; there are: " + names);
  }
  const auto revision = static_cast<std::size_t>(revision_at(body, frame));
  for (const FieldDescription& field : outline().bodies[static_cast<std::size_t>(body)].revisions[revision].fields) {
    if (field.name == name) return mesh.vertex_values(field_values(body, field, frame));
  }
  return std::vector<double>(static_cast<std::size_t>(mesh.vertex_count()), kNone);
}

// m/s, per vertex of the body: stored velocities, else differences to the neighbouring frames of the same mesh.
std::vector<double> DrawnResult::speeds(int body, std::int64_t frame) {
  const BodyOutline& description = outline().bodies[static_cast<std::size_t>(body)];
  const auto revision = static_cast<std::size_t>(revision_at(body, frame));
  for (const FieldDescription& field : description.revisions[revision].fields) {
    if (field.name == "velocities" && field.place == FieldPlace::vertex)
      return magnitudes(reader_.field(body, field.name, frame), static_cast<std::size_t>(field.components));
  }
  const auto is_same_mesh = [&](std::int64_t other) {
    return other >= 0 && other < frame_count() && revision_at(body, other) == static_cast<int>(revision);
  };
  const std::int64_t before = is_same_mesh(frame - 1) ? frame - 1 : frame,
                     after = is_same_mesh(frame + 1) ? frame + 1 : frame;
  const std::vector<Vec3> from = reader_.positions(body, before), to = reader_.positions(body, after);
  const double seconds =
      outline().times[static_cast<std::size_t>(after)] - outline().times[static_cast<std::size_t>(before)];
  std::vector<double> speeds(from.size());
  for (std::size_t v = 0; v < speeds.size(); ++v) speeds[v] = seconds > 0 ? (to[v] - from[v]).norm() / seconds : 0;
  return speeds;
}

std::vector<double> DrawnResult::stretches(int body, std::int64_t frame) {
  const BodyMesh& mesh = kept(body, revision_at(body, frame)).mesh;
  const auto corners = static_cast<std::size_t>(mesh.shape);
  if (mesh.shape == CellShape::point) return std::vector<double>(mesh.rest_positions.size(), kNone);
  const std::vector<Vec3> now = reader_.positions(body, frame);
  std::vector<double> per_cell(mesh.cell_count());
  for (std::size_t c = 0; c < per_cell.size(); ++c)
    per_cell[c] = largest_stretch(std::span(mesh.cells).subspan(corners * c, corners), mesh.rest_positions, now);
  return from_cells(mesh.cells, corners, mesh.rest_positions.size(), per_cell);
}

// N, per drawn vertex: each contact counts at the vertex nearest to it.
std::vector<double> DrawnResult::contact_forces(int body, std::int64_t frame) {
  const std::vector<Vec3> places = vertices(body, frame);
  std::vector<double> forces(places.size());
  for (const Contact& contact : reader_.contacts(frame)) {
    if ((contact.first_body != body && contact.second_body != body) || places.empty()) continue;
    const auto nearest = std::min_element(places.begin(), places.end(), [&](const Vec3& a, const Vec3& b) {
      return (a - contact.point).squaredNorm() < (b - contact.point).squaredNorm();
    });
    forces[static_cast<std::size_t>(nearest - places.begin())] += contact.force.norm();
  }
  return forces;
}

std::vector<double> DrawnResult::field_values(int body, const FieldDescription& field, std::int64_t frame) {
  std::vector<double> values =
      magnitudes(reader_.field(body, field.name, frame), static_cast<std::size_t>(field.components));
  if (field.place == FieldPlace::vertex) return values;
  const BodyMesh& mesh = kept(body, revision_at(body, frame)).mesh;
  return from_cells(mesh.cells, static_cast<std::size_t>(mesh.shape), mesh.rest_positions.size(), values);
}

const Box& DrawnResult::bounds() {
  if (bounds_ && frame_count() < 2 * bounded_frames_) return *bounds_;
  Box box;
  bool is_first = true;
  const std::int64_t last = frame_count() - 1;
  for (int s = 0; s < kBoundsSamples && last >= 0; ++s) {
    const std::int64_t frame = last * s / (kBoundsSamples - 1);
    for (int body = 0; body < body_count(); ++body) {
      for (const Vec3& x : vertices(body, frame)) {
        if (!x.allFinite()) continue;
        box.low = is_first ? x : box.low.cwiseMin(x).eval();
        box.high = is_first ? x : box.high.cwiseMax(x).eval();
        is_first = false;
      }
    }
  }
  bounded_frames_ = frame_count();
  return bounds_.emplace(box);
}

Vec3 body_colour(int body) {
  // Distinct hues of similar weight, that stay apart for colour-blind eyes when neighbours in the list.
  static const std::array<Vec3, 8> kPalette = {Vec3(0.80, 0.36, 0.27), Vec3(0.27, 0.50, 0.71), Vec3(0.87, 0.66, 0.26),
                                               Vec3(0.35, 0.60, 0.44), Vec3(0.55, 0.42, 0.66), Vec3(0.30, 0.63, 0.66),
                                               Vec3(0.78, 0.47, 0.58), Vec3(0.55, 0.52, 0.42)};
  return kPalette[static_cast<std::size_t>(body) % kPalette.size()];
}

double linear_from_srgb(double value) {
  const double x = std::clamp(value, 0.0, 1.0);
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

Vec3 linear_from_srgb(const Vec3& colour) {
  return colour.unaryExpr([](double x) { return linear_from_srgb(x); });
}

}  // namespace pliant::io
