// Contact of two boxes: hull_contact.h for the commonest shape, several times as fast.
//
//   1. The axis of largest separation among 3 + 3 face normals and 9 products of edges [Gottschalk1996].
//      With R = Aᵀ B and t from a to b in a's frame, half sizes α and β:
//        face i of a       |tᵢ| − αᵢ − Σⱼ |Rᵢⱼ| βⱼ
//        edges i × j       (|tᵢ₊₂ Rᵢ₊₁ⱼ − tᵢ₊₁ Rᵢ₊₂ⱼ| − αᵢ₊₁|Rᵢ₊₂ⱼ| − αᵢ₊₂|Rᵢ₊₁ⱼ| − βⱼ₊₁|Rᵢⱼ₊₂| − βⱼ₊₂|Rᵢⱼ₊₁|) / √(1 − Rᵢⱼ²)
//   2. and on as there.
#pragma once

#include "pliant/contact/manifold/convex_shape.h"
#include "pliant/contact/manifold/manifold.h"

namespace pliant::contact {

// Adds up to four points with gaps up to reach [m]. Both shapes must be boxes.
void collide_boxes(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                   Manifold& out);

}  // namespace pliant::contact
