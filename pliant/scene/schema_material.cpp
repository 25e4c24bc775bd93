// Schema of materials. The model decides which parameters apply; giving one it does not use is an error, because the
// user expects it to act.
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

constexpr const char* kModuliModels = "models neo_hookean, stable_neo_hookean, corotated, st_venant_kirchhoff, linear";

bool uses_moduli(MaterialModel model) {
  switch (model) {
    case MaterialModel::neo_hookean:
    case MaterialModel::stable_neo_hookean:
    case MaterialModel::corotated:
    case MaterialModel::st_venant_kirchhoff:
    case MaterialModel::linear:
      return true;
    default:
      return false;
  }
}

void describe_curve(SettingVisitor& v, const char* key, SplineCurve& curve, const Meaning& meaning) {
  const auto show_points = [key, &curve, meaning](SettingVisitor& w) {
    w.value({key, PointList{&curve.points}, meaning});
  };
  const auto show_file = [key, &curve, meaning](SettingVisitor& w) {
    w.group({key,
             meaning,
             [&curve](SettingVisitor& u) {
               u.value({"file", &*curve.file, {.required = true, .text = "a text file with two columns"}});
             },
             {},
             {}});
  };
  v.forms({key,
           meaning,
           {{FormShape::points, "a list of [stretch, Pa] points", [&curve] { return !curve.file; },
             [&curve] { curve.file.reset(); }, show_points},
            {FormShape::map, "{file: path}", [&curve] { return curve.file.has_value(); },
             [&curve] { curve.file.emplace(); }, show_file}}});
}

// Keys of cloth, rods, springs, rigid bodies and grains: recognised, so that the message is about the feature.
void describe_other_kinds(SettingVisitor& v) {
  static constexpr const char* kCloth[] = {"surface_density", "thickness", "young_warp",    "young_weft",
                                           "shear",           "bending",   "warp_direction"};
  for (const char* key : kCloth) v.value({key, NotBuilt{"a material of cloth"}, {.text = "cloth"}});
  static constexpr const char* kRod[] = {"section", "viscosity"};
  for (const char* key : kRod) v.value({key, NotBuilt{"a material of rods"}, {.text = "rods"}});
  static constexpr const char* kSprings[] = {"stretch_stiffness", "shear_stiffness", "bend_stiffness"};
  for (const char* key : kSprings) v.value({key, NotBuilt{"a material of springs"}, {.text = "springs"}});
  static constexpr const char* kGrains[] = {"radius", "radius_spread"};
  for (const char* key : kGrains) v.value({key, NotBuilt{"a material of particles"}, {.text = "particles"}});
  v.value({"inertia", NotBuilt{"a material of rigid bodies"}, {.text = "rigid bodies"}});
}

void describe_model_parameters(SettingVisitor& v, Material& m) {
  const bool moduli = uses_moduli(m.model);
  const bool arap = m.model == MaterialModel::arap;
  const bool mooney = m.model == MaterialModel::mooney_rivlin;
  const bool polynomial = m.model == MaterialModel::polynomial;
  const bool spline = m.model == MaterialModel::spline;
  v.value({"young",
           m.young,
           {.unit = "Pa", .above = 0, .applies = moduli, .applies_when = kModuliModels, .text = "Young's modulus"}});
  v.value({"poisson",
           m.poisson,
           {.above = -1, .below = 0.5, .applies = moduli, .applies_when = kModuliModels, .text = "Poisson's ratio"}});
  v.value({"stiffness",
           m.stiffness,
           {.unit = "Pa",
            .above = 0,
            .required = true,
            .applies = arap,
            .applies_when = "model arap",
            .text = "resistance to every change of shape"}});
  constexpr const char* kMooney = "model mooney_rivlin";
  v.value({"c1",
           m.c1,
           {.unit = "Pa",
            .at_least = 0,
            .required = true,
            .applies = mooney,
            .applies_when = kMooney,
            .text = "weight of the first invariant"}});
  v.value({"c2",
           m.c2,
           {.unit = "Pa",
            .at_least = 0,
            .required = true,
            .applies = mooney,
            .applies_when = kMooney,
            .text = "weight of the second invariant"}});
  v.value({"bulk",
           m.bulk,
           {.unit = "Pa",
            .above = 0,
            .required = true,
            .applies = mooney,
            .applies_when = kMooney,
            .text = "bulk modulus"}});
  v.value({"mu",
           m.mu,
           {.unit = "Pa",
            .above = 0,
            .required = true,
            .applies = polynomial,
            .applies_when = "model polynomial",
            .text = "weight of the fourth power of stretch"}});
  constexpr const char* kSpline = "model spline";
  describe_curve(v, "a", m.a,
                 {.unit = "Pa",
                  .required = true,
                  .applies = spline,
                  .applies_when = kSpline,
                  .text = "derivative of the energy by each stretch; at least 4 points, stretch increasing"});
  describe_curve(v, "b", m.b,
                 {.unit = "Pa",
                  .applies = spline,
                  .applies_when = kSpline,
                  .text = "derivative by each product of two stretches; absent when empty"});
  describe_curve(v, "c", m.c,
                 {.unit = "Pa",
                  .applies = spline,
                  .applies_when = kSpline,
                  .text = "derivative by the volume ratio; absent when empty"});
}

}  // namespace

void describe(SettingVisitor& v, Material& m) {
  v.value({"source", &m.source, {}});
  v.value({"model",
           choice_of(m.model, {"orthotropic_st_venant_kirchhoff", "elastic_rod", "springs"}),
           {.text = "the law between strain and stress"}});
  v.value({"density", m.density, {.unit = "kg/m³", .above = 0, .text = "mass per volume at rest"}});
  describe_model_parameters(v, m);
  v.group(group_of("fibre", m.fibre, "stiffness added along one direction; null is none"));
  v.value({"extrapolate_below",
           m.extrapolate_below,
           {.above = 0, .below = 1, .text = "volume ratio below which the energy continues as a quadratic"}});
  v.value({"mass", choice_of(m.mass), {.text = "how an element's mass is given to its corners"}});
  v.group(group_of("damping", m.damping, "loss inside the material"));
  v.value({"strain_limit", NotBuilt{"strain_limit"}, {.text = "bounds of stretch"}});
  v.value({"volume", NotBuilt{"volume"}, {.text = "an additional volume term"}});
  describe_other_kinds(v);
}

void describe(SettingVisitor& v, Fibre& fibre) {
  v.value({"direction",
           fibre.direction,
           {.not_all_zero = true, .text = "at rest, before the body's rotation; any length but 0"}});
  v.value({"stiffness", fibre.stiffness, {.unit = "Pa", .above = 0, .required = true, .text = "along the fibre"}});
}

void describe(SettingVisitor& v, MaterialDamping& damping) {
  v.value({"stiffness_proportional",
           damping.stiffness_proportional,
           {.unit = "s", .at_least = 0, .text = "viscosity as a multiple of stiffness"}});
}

}  // namespace pliant::scene
