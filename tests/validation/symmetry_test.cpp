// Symmetric loads give symmetric answers on box meshes with even numbers of cells, which are their own mirror images; with
// an odd number along an axis the mesh is not its own image in that axis, and the answer differs a little.
#include <array>
#include <map>

#include "tests/validation/scene_case.h"

namespace pliant::validation::symmetry_test {
namespace {

struct Asymmetry {
  double displacement;  // the largest of any vertex [m]
  double difference;    // between a vertex's displacement and the mirrored one of its image, largest [m]
};

Asymmetry asymmetry(SceneCase& scene, int axis) {
  const std::vector<Vec3>& rest = scene.body(0).rest.vertices;
  // Vertices by where they are, in units that tell them apart.
  const auto key = [](const Vec3& x) {
    return std::array<long, 3>{std::lround(1e6 * x[0]), std::lround(1e6 * x[1]), std::lround(1e6 * x[2])};
  };
  std::map<std::array<long, 3>, int> vertex_at;
  for (int v = 0; v < static_cast<int>(rest.size()); ++v) vertex_at[key(rest[v])] = v;
  Asymmetry result{0, 0};
  for (int v = 0; v < static_cast<int>(rest.size()); ++v) {
    const auto mirrored = [axis](Vec3 x) {
      x[axis] = -x[axis];
      return x;
    };
    const int image = vertex_at.at(key(mirrored(rest[v])));
    const Vec3 here = scene.position(0, v) - rest[v], there = scene.position(0, image) - rest[image];
    result.displacement = std::max(result.displacement, here.norm());
    result.difference = std::max(result.difference, (here - mirrored(there)).norm());
  }
  return result;
}

Asymmetry solved(const std::string& cells, int axis) {
  SceneCase bar("symmetric_bar.yaml", {"bodies.bar.mesh.box.cells=" + cells});
  bar.run();
  return asymmetry(bar, axis);
}

TEST(Symmetry, EvenCountsMirrorTheAnswer) {
  for (const int axis : {0, 2}) {
    const Asymmetry bar = solved("[12, 3, 4]", axis);
    record(fmt::format("difference_axis_{}", axis), bar.difference / bar.displacement);
    EXPECT_GT(bar.displacement, 0.03);
    EXPECT_LE(bar.difference, 1e-9 * bar.displacement);
  }
}

TEST(Symmetry, OddCountsDoNot) {
  const Asymmetry along = solved("[12, 3, 3]", 0), across = solved("[12, 3, 3]", 2);
  record("odd_count_difference", across.difference / across.displacement);
  EXPECT_LE(along.difference, 1e-9 * along.displacement);  // even in x
  EXPECT_GT(across.difference, 1e-4 * across.displacement);
}

}  // namespace
}  // namespace pliant::validation::symmetry_test
