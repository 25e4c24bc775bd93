// Everything that can touch: one surface over all bodies and obstacles, as points, edges and triangles.
//
//   cloth, sheets of springs       their triangles                        points move with one block
//   solids                         their boundary, or the surface that they carry (embedded: four blocks per point)
//   rods, chains                   their segments, with the radius as thickness
//   particles                      points (segments from a point to itself), with the radius as thickness
//   obstacles                      triangles whose points scripts move (no blocks); half-spaces, carried by one such point;
//                                  a sphere is a point, a capsule a segment, with the radius as thickness: no facets
//
// Contact is between points and triangles, edges and edges, points and half-spaces. Fixed for the life of a model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pliant/contact/pair_rules.h"
#include "pliant/contact/shapes/shape.h"
#include "pliant/contact/surface_map.h"
#include "pliant/math/types.h"

namespace pliant::contact {

// How far two bodies reach for each other, m.
struct PairReach {
  double offset = 0;    // thickness: nothing comes nearer
  double distance = 0;  // from there on force begins
};

// Moves with one of the obstacles' points, and does not turn.
struct HalfSpace {
  int point = 0;
  Vec3 normal = Vec3::UnitY();  // unit, out of the solid part
};

// An obstacle that is a shape instead of its mesh: only points meet it (penalty_terms.h).
struct ObstacleShape {
  int body = 0;
  CarriedShape carried;  // by points of the obstacle's mesh
};

struct ContactSurface {
  // Bodies of the model first, in its order, then its obstacles.
  std::vector<std::string> body_names;
  std::vector<double> thickness;     // m, per body: how far its surface stands off the mesh
  std::vector<double> grain_radius;  // m, per point of particles; their body's thickness is the largest. Empty: none
  std::vector<unsigned char>
      is_loose;  // per body: nothing connects its points, and their places at rest say nothing; empty: no body
  PairRules rules;

  std::vector<MappedPoint> points;  // those of obstacles have no blocks
  std::vector<int> body_of_point;
  std::vector<Vec3> rest_points;  // m, as placed
  int first_obstacle_point = 0;   // obstacles' points are the last ones, in the order of Controls::obstacle_points
  std::vector<std::array<int, 2>> edges;  // each once, lower index first
  std::vector<Vec3i> triangles;
  std::vector<HalfSpace> planes;
  std::vector<ObstacleShape> shapes;  // their meshes are there too, and take no part in detection
  // Per body: whether what is inside it has penetrated it, and must come out through the nearest face. Empty: no body.
  std::vector<unsigned char> is_solid;
  std::vector<double> point_area, edge_area, triangle_area;  // m², at rest: a third of each triangle around
  double shortest_edge = 0;                                  // m, of bodies that move

  [[nodiscard]] int body_count() const { return static_cast<int>(body_names.size()); }
  [[nodiscard]] const PairRule& rule(int a, int b) const { return rules.between(a, b); }
  // distance: m, of the scene.
  [[nodiscard]] PairReach reach(int a, int b, double distance) const {
    const PairRule& pair = rule(a, b);
    return {pair.thickness.value_or(thickness[a] + thickness[b]), pair.distance.value_or(distance)};
  }
  // Per body: boxes that are wider by so much [m] overlap wherever two bodies are within reach.
  [[nodiscard]] std::vector<double> margins(double distance) const;
  // Points that are part of an edge, in their order.
  [[nodiscard]] std::vector<int> used_points() const;
  [[nodiscard]] bool has_loose_points(int body) const {
    return !is_loose.empty() && is_loose[static_cast<std::size_t>(body)] != 0;
  }
  [[nodiscard]] bool has_inside(int body) const {
    return !is_solid.empty() && is_solid[static_cast<std::size_t>(body)] != 0;
  }
};

// A body's or an obstacle's part of the surface, to be appended. Segments without triangles are given a width for their
// area; a segment from a point to itself has that of a disc of this width. A round obstacle's point (a segment from it to itself) or segment has none of its own: forces follow from the area
// of what touches it.
struct SurfacePart {
  std::string name;
  double thickness = 0;  // m
  std::vector<MappedPoint> points;
  std::vector<Vec3> rest;  // m
  std::vector<Vec3i> triangles;
  std::vector<std::array<int, 2>> segments;
  double segment_width = 0;  // m
  bool is_round = false;
  bool is_loose = false;
};

// Parts with unknowns first. Zero-area triangles and points that nothing uses take no part in contact.
[[nodiscard]] ContactSurface join(const std::vector<SurfacePart>& moving, const std::vector<SurfacePart>& obstacles);

}  // namespace pliant::contact
