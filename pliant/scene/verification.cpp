#include "pliant/scene/verification.h"

#include <fmt/format.h>

#include "pliant/contact/judge/overlapping_spheres.h"
#include "pliant/mesh/edges.h"
#include "pliant/mesh/signed_distance.h"

namespace pliant::scene {
namespace {

// A round obstacle, of which contact knows the axis alone.
bool is_axis(const Model& model, int body) {
  const int obstacle = body - static_cast<int>(model.bodies.size());
  return obstacle >= 0 && model.obstacles[obstacle].round.has_value();
}

// All edges but segments without triangles whose both ends are held by pins that last from the beginning.
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
    if (is_axis(model, s.body_of_point[edge[0]]) || edge[0] == edge[1]) continue;  // spheres have no edges
    if (!is_root(edge[0]) || !is_root(edge[1])) edges.push_back(edge);
  }
  return edges;
}

// Overlaps of grains are looked at as far as rounding tells them: this part of a radius is none.
constexpr double kNoOverlap = 1e-9;

// Grains that are there: as points of the surface, and how large.
struct JudgedGrains {
  std::vector<int> points;
  std::vector<Vec3> centres;  // m
  std::vector<double> radii;  // m, without what rounding may take
  int not_judged = 0;         // places that are not finite
};

JudgedGrains grains_at(const Model& model, const std::vector<Vec3>& x, double time) {
  const contact::ContactSurface& s = *model.contact;
  const std::vector<unsigned char> is_there = model.presence(time);
  JudgedGrains grains;
  for (int i = 0; i < s.first_obstacle_point; ++i) {
    const ModelBody& body = model.bodies[static_cast<std::size_t>(s.body_of_point[i])];
    if (body.kind != BodyKind::particles || is_there[static_cast<std::size_t>(s.points[i].block[0])] == 0) continue;
    if (!x[static_cast<std::size_t>(i)].allFinite()) {
      ++grains.not_judged;
      continue;
    }
    grains.points.push_back(i);
    grains.centres.push_back(x[static_cast<std::size_t>(i)]);
    grains.radii.push_back((1 - kNoOverlap) * s.grain_radius[static_cast<std::size_t>(i)]);
  }
  return grains;
}

// Grains that overlap each other, triangles of others, or half-spaces.
void judge_grains(const Model& model, const std::vector<Vec3>& x, double time, std::size_t most_listed,
                  contact::Judgement& judgement) {
  const contact::ContactSurface& s = *model.contact;
  const JudgedGrains grains = grains_at(model, x, time);
  judgement.not_judged += grains.not_judged;
  if (grains.points.empty()) return;
  const auto note = [&](std::size_t grain, int other_body) {
    const int point = grains.points[grain], body = s.body_of_point[point];
    if (!s.rule(body, other_body).is_enabled) return;
    ++judgement.count;
    if (judgement.first.size() < most_listed)
      judgement.first.push_back({{point, -1}, Vec3i::Constant(-1), {body, other_body}, grains.centres[grain]});
  };
  for (const auto& [i, j] : contact::overlapping_spheres(grains.centres, grains.radii))
    note(static_cast<std::size_t>(i), s.body_of_point[grains.points[static_cast<std::size_t>(j)]]);
  std::vector<std::vector<Vec3i>> triangles(static_cast<std::size_t>(s.body_count()));
  for (const Vec3i& t : s.triangles) triangles[static_cast<std::size_t>(s.body_of_point[t[0]])].push_back(t);
  for (int body = 0; body < s.body_count(); ++body) {
    if (triangles[static_cast<std::size_t>(body)].empty()) continue;
    const mesh::SignedDistance distance(TriangleMesh{x, triangles[static_cast<std::size_t>(body)], {}, {}});
    for (std::size_t g = 0; g < grains.points.size(); ++g) {
      if (distance.closest_point(grains.centres[g], grains.radii[g]).triangle >= 0) note(g, body);
    }
  }
  for (const auto& [carrier, normal] : s.planes) {
    for (std::size_t g = 0; g < grains.points.size(); ++g) {
      if (normal.dot(grains.centres[g] - x[static_cast<std::size_t>(carrier)]) < grains.radii[g])
        note(g, s.body_of_point[carrier]);
    }
  }
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

contact::Judgement judge_state(const Model& model, const BlockVector& positions, double time, int most_listed) {
  const contact::ContactSurface& s = *model.contact;
  std::vector<Vec3> x = surface_points(model, positions, time);
  std::vector<std::array<int, 2>> edges = judged_edges(model);
  std::vector<Vec3i> triangles = s.triangles;
  std::vector<int> body_of_vertex = s.body_of_point;
  const int obstacles = static_cast<int>(model.bodies.size());
  // Meshes of round obstacles: inside what contact keeps free, so they are judged as they are drawn.
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    const Obstacle& obstacle = model.obstacles[o];
    if (!obstacle.round) continue;
    const int first = static_cast<int>(x.size());
    const RigidTransform place = obstacle.motion.at(time);
    for (const Vec3& vertex : obstacle.mesh.vertices) x.push_back(place * vertex);
    for (const Vec3i& t : obstacle.mesh.triangles) triangles.emplace_back(t + Vec3i::Constant(first));
    for (const Edge& edge : mesh_edges(obstacle.mesh)) edges.push_back({edge[0] + first, edge[1] + first});
    body_of_vertex.resize(x.size(), obstacles + static_cast<int>(o));
  }
  contact::Judgement judgement = contact::judge(
      {.positions = x,
       .triangles = triangles,
       .edges = edges,
       .body_of_vertex = body_of_vertex,
       .ignores_bodies = [&](int a, int b) { return !s.rule(a, b).is_enabled || (a >= obstacles && b >= obstacles); },
       .most_listed = most_listed});
  for (const auto& [carrier, normal] : s.planes) {
    const int body = s.body_of_point[carrier];
    for (int i = 0; i < s.first_obstacle_point; ++i) {
      if (s.has_loose_points(s.body_of_point[i])) continue;  // grains are judged as spheres
      if (normal.dot(x[i] - x[carrier]) > 0 || !s.rule(s.body_of_point[i], body).is_enabled) continue;
      ++judgement.count;
      if (static_cast<int>(judgement.first.size()) < most_listed)
        judgement.first.push_back({{i, -1}, Vec3i::Constant(-1), {s.body_of_point[i], body}, x[i]});
    }
  }
  judge_grains(model, x, time, static_cast<std::size_t>(most_listed), judgement);
  return judgement;
}

std::string unjudged_bodies(const Model& model) {
  constexpr int kMostNamed = 2;
  const contact::ContactSurface& s = *model.contact;
  const int moving = static_cast<int>(model.bodies.size());
  const auto can_meet_itself = [&](int body) {
    const BodyKind kind = model.bodies[static_cast<std::size_t>(body)].kind;
    return kind != BodyKind::rigid && kind != BodyKind::particles;
  };
  std::string names;
  int count = 0;
  for (int a = 0; a < moving; ++a) {
    for (int b = a; b < s.body_count(); ++b) {
      if (s.rule(a, b).is_enabled || (a == b && !can_meet_itself(a))) continue;
      if (++count > kMostNamed) continue;
      names += fmt::format("{}'{}' with {}", count > 1 ? ", " : "", s.body_names[a],
                           a == b ? "itself" : "'" + s.body_names[b] + "'");
    }
  }
  if (count > kMostNamed) names += fmt::format(" and {} other pairs", count - kMostNamed);
  return names;
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
