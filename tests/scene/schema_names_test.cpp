// Each enumerator has the word of its own name, so that files, messages and code speak alike.
#include "pliant/scene/schema_names.h"

#include <gtest/gtest.h>

namespace pliant::scene {
namespace {

TEST(SchemaNames, WordsFollowTheEnumerators) {
  EXPECT_STREQ(word_for(Integrator::backward_euler), "backward_euler");
  EXPECT_STREQ(word_for(Integrator::quasi_static), "quasi_static");
  EXPECT_STREQ(word_for(LinearMethod::automatic), "auto");
  EXPECT_STREQ(word_for(LinearMethod::pcg), "pcg");
  EXPECT_STREQ(word_for(HessianForm::warped), "warped");
  EXPECT_STREQ(word_for(MaterialModel::neo_hookean), "neo_hookean");
  EXPECT_STREQ(word_for(MaterialModel::linear), "linear");
  EXPECT_STREQ(word_for(MaterialModel::mooney_rivlin), "mooney_rivlin");
  EXPECT_STREQ(word_for(MaterialModel::spline), "spline");
  EXPECT_STREQ(word_for(MaterialModel::orthotropic_st_venant_kirchhoff), "orthotropic_st_venant_kirchhoff");
  EXPECT_STREQ(word_for(MaterialModel::elastic_rod), "elastic_rod");
  EXPECT_STREQ(word_for(MaterialModel::springs), "springs");
  EXPECT_STREQ(word_for(LinearMethod::banded), "banded");
  EXPECT_STREQ(word_for(BendingModel::hinge_tan), "hinge_tan");
  EXPECT_STREQ(word_for(BendingModel::none), "none");
  EXPECT_STREQ(word_for(BendingRest::as_given), "as_given");
  EXPECT_STREQ(word_for(PinTwist::free), "free");
  EXPECT_STREQ(word_for(MassForm::consistent), "consistent");
  EXPECT_STREQ(word_for(GridPattern::irregular), "irregular");
  EXPECT_STREQ(word_for(TetrahedralizeMethod::voxels), "voxels");
  EXPECT_STREQ(word_for(BodyKind::obstacle), "obstacle");
  EXPECT_STREQ(word_for(ContactMethod::none), "none");
  EXPECT_STREQ(word_for(InitialIntersections::ignore), "ignore");
  EXPECT_STREQ(word_for(Quantity::pin_force), "pin_force");
  EXPECT_STREQ(word_for(Quantity::energy), "energy");
  EXPECT_STREQ(word_for(OutputField::contacts), "contacts");
}

TEST(SchemaNames, TablesEndWithTheLastEnumerator) {
  EXPECT_EQ(words_of(Integrator{}).size(), static_cast<std::size_t>(Integrator::quasi_static) + 1);
  EXPECT_EQ(words_of(MaterialModel{}).size(), static_cast<std::size_t>(MaterialModel::springs) + 1);
  EXPECT_EQ(words_of(BodyKind{}).size(), static_cast<std::size_t>(BodyKind::obstacle) + 1);
  EXPECT_EQ(words_of(Quantity{}).size(), static_cast<std::size_t>(Quantity::heap_angle) + 1);
  EXPECT_EQ(words_of(LinearMethod{}).size(), static_cast<std::size_t>(LinearMethod::multigrid) + 1);
  EXPECT_EQ(words_of(BendingModel{}).size(), static_cast<std::size_t>(BendingModel::none) + 1);
  EXPECT_EQ(words_of(BendingRest{}).size(), static_cast<std::size_t>(BendingRest::as_given) + 1);
  EXPECT_EQ(words_of(RigidForm{}).size(), static_cast<std::size_t>(RigidForm::convex) + 1);
  EXPECT_EQ(words_of(PinTwist{}).size(), static_cast<std::size_t>(PinTwist::free) + 1);
}

TEST(SchemaNames, ChoicesReadAndSetTheirField) {
  Integrator field = Integrator::bdf2;
  const Choice choice = choice_of(field, {"newmark"});
  EXPECT_EQ(choice.get(), 1);
  choice.set(2);
  EXPECT_EQ(field, Integrator::implicit_midpoint);
  EXPECT_EQ(choice.built_words().size(), 5u);
}

}  // namespace
}  // namespace pliant::scene
