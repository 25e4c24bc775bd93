// Schema of bodies: placement, selections and motions.
#include <algorithm>

#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

// Counts far beyond any machine's memory are refused here, before a mesh is made.
constexpr double kMostPerAxis = 10000;
constexpr double kMostGrains = 1e7;

void describe_turn(SettingVisitor& v, std::variant<AxisRotation, Quaternion>& turn) {
  const auto about_axis = [](SettingVisitor& w, AxisRotation& rotation) {
    w.value({"axis", rotation.axis, {.not_all_zero = true, .text = "turned about, right-handed"}});
    w.value({"degrees", rotation.degrees, {.unit = "degrees", .text = "how far"}});
  };
  const auto by_quaternion = [](SettingVisitor& w, Quaternion& rotation) {
    w.value({"quaternion", rotation.quaternion, {.not_all_zero = true, .text = "w, x, y, z; normalised when used"}});
  };
  v.one_of({{.text = "axis and degrees, or quaternion"},
            {alternative_of<AxisRotation>(turn, {"axis", "degrees"}, about_axis),
             alternative_of<Quaternion>(turn, {"quaternion"}, by_quaternion)}});
}

void describe_material_of(SettingVisitor& v, Body& body, std::vector<Material>& materials) {
  const Meaning meaning = {
      .text = "a name from materials, a preset (rubber when not given), or the material's keys in place"};
  const auto is_taken = [&materials](const std::string& name) {
    return std::any_of(materials.begin(), materials.end(), [&](const Material& m) { return m.name == name; });
  };
  const auto add_inline = [&body, &materials, is_taken] {
    std::string name = body.name + "_material";
    while (is_taken(name)) name += "_";
    body.material = name;
    materials.emplace_back().name = name;
  };
  const auto describe_inline = [&materials, meaning](SettingVisitor& w) {
    w.group({"material", meaning, [&materials](SettingVisitor& u) { describe(u, materials.back()); }, {}, {}});
  };
  v.forms({"material",
           meaning,
           {{FormShape::any_text, "a name", [] { return true; }, [] {},
             [&body, meaning](SettingVisitor& w) {
               w.value({"material", body.material, meaning});
             }},
            {FormShape::map, "a map of material keys", [] { return false; }, add_inline, describe_inline}}});
}

void describe_contact_of(SettingVisitor& v, Body& body) {
  const Meaning meaning = {.text = "of this body"};
  v.forms({"contact",
           meaning,
           {{FormShape::flag, "true or false", [] { return false; }, [] {},
             [&body, meaning](SettingVisitor& w) {
               w.value({"contact", &body.contact.enabled, meaning});
             }},
            {FormShape::map, "a map", [] { return true; }, [] {},
             [&body](SettingVisitor& w) { w.group(group_of("contact", body.contact, "of this body")); }}}});
}

void describe_discretization(SettingVisitor& v, Body& body) {
  const auto show_grid = [](SettingVisitor& w) {
    const auto keys = [](SettingVisitor& u) {
      u.value({"grid", NotBuilt{"discretization grid"}, {.text = "a staggered grid"}});
    };
    w.group({"discretization", {}, keys, {}, {}});
  };
  v.forms(
      {"discretization",
       {.text = "what carries the unknowns"},
       {{FormShape::word, "tets", [] { return true; }, [&body] { body.discretization = Discretization::tets; }, {}},
        {FormShape::map, "{grid: {cell: metres}}, which is not built yet", [] { return false; }, [] {}, show_grid}}});
}

