// Opens a mesh along faces and takes elements out of it, so that it stays a manifold.
//
// Elements are triangles or tets; a face of a triangle is an edge. Around a vertex, elements that meet across faces
// through that vertex form a fan, and a vertex of a manifold has one:
//
//        ╲ 1 ╱               ╲ 1 ╱   the faces left and right of the vertex are opened: two fans, so the vertex is
//      ───•───   →        ───•───      doubled. The fan with the lowest element keeps it, the others get copies.
//        ╱ 2 ╲             ───•───
//                            ╱ 2 ╲
//
// A vertex that has lost all its elements stays, without any. Old vertices keep their numbers; copies are appended.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// Per element and corner: the element beyond the face opposite that corner; −1 where there is none, or more than one.
template <class Element>
[[nodiscard]] std::vector<Element> across_faces(std::span<const Element> elements);

struct MeshOpening {
  std::vector<std::array<int, 2>> faces;  // pairs of elements whose common face opens
  std::vector<int> removed;               // elements
  [[nodiscard]] bool empty() const { return faces.empty() && removed.empty(); }
};

// The opening that parts the elements around a vertex by a plane through it; elements count by their centres. Empty
// when all are on one side.
template <class Element>
[[nodiscard]] MeshOpening part_vertex(std::span<const Element> elements, std::span<const Element> across,
                                      std::span<const int> around_vertex, std::span<const Vec3> positions, int vertex,
                                      const Vec3& normal);

struct OpenedMesh {
  std::vector<int> source;  // per added vertex: the vertex it is a copy of
  std::vector<int> kept;    // per element that is left: its index before
  std::vector<int>
      removed;  // elements taken out: those asked for, and tets that would have met others in an edge or a vertex only
};

// Elements are renumbered and refer to copies where they have got one. Only vertices of opened faces and of removed
// elements are looked at: defects elsewhere stay as they are.
template <class Element>
[[nodiscard]] OpenedMesh open_mesh(std::vector<Element>& elements, int vertex_count, const MeshOpening& opening);

}  // namespace pliant
