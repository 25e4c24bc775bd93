// Energies on their way into a model: the pattern knows every coupling before anybody looks up slots.
#include "pliant/scene/model_parts.h"

#include <gtest/gtest.h>

namespace pliant::scene {
namespace {

// Couples two blocks; notes what is asked of it and in which order.
class Tie final : public Energy {
 public:
  Tie(int first, int second, std::vector<std::string>& log) : first_(first), second_(second), log_(log) {}
  void couple(sparse::PatternBuilder& builder) const {
    log_.push_back("couple " + std::to_string(first_));
    const int blocks[] = {first_, second_};
    builder.couple(blocks);
  }
  void find_slots(const sparse::BlockPattern& pattern) {
    log_.push_back("find " + std::to_string(first_));
    slot_ = pattern.slot(first_, second_);
  }
  void evaluate(const Configuration& /*q*/, Accumulator& /*out*/) const override {}
  [[nodiscard]] std::string name() const override { return "tie " + std::to_string(first_); }
  [[nodiscard]] int slot() const { return slot_; }

 private:
  int first_, second_, slot_ = -1;
  std::vector<std::string>& log_;
};

TEST(ModelParts, EverybodyCouplesBeforeAnybodyFindsSlots) {
  Model model;
  model.layout.add_body("points", 5);
  std::vector<std::string> log;
  Tie loose(3, 4, log);  // elements that several energies share
  ModelParts parts(model);
  EXPECT_EQ(&parts.model(), &model);
  auto tie = std::make_unique<Tie>(0, 1, log);
  const Tie& added = *tie;
  parts.add(std::move(tie), EnergyRole::elastic);
  parts.add_coupling(loose);
  parts.add_uncoupled(std::make_unique<Tie>(2, 3, log), EnergyRole::gravity);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(model.pattern, nullptr);
  parts.build_pattern();
  EXPECT_EQ(log, (std::vector<std::string>{"couple 0", "couple 3", "find 0", "find 3"}));
  EXPECT_EQ(model.pattern->row_count(), 5);
  EXPECT_GE(added.slot(), 0);
  EXPECT_GE(loose.slot(), 0);
  EXPECT_NE(added.slot(), loose.slot());
  // Energies and their roles stand side by side, in the order of their coming.
  ASSERT_EQ(model.energies.size(), 2U);
  EXPECT_EQ(model.energies[0]->name(), "tie 0");
  EXPECT_EQ(model.energies[1]->name(), "tie 2");
  EXPECT_EQ(model.roles, (std::vector{EnergyRole::elastic, EnergyRole::gravity}));
}

// A model without couplings has a diagonal.
TEST(ModelParts, NothingCoupledIsDiagonal) {
  Model model;
  model.layout.add_body("points", 3);
  ModelParts parts(model);
  parts.build_pattern();
  EXPECT_EQ(model.pattern->row_count(), 3);
  EXPECT_EQ(model.pattern->slot_count(), 3);
}

}  // namespace
}  // namespace pliant::scene