void describe_start(SettingVisitor& v, Start& start) {
  const auto keys = [&start](SettingVisitor& u) {
    const auto scatter = [](SettingVisitor& w, ScatterStart&) {
      w.value({"scatter", OnlyTrue{}, {.text = "every vertex anywhere in the body's box, from the scene's seed"}});
    };
    const auto state = [](SettingVisitor& w, StateStart& from) {
      w.value({"state", &from.state, {.text = "positions and velocities from a file"}});
    };
    u.one_of({{.required = true, .text = "scatter, or state"},
              {alternative_of<ScatterStart>(start, {"scatter"}, scatter),
               alternative_of<StateStart>(start, {"state"}, state)}});
  };
  v.forms({"start",
           {.text = "positions and velocities at t = 0"},
           {{FormShape::word,
             "rest",
             [&start] { return std::holds_alternative<RestStart>(start); },
             [&start] { start = RestStart{}; },
             {}},
            {FormShape::map, "{scatter: true}, {state: file}",
             [&start] { return !std::holds_alternative<RestStart>(start); }, [&start] { start = ScatterStart{}; },
             [keys](SettingVisitor& w) {
               w.group({"start", {}, keys, {}, {}});
             }}}});
}

// How texture coordinates become the rest state, and its animation.
void describe_cloth_of(SettingVisitor& v, Body& body) {
  const bool cloth = body.kind == BodyKind::cloth;
  const Meaning meaning = {.unit = "m",
                           .above = 0,
                           .applies = cloth,
                           .applies_when = "kind cloth",
                           .text =
                               "texture coordinates as the rest state: fit scales them to the area of the mesh, a "
                               "number gives metres per unit"};
  const auto is = [&body](UvUse use) { return [&body, use] { return body.uv.use == use; }; };
  const auto make = [&body](UvUse use) { return [&body, use] { body.uv.use = use; }; };
  v.forms({"uv",
           meaning,
           {{FormShape::word, "fit", is(UvUse::fit), make(UvUse::fit), {}},
            {FormShape::word, "ignore", is(UvUse::ignore), make(UvUse::ignore), {}},
            {FormShape::number, "metres per unit", is(UvUse::metres), make(UvUse::metres),
             [&body, meaning](SettingVisitor& w) {
               w.value({"uv", body.uv.metres, meaning});
             }}}});
  Group animated = group_of("animated_rest", body.animated_rest, "a rest state that changes with time; null is none");
  animated.meaning.applies = cloth;
  animated.meaning.applies_when = "kind cloth";
  v.group(animated);
}

void describe_rod_of(SettingVisitor& v, Body& body) {
  const bool rod = body.kind == BodyKind::rod;
  v.value({"up",
           body.up,
           {.not_all_zero = true,
            .applies = rod,
            .applies_when = "kind rod",
            .text = "where the second axis of the section points at the root"}});
  const auto keys = [&body](SettingVisitor& u) {
    auto& curved = std::get<CurvedRest>(body.rest);
    u.value({"curvature",
             curved.curvature,
             {.unit = "1/m", .text = "how much the rod curves towards the section's axes: across, up"}});
    u.value({"twist", curved.twist, {.unit = "1/m", .text = "turn of the section per length, rad/m"}});
  };
  v.forms({"rest",
           {.applies = rod, .applies_when = "kind rod", .text = "the shape without forces"},
           {{FormShape::word,
             "straight",
             [&body] { return std::holds_alternative<StraightRest>(body.rest); },
             [&body] { body.rest = StraightRest{}; },
             {}},
            {FormShape::word,
             "as_given",
             [&body] { return std::holds_alternative<GivenRest>(body.rest); },
             [&body] { body.rest = GivenRest{}; },
             {}},
            {FormShape::map, "{curvature: [k1, k2], twist: t}",
             [&body] { return std::holds_alternative<CurvedRest>(body.rest); }, [&body] { body.rest = CurvedRest{}; },
             [keys](SettingVisitor& w) {
               w.group({"rest", {}, keys, {}, {}});
             }}}});
}

// Poured grains, or how many fill the mesh.
void describe_grains_of(SettingVisitor& v, Body& body) {
  const bool is_grains = body.kind == BodyKind::particles;
  Group emitter = group_of("emitter", body.emitter, "particles that are poured over time, instead of a mesh");
  emitter.meaning.applies = is_grains;
  emitter.meaning.applies_when = "kind particles";
  v.group(emitter);
  v.value({"count",
           body.count,
           {.at_least = 1,
            .at_most = kMostGrains,
            .applies = is_grains && !body.emitter,
            .applies_when = "kind particles without an emitter",
            .text = "at most so many particles, from below; null fills the mesh"}});
}

}  // namespace

