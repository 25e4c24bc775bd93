// Sentences about ranges, numbers as text, and the nearest word.
#include "pliant/scene/settings.h"

#include <gtest/gtest.h>

#include <charconv>
#include <random>

namespace pliant::scene {
namespace {

TEST(Settings, NumbersReadBackExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600) - 300);
    const std::string text = number_text(value);
    double again = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    EXPECT_EQ(value, again);
  }
  EXPECT_EQ(number_text(0.1), "0.1");
}

TEST(Settings, RangeSentences) {
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(range_text({.above = 0}), "above 0");
  EXPECT_EQ(range_text({.above = -1, .below = 0.5}), "above -1 and below 0.5");
  EXPECT_EQ(range_text({.at_least = 0, .at_most = 1}), "from 0 to 1");
  EXPECT_EQ(range_text({.at_least = 1, .at_most = 1}), "exactly 1");
  EXPECT_EQ(range_text({.above = 0, .at_most = 1}), "above 0 and at most 1");
}

TEST(Settings, NearestWordCountsSwapsAsOneMistake) {
  const std::vector<std::string> words = {"density", "young", "poisson"};
  EXPECT_EQ(nearest("densty", words), "density");
  EXPECT_EQ(nearest("yuong", words), "young");
  EXPECT_EQ(nearest("viscosity", words), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), words), "");
  EXPECT_EQ(suggestion("poison", words), "; did you mean 'poisson'?");
  EXPECT_EQ(suggestion("zzz", words), "; known are density, young, poisson");
}

TEST(Settings, FieldsAreReadAndWrittenThroughDeclarations) {
  std::optional<Vec3> field;
  const Numbers numbers(field);
  EXPECT_FALSE(numbers.get().has_value());
  numbers.set(std::vector<double>{1, 2, 3});
  EXPECT_EQ(*field, Vec3(1, 2, 3));
  numbers.set(std::nullopt);
  EXPECT_FALSE(field.has_value());
}

}  // namespace
}  // namespace pliant::scene
