// The polylines of polyline.h.
#include "pliant/mesh/polyline.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/mesh/generator_arguments.h"
#include "pliant/mesh/readable_number.h"

namespace pliant {

Polyline make_strand(const StrandOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "strand"};
  mesh::require_positive(where, "length", options.length);
  mesh::require_count(where, "segments", options.segments, 1, 50'000'000);
  mesh::require_positive(where, "the length of direction", options.direction.norm());

  const Vec3 tip = options.direction.normalized() * options.length;
  Polyline strand;
  strand.points.reserve(options.segments + 1);
  for (int i = 0; i <= options.segments; ++i)
    strand.points.push_back(tip * (static_cast<double>(i) / options.segments));
  return strand;
}

Polyline make_helix(const HelixOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "helix"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_finite(where, "pitch", options.pitch);
  mesh::require_positive(where, "turns", options.turns);
  mesh::require_count(where, "segments", options.segments, options.closed ? 3 : 1, 50'000'000);
  if (options.closed && (options.pitch != 0 || options.turns != 1))
    throw InputError(place, "helix: closed is true with pitch " + mesh::readable(options.pitch) + " and turns " +
                                mesh::readable(options.turns) +
                                "; a closed helix is a ring: give pitch 0 and turns 1.");

  Polyline helix;
  helix.closed = options.closed;
  const int point_count = options.segments + (options.closed ? 0 : 1);
  helix.points.reserve(point_count);
  for (int i = 0; i < point_count; ++i) {
    const double turn = options.turns * i / options.segments;
    const double angle = 2 * std::numbers::pi * turn;
    // A right-handed rotation about y takes x to −z.
    helix.points.emplace_back(options.radius * std::cos(angle), options.pitch * (turn - options.turns / 2),
                              -options.radius * std::sin(angle));
  }
  return helix;
}

Polyline make_polyline(std::vector<Vec3> points, PolylineEnds ends, const std::string& place) {
  const bool closed = ends == PolylineEnds::closed;
  const std::size_t needed = closed ? 3 : 2;
  if (points.size() < needed)
    throw InputError(place, "points: " + std::to_string(points.size()) + " given; " +
                                (closed ? "a closed" : "an open") + " polyline needs at least " +
                                std::to_string(needed) + ".");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw InputError(place, "points: point " + std::to_string(i) + " is not finite; give three finite coordinates.");
  for (std::size_t i = closed ? 0 : 1; i < points.size(); ++i) {
    const std::size_t previous = i == 0 ? points.size() - 1 : i - 1;
    if (points[i] == points[previous])
      throw InputError(place, "points: points " + std::to_string(previous) + " and " + std::to_string(i) +
                                  " coincide; neighbours must be apart (a closed polyline does not repeat its first "
                                  "point).");
  }
  return {std::move(points), closed};
}

}  // namespace pliant
