#include "pliant/scene/cloth_energies.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/energy/cloth/membrane_damping.h"
#include "pliant/energy/cloth/stretch_membrane.h"
#include "pliant/input_error.h"
#include "pliant/io/number_rows.h"
#include "pliant/io/plain_text.h"

namespace pliant::scene {
namespace {

double thickness_of(const Material& material, const Body& body) {
  if (material.thickness) return *material.thickness;
  throw InputError(material.source,
                   fmt::format("material '{}' of body '{}' needs thickness [m]", material.name, body.name));
}

cloth::OrthotropicModuli moduli_of(const Material& m) {
  if (m.model == MaterialModel::orthotropic_st_venant_kirchhoff)
    return {m.young_warp, m.young_weft, m.poisson, m.shear};
  return {m.young, m.young, m.poisson, m.young / (2 * (1 + m.poisson))};
}

cloth::MembraneSheet sheet_of(const ModelBody& body, const Material& material, const Body& wanted, int block_count) {
  cloth::MembraneSheet sheet;
  sheet.block_count = block_count;
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    const Vec3i& v = body.triangles[t];
    sheet.triangles.emplace_back(body.block_of_vertex[v[0]], body.block_of_vertex[v[1]], body.block_of_vertex[v[2]]);
    const auto rest = cloth::triangle_rest(body.flat[t], material.warp_direction);
    if (!rest) {
      throw InputError(wanted.mesh.source,
                       fmt::format("triangle {} of body '{}' has no area in its rest state; mend the mesh or its "
                                   "texture coordinates",
                                   t, body.name));
    }
    sheet.rest.push_back(*rest);
  }
  return sheet;
}

template <class Law>
void add_stretch_membrane(const cloth::MembraneSheet& sheet, const typename Law::Parameters& parameters,
                          ModelParts& parts) {
  const std::vector<typename Law::Parameters> all(sheet.triangles.size(), parameters);
  parts.add(std::make_unique<cloth::StretchMembrane<Law>>(sheet, all), EnergyRole::elastic);
}

void add_membrane(const cloth::MembraneSheet& sheet, const Material& m, double thickness, ModelParts& parts) {
  const cloth::IsotropicModuli isotropic{m.young * thickness, m.poisson};
  const cloth::OrthotropicCoefficients coefficients = cloth::coefficients(moduli_of(m)).times(thickness);
  switch (m.model) {
    case MaterialModel::neo_hookean:
      add_stretch_membrane<cloth::NeoHookean>(sheet, cloth::lame_parameters(isotropic), parts);
      break;
    case MaterialModel::corotated:
      add_stretch_membrane<cloth::Corotated>(sheet, cloth::lame_parameters(isotropic), parts);
      break;
    default:
      parts.add(std::make_unique<cloth::EdgeMembrane<cloth::StVenantKirchhoff>>(
                    sheet, std::vector(sheet.triangles.size(), coefficients)),
                EnergyRole::elastic);
  }
  if (m.strain_limit) {
    const StrainLimit& limit = *m.strain_limit;
    add_stretch_membrane<cloth::StrainLimit>(sheet, {limit.min, limit.max, limit.stiffness * thickness}, parts);
  }
  const double time = m.damping.stiffness_proportional;
  if (time > 0) {
    parts.add(
        std::make_unique<cloth::MembraneDamping>(sheet, std::vector(sheet.triangles.size(), coefficients.times(time))),
        EnergyRole::dissipation);
  }
}

// --- Bending ---

cloth::HingeLaw law_of(BendingModel model) {
  switch (model) {
    case BendingModel::hinge_angle:
      return cloth::HingeLaw::angle;
    case BendingModel::willmore:
      return cloth::HingeLaw::willmore;
    case BendingModel::bridson:
      return cloth::HingeLaw::bridson;
    default:
      return cloth::HingeLaw::tan;
  }
}

// What one of the two triangles of a hinge says about it in its flat rest state.
struct HalfHinge {
  double edge_length = 0, area = 0;
  double foot = 0;        // where the height stands on the edge, as the triangle runs along it: 0 to 1
  double along_warp = 0;  // cos² of the angle between the warp and the direction that bends, which is across the edge
};
HalfHinge half_hinge(const std::array<Vec2, 3>& corners, int edge, const Vec2& warp) {
  const Vec2 along = corners[(edge + 2) % 3] - corners[(edge + 1) % 3];
  const Vec2 a = corners[1] - corners[0], b = corners[2] - corners[0];
  const double cosine = along.normalized().dot(warp.normalized());
  const double foot = (corners[edge] - corners[(edge + 1) % 3]).dot(along) / along.squaredNorm();
  return {along.norm(), 0.5 * std::abs(a[0] * b[1] - a[1] * b[0]), foot, 1 - cosine * cosine};
}

void add_bending(const ModelBody& body, const Material& m, const Body& wanted, ModelParts& parts) {
  const Rigidity rigidity = bending_rigidity(m);
  if (m.bending.model == BendingModel::none || rigidity.warp == 0) return;
  const SheetHinges sheet = find_hinges(body.triangles);
  if (sheet.hinges.empty()) return;
  std::vector<std::array<int, 3>> triangles;
  for (const Vec3i& t : body.triangles)
    triangles.push_back({body.block_of_vertex[t[0]], body.block_of_vertex[t[1]], body.block_of_vertex[t[2]]});
  std::vector<cloth::HingeParameters> parameters;
  for (const Hinge& hinge : sheet.hinges) {
    HalfHinge half[2];
    for (int s = 0; s < 2; ++s)
      half[s] = half_hinge(body.flat[hinge.triangle[s]], hinge.local_edge[s], m.warp_direction);
    const double warp = 0.5 * (half[0].along_warp + half[1].along_warp);
    cloth::HingeParameters& p = parameters.emplace_back();
    p.stiffness = rigidity.warp * warp + rigidity.weft * (1 - warp);
    p.viscosity = m.damping.stiffness_proportional * p.stiffness + m.bending.viscosity;
    p.rest_edge_length = 0.5 * (half[0].edge_length + half[1].edge_length);
    p.rest_area = half[0].area + half[1].area;
    p.rest_share = half[0].area / p.rest_area;
    p.rest_foot = {half[0].foot, 1 - half[1].foot};  // the second triangle runs along the edge the other way
    if (m.bending.rest == BendingRest::as_given)
      p.rest_angle = cloth::hinge_at_rest(hinge, body.rest.vertices).rest_angle;
    if (std::abs(p.rest_angle) > 3.1) {
      throw InputError(wanted.mesh.source,
                       fmt::format("body '{}' is folded flat at the edge between vertices {} and {}; bending.rest: "
                                   "as_given needs angles below 178 degrees",
                                   body.name, hinge.vertex[1], hinge.vertex[2]));
    }
  }
  parts.add(std::make_unique<cloth::HingeBending>(law_of(m.bending.model), triangles, sheet.hinges, parameters),
            EnergyRole::elastic);
}

// --- Animated rest state ---

std::vector<double> edge_lengths(const std::vector<Vec3i>& triangles, const auto& corner) {
  std::vector<double> lengths;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int i = 0; i < 3; ++i) lengths.push_back((corner(t, (i + 2) % 3) - corner(t, (i + 1) % 3)).norm());
  }
  return lengths;
}

