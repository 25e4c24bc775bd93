// Schema of materials. The model decides which parameters apply; giving one it does not use is an error, because the
// user expects it to act.
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

constexpr const char* kYoungModels =
    "models neo_hookean, stable_neo_hookean, corotated, st_venant_kirchhoff, linear, elastic_rod";
constexpr const char* kPoissonModels =
    "models neo_hookean, stable_neo_hookean, corotated, st_venant_kirchhoff, linear, orthotropic_st_venant_kirchhoff";

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

bool is_cloth_model(MaterialModel model) {
  switch (model) {
    case MaterialModel::neo_hookean:
    case MaterialModel::corotated:
    case MaterialModel::st_venant_kirchhoff:
    case MaterialModel::orthotropic_st_venant_kirchhoff:
      return true;
    default:
      return false;
  }
}

// Springs beside the law.
void describe_terms(SettingVisitor& v, Material& m) {
  const bool thin = m.model == MaterialModel::elastic_rod || m.model == MaterialModel::springs;
  Group limit = group_of("strain_limit", m.strain_limit, "a spring against stretches outside bounds; null is none");
  limit.meaning.applies = !thin;
  limit.meaning.applies_when = "models of solids and cloth";
  v.group(limit);
  Group volume = group_of("volume", m.volume, "a spring against changes of volume; null is none");
  volume.meaning.applies = !thin && m.model != MaterialModel::orthotropic_st_venant_kirchhoff;
  volume.meaning.applies_when = "models of solids";
  v.group(volume);
}

void describe_grains(SettingVisitor& v, Material& m) {
  v.value({"radius", m.radius, {.unit = "m", .above = 0, .text = "of particles; required for them"}});
  v.value({"radius_spread",
           m.radius_spread,
           {.at_least = 0, .below = 1, .text = "of particles: radii are anywhere in radius times (1 ± this)"}});
}

void describe_rigid(SettingVisitor& v, Material& m) {
  v.value({"inertia",
           m.inertia,
           {.unit = "kg m²",
            .text = "of rigid bodies, with mass in kg: three moments along the mesh's axes or nine entries row by row, "
                    "about the centre of mass; none: that of the mesh"}});
  v.value(
      {"center_of_mass",
       m.center_of_mass,
       {.unit = "m",
        .text = "of rigid bodies, with mass and inertia: from the mesh's origin, along its axes, whatever the scale; "
                "null: that of the mesh"}});
}

// How a solid's mass is shared, or what a rigid body's is.
void describe_mass(SettingVisitor& v, Material& m) {
  const Meaning meaning = {.unit = "kg",
                           .text =
                               "solids: how an element's mass is given to its corners; rigid bodies: the mass, "
                               "instead of density"};
  const auto show_number = [&m, meaning](SettingVisitor& w) {
    Meaning number = meaning;
    number.above = 0;
    w.value({"mass", *m.total_mass, number});
  };
  const auto form_of = [&m](const char* word, MassForm form) -> Form {
    return {FormShape::word,
            word,
            [&m, form] { return !m.total_mass && m.mass == form; },
            [&m, form] {
              m.total_mass.reset();
              m.mass = form;
            },
            {}};
  };
  v.forms({"mass",
           meaning,
           {form_of("lumped", MassForm::lumped),
            form_of("consistent", MassForm::consistent),
            {FormShape::number, "a number", [&m] { return m.total_mass.has_value(); },
             [&m] { m.total_mass.emplace(1.0); }, show_number}}});
}

