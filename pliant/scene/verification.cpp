#include "pliant/scene/verification.h"

#include <fmt/format.h>

namespace pliant::scene {
namespace {

// Segments without triangles whose both ends are held by pins that last from the beginning.
std::vector<std::array<int, 2>> judged_edges(const Model& model) {
  const contact::ContactSurface& s = *model.contact;
  std::vector<unsigned char> is_held(static_cast<std::size_t>(model.layout.block_count()), 0),
      is_of_face(s.points.size(), 0);
  for (const ScriptedPin& pin : model.pins) {
    if (!pin.holds_all || pin.soft_pin >= 0) continue;
    for (const int block : pin.blocks) is_held[block] = 1;
  }
  for (const Vec3i& t : s.triangles) is_of_face[t[0]] = is_of_face[t[1]] = is_of_face[t[2]] = 1;
  const auto is_root = [&](int point) {
    return is_of_face[point] == 0 && s.points[point].count == 1 && is_held[s.points[point].block[0]] != 0;
  };
  std::vector<std::array<int, 2>> edges;
  for (const auto& edge : s.edges) {
    if (!is_root(edge[0]) || !is_root(edge[1])) edges.push_back(edge);
  }
  return edges;
}

}  // namespace

std::vector<Vec3> surface_points(const Model& model, const BlockVector& positions, double time) {
  const contact::ContactSurface& s = *model.contact;
  std::vector<Vec3> x;
  x.reserve(s.points.size());
  for (int i = 0; i < s.first_obstacle_point; ++i) x.push_back(s.points[i].evaluate(positions));
  const std::vector<Vec3> obstacles = model.obstacle_points(time);
  x.insert(x.end(), obstacles.begin(), obstacles.end());
  return x;
}

contact::Judgement judge_state(const Model& model, const BlockVector& positions, double time) {
  const contact::ContactSurface& s = *model.contact;
  const std::vector<Vec3> x = surface_points(model, positions, time);
  const std::vector<std::array<int, 2>> edges = judged_edges(model);
  const int obstacles = static_cast<int>(model.bodies.size());
  contact::Judgement judgement = contact::judge(
      {.positions = x,
       .triangles = s.triangles,
       .edges = edges,
       .body_of_vertex = s.body_of_point,
       .ignores_bodies = [&](int a, int b) { return !s.rule(a, b).is_enabled || (a >= obstacles && b >= obstacles); }});
  for (const auto& [carrier, normal] : s.planes) {
    const int body = s.body_of_point[carrier];
    for (int i = 0; i < s.first_obstacle_point; ++i) {
      if (normal.dot(x[i] - x[carrier]) > 0 || !s.rule(s.body_of_point[i], body).is_enabled) continue;
      ++judgement.count;
      if (static_cast<int>(judgement.first.size()) < contact::Judgement::kMaxListed)
        judgement.first.push_back({{i, -1}, Vec3i::Constant(-1), {s.body_of_point[i], body}, x[i]});
    }
  }
  return judgement;
}

std::string describe(const Model& model, const contact::Intersection& intersection) {
  const std::vector<std::string>& names = model.contact->body_names;
  const std::string &first = names[static_cast<std::size_t>(intersection.body[0])],
                    &second = names[static_cast<std::size_t>(intersection.body[1])];
  const std::string who = first == second ? fmt::format("body '{}' and itself", first)
                                          : fmt::format("body '{}' and body '{}'", first, second);
  return fmt::format("{} near ({:.4g}, {:.4g}, {:.4g})", who, intersection.place[0], intersection.place[1],
                     intersection.place[2]);
}

}  // namespace pliant::scene