std::vector<double> read_weights(const FilePath& file, std::size_t count) {
  std::vector<double> weights = io::read_numbers(io::read_text_file(file.resolved, "check the name in the scene"),
                                                 file.written, "a weight from 0 to 1");
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (!(weights[t] >= 0 && weights[t] <= 1))
      throw InputError(file.written, fmt::format("weight {} is {}; weights are numbers from 0 to 1", t, weights[t]));
  }
  if (weights.size() != count) {
    throw InputError(file.written,
                     fmt::format("there are {} weights for {} triangles; give one for each", weights.size(), count));
  }
  return weights;
}

RestAnimation animation_of(const PlacedBody& placed, const ModelBody& body) {
  const AnimatedRest& wanted = *placed.body->animated_rest;
  RestAnimation animation;
  animation.own = edge_lengths(body.triangles, [&](std::size_t t, int c) { return body.flat[t][c]; });
  for (std::size_t k = 0; k < placed.rest_keyframes.size(); ++k) {
    const std::vector<Vec3>& shape = placed.rest_keyframes[k];
    animation.keys.push_back({wanted.keyframes[k].t, edge_lengths(body.triangles, [&](std::size_t t, int c) {
                                return shape[body.triangles[t][c]];
                              })});
  }
  if (wanted.weights) animation.factors = read_weights(*wanted.weights, body.triangles.size());
  for (const ScalarKeyframe& key : wanted.weight.keyframes)
    animation.weight.keys.push_back({key.t, Vec3(key.value, 0, 0)});
  animation.weight.until = std::numeric_limits<double>::infinity();
  animation.weight.from = -1;
  return animation;
}

}  // namespace

Rigidity bending_rigidity(const Material& m) {
  const cloth::OrthotropicModuli moduli = moduli_of(m);
  Rigidity rigidity;
  if (m.bending.stiffness) {
    rigidity.warp = *m.bending.stiffness;
  } else {
    const double h = m.thickness.value_or(0), reciprocal = m.poisson * moduli.young_weft / moduli.young_warp;
    rigidity.warp = moduli.young_warp * h * h * h / (12 * (1 - m.poisson * reciprocal));
  }
  rigidity.weft = rigidity.warp * m.bending.ratio.value_or(moduli.young_weft / moduli.young_warp);
  return rigidity;
}

void add_cloth_energies(const PlacedBody& placed, const ModelBody& body, const Material& material, ModelParts& parts) {
  const Body& wanted = *placed.body;
  const double thickness = thickness_of(material, wanted);
  if (!cloth::is_positive_definite(moduli_of(material))) {
    throw InputError(material.source,
                     fmt::format("material '{}' gives energy away when strained: poisson² × young_weft must be below "
                                 "young_warp, and poisson above -1",
                                 material.name));
  }
  cloth::MembraneSheet sheet = sheet_of(body, material, wanted, parts.model().layout.block_count());
  if (wanted.animated_rest) {
    sheet.animated = static_cast<int>(parts.model().rest_animations.size());
    parts.model().rest_animations.push_back(animation_of(placed, body));
  }
  add_membrane(sheet, material, thickness, parts);
  add_bending(body, material, wanted, parts);
}

}  // namespace pliant::scene
