// Mass, centre and inertia of solids of one density, from tets or from a closed surface.
//
//   A surface is a sum of signed tets, one per triangle with a common fourth point. Per tet of mass m_i, centroid c_i
//   and corners x_j:
//     m = Σ m_i        c = Σ m_i c_i / m
//     S = Σ [ (m_i/20) Σ_j r_j r_jᵀ + m_i d_i d_iᵀ ],   r_j = x_j − c_i,  d_i = c_i − c
//     I = tr(S) 1 − S                                                            about c, kg m²
//   [Verschoor2019, App. C.9 to C.13]. Deviation: m_i/20 where C.12 has m_i/4, which would place the mass in the
//   corners; /20 is the exact second moment of a uniform tet (a unit cube then has I = m/6).
#pragma once

#include <string>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant {

struct MassProperties {
  double volume = 0;            // m³
  double mass = 0;              // kg
  Vec3 center = Vec3::Zero();   // m
  Mat3 inertia = Mat3::Zero();  // kg m², about center, along the axes of the mesh
};

// density: kg/m³, above 0. The surface must be closed and face outwards consistently, else InputError naming `place`.
[[nodiscard]] MassProperties mass_properties(const TriangleMesh& surface, double density,
                                             const std::string& place = "");
[[nodiscard]] MassProperties mass_properties(const TetMesh& mesh, double density, const std::string& place = "");

// det(x1−x0, x2−x0, x3−x0)/6 per tet, m³; negative when inverted.
[[nodiscard]] std::vector<double> tet_volumes(const TetMesh& mesh);
// A quarter of each tet's mass to each of its vertices, kg.
[[nodiscard]] std::vector<double> lumped_masses(const TetMesh& mesh, double density);

}  // namespace pliant
