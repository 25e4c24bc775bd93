// Energies on their way into a model: who is coupled with whom must be known before anybody can look up slots.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "pliant/dynamics/model.h"
#include "pliant/sparse/block_pattern.h"

namespace pliant::scene {

class ModelParts {
 public:
  explicit ModelParts(Model& model) : model_(model) {}

  // An energy that couples blocks.
  template <class CoupledEnergy>
  void add(std::unique_ptr<CoupledEnergy> energy, EnergyRole role) {
    add_coupling(*energy);
    add_uncoupled(std::move(energy), role);
  }
  // An energy that adds to diagonal blocks only, or whose couplings somebody else has added.
  void add_uncoupled(std::unique_ptr<Energy> energy, EnergyRole role) {
    model_.energies.push_back(std::move(energy));
    model_.roles.push_back(role);
  }
  // `elements` must live as long as the model.
  template <class Elements>
  void add_coupling(Elements& elements) {
    couple_.emplace_back([&elements](sparse::PatternBuilder& builder) { elements.couple(builder); });
    find_slots_.emplace_back([&elements](const sparse::BlockPattern& pattern) { elements.find_slots(pattern); });
  }
  // Once, when all energies that couple blocks are there.
  void build_pattern() {
    sparse::PatternBuilder builder(model_.layout.block_count());
    for (const auto& couple : couple_) couple(builder);
    model_.pattern = builder.build();
    for (const auto& find : find_slots_) find(*model_.pattern);
  }
  [[nodiscard]] Model& model() { return model_; }

 private:
  Model& model_;
  std::vector<std::function<void(sparse::PatternBuilder&)>> couple_;
  std::vector<std::function<void(const sparse::BlockPattern&)>> find_slots_;
};

}  // namespace pliant::scene
