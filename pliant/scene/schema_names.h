// The words of the closed choices, in the order of their enumerators.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pliant/scene/settings.h"

namespace pliant::scene {

std::span<const char* const> words_of(Integrator);
std::span<const char* const> words_of(SolverMethod);
std::span<const char* const> words_of(LinearMethod);
std::span<const char* const> words_of(HessianForm);
std::span<const char* const> words_of(LineSearchRule);
std::span<const char* const> words_of(FactorPrecision);
std::span<const char* const> words_of(MatrixAfterTears);
std::span<const char* const> words_of(ProjectionOrder);
std::span<const char* const> words_of(ProjectionReal);
std::span<const char* const> words_of(FrictionForm);
std::span<const char* const> words_of(TearForm);
std::span<const char* const> words_of(MaterialModel);
std::span<const char* const> words_of(MassForm);
std::span<const char* const> words_of(BendingModel);
std::span<const char* const> words_of(BendingRest);
std::span<const char* const> words_of(PinTwist);
std::span<const char* const> words_of(JointType);
std::span<const char* const> words_of(GridPattern);
std::span<const char* const> words_of(TetrahedralizeMethod);
std::span<const char* const> words_of(BodyKind);
std::span<const char* const> words_of(ContactMethod);
std::span<const char* const> words_of(ContactShape);
std::span<const char* const> words_of(RigidForm);
std::span<const char* const> words_of(TermRelease);
std::span<const char* const> words_of(InitialIntersections);
std::span<const char* const> words_of(Quantity);
std::span<const char* const> words_of(OutputField);

// What a probe of a pose measures: place, then quaternion.
[[nodiscard]] std::vector<std::string> pose_components();
// What a probe of a joint measures.
[[nodiscard]] std::vector<std::string> joint_components();
// What a probe of contacts measures: the last parts of its columns' names.
[[nodiscard]] std::vector<std::string> contact_components();

// The word for a value, as in the file: word_for(Integrator::bdf2) is "bdf2".
template <class Enum>
[[nodiscard]] const char* word_for(Enum value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}

template <class Enum>
[[nodiscard]] Choice choice_of(Enum& field, std::vector<const char*> not_built = {}) {
  return {words_of(field), [&field] { return static_cast<int>(field); },
          [&field](int index) { field = static_cast<Enum>(index); }, std::move(not_built)};
}

}  // namespace pliant::scene
