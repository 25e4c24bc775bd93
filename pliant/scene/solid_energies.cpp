#include "pliant/scene/solid_energies.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/fibre.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/spline.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "pliant/energy/solid/strain_limit.h"
#include "pliant/energy/solid/strain_rate_damping.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "pliant/input_error.h"

namespace pliant::scene {
namespace {

using solid::HyperelasticOptions;
using solid::HyperelasticTets;
using solid::TetElements;

// Parts whose elements can be one batch: same law and terms, same continuation; a spline's curves are its own.
bool same_batch(const Material& a, const Material& b) {
  return a.model == b.model && a.extrapolate_below == b.extrapolate_below && a.a == b.a && a.b == b.b && a.c == b.c &&
         a.mass == b.mass && a.strain_limit.has_value() == b.strain_limit.has_value() &&
         a.volume.has_value() == b.volume.has_value();
}

solid::SplineCurves curves_of(const Material& material) {
  return {solid::StressCurve(material.a.points), solid::StressCurve(material.b.points),
          solid::StressCurve(material.c.points)};
}

// A number per tet from a function of the material.
template <class Get>
std::vector<double> per_tet(const std::vector<const SolidPart*>& parts, const Get& get) {
  std::vector<double> values;
  for (const SolidPart* part : parts) values.insert(values.end(), part->tets.size(), get(*part->material));
  return values;
}

template <class Law>
std::unique_ptr<Energy> make_energy(std::shared_ptr<const TetElements> elements, Law law,
                                    const std::vector<std::vector<double>>& parameters, const Material& material) {
  return std::make_unique<HyperelasticTets<Law>>(std::move(elements), std::move(law), parameters,
                                                 HyperelasticOptions{material.extrapolate_below});
}

std::unique_ptr<Energy> make_elastic(const std::vector<const SolidPart*>& parts,
                                     std::shared_ptr<const TetElements> elements) {
  const Material& first = *parts.front()->material;
  const auto mu = [](const Material& m) { return solid::lame_mu(m.young, m.poisson); };
  const auto lambda = [](const Material& m) { return solid::lame_lambda(m.young, m.poisson); };
  const auto lame = [&] { return std::vector<std::vector<double>>{per_tet(parts, mu), per_tet(parts, lambda)}; };
  switch (first.model) {
    case MaterialModel::neo_hookean:
      return make_energy(std::move(elements), solid::NeoHookean{}, lame(), first);
    case MaterialModel::stable_neo_hookean:
      return make_energy(std::move(elements), solid::StableNeoHookean{}, lame(), first);
    case MaterialModel::corotated:
      return make_energy(std::move(elements), solid::Corotated{}, lame(), first);
    case MaterialModel::st_venant_kirchhoff:
      return make_energy(std::move(elements), solid::StVenantKirchhoff{}, lame(), first);
    case MaterialModel::linear:
      return make_energy(std::move(elements), solid::Linear{}, lame(), first);
    case MaterialModel::arap:
      return make_energy(std::move(elements), solid::Arap{},
                         {per_tet(parts, [](const Material& m) { return m.stiffness; })}, first);
    case MaterialModel::mooney_rivlin:
      return make_energy(std::move(elements), solid::MooneyRivlin{},
                         {per_tet(parts, [](const Material& m) { return m.c1; }),
                          per_tet(parts, [](const Material& m) { return m.c2; }),
                          per_tet(parts, [](const Material& m) { return m.bulk; })},
                         first);
    case MaterialModel::polynomial:
      return make_energy(std::move(elements), solid::Polynomial{},
                         {per_tet(parts, [](const Material& m) { return m.mu; })}, first);
    case MaterialModel::spline:
      return make_energy(std::move(elements), solid::Spline{curves_of(first)}, {}, first);
    default:  // models of other kinds of bodies are refused before
      return nullptr;
  }
}

// The rest shape must be free of stress: a'(1) + 2b'(1) + c'(1) = 0.
void check_spline(const Material& material) {
  const solid::SplineCurves curves = curves_of(material);
  const double a = curves.a(1.0).first, b = curves.b(1.0).first, c = curves.c(1.0).first;
  const double scale = std::abs(a) + 2 * std::abs(b) + std::abs(c) + std::abs(curves.a(1.0).second);
  if (std::abs(a + 2 * b + c) > 1e-6 * scale) {
    throw InputError(
        material.source,
        fmt::format("spline material '{}' is stressed at rest: a'(1) + 2 b'(1) + c'(1) = {:.6g} Pa must be 0; "
                    "shift one of the curves",
                    material.name, a + 2 * b + c));
  }
}

// Terms beside the law; all parts of a batch have the same ones.
void add_terms(const std::vector<const SolidPart*>& parts, const std::shared_ptr<const TetElements>& elements,
               ModelParts& model) {
  const Material& first = *parts.front()->material;
  const auto add = [&](auto law, const std::vector<std::vector<double>>& parameters) {
    model.add_uncoupled(std::make_unique<HyperelasticTets<decltype(law)>>(elements, law, parameters),
                        EnergyRole::elastic);
  };
  if (first.strain_limit) {
    add(solid::StrainLimit{}, {per_tet(parts, [](const Material& m) { return m.strain_limit->stiffness; }),
                               per_tet(parts, [](const Material& m) { return m.strain_limit->min; }),
                               per_tet(parts, [](const Material& m) { return m.strain_limit->max; })});
  }
  if (first.volume)
    add(solid::VolumePreservation{}, {per_tet(parts, [](const Material& m) { return m.volume->stiffness; })});
}

void add_batch(const std::vector<const SolidPart*>& parts, const std::vector<Vec3>& rest, ModelParts& model) {
  std::vector<Vec4i> tets;
  for (const SolidPart* part : parts) tets.insert(tets.end(), part->tets.begin(), part->tets.end());
  auto elements = std::make_shared<TetElements>(tets, rest);
  model.add_coupling(*elements);  // the energies keep them
  const auto add = [&](std::unique_ptr<Energy> energy, EnergyRole role) {
    model.add_uncoupled(std::move(energy), role);
  };
  const Material& first = *parts.front()->material;
  if (first.model == MaterialModel::spline) check_spline(first);
  add(make_elastic(parts, elements), EnergyRole::elastic);

  add_terms(parts, elements, model);

  bool fibres = false, damped = false;
  for (const SolidPart* part : parts) {
    fibres = fibres || part->material->fibre.has_value();
    damped = damped || part->material->damping.stiffness_proportional > 0;
  }
  if (fibres) {
    std::vector<Vec3> directions;
    for (const SolidPart* part : parts) {
      const Vec3 d = part->material->fibre ? Vec3(part->turn * part->material->fibre->direction.normalized())
                                           : Vec3(Vec3::UnitX());
      directions.insert(directions.end(), part->tets.size(), d);
    }
    const auto stiffness = per_tet(parts, [](const Material& m) { return m.fibre ? m.fibre->stiffness : 0.0; });
    add(std::make_unique<solid::Fibre>(elements, directions, stiffness), EnergyRole::elastic);
  }
  if (damped) {
    const auto viscous = [&](double Lame::*modulus) {
      return per_tet(parts,
                     [&](const Material& m) { return m.damping.stiffness_proportional * lame_at_rest(m).*modulus; });
    };
    add(std::make_unique<solid::StrainRateDamping>(elements, viscous(&Lame::mu), viscous(&Lame::lambda)),
        EnergyRole::dissipation);
  }
  if (first.mass == MassForm::consistent) {
    model.model().inertia.add_consistent(elements, per_tet(parts, [](const Material& m) { return m.density; }));
  }
}

}  // namespace

Lame lame_at_rest(const Material& m) {
  switch (m.model) {
    case MaterialModel::arap:
      return {m.stiffness / 2, 0};
    case MaterialModel::mooney_rivlin:
      return {2 * (m.c1 + m.c2), m.bulk - 4.0 / 3.0 * (m.c1 + m.c2)};
    case MaterialModel::polynomial:
      return {m.mu, 0};
    case MaterialModel::spline: {
      // Ψ_01 = λ and Ψ_00 = λ + 2μ at the rest state.
      const double rest[3] = {1, 1, 1};
      solid::PrincipalDerivatives<double> d;
      solid::Spline{curves_of(m)}.principal<double>(nullptr, rest, d);
      return {(d.second[0] - d.second[5]) / 2, d.second[5]};
    }
    default:
      return {solid::lame_mu(m.young, m.poisson), solid::lame_lambda(m.young, m.poisson)};
  }
}

void add_solid_energies(const std::vector<SolidPart>& parts, const std::vector<Vec3>& rest, ModelParts& model) {
  // Group parts that can share a batch, in the order of their first member.
  std::vector<std::vector<const SolidPart*>> groups;
  for (const SolidPart& part : parts) {
    bool found = false;
    for (auto& group : groups) {
      if (!found && same_batch(*group.front()->material, *part.material)) {
        group.push_back(&part);
        found = true;
      }
    }
    if (!found) groups.push_back({&part});
  }
  for (const auto& group : groups) add_batch(group, rest, model);
}

}  // namespace pliant::scene
