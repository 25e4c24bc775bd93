#include "pliant/contact/surface_map.h"

#include "pliant/parallel/parallel.h"

namespace pliant {

std::vector<Vec3> SurfaceMap::evaluate(const BlockVector& blocks) const {
  std::vector<Vec3> x(points.size());
  parallel_for(static_cast<int>(points.size()), 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) x[i] = points[i].evaluate(blocks);
  });
  return x;
}

}  // namespace pliant