void describe(SettingVisitor& v, Emitter& emitter) {
  v.value({"rate", emitter.rate, {.unit = "1/s", .above = 0, .required = true, .text = "particles per second"}});
  const auto box = [](SettingVisitor& w, BoxOpening& opening) {
    w.value({"min", opening.min, {.unit = "m", .required = true, .text = "lower corner"}});
    w.value({"max", opening.max, {.unit = "m", .required = true, .text = "upper corner"}});
  };
  const auto round = [](SettingVisitor& w, RoundOpening& opening) {
    w.value({"center", opening.center, {.unit = "m", .text = "of a ball"}});
    w.value({"radius", opening.radius, {.unit = "m", .above = 0, .required = true, .text = "of the ball"}});
  };
  const auto keys = [&emitter, box, round](SettingVisitor& w) {
    w.one_of({{.required = true, .text = "box, or center and radius"},
              {map_alternative<BoxOpening>("box", emitter.from, "centres of particles are born in it", box),
               alternative_of<RoundOpening>(emitter.from, {"center", "radius"}, round)}});
  };
  v.group({"from", {.required = true, .text = "where particles are born, in the world"}, keys, {}, {}});
  v.value({"velocity", emitter.velocity, {.unit = "m/s", .text = "at birth"}});
  v.value({"until", emitter.until, {.unit = "s", .above = 0, .text = "the last birth; null is the end of the run"}});
  v.value({"count",
           emitter.count,
           {.at_least = 1, .at_most = kMostGrains, .text = "at most so many; null is as many as the rate gives"}});
}

void describe(SettingVisitor& v, BodyContact& contact) {
  v.value({"enabled", &contact.enabled, {.text = "whether the body may touch anything"}});
  v.value({"friction", contact.friction, {.at_least = 0, .text = "coefficient; null is contact.friction"}});
  v.value({"thickness",
           contact.thickness,
           {.unit = "m", .at_least = 0, .text = "offset of the surface; null is the radius of rods, else 0"}});
  v.value({"distance",
           contact.distance,
           {.unit = "m",
            .above = 0,
            .text = "gap at which force begins, of a pair the mean of its two bodies'; null is contact.distance"}});
  v.value({"self", &contact.self, {.text = "whether the body may touch itself"}});
  v.value({"shape",
           choice_of(contact.shape),
           {.text = "what is met of an obstacle; analytic: the exact sphere or capsule instead of its mesh, under "
                    "contact.method penalty also a box or torus; auto: analytic for spheres, capsules and tori under "
                    "penalty, else the mesh"}});
}

void describe(SettingVisitor& v, Copies& copies) {
  v.value({"count", copies.count, {.at_least = 1, .at_most = kMostPerAxis, .text = "along x, y, z"}});
  v.value({"spacing", copies.spacing, {.unit = "m", .text = "between copies along x, y, z"}});
  v.value({"jitter", copies.jitter, {.unit = "m", .at_least = 0, .text = "random shift up to this along each axis"}});
  v.value({"random_rotation", &copies.random_rotation, {.text = "turn each copy at random"}});
}

void describe_rotation(SettingVisitor& v, Rotation& rotation, const char* text) {
  const Meaning meaning = {.text = text};
  const auto show_single = [&rotation, meaning](SettingVisitor& w) {
    w.group({"rotation", meaning, [&rotation](SettingVisitor& u) { describe_turn(u, rotation.turns.at(0)); }, {}, {}});
  };
  const auto show_list = [&rotation, meaning](SettingVisitor& w) {
    w.list({"rotation",
            meaning,
            [&rotation] { return static_cast<int>(rotation.turns.size()); },
            [&rotation](int size) { rotation.turns.resize(static_cast<std::size_t>(size)); },
            [&rotation](SettingVisitor& u, int i) { describe_turn(u, rotation.turns[static_cast<std::size_t>(i)]); },
            {}});
  };
  v.forms(
      {"rotation",
       meaning,
       {{FormShape::map, "{axis: […], degrees: …} or {quaternion: [w, x, y, z]}",
         [&rotation] { return rotation.turns.size() == 1; }, [&rotation] { rotation.turns.resize(1); }, show_single},
        {FormShape::maps, "a list of these, applied in order", [&rotation] { return rotation.turns.size() != 1; },
         [&rotation] { rotation.turns.clear(); }, show_list}}});
}

