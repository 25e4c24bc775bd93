#include "pliant/contact/pair_rules.h"

namespace pliant::contact {
namespace {

bool is_before(const PairRules::Exception& pair, const std::pair<int, int>& bodies) {
  return std::pair(pair.a, pair.b) < bodies;
}

}  // namespace

PairRules::PairRules(std::vector<int> kind_of_body) : kind_(std::move(kind_of_body)), is_exceptional_(kind_.size(), 0) {
  const auto count = static_cast<std::size_t>(kind_.empty() ? 0 : 1 + *std::max_element(kind_.begin(), kind_.end()));
  own_.resize(count);
  of_kinds_.resize(count * count);
}

const PairRule* PairRules::exception(int a, int b) const {
  const std::pair bodies(std::min(a, b), std::max(a, b));
  const auto found = std::lower_bound(exceptions_.begin(), exceptions_.end(), bodies, is_before);
  return found != exceptions_.end() && std::pair(found->a, found->b) == bodies ? &found->rule : nullptr;
}

void PairRules::set_exception(const Exception& pair) {
  const std::pair bodies(pair.a, pair.b);
  const auto found = std::lower_bound(exceptions_.begin(), exceptions_.end(), bodies, is_before);
  if (found != exceptions_.end() && std::pair(found->a, found->b) == bodies) {
    found->rule = pair.rule;
  } else {
    exceptions_.insert(found, pair);
  }
  is_exceptional_[pair.a] = is_exceptional_[pair.b] = 1;
}

bool PairRules::let_any_touch(std::span<const int> bodies) const {
  std::vector<int> count(own_.size(), 0);
  std::vector<std::uint8_t> is_asked(kind_.size(), 0);
  for (const int body : bodies) {
    if (between(body, body).is_enabled) return true;
    ++count[kind_[body]];
    is_asked[body] = 1;
  }
  for (int i = 0; i < kind_count(); ++i) {
    if (count[i] == 0) continue;
    if (count[i] > 1 && of_kinds(i, i).is_enabled) return true;
    for (int j = 0; j < i; ++j) {
      if (count[j] > 0 && of_kinds(i, j).is_enabled) return true;
    }
  }
  return std::any_of(exceptions_.begin(), exceptions_.end(), [&](const Exception& pair) {
    return pair.rule.is_enabled && is_asked[pair.a] != 0 && is_asked[pair.b] != 0;
  });
}

}  // namespace pliant::contact
