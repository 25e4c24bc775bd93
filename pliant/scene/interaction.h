// What somebody's hand did to a run: which vertex was pulled where, step by step. Kept in interaction.csv beside the
// result; a run that replays it takes the same steps to the same bits.
//
//   step,body,vertex,x,y,z        before nominal step `step` the hand holds this vertex of this body at x y z [m]
//   120,jelly,42,0.1,0.5,0        and goes on so until the next row;
//   180,,,,,                      a row without a body: it let go
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

struct Hand {
  std::string body;
  int vertex = 0;              // of the body, in the user's order
  Vec3 target = Vec3::Zero();  // m
  bool operator==(const Hand&) const = default;
};

class Interaction {
 public:
  struct Change {
    std::int64_t step = 0;
    std::optional<Hand> hand;  // nothing: let go
  };

  // What the hand does in a nominal step: the last change at or before it.
  [[nodiscard]] std::optional<Hand> at(std::int64_t step) const;
  // Notes what the hand does in a step, later than all noted before; says whether that is a change.
  bool note(std::int64_t step, const std::optional<Hand>& hand);
  // Forgets changes at or after a step: a resumed run goes on from there.
  void forget_from(std::int64_t step);
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

  [[nodiscard]] std::string to_csv() const;
  [[nodiscard]] static std::string row_of(const Change& change);  // one line of it
  // Throws InputError, with the line, when the file is missing or is no such table.
  [[nodiscard]] static Interaction read(const std::filesystem::path& file);

 private:
  std::vector<Change> changes_;  // ascending steps
};

}  // namespace pliant
