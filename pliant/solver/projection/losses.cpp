#include "pliant/solver/projection/losses.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace pliant::solver {
namespace {

double size_of(const SoftLink& link) { return link.stiffness; }
double size_of(const SoftTriangle& triangle) { return triangle.stiffness.trace(); }
double size_of(const SoftTet& tet) { return tet.mu; }
double size_of(const SoftHinge& hinge) { return hinge.measure == HingeMeasure::sine ? 0 : hinge.stiffness; }

template <class Element>
void merge(std::vector<Element>& elements) {
  using Blocks = decltype(Element::block);
  const auto key = [](const Element& element) {
    Blocks blocks = element.block;
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  };
  std::map<Blocks, std::size_t> elastic;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (!elements[e].is_rate && size_of(elements[e]) > 0) elastic.emplace(key(elements[e]), e);
  }
  std::vector<Element> kept;
  for (const Element& loss : elements) {
    const auto found = loss.is_rate ? elastic.find(key(loss)) : elastic.end();
    if (found == elastic.end() || size_of(loss) == 0) continue;
    elements[found->second].damping += size_of(loss) / size_of(elements[found->second]);
  }
  for (const Element& element : elements) {
    const bool is_merged = element.is_rate && size_of(element) > 0 && elastic.contains(key(element));
    if (!is_merged) kept.push_back(element);
  }
  elements = std::move(kept);
}

}  // namespace

void merge_losses(SoftElements& soft) {
  merge(soft.links);
  merge(soft.triangles);
  merge(soft.tets);
  merge(soft.hinges);
}

}  // namespace pliant::solver
