#include "pliant/contact/manifold/rigid_pairs.h"

#include <algorithm>

#include "pliant/contact/manifold/mesh_overlap.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kPairsPerChunk = 256;  // tens of µs of work

// Rebuilding the tree costs as much as several searches in it; a tree twice as loose as when new costs more.
constexpr double kMostDecay = 1.5;

// Around a box and where it goes.
Box swept(const Box& box, const Vec3& way) {
  Vec3 low, high;
  for (int a = 0; a < 3; ++a) {
    low[a] = static_cast<double>(box.low[a]) + std::min(way[a], 0.0);
    high[a] = static_cast<double>(box.high[a]) + std::max(way[a], 0.0);
  }
  return Box::of(low, high);
}

void collide_pieces(const RigidPiece& a, const RigidPiece& b, Manifold& manifold) {
  const double reach = a.reach + b.reach + (a.way - b.way).norm();
  manifold.count = 0;
  if (a.shape != nullptr && b.shape != nullptr) {
    collide(*a.shape, a.pose, *b.shape, b.pose, reach, manifold);
  } else if (b.shape != nullptr) {
    collide_mesh(*a.mesh, a.pose, *b.shape, b.pose, reach, manifold);
  } else if (a.shape != nullptr) {
    collide_mesh(*b.mesh, b.pose, *a.shape, a.pose, reach, manifold);
    for (int k = 0; k < manifold.count; ++k) manifold.points[k] = exchanged(manifold.points[k]);
  } else {
    collide_overlap(*a.mesh, a.pose, *b.mesh, b.pose, a.shallow + b.shallow, manifold);
  }
}

}  // namespace

void RigidPairs::place_boxes(std::span<const RigidPiece> pieces) {
  boxes_.resize(pieces.size());
  parallel_for(static_cast<int>(pieces.size()), 512, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const RigidPiece& piece = pieces[i];
      boxes_[i] = piece.shape != nullptr ? bounds(*piece.shape, piece.pose) : piece.mesh->bounds(piece.pose);
      if (!piece.way.isZero(0)) boxes_[i] = swept(boxes_[i], piece.way);
      boxes_[i].inflate(piece.reach);
    }
  });
}

void RigidPairs::build_tree() {
  const bool same_count = tree_size_ == boxes_.size();
  tree_size_ = boxes_.size();
  if (same_count) tree_.refit(boxes_);
  if (!same_count || tree_.decay() > kMostDecay) tree_.build(boxes_);
}

void RigidPairs::find_strays(const RigidPairs& earlier) {
  strays_.clear();
  stray_boxes_.clear();
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (earlier.boxes_[i].contains(boxes_[i])) continue;
    strays_.push_back(static_cast<int>(i));
    stray_boxes_.push_back(boxes_[i]);
  }
}

void RigidPairs::add_met(std::span<const Pair> met) {
  for (const auto& [s, j] : met) near_.emplace_back(std::min(strays_[s], j), std::max(strays_[s], j));
  std::sort(near_.begin(), near_.end());
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
}

// By the first piece with a counting sort, then by the second within.
void RigidPairs::order_pairs(int piece_count) {
  bucket_.assign(piece_count + 1, 0);
  for (int k = 0; k < lists_.list_count(); ++k) {
    for (const auto& [i, j] : lists_.list(k)) ++bucket_[std::min(i, j) + 1];
  }
  for (int i = 0; i < piece_count; ++i) bucket_[i + 1] += bucket_[i];
  near_.resize(lists_.pair_count());
  for (int k = 0; k < lists_.list_count(); ++k) {
    for (const auto& [i, j] : lists_.list(k)) near_[bucket_[std::min(i, j)]++] = {std::min(i, j), std::max(i, j)};
  }
  // bucket_[i] is now the end of piece i.
  parallel_for(piece_count, 512, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      std::sort(near_.begin() + (i == 0 ? 0 : bucket_[i - 1]), near_.begin() + bucket_[i]);
    }
  });
}

void RigidPairs::fill_manifolds(std::span<const RigidPiece> pieces) {
  const int near_count = static_cast<int>(near_.size());
  const int chunk_count = (near_count + kPairsPerChunk - 1) / kPairsPerChunk;
  if (static_cast<int>(chunks_.size()) < chunk_count) chunks_.resize(chunk_count);
  counts_.resize(near_count);
  parallel_for(near_count, kPairsPerChunk, [&](int begin, int end) {
    std::vector<ContactPoint>& found = chunks_[begin / kPairsPerChunk];
    found.clear();
    Manifold manifold;
    for (int k = begin; k < end; ++k) {
      const auto& [i, j] = near_[k];
      collide_pieces(pieces[i], pieces[j], manifold);
      counts_[k] = manifold.count;
      found.insert(found.end(), manifold.points.begin(), manifold.points.begin() + manifold.count);
    }
  });
  // One list of pairs, one of points.
  pairs_.clear();
  points_.clear();
  for (int chunk = 0; chunk < chunk_count; ++chunk) {
    points_.insert(points_.end(), chunks_[chunk].begin(), chunks_[chunk].end());
  }
  int first = 0;
  for (int k = 0; k < near_count; ++k) {
    if (counts_[k] > 0) pairs_.push_back({near_[k].first, near_[k].second, first, counts_[k]});
    first += counts_[k];
  }
}

const RigidPair* RigidPairs::find_pair(int a, int b) const {
  const auto before = [](const RigidPair& pair, const Pair& key) { return Pair(pair.a, pair.b) < key; };
  const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), Pair(a, b), before);
  return found != pairs_.end() && found->a == a && found->b == b ? &*found : nullptr;
}

}  // namespace pliant::contact