void describe(SettingVisitor& v, Keyframe& keyframe) {
  v.value({"t", keyframe.t, {.unit = "s", .at_least = 0, .required = true, .text = "when"}});
  v.value({"position", keyframe.position, {.unit = "m", .text = "displacement from the place at t = 0"}});
  describe_rotation(v, keyframe.rotation, "from the pose at t = 0, about the centre of what moves");
}

void describe_motion(SettingVisitor& v, Motion& motion, const Meaning& meaning) {
  const auto describe_move = [](SettingVisitor& w, MoveMotion& move) {
    w.value({"velocity", move.velocity, {.unit = "m/s", .text = "constant"}});
  };
  const auto describe_rotate = [](SettingVisitor& w, RotateMotion& rotate) {
    w.value({"axis", rotate.axis, {.not_all_zero = true, .text = "turned about, right-handed"}});
    w.value({"center", rotate.center, {.unit = "m", .text = "a point on the axis"}});
    w.value({"degrees_per_second", rotate.degrees_per_second, {.unit = "degrees/s", .text = "how fast"}});
  };
  const auto describe_keyframes = [](SettingVisitor& w, KeyframeMotion& keyed) {
    w.list(
        list_of("keyframes", keyed.keyframes, {.text = "poses over time, held before the first and after the last"}));
    w.value({"speed", keyed.speed, {.above = 0, .text = "keyframe t is reached at t / speed"}});
    w.value({"repeat",
             &keyed.repeat,
             {.text = "after the last keyframe they begin again with the first, whose pose it must have"}});
  };
  const auto keys = [&motion, describe_move, describe_rotate, describe_keyframes](SettingVisitor& w) {
    w.one_of({{.text = "move, rotate or keyframes"},
              {map_alternative<MoveMotion>("move", motion, "a constant velocity", describe_move),
               map_alternative<RotateMotion>("rotate", motion, "a constant turn", describe_rotate),
               alternative_of<KeyframeMotion>(motion, {"keyframes", "speed", "repeat"}, describe_keyframes)}});
  };
  v.group({"motion", meaning, keys, {}, {}});
}

void describe_where(SettingVisitor& v, Selection& where, const Meaning& meaning) {
  const auto all = [](SettingVisitor& w, AllSelection&) { w.value({"all", OnlyTrue{}, {.text = "every vertex"}}); };
  const auto boundary = [](SettingVisitor& w, BoundarySelection&) {
    w.value({"boundary", OnlyTrue{}, {.text = "every vertex on the surface"}});
  };
  const auto vertices = [](SettingVisitor& w, VertexSelection& selection) {
    w.value({"vertices", selection.vertices, {.at_least = 0, .text = "by index"}});
  };
  const auto box = [](SettingVisitor& w, BoxSelection& selection) {
    w.value({"min", selection.min, {.unit = "m", .required = true, .text = "lower corner, included"}});
    w.value({"max", selection.max, {.unit = "m", .required = true, .text = "upper corner, included"}});
  };
  const auto sphere = [](SettingVisitor& w, SphereSelection& selection) {
    w.value({"center", selection.center, {.unit = "m", .text = "of the sphere"}});
    w.value({"radius", selection.radius, {.unit = "m", .above = 0, .required = true, .text = "of the sphere"}});
  };
  const auto keys = [&where, all, boundary, vertices, box, sphere](SettingVisitor& w) {
    w.one_of({{.text = "which vertices"},
              {alternative_of<AllSelection>(where, {"all"}, all),
               alternative_of<VertexSelection>(where, {"vertices"}, vertices),
               map_alternative<BoxSelection>("box", where, "vertices inside", box),
               map_alternative<SphereSelection>("sphere", where, "vertices inside", sphere),
               alternative_of<BoundarySelection>(where, {"boundary"}, boundary)}});
  };
  v.group({"where", meaning, keys, {}, {}});
}

