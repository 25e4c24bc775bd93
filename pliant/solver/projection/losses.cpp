#include "pliant/solver/projection/losses.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace pliant::solver {
namespace {

double size_of(const SoftLink& link) { return link.stiffness; }
double size_of(const SoftTriangle& triangle) { return triangle.stiffness.trace(); }
// What keeps the volume has no losses.
double size_of(const SoftTet& tet) { return tet.strain == SolidStrain::volume ? 0 : tet.mu; }
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
  const auto has_partner = [&](const Element& element) {
    return element.is_rate && size_of(element) > 0 && elastic.contains(key(element));
  };
  for (const Element& loss : elements) {
    if (!has_partner(loss)) continue;
    Element& partner = elements[elastic.at(key(loss))];
    partner.damping += size_of(loss) / size_of(partner);
  }
  std::erase_if(elements, has_partner);
}

}  // namespace

void merge_losses(SoftElements& soft) {
  merge(soft.links);
  merge(soft.triangles);
  merge(soft.tets);
  merge(soft.hinges);
}

}  // namespace pliant::solver
