// The record of what a hand did: what holds when, and that it reads back exactly.
#include "pliant/scene/interaction.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant {
namespace {

TEST(Interaction, HoldsUntilTheNextChange) {
  Interaction record;
  const Hand first{"a", 3, Vec3(1, 2, 3)}, second{"a", 3, Vec3(1, 2, 4)};
  EXPECT_FALSE(record.note(0, std::nullopt));
  EXPECT_TRUE(record.note(2, first));
  EXPECT_FALSE(record.note(3, first));
  EXPECT_TRUE(record.note(5, second));
  EXPECT_TRUE(record.note(7, std::nullopt));
  EXPECT_EQ(record.changes().size(), 3U);
  EXPECT_EQ(record.at(1), std::nullopt);
  EXPECT_EQ(record.at(2), first);
  EXPECT_EQ(record.at(4), first);
  EXPECT_EQ(record.at(6), second);
  EXPECT_EQ(record.at(100), std::nullopt);
  record.forget_from(5);
  EXPECT_EQ(record.at(100), first);
}

TEST(Interaction, ReadsBackToTheSameBits) {
  const io::testing::TemporaryFolder folder;
  Interaction record;
  (void)record.note(4, Hand{"jelly, green", 42, Vec3(0.1, 1.0 / 3, -2.5e-17)});
  (void)record.note(9, std::nullopt);
  (void)record.note(11, Hand{"b", 0, Vec3(1e300, 0, -0.1)});
  std::ofstream(folder / "interaction.csv") << record.to_csv();
  const Interaction again = Interaction::read(folder / "interaction.csv");
  ASSERT_EQ(again.changes().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.changes()[i].step, record.changes()[i].step);
    EXPECT_EQ(again.changes()[i].hand, record.changes()[i].hand);
  }
}

TEST(Interaction, RefusesWhatIsNoRecord) {
  const io::testing::TemporaryFolder folder;
  EXPECT_THROW((void)Interaction::read(folder / "none.csv"), InputError);
  const std::string header = "step,body,vertex,x,y,z\n";
  for (const std::string& text : {std::string("x\n"), header + "1,a,2,3,4\n", header + "1,a,-2,0,0,0\n",
                                  header + "1,a,2,0,0,nan\n", header + "2,,,,,\n1,,,,,\n", header + "\n"}) {
    std::ofstream(folder / "bad.csv") << text;
    EXPECT_THROW((void)Interaction::read(folder / "bad.csv"), InputError) << text;
  }
}

}  // namespace
}  // namespace pliant
