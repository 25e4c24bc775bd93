#include "pliant/energy/solid/tet_elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <set>

#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

// The unit tet of Liu2018 18: D_m = 1, V = 1/6.
TEST(TetElements, UnitTet) {
  const std::vector<Vec3> rest{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  const std::vector<Vec4i> tets{{0, 1, 2, 3}};
  const solid::TetElements elements(tets, rest);
  ASSERT_EQ(elements.group_count(), 1);
  const solid::TetElements::Group& group = elements.groups()[0];
  EXPECT_NEAR(group.volume[0], 1.0 / 6, 1e-15);
  for (int lane = 1; lane < 4; ++lane) EXPECT_EQ(group.volume[lane], 0);
  for (int i = 0; i < 3; ++i) {
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(group.rest_gradient[i][axis][0], i == axis ? 1 : 0, 1e-15);
  }
}

// F of an affine map is its matrix, whatever the shape, the order of the corners or the orientation of the tet.
TEST(TetElements, DeformationGradientOfAnAffineMap) {
  Random random(71);
  Mat3 map;
  for (int c = 0; c < 3; ++c) map.col(c) = random.vector();
  TetModel model = make_bent_box({2, 2, 1});
  for (std::size_t t = 0; t < model.tets.size(); t += 3) std::swap(model.tets[t][1], model.tets[t][2]);
  model.finish();
  for (int v = 0; v < model.now.size(); ++v) model.now[v] = map * model.rest[v] + Vec3(1, 2, 3);
  for (const solid::TetElements::Group& group : model.elements->groups()) {
    math::Lanes b[3][3], f[3][3];
    solid::load_rest_gradients(group, b);
    solid::deformation_gradient(model.now.data(), group, b, f);
    for (int lane = 0; lane < 4; ++lane) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(f[r][c][lane], map(r, c), 1e-12);
      }
    }
  }
}

TEST(TetElements, EveryTetHasOneLaneAndVolumesAddUp) {
  const TetModel model = make_bent_box({3, 3, 3});  // 135 tets
  std::set<int> seen;
  double volume = 0, expected = 0;
  const solid::TetElements& elements = *model.elements;
  for (int g = 0; g < elements.group_count(); ++g) {
    for (int lane = 0; lane < 4; ++lane) {
      volume += elements.groups()[g].volume[lane];
      if (elements.groups()[g].volume[lane] > 0) {
        EXPECT_TRUE(seen.insert(elements.tet_at(g, lane)).second);
      }
      for (int c = 0; c < 3; ++c) {
        EXPECT_LT(elements.groups()[g].corner[c][lane], elements.groups()[g].corner[c + 1][lane]);
      }
    }
  }
  for (const Vec4i& t : model.tets) {
    Mat3 edges;
    for (int i = 0; i < 3; ++i) edges.col(i) = model.rest[t[i + 1]] - model.rest[t[0]];
    expected += std::abs(edges.determinant()) / 6;
  }
  EXPECT_EQ(seen.size(), model.tets.size());
  EXPECT_NEAR(volume, expected, 1e-12 * expected);
}

// Chunks of one colour share no vertex.
TEST(TetElements, ChunksOfOneColorShareNoVertex) {
  const TetModel model = make_bent_box({10, 8, 8});
  const solid::TetElements& elements = *model.elements;
  const parallel::Coloring& coloring = elements.coloring();
  ASSERT_GT(elements.chunk_count(), 8);
  ASSERT_GT(coloring.color_count(), 1);
  for (int color = 0; color < coloring.color_count(); ++color) {
    std::vector<int> owner(model.rest.size(), -1);
    for (int k = coloring.color_start[color]; k < coloring.color_start[color + 1]; ++k) {
      const int chunk = coloring.items[k];
      const int last = std::min(elements.group_count(), (chunk + 1) * solid::kGroupsPerChunk);
      for (int g = chunk * solid::kGroupsPerChunk; g < last; ++g) {
        for (const auto& corner : elements.groups()[g].corner) {
          for (const int v : corner) {
            EXPECT_TRUE(owner[v] == -1 || owner[v] == chunk);
            owner[v] = chunk;
          }
        }
      }
    }
  }
}

TEST(TetElements, SlotsPointToTheBlocksOfTheCorners) {
  const TetModel model = make_bent_box({2, 2, 2});
  constexpr int kPairs[10][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (int g = 0; g < model.elements->group_count(); ++g) {
    for (int pair = 0; pair < 10; ++pair) {
      for (int lane = 0; lane < 4; ++lane) {
        const auto& corner = model.elements->groups()[g].corner;
        EXPECT_EQ(model.elements->slots()[g].slot[pair][lane],
                  model.pattern->slot(corner[kPairs[pair][0]][lane], corner[kPairs[pair][1]][lane]));
      }
    }
  }
}

TEST(TetElements, ToLanesFollowsTheOrderOfTheTets) {
  const TetModel model = make_bent_box({2, 1, 1});
  std::vector<double> number(model.tets.size());
  for (std::size_t t = 0; t < number.size(); ++t) number[t] = static_cast<double>(t);
  const std::vector<double> lanes = solid::to_lanes(*model.elements, number);
  for (int g = 0; g < model.elements->group_count(); ++g) {
    for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(lanes[4 * g + lane], model.elements->tet_at(g, lane));
  }
}

TEST(TetElements, FlatTetsAreRefused) {
  const std::vector<Vec3> rest{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(1, 1, 0)};
  const std::vector<Vec4i> tets{{0, 1, 2, 3}};
  EXPECT_ANY_THROW(solid::TetElements(tets, rest));
}

// Lanes of a group come from different parts of a chunk; solvers that sweep must meet neighbours one after the other.
TEST(TetElements, SoftElementsComeInTheOrderOfTheTets) {
  const TetModel model = make_bent_box({5, 4, 4});  // two chunks, the last group filled up
  const std::size_t count = model.tets.size();
  const solid::HyperelasticTets<solid::Corotated> energy(
      model.elements, {},
      std::vector<std::vector<double>>{std::vector<double>(count, 1.0), std::vector<double>(count, 2.0)});
  SoftElements soft;
  ASSERT_TRUE(energy.add_soft_elements(soft));
  ASSERT_EQ(soft.tets.size(), count);
  for (std::size_t t = 1; t < count; ++t) {
    EXPECT_TRUE(std::lexicographical_compare(soft.tets[t - 1].block.begin(), soft.tets[t - 1].block.end(),
                                             soft.tets[t].block.begin(), soft.tets[t].block.end()));
  }
}

}  // namespace
}  // namespace pliant::checks
