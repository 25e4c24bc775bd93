// What any two of many bodies are to each other. Bodies of a scene are of few kinds: the rules stand per pair of kinds, and
// memory grows with the bodies, not with their pairs (ten thousand bodies have fifty million). Single pairs may differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pliant::contact {

// What two bodies (or one with itself) are to each other.
struct PairRule {
  bool is_enabled = true;
  double friction = 0;              // coefficient
  std::optional<double> thickness;  // m, of both together; null = the sum of their own
  std::optional<double> distance;   // m, the gap at which force begins; null = that of the scene
};

class PairRules {
 public:
  struct Exception {
    int a = 0, b = 0;  // a ≤ b
    PairRule rule;
  };

  PairRules() = default;
  // Bodies of one kind, with the rule that has no wishes.
  explicit PairRules(int body_count) : PairRules(std::vector<int>(static_cast<std::size_t>(body_count), 0)) {}
  // kind_of_body: numbers from 0 on, without gaps.
  explicit PairRules(std::vector<int> kind_of_body);

  [[nodiscard]] int body_count() const { return static_cast<int>(kind_.size()); }
  [[nodiscard]] int kind_count() const { return static_cast<int>(own_.size()); }
  [[nodiscard]] std::span<const int> kind_of_body() const { return kind_; }

  [[nodiscard]] const PairRule& between(int a, int b) const {
    if ((is_exceptional_[a] & is_exceptional_[b]) != 0) {
      if (const PairRule* rule = exception(a, b)) return *rule;
    }
    return a == b ? own_[kind_[a]] : of_kinds(kind_[a], kind_[b]);
  }
  // Of two bodies of these kinds, of a body of this kind with itself.
  [[nodiscard]] const PairRule& of_kinds(int i, int j) const { return of_kinds_[i * kind_count() + j]; }
  [[nodiscard]] const PairRule& of_itself(int kind) const { return own_[kind]; }
  void set_of_kinds(int i, int j, const PairRule& rule) {
    of_kinds_[i * kind_count() + j] = of_kinds_[j * kind_count() + i] = rule;
  }
  void set_of_itself(int kind, const PairRule& rule) { own_[kind] = rule; }

  // One pair alone: change(rule).
  template <class Change>
  void change(int a, int b, const Change& change) {
    PairRule rule = between(a, b);
    change(rule);
    set_exception({std::min(a, b), std::max(a, b), rule});
  }
  template <class Change>
  void change_all(const Change& change) {
    for (PairRule& rule : of_kinds_) change(rule);
    for (PairRule& rule : own_) change(rule);
    for (Exception& pair : exceptions_) change(pair.rule);
  }
  [[nodiscard]] std::span<const Exception> exceptions() const { return exceptions_; }  // sorted

  // Whether any two of these bodies, or one with itself, may touch. Pairs that differ are not asked one by one: where all
  // that could have been forbidden singly, the answer is yes.
  [[nodiscard]] bool let_any_touch(std::span<const int> bodies) const;

 private:
  [[nodiscard]] const PairRule* exception(int a, int b) const;
  void set_exception(const Exception& pair);

  std::vector<int> kind_;
  std::vector<PairRule> of_kinds_, own_;
  std::vector<std::uint8_t> is_exceptional_;  // per body: some pair of it differs
  std::vector<Exception> exceptions_;
};

}  // namespace pliant::contact
