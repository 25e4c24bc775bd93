// Parts of a contact surface whose points are blocks of their own, in their order, above a half-space.
#pragma once

#include <vector>

#include "pliant/contact/contact_surface.h"

namespace pliant::contact {

// height: m, of the floor; it is the last point.
inline ContactSurface join_above_floor(std::vector<SurfacePart> parts, double height) {
  int block = 0;
  for (SurfacePart& part : parts) {
    for (std::size_t i = 0; i < part.rest.size(); ++i) part.points.push_back(MappedPoint::vertex(block++));
  }
  SurfacePart floor;
  floor.name = "floor";
  floor.rest = {Vec3(0, height, 0)};
  ContactSurface surface = join(parts, {floor});
  surface.planes.push_back({surface.first_obstacle_point, Vec3::UnitY()});
  return surface;
}

}  // namespace pliant::contact
