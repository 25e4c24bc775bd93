// Which way is out: the side of the nearest part's normal is that of the winding number, and solids that touch, overlap, or do
// not meet at all are told apart.
#include "pliant/contact/outward.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>

#include "pliant/mesh/signed_distance.h"
#include "tests/contact/notched_cube.h"

namespace pliant::contact {
namespace {

Vec3 random_vector(std::mt19937& engine, double size) {
  const auto number = [&] { return size * (engine() / 2147483648.0 - 1); };
  const double x = number(), y = number();
  return {x, y, number()};
}

// Of solids that stand still; x: m, of all points.
struct Solids {
  std::vector<SurfacePart> parts;
  void add(std::vector<Vec3> vertices, std::vector<Vec3i> triangles) {
    SurfacePart part;
    part.name = std::to_string(parts.size());
    part.rest = std::move(vertices);
    part.triangles = std::move(triangles);
    for (std::size_t i = 0; i < part.rest.size(); ++i) part.points.push_back(MappedPoint::vertex(static_cast<int>(i)));
    parts.push_back(std::move(part));
  }
  // A box of edges `size` whose middle is there.
  void add_box(const Vec3& size, const Vec3& middle) {
    const TetMesh box = make_box({size, {1, 1, 1}});
    std::vector<Vec3> vertices = box.vertices;
    for (Vec3& x : vertices) x += middle;
    add(std::move(vertices), boundary_triangles(box));
  }
  [[nodiscard]] ContactSurface surface() const {
    ContactSurface joined = join(parts, {});
    joined.is_solid.assign(parts.size(), 1);
    return joined;
  }
};

TEST(Outward, TheNearestPartsNormalTellsTheSide) {
  TriangleMesh mesh = notched_cube(4);
  std::mt19937 noise(1);
  for (Vec3& x : mesh.vertices) x += random_vector(noise, 0.04);
  const mesh::SignedDistance distance(mesh);
  ASSERT_TRUE(distance.closed());
  Solids solids;
  solids.add(mesh.vertices, mesh.triangles);
  const ContactSurface surface = solids.surface();
  const Outward outward(surface);
  std::mt19937 engine(2);
  int inside = 0, features[3] = {};
  for (int trial = 0; trial < 3000; ++trial) {
    const Vec3 p = random_vector(engine, 0.7);
    ClosestPoints nearest;
    nearest.squared_distance = 1e300;
    Vec3i triangle;
    for (const Vec3i& t : mesh.triangles) {
      const ClosestPoints closest =
          closest_point_triangle(p, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
      if (closest.squared_distance < nearest.squared_distance) nearest = closest, triangle = t;
    }
    Vec3 r = p;
    std::vector<int> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      r += nearest.weight[k + 1] * mesh.vertices[triangle[static_cast<int>(k)]];
      if (nearest.weight[k + 1] != 0) corners.push_back(triangle[static_cast<int>(k)]);
    }
    const bool is_inside = outward.normal(corners, mesh.vertices).dot(r) < 0;
    EXPECT_EQ(is_inside, distance.inside(p)) << p.transpose();
    inside += is_inside ? 1 : 0;
    ++features[corners.size() - 1];
  }
  EXPECT_GT(inside, 300);
  for (const int count : features) EXPECT_GT(count, 100);  // vertices, edges, faces were all nearest
}

// Where the closest points of the first body's vertices and edges with the second body's faces and edges are.
struct Found {
  int touch = 0, overlap = 0, none = 0;
};
Found meetings_of(const ContactSurface& surface, double reach) {
  const Outward outward(surface);
  Found found;
  const auto count = [&](PairKind kind, const std::array<int, 4>& point) {
    FourPoints x;
    for (std::size_t j = 0; j < 4; ++j) x[j] = surface.rest_points[static_cast<std::size_t>(point[j])];
    const ClosestPoints closest = kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                                          : closest_point_triangle(x[0], x[1], x[2], x[3]);
    if (closest.distance() > reach) return;
    Vec3 r = Vec3::Zero();
    for (std::size_t j = 0; j < 4; ++j) r += closest.weight[j] * x[j];
    const Meeting meeting = outward.meeting(kind, point, closest.weight, r.normalized(), surface.rest_points);
    ++(meeting == Meeting::touch ? found.touch : meeting == Meeting::overlap ? found.overlap : found.none);
  };
  for (int i = 0; i < static_cast<int>(surface.points.size()); ++i) {
    for (const Vec3i& t : surface.triangles) {
      if (surface.body_of_point[i] != surface.body_of_point[t[0]])
        count(PairKind::point_triangle, {i, t[0], t[1], t[2]});
    }
  }
  for (const auto& a : surface.edges) {
    for (const auto& b : surface.edges) {
      if (surface.body_of_point[a[0]] < surface.body_of_point[b[0]]) count(PairKind::edges, {a[0], a[1], b[0], b[1]});
    }
  }
  return found;
}

// A small cube above a large one, apart by a gap, or overlapping where that is negative.
Found cubes(double gap, double plate = 1) {
  Solids solids;
  solids.add_box(Vec3(0.4, 0.4, 0.4), Vec3(0.03, 0.2 + gap, 0.05));
  solids.add_box(Vec3(1, plate, 1), Vec3(0, -0.5 * plate, 0));
  return meetings_of(solids.surface(), 0.05);
}

TEST(Outward, SolidsTouchFromOutside) {
  const Found found = cubes(0.02);
  EXPECT_GE(found.touch, 4);  // corners on the face
  EXPECT_EQ(found.overlap, 0);
}

TEST(Outward, SolidsThatOverlapAreSeenFromInside) {
  const Found found = cubes(-0.02);
  EXPECT_GE(found.overlap, 4);
  EXPECT_EQ(found.touch, 0);
}

// The far side of a plate of 10 mm is within reach of what stands on it, and is nothing to it.
TEST(Outward, TheFarSideOfSomethingThinIsNoContact) {
  const Found thick = cubes(0.02), thin = cubes(0.02, 0.01);
  EXPECT_EQ(thin.touch, thick.touch);
  EXPECT_EQ(thin.overlap, 0);
  EXPECT_GT(thin.none, thick.none);
}

// A tetrahedron, its faces outwards; is_hollow: inwards, as the wall of a hole.
void add_tet(const std::array<Vec3, 4>& x, bool is_hollow, Solids& solids) {
  std::vector<Vec3i> triangles = {Vec3i(1, 2, 3), Vec3i(0, 3, 2), Vec3i(0, 1, 3), Vec3i(0, 2, 1)};
  const bool is_outwards = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) > 0;
  for (Vec3i& t : triangles) {
    if (is_outwards == is_hollow) std::swap(t[1], t[2]);
  }
  solids.add({x.begin(), x.end()}, std::move(triangles));
}

Meeting meeting_of(const ContactSurface& surface, PairKind kind, const std::array<int, 4>& point) {
  FourPoints x;
  for (std::size_t j = 0; j < 4; ++j) x[j] = surface.rest_points[static_cast<std::size_t>(point[j])];
  const ClosestPoints closest =
      kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3]) : closest_point_triangle(x[0], x[1], x[2], x[3]);
  Vec3 r = Vec3::Zero();
  for (std::size_t j = 0; j < 4; ++j) r += closest.weight[j] * x[j];
  EXPECT_NEAR(r.norm(), 0.02, 1e-9);
  return Outward(surface).meeting(kind, point, closest.weight, r.normalized(), surface.rest_points);
}