void describe_cloth(SettingVisitor& v, Material& m) {
  const bool springs = m.model == MaterialModel::springs;
  const bool cloth = is_cloth_model(m.model), orthotropic = m.model == MaterialModel::orthotropic_st_venant_kirchhoff;
  constexpr const char* kCloth =
      "models of cloth: st_venant_kirchhoff, orthotropic_st_venant_kirchhoff, neo_hookean, corotated";
  constexpr const char* kOrthotropic = "model orthotropic_st_venant_kirchhoff";
  v.value({"thickness",
           m.thickness,
           {.unit = "m", .above = 0, .applies = cloth, .applies_when = kCloth, .text = "of cloth; required for it"}});
  v.value({"surface_density",
           m.surface_density,
           {.unit = "kg/m²",
            .above = 0,
            .applies = cloth || springs,
            .applies_when = "models of cloth and springs",
            .text = "mass per area; null is density times thickness"}});
  const Meaning modulus = {
      .unit = "Pa", .above = 0, .required = true, .applies = orthotropic, .applies_when = kOrthotropic};
  Meaning warp = modulus, weft = modulus;
  warp.text = "Young's modulus along the warp";
  weft.text = "Young's modulus along the weft";
  v.value({"young_warp", m.young_warp, warp});
  v.value({"young_weft", m.young_weft, weft});
  v.value({"shear",
           m.shear,
           {.unit = "Pa",
            .above = 0,
            .required = true,
            .applies = orthotropic || m.model == MaterialModel::elastic_rod,
            .applies_when = "models orthotropic_st_venant_kirchhoff and elastic_rod",
            .text = "shear modulus, stress over engineering strain"}});
  v.value({"warp_direction",
           m.warp_direction,
           {.not_all_zero = true,
            .applies = orthotropic,
            .applies_when = kOrthotropic,
            .text = "in UV space; without UV, along x and -z of the mesh"}});
  Group bending = group_of("bending", m.bending, "resistance of cloth to bending");
  bending.meaning.applies = cloth;
  bending.meaning.applies_when = kCloth;
  v.group(bending);
}

void describe_section(SettingVisitor& v, Section& section) {
  const auto circle = [](SettingVisitor& w, CircleSection& s) {
    w.value({"circle", s.radius, {.unit = "m", .above = 0, .text = "radius"}});
  };
  const auto ellipse = [](SettingVisitor& w, EllipseSection& s) {
    w.value({"ellipse", s.radii, {.unit = "m", .above = 0, .text = "half axes: across, along up"}});
  };
  const auto rectangle = [](SettingVisitor& w, RectangleSection& s) {
    w.value({"rectangle", s.sides, {.unit = "m", .above = 0, .text = "sides: across, along up"}});
  };
  v.one_of({{.required = true, .text = "circle, ellipse or rectangle"},
            {alternative_of<CircleSection>(section, {"circle"}, circle),
             alternative_of<EllipseSection>(section, {"ellipse"}, ellipse),
             alternative_of<RectangleSection>(section, {"rectangle"}, rectangle)}});
}

void describe_rod(SettingVisitor& v, Material& m) {
  const bool rod = m.model == MaterialModel::elastic_rod;
  constexpr const char* kRod = "model elastic_rod";
  v.group({"section",
           {.required = rod, .applies = rod, .applies_when = kRod, .text = "cross-section of the rod"},
           [&m](SettingVisitor& w) { describe_section(w, m.section); },
           {},
           {}});
  v.value({"viscosity",
           m.viscosity,
           {.unit = "Pa·s", .at_least = 0, .applies = rod, .applies_when = kRod, .text = "against rates of strain"}});
}

void describe_springs(SettingVisitor& v, Material& m) {
  Meaning meaning = {.unit = "N/m",
                     .above = 0,
                     .required = true,
                     .applies = m.model == MaterialModel::springs,
                     .applies_when = "model springs",
                     .text = "of every link along an edge"};
  v.value({"stretch_stiffness", m.stretch_stiffness, meaning});
  meaning.required = false;
  meaning.above = -kUnbounded;
  meaning.at_least = 0;
  meaning.text = "of every link across a cell of a grid";
  v.value({"shear_stiffness", m.shear_stiffness, meaning});
  meaning.text = "of every link that skips one vertex";
  v.value({"bend_stiffness", m.bend_stiffness, meaning});
  meaning.unit = "kg/m";
  meaning.above = 0;
  meaning.text = "mass per length of links, for chains; null: sheets have surface_density";
  v.value({"linear_density", m.linear_density, meaning});
}

