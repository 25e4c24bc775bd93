// The part of a face that lies over another one, as points with heights: what carries a contact of two flat faces.
// Internal to the manifolds.
//
//        incident face, seen from the reference face
//      ┌──────────┐          u, v     place in the plane of the reference face [m]
//   ┌──┼────┐     │          height   above that plane [m]
//   │  └────┼─────┘          The polygon is cut by one side of the reference face after the other [Sutherland1974].
//   └───────┘                Every point has a name: vertex of either face, or crossing of two edges. Names do not depend
//                            on which of the two faces is the reference.
//
// Deviation: a vertex that is outside by less than a snap distance stays as it is. Boxes stacked flush then keep their
// four corners while they creep, instead of trading corners for crossings and back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "pliant/contact/manifold/manifold.h"

namespace pliant::contact {

// Relative to the smaller width of the two bodies (from the centre to the nearest face).
// A face is preferred to an edge, and a face of a to one of b, unless the other is better by kPreference.
// A vertex less than kSnap beside the face counts as above it: larger keeps points longer and makes corners blunter.
inline constexpr double kPreference = 2e-3;
inline constexpr double kSnap = 1e-2;

struct FacePoint {
  double u, v, height;    // m
  std::uint32_t feature;  // with the reference as body a
  int edge;               // towards the next point: an edge of the incident face, or −1 − k for side k
};

struct FacePolygon {
  static constexpr int kMostPoints = 160;
  std::array<FacePoint, kMostPoints> points;
  int count = 0;
};

// Side k of the reference face: inside is u · x + v · y ≤ offset.
struct FaceSide {
  double u, v, offset;
  int edge;        // of the reference body
  int end_vertex;  // between this side and the next
};

struct FaceNames {
  int reference;  // face
  int incident;   // face
};

// One cut, by side k.
inline void cut_polygon(const FacePolygon& in, std::span<const FaceSide> sides, int k, double snap,
                        const FaceNames& names, FacePolygon& out) {
  const FaceSide& side = sides[k];
  const int side_count = static_cast<int>(sides.size());
  const auto excess = [&](const FacePoint& p) { return side.u * p.u + side.v * p.v - side.offset; };
  out.count = 0;
  const auto append = [&](const FacePoint& p) {
    if (out.count < FacePolygon::kMostPoints) out.points[out.count++] = p;
  };
  const auto crossing = [&](const FacePoint& p, const FacePoint& q, double at_p, double at_q) {
    const double s = at_p / (at_p - at_q);
    FacePoint x{p.u + s * (q.u - p.u), p.v + s * (q.v - p.v), p.height + s * (q.height - p.height), 0, p.edge};
    if (p.edge >= 0) {
      x.feature = feature_id(Touch::edges, side.edge, p.edge);
    } else {
      // Two sides of the reference face meet: its corner.
      const int other = -1 - p.edge;
      const int corner = (k + 1) % side_count == other ? side.end_vertex : sides[other].end_vertex;
      x.feature = feature_id(Touch::vertex_of_a, corner, names.incident);
    }
    return x;
  };
  const FacePoint* p = &in.points[in.count - 1];
  double at_p = excess(*p);
  bool last_leaves = false;  // it is appended last
  for (int i = 0; i < in.count; ++i) {
    const FacePoint& q = in.points[i];
    const double at_q = excess(q);
    // Leaving: from here on along the side. Where p itself is about on the side, it is the crossing.
    if (at_p <= snap && at_q > snap) {
      if (at_p < -snap) append(crossing(*p, q, at_p, at_q));
      if (out.count > 0) out.points[out.count - 1].edge = -1 - k;
      last_leaves = last_leaves || (i == 0 && out.count == 0);
    } else if (at_p > snap && at_q < -snap) {
      append(crossing(*p, q, at_p, at_q));
    }
    if (at_q <= snap) append(q);
    p = &q;
    at_p = at_q;
  }
  if (last_leaves && out.count > 0) out.points[out.count - 1].edge = -1 - k;
}

// Cuts the polygon by all sides, in place. Sides that cut nothing cost one pass.
inline void clip_to_face(FacePolygon& polygon, std::span<const FaceSide> sides, double snap, const FaceNames& names) {
  FacePolygon other;
  FacePolygon* now = &polygon;
  FacePolygon* next = &other;
  for (int k = 0; k < static_cast<int>(sides.size()) && now->count > 0; ++k) {
    bool outside = false;
    for (int i = 0; i < now->count; ++i) {
      outside |= sides[k].u * now->points[i].u + sides[k].v * now->points[i].v > sides[k].offset + snap;
    }
    if (!outside) continue;
    cut_polygon(*now, sides, k, snap, names, *next);
    std::swap(now, next);
  }
  if (now != &polygon) {
    polygon.count = now->count;
    std::copy_n(now->points.begin(), now->count, polygon.points.begin());
  }
}

// Drops what is higher than reach [m].
inline void keep_near(FacePolygon& polygon, double reach) {
  int count = 0;
  for (int i = 0; i < polygon.count; ++i) {
    if (polygon.points[i].height <= reach) polygon.points[count++] = polygon.points[i];
  }
  polygon.count = count;
}

// At most four of the points: the outermost along four directions fixed to the reference body, and the deepest, which
// replaces its neighbour when it is deeper than all by more than `margin` [m]. No history, and no ties under small
// motions: the directions are not those of any face with right angles.
void reduce_to_four(FacePolygon& polygon, double margin);

}  // namespace pliant::contact