// The eight cases of a vertex and a face [Verschoor2019, fig. 6.7]: on which side it is, whether all faces around it are cut by
// the plane through it, and whether they face that plane. What faces it touches or overlaps by its side; what looks the other way is
// the far side of something. There a vertex whose faces are not all cut is left to others; here every vertex inside a closed
// solid is on its way out.
TEST(Outward, TheEightCasesOfAVertexAndAFace) {
  struct Case {
    const char* name;
    std::array<Vec3, 3> edge;  // m, from the vertex
    bool is_hollow, faces;
  };
  const std::array<Vec3, 3> up = {Vec3(0.2, 0.3, 0), Vec3(-0.1, 0.3, 0.17), Vec3(-0.1, 0.3, -0.17)},
                            down = {Vec3(0.2, -0.3, 0), Vec3(-0.1, -0.3, 0.17), Vec3(-0.1, -0.3, -0.17)},
                            oblique = {Vec3(0.3, -0.05, 0), Vec3(-0.15, 0.3, 0.26), Vec3(-0.15, 0.3, -0.26)};
  for (const Case& c : {Case{"tip, all cut, facing", up, false, true}, Case{"bottom of a hole", up, true, false},
                        Case{"oblique, not all cut, facing", oblique, false, true},
                        Case{"back of a tip, not cut, facing away", down, false, false}}) {
    for (const double height : {0.02, -0.02}) {
      Solids solids;
      const Vec3 apex(0.1, height, 0.07);
      add_tet({apex, apex + c.edge[0], apex + c.edge[1], apex + c.edge[2]}, c.is_hollow, solids);
      add_tet({Vec3(-3, 0, -3), Vec3(3, 0, -3), Vec3(0, 0, 6), Vec3(0, -5, 0)}, false, solids);
      const ContactSurface surface = solids.surface();
      const Meeting expected = !c.faces ? Meeting::none : height > 0 ? Meeting::touch : Meeting::overlap;
      EXPECT_EQ(meeting_of(surface, PairKind::point_triangle, {0, 4, 5, 6}), expected) << c.name << ' ' << height;
    }
  }
}

// The six cases of two edges [Verschoor2019, fig. 6.5]: the first above or below the second, each of a solid that stands above
// or hangs below its edge.
TEST(Outward, TheSixCasesOfTwoEdges) {
  struct Case {
    double first, second;  // m, where the rest of the solid is
    Meeting above, below;  // where the first edge is
  };
  for (const Case& c :
       {Case{0.5, -0.5, Meeting::touch, Meeting::overlap}, Case{-0.5, -0.5, Meeting::none, Meeting::none},
        Case{-0.5, 0.5, Meeting::overlap, Meeting::touch}}) {
    for (const double height : {0.02, -0.02}) {
      Solids solids;
      add_tet({Vec3(-1, height, 0.1), Vec3(1, height, 0.1), Vec3(0, height + c.first, -0.6),
               Vec3(0, height + c.first, 0.7)},
              false, solids);
      add_tet({Vec3(0.2, 0, -1), Vec3(0.2, 0, 1), Vec3(-0.6, c.second, 0), Vec3(0.9, c.second, 0)}, false, solids);
      EXPECT_EQ(meeting_of(solids.surface(), PairKind::edges, {0, 1, 4, 5}), height > 0 ? c.above : c.below)
          << c.first << ' ' << c.second << ' ' << height;
    }
  }
}

TEST(Outward, OpenSurfacesHaveNoOutside) {
  Solids solids;
  solids.add_box(Vec3(0.4, 0.4, 0.4), Vec3(0.03, 0.18, 0.05));
  solids.add_box(Vec3(1, 1, 1), Vec3(0, -0.5, 0));
  ContactSurface surface = solids.surface();
  surface.is_solid[1] = 0;
  const Found found = meetings_of(surface, 0.05);
  EXPECT_GT(found.touch, 0);
  EXPECT_EQ(found.overlap + found.none, 0);
}

}  // namespace
}  // namespace pliant::contact
