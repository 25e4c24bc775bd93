#include "pliant/mesh/subdivision.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace pliant {

TriangleMesh subdivided(const TriangleMesh& mesh) {
  TriangleMesh finer;
  finer.vertices = mesh.vertices;
  finer.texture = mesh.texture;
  finer.triangles.reserve(mesh.triangles.size() * 4);
  std::unordered_map<std::uint64_t, int> middles;
  middles.reserve(mesh.triangles.size() * 3 / 2);
  const auto middle = [&](int a, int b) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(std::min(a, b)) << 32) | static_cast<unsigned>(std::max(a, b));
    const auto [entry, added] = middles.try_emplace(key, static_cast<int>(finer.vertices.size()));
    if (!added) return entry->second;
    finer.vertices.emplace_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
    if (!mesh.texture.empty()) finer.texture.emplace_back(0.5 * (mesh.texture[a] + mesh.texture[b]));
    return entry->second;
  };
  for (const Vec3i& t : mesh.triangles) {
    const int ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
    finer.triangles.emplace_back(t[0], ab, ca);
    finer.triangles.emplace_back(t[1], bc, ab);
    finer.triangles.emplace_back(t[2], ca, bc);
    finer.triangles.emplace_back(ab, bc, ca);
  }
  for (const auto& [a, b, c] : mesh.corner_texture) {
    const Vec2 ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    finer.corner_texture.insert(finer.corner_texture.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
  }
  return finer;
}

}  // namespace pliant
