// Values of common materials at room temperature and slow loading. Real samples scatter, soft ones by a factor of two
// and more: presets are for pictures and first tries, measurements for engineering.
//
// Poisson's ratio of rubber-like materials is 0.49 here, not the measured 0.499 and above: linear tets lock beyond, and
// the change of volume at 0.49 is already too small to see.
#include "pliant/scene/presets.h"

#include <algorithm>
#include <vector>

namespace pliant::scene {
namespace {

MaterialPreset soft(const char* name, double density, double young, double poisson, const char* reference) {
  Material material;
  material.name = name;
  material.model = MaterialModel::neo_hookean;
  material.density = density;
  material.young = young;
  material.poisson = poisson;
  return {material, reference};
}

// Strains of stiff materials stay small while rotations may be large: corotated is exact enough and cheap.
MaterialPreset stiff(const char* name, double density, double young, double poisson, const char* reference) {
  MaterialPreset preset = soft(name, density, young, poisson, reference);
  preset.material.model = MaterialModel::corotated;
  return preset;
}

// Woven cloth. Moduli are effective ones of the sheet; thickness is that of the fabric, so bending is given by itself:
// threads slide on each other, and cloth bends far more easily than a plate of the same stuff.
MaterialPreset woven(const char* name, double surface_density, double thickness, double warp, double weft, double shear,
                     double rigidity, const char* reference) {
  MaterialPreset preset;
  Material& m = preset.material;
  m.name = name;
  m.model = MaterialModel::orthotropic_st_venant_kirchhoff;
  m.surface_density = surface_density;
  m.density = surface_density / thickness;
  m.thickness = thickness;
  m.young_warp = warp;
  m.young_weft = weft;
  m.poisson = 0.2;
  m.shear = shear;
  m.bending.stiffness = rigidity;
  preset.reference = reference;
  return preset;
}

MaterialPreset thread(const char* name, double density, double young, double shear, double radius,
                      const char* reference) {
  MaterialPreset preset;
  Material& m = preset.material;
  m.name = name;
  m.model = MaterialModel::elastic_rod;
  m.density = density;
  m.young = young;
  m.shear = shear;
  m.section = CircleSection{radius};
  preset.reference = reference;
  return preset;
}

std::vector<MaterialPreset> make_presets() {
  return {
      soft("rubber", 930, 2.0e6, 0.49,
           "natural rubber, middle of the range in Ashby, Materials Selection in Mechanical Design, appendix A"),
      soft("silicone", 1030, 1.32e6, 0.49,
           "Sylgard 184 cured at 25 °C, Johnston et al. 2014, J. Micromech. Microeng. 24 035017; density: Dow data "
           "sheet"),
      soft("gelatin", 1030, 1.0e5, 0.49,
           "order of magnitude of 10 % ballistic gelatin, Cronin and Falzon 2011, Experimental Mechanics 51"),
      soft("jelly", 1020, 1.0e4, 0.45, "a table jelly: a tenth of gelatin's stiffness; chosen for looks, not measured"),
      soft("foam", 30, 5.0e5, 0.27,
           "flexible polymer foam of very low density, middle of the range in Ashby, appendix A"),
      soft("muscle", 1060, 3.0e4, 0.49,
           "density: Ward and Lieber 2005, J. Biomechanics 38; stiffness: order of magnitude of passive muscle across "
           "its fibres, Fung 1993, Biomechanics"),
      stiff("steel", 7850, 2.1e11, 0.3, "structural steel, EN 1993-1-1 section 3.2.6; density: EN 1991-1-1"),
      stiff("aluminium", 2700, 7.0e10, 0.3, "structural alloys, EN 1999-1-1 section 3.2.5"),
      stiff(
          "wood", 420, 3.9e9, 0.3,
          "softwood C24, EN 338: mean of one modulus along (11 GPa) and two across the grain (0.37 GPa); real wood is "
          "not isotropic"),
      stiff("cork", 170, 1.5e7, 0.1,
            "between axial (13 MPa) and radial (20 MPa), Gibson, Easterling and Ashby 1981, Proc. R. Soc. A 377"),
      woven("cotton", 0.15, 3.0e-4, 1.0e6, 0.8e6, 0.35e6, 5.0e-6,
            "a shirt's plain weave: mass per area usual in trade; stiffnesses chosen for looks within the orders of "
            "magnitude that fabric testers report, not measured"),
      woven("denim", 0.40, 8.0e-4, 2.0e6, 1.2e6, 0.6e6, 4.0e-5, "as cotton: heavier and stiffer; not measured"),
      woven("silk", 0.06, 1.2e-4, 0.8e6, 0.7e6, 0.12e6, 6.0e-7, "as cotton: light and limp; not measured"),
      thread(
          "hair", 1320, 3.9e9, 1.3e9, 3.7e-5,
          "human hair: density and Young's modulus of Tamstorf 2016, section 9.2; shear for a Poisson's ratio of 0.5"),
  };
}

}  // namespace

std::span<const MaterialPreset> material_presets() {
  static const std::vector<MaterialPreset> kPresets = make_presets();
  return kPresets;
}

const MaterialPreset* find_preset(std::string_view name) {
  const auto presets = material_presets();
  const auto found =
      std::find_if(presets.begin(), presets.end(), [name](const auto& preset) { return preset.material.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

}  // namespace pliant::scene