void describe_model_parameters(SettingVisitor& v, Material& m) {
  const bool moduli = uses_moduli(m.model);
  const bool arap = m.model == MaterialModel::arap;
  const bool mooney = m.model == MaterialModel::mooney_rivlin;
  const bool polynomial = m.model == MaterialModel::polynomial;
  const bool spline = m.model == MaterialModel::spline;
  v.value({"young",
           m.young,
           {.unit = "Pa",
            .above = 0,
            .required = m.model == MaterialModel::elastic_rod,
            .applies = moduli || m.model == MaterialModel::elastic_rod,
            .applies_when = kYoungModels,
            .text = "Young's modulus"}});
  v.value({"poisson",
           m.poisson,
           {.above = -1,
            .at_most = 0.5,
            .applies = moduli || m.model == MaterialModel::orthotropic_st_venant_kirchhoff,
            .applies_when = kPoissonModels,
            .text = "Poisson's ratio, below 0.5 for solids; orthotropic: contraction along the weft when pulled along "
                    "the warp"}});
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
  v.value({"model", choice_of(m.model), {.text = "the law between strain and stress"}});
  v.value({"density", m.density, {.unit = "kg/m³", .above = 0, .text = "mass per volume at rest"}});
  describe_model_parameters(v, m);
  v.group(group_of("fibre", m.fibre, "stiffness added along one direction; null is none"));
  v.value({"extrapolate_below",
           m.extrapolate_below,
           {.above = 0, .below = 1, .text = "volume ratio below which the energy continues as a quadratic"}});
  describe_mass(v, m);
  v.group(group_of("damping", m.damping, "loss inside the material"));
  describe_terms(v, m);
  describe_cloth(v, m);
  describe_rod(v, m);
  describe_springs(v, m);
  describe_grains(v, m);
  describe_rigid(v, m);
}

void describe(SettingVisitor& v, Fibre& fibre) {
  v.value({"direction",
           fibre.direction,
           {.not_all_zero = true, .text = "at rest, before the body's rotation; any length but 0"}});
  v.value({"stiffness", fibre.stiffness, {.unit = "Pa", .above = 0, .required = true, .text = "along the fibre"}});
}

void describe(SettingVisitor& v, Bending& bending) {
  v.value({"model", choice_of(bending.model), {.text = "energy of the angle between neighbouring triangles"}});
  v.value(
      {"stiffness",
       bending.stiffness,
       {.unit = "N·m", .at_least = 0, .text = "flexural rigidity along the warp; null is from thickness and moduli"}});
  v.value({"ratio", bending.ratio, {.above = 0, .text = "weft over warp; null is that of the moduli"}});
  v.value({"rest", choice_of(bending.rest), {.text = "angles at rest"}});
  v.value({"viscosity", bending.viscosity, {.unit = "N·m·s", .at_least = 0, .text = "beyond damping"}});
}

void describe(SettingVisitor& v, StrainLimit& limit) {
  v.value({"min", limit.min, {.at_least = 0, .at_most = 1, .text = "smallest stretch without resistance"}});
  v.value({"max", limit.max, {.at_least = 1, .text = "largest stretch without resistance"}});
  v.value({"stiffness", limit.stiffness, {.unit = "Pa", .above = 0, .required = true, .text = "beyond them"}});
}

void describe(SettingVisitor& v, VolumeTerm& term) {
  v.value({"stiffness", term.stiffness, {.unit = "Pa", .above = 0, .required = true, .text = "against the change"}});
}

void describe(SettingVisitor& v, MaterialDamping& damping) {
  v.value({"stiffness_proportional",
           damping.stiffness_proportional,
           {.unit = "s", .at_least = 0, .text = "viscosity as a multiple of stiffness"}});
}

}  // namespace pliant::scene
