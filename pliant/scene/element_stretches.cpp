#include "pliant/scene/element_stretches.h"

#include <Eigen/LU>

#include "pliant/math/svd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::scene {
namespace {

constexpr int kElementsAtATime = 256;  // by one thread

Stretch stretch_of_triangle(const ModelBody& body, const State& state, int t) {
  const auto x = [&](int corner) { return Vec3(state.positions[body.block_of_vertex[body.triangles[t][corner]]]); };
  const std::array<Vec2, 3>& flat = body.flat[t];
  Mat2 rest;
  rest << flat[1] - flat[0], flat[2] - flat[0];
  Mat32 now;
  now << x(1) - x(0), x(2) - x(0);
  const math::Svd32 svd = math::thin_svd(Mat32(now * rest.inverse()));
  return {svd.stretches[0], svd.u.col(0), svd.stretches[1]};
}

Stretch stretch_of_tet(const ModelBody& body, const State& state, int t) {
  const Vec4i& v = body.rest.tets[t];
  const auto x = [&](int corner) { return Vec3(state.positions[body.block_of_vertex[v[corner]]]); };
  Mat3 rest, now;
  for (int i = 0; i < 3; ++i) {
    rest.col(i) = body.rest.vertices[v[i + 1]] - body.rest.vertices[v[0]];
    now.col(i) = x(i + 1) - x(0);
  }
  const math::Svd3 svd = math::signed_svd(Mat3(now * rest.inverse()));
  return {svd.stretches[0], svd.u.col(0), svd.stretches[2]};
}

}  // namespace

std::vector<Stretch> element_stretches(const ModelBody& body, const State& state) {
  const bool is_cloth = !body.flat.empty();
  std::vector<Stretch> stretches(is_cloth ? body.flat.size() : body.rest.tets.size());
  parallel_for(static_cast<int>(stretches.size()), kElementsAtATime, [&](int begin, int end) {
    for (int e = begin; e < end; ++e)
      stretches[e] = is_cloth ? stretch_of_triangle(body, state, e) : stretch_of_tet(body, state, e);
  });
  return stretches;
}

}  // namespace pliant::scene