void describe(SettingVisitor& v, RestKeyframe& keyframe) {
  v.value({"t", keyframe.t, {.unit = "s", .at_least = 0, .required = true, .text = "when"}});
  Group mesh = group_of("mesh", keyframe.mesh, "the rest shape then, with the body's triangles");
  mesh.meaning.required = true;
  v.group(mesh);
}

void describe(SettingVisitor& v, AnimatedRest& rest) {
  v.list(list_of("keyframes", rest.keyframes, {.required = true, .text = "rest shapes over time, linear in between"}));
  describe_time_curve(v, "weight", rest.weight, {.text = "0: the cloth's own rest lengths, 1: the animated ones"});
  v.forms({"weights",
           {.text = "a text file with a factor of weight for each triangle"},
           {{FormShape::word, "none", [&rest] { return !rest.weights; }, [&rest] { rest.weights.reset(); }, {}},
            {FormShape::any_text, "a file", [&rest] { return rest.weights.has_value(); },
             [&rest] { rest.weights.emplace(); },
             [&rest](SettingVisitor& w) {
               w.value({"weights", &*rest.weights, {.text = "a file"}});
             }}}});
}

void describe(SettingVisitor& v, BodyTearing& tearing) {
  v.value({"stretch", tearing.stretch, {.above = 1, .text = "largest principal stretch that an element bears"}});
  v.value({"by", choice_of(tearing.by), {.text = "parting elements along their faces, or removing them"}});
}

void describe(SettingVisitor& v, Body& body, std::vector<Material>& materials) {
  v.value({"source", &body.source, {}});
  v.value({"name", body.name, {.required = true, .text = "unique, without dots, slashes, commas and quotes"}});
  v.value({"kind", choice_of(body.kind), {.text = "what the body is"}});
  describe_grains_of(v, body);
  Group mesh = group_of("mesh", body.mesh, "the shape at rest, around the origin; particles fill it");
  mesh.meaning.required = !body.emitter;
  mesh.meaning.applies = !body.emitter;
  mesh.meaning.applies_when = "bodies without an emitter";
  v.group(mesh);
  describe_material_of(v, body, materials);
  v.value({"position", body.position, {.unit = "m", .text = "applied after scale and rotation"}});
  describe_rotation(v, body.rotation, "applied after scale");
  v.value({"scale", body.scale, {.above = 0, .text = "applied first"}});
  v.value({"velocity", body.velocity, {.unit = "m/s", .text = "at t = 0"}});
  v.value(
      {"angular_velocity", body.angular_velocity, {.unit = "degrees/s", .text = "at t = 0, about the centre of mass"}});
  describe_contact_of(v, body);
  v.group(group_of("copies", body.copies, "a grid of copies, named name.0, name.1, … when more than one"));
  describe_discretization(v, body);
  describe_start(v, body.start);
  describe_motion(v, body.motion,
                  {.applies = body.kind == BodyKind::obstacle,
                   .applies_when = "kind obstacle; solids are moved by pins",
                   .text = "scripted"});
  describe_cloth_of(v, body);
  describe_rod_of(v, body);
  Group tearing = group_of("tearing", body.tearing, "how the body gives way when stretched; null is never");
  tearing.meaning.applies = body.kind == BodyKind::cloth || body.kind == BodyKind::solid;
  tearing.meaning.applies_when = "kind cloth or solid";
  v.group(tearing);
  v.value(
      {"shape",
       choice_of(body.shape),
       {.applies = body.kind == BodyKind::rigid,
        .applies_when = "kind rigid",
        .text = "what contact takes under projection; auto is what the mesh's generator makes, else convex or mesh"}});
}

}  // namespace pliant::scene
