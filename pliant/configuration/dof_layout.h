// What the unknowns are: every body owns a contiguous range of blocks of three.
//
//   point        a vertex of a solid, a cloth, a rod; a rigid body's centre of mass      position [m]
//   rigid_axis   one of a rigid body's principal axes (rigid_frames.h)                   direction times a length [m]
//   rod_twist    one rod edge's twist in slot 0; slots 1 and 2 stay zero                 [rad]
//
// A residual or an increment of a block counts as a length times `length`: the section's radius for twists, the extent of
// the body along it over ℓ for a rigid body's axis, 1 for points. So one tolerance suits all kinds (the stopping rule).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pliant {

enum class BlockKind : unsigned char { point, rigid_axis, rod_twist };

struct BlockPlace {
  int body = -1;
  int index = -1;  // of the block inside its body
};

class DofLayout {
 public:
  // Appends a body with `count` blocks of one kind; returns its first block.
  int add_body(const std::string& name, int count, BlockKind kind = BlockKind::point, double length = 1);
  // Appends a body with blocks of several kinds. length: m per unit of twists.
  int add_body(const std::string& name, std::span<const BlockKind> kinds, double length);
  // Appends a rigid body: its centre and three axes. extents: RigidFrame::extent().
  int add_rigid_body(const std::string& name, std::span<const double, 3> extents);

  [[nodiscard]] int block_count() const { return static_cast<int>(kind_.size()); }
  [[nodiscard]] int body_count() const { return static_cast<int>(bodies_.size()); }
  [[nodiscard]] const std::string& body_name(int body) const { return bodies_[body].name; }
  [[nodiscard]] int first_block(int body) const { return bodies_[body].first; }
  [[nodiscard]] int body_block_count(int body) const { return bodies_[body].count; }
  [[nodiscard]] BlockKind kind(int block) const { return kind_[block]; }
  [[nodiscard]] double length(int block) const { return length_[block]; }
  // Whose block this is.
  [[nodiscard]] BlockPlace locate(int block) const;

 private:
  struct Body {
    std::string name;
    int first = 0;
    int count = 0;
  };
  std::vector<Body> bodies_;
  std::vector<BlockKind> kind_;
  std::vector<double> length_;  // m per unit of the block
};

}  // namespace pliant
