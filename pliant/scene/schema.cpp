// Schema of the scene itself, and of what acts on bodies and measures them: pins, loads, probes, expectations.
#include "pliant/scene/schema.h"

#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

void describe_load_value(SettingVisitor& v, Load& load) {
  const auto clear = [&load] {
    load.force.reset();
    load.torque.reset();
    load.traction.reset();
    load.pressure.reset();
  };
  const auto force = [&load](SettingVisitor& w) {
    describe_time_curve(w, "force", *load.force, {.unit = "N", .text = "in total, shared by the selected vertices"});
  };
  const auto torque = [&load](SettingVisitor& w) {
    describe_time_curve(
        w, "torque", *load.torque,
        {.unit = "N·m",
         .text = "about the selection's centre; on a rod it acts on the edges whose both ends are selected"});
  };
  const auto traction = [&load](SettingVisitor& w) {
    describe_time_curve(w, "traction", *load.traction, {.unit = "Pa", .text = "force per surface area"});
  };
  const auto pressure = [&load](SettingVisitor& w) {
    describe_time_curve(
        w, "pressure", *load.pressure,
        {.unit = "Pa",
         .text = "along the outward normal and turning with it: positive pulls outwards, negative presses"});
  };
  v.one_of(
      {{.required = true, .text = "the load"},
       {alternative_field("force", load.force, clear, force), alternative_field("torque", load.torque, clear, torque),
        alternative_field("traction", load.traction, clear, traction),
        alternative_field("pressure", load.pressure, clear, pressure)}});
}

void describe_axes(SettingVisitor& v, Pin& pin) {
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  const auto get = [&pin] {
    std::vector<int> held;
    if (pin.axes.x) held.push_back(0);
    if (pin.axes.y) held.push_back(1);
    if (pin.axes.z) held.push_back(2);
    return held;
  };
  const auto set = [&pin](const std::vector<int>& held) {
    pin.axes = {false, false, false};
    for (const int axis : held) (axis == 0 ? pin.axes.x : axis == 1 ? pin.axes.y : pin.axes.z) = true;
  };
  v.value({"direction",
           pin.direction,
           {.not_all_zero = true, .text = "one oblique held direction instead of axes; null is none"}});
  v.value({"axes",
           ChoiceList{kAxes, get, set},
           {.applies = !pin.direction, .applies_when = "direction null", .text = "held directions"}});
}

void describe_stiffness(SettingVisitor& v, Pin& pin) {
  const Meaning meaning = {
      .unit = "N/m", .above = 0, .text = "hard, or the total stiffness of springs, shared by mass"};
  v.forms({"stiffness",
           meaning,
           {{FormShape::word, "hard", [&pin] { return !pin.stiffness; }, [&pin] { pin.stiffness.reset(); }, {}},
            {FormShape::number, "a number in N/m", [&pin] { return pin.stiffness.has_value(); },
             [&pin] { pin.stiffness = 0.0; },
             [&pin, meaning](SettingVisitor& w) {
               w.value({"stiffness", pin.stiffness, meaning});
             }}}});
}

void describe_moment(SettingVisitor& v, Expectation& e) {
  const Meaning meaning = {.unit = "s", .at_least = 0, .text = "at the end, on every row, or at a time"};
  const auto is = [&e](Moment moment) { return [&e, moment] { return e.at == moment; }; };
  const auto make = [&e](Moment moment) { return [&e, moment] { e.at = moment; }; };
  v.forms({"at",
           meaning,
           {{FormShape::word, "end", is(Moment::end), make(Moment::end), {}},
            {FormShape::word, "always", is(Moment::always), make(Moment::always), {}},
            {FormShape::number, "a time in s", is(Moment::at_time), make(Moment::at_time),
             [&e, meaning](SettingVisitor& w) {
               w.value({"at", e.at_seconds, meaning});
             }}}});
}

void describe_name_map(SettingVisitor& v, std::vector<Material>& materials) {
  List list = list_of("materials", materials, {.text = "materials by name"});
  list.name_of = [&materials](int i) -> std::string& { return materials[static_cast<std::size_t>(i)].name; };
  v.list(list);
}

}  // namespace

void describe(SettingVisitor& v, Pin& pin) {
  v.value({"source", &pin.source, {}});
  v.value({"body", pin.body, {.required = true, .text = "the body's name"}});
  describe_where(v, pin.where, {.text = "which vertices, in world space at t = 0"});
  describe_axes(v, pin);
  describe_motion(v, pin.motion, {.text = "how the held vertices move; default: not at all"});
  v.value({"from", pin.from, {.unit = "s", .at_least = 0, .text = "when it begins to hold"}});
  v.value({"until", pin.until, {.unit = "s", .above = 0, .text = "when it lets go; null is never"}});
  describe_stiffness(v, pin);
  v.value({"twist", choice_of(pin.twist), {.text = "of rod edges whose both ends are held"}});
}

void describe(SettingVisitor& v, Load& load) {
  v.value({"source", &load.source, {}});
  v.value({"body", load.body, {.required = true, .text = "the body's name"}});
  describe_where(v, load.where, {.text = "which vertices, in world space at t = 0"});
  describe_load_value(v, load);
  v.value({"ramp", load.ramp, {.unit = "s", .at_least = 0, .text = "grows linearly from nothing over this time"}});
  v.value({"from", load.from, {.unit = "s", .at_least = 0, .text = "when it begins"}});
  v.value({"until", load.until, {.unit = "s", .above = 0, .text = "when it ends; null is never"}});
}

void describe(SettingVisitor& v, Cut& cut) {
  v.value({"source", &cut.source, {}});
  v.value({"body", cut.body, {.required = true, .text = "the body's name; cloth or solid"}});
  v.value({"point", cut.point, {.unit = "m", .text = "of the plane, in space"}});
  v.value({"normal", cut.normal, {.not_all_zero = true, .text = "of the plane"}});
  v.value({"at", cut.at, {.unit = "s", .at_least = 0, .required = true, .text = "when"}});
  v.value({"by", choice_of(cut.by), {.text = "parting elements along their faces, or removing those it crosses"}});
  describe_where(v, cut.where, {.text = "elements with all corners selected, in world space at t = 0"});
}

void describe(SettingVisitor& v, ScalarKeyframe& keyframe) {
  v.value({"t", keyframe.t, {.unit = "s", .at_least = 0, .required = true, .text = "when"}});
  v.value({"value", keyframe.value, {.required = true, .text = "then; linear in between"}});
}

void describe(SettingVisitor& v, VectorKeyframe& keyframe) {
  v.value({"t", keyframe.t, {.unit = "s", .at_least = 0, .required = true, .text = "when"}});
  v.value({"value", keyframe.value, {.required = true, .text = "then; linear in between"}});
}

void describe(SettingVisitor& v, Probe& probe) {
  v.value({"source", &probe.source, {}});
  v.value({"name", probe.name, {.required = true, .text = "unique, without dots, slashes, commas and quotes"}});
  v.value(
      {"quantity",
       choice_of(probe.quantity),
       {.text =
            "what is measured; energy gives kinetic, elastic, gravity, contact, total; contacts gives count, "
            "smallest_gap, largest_force, intersections, cone_violation, relative_cone_violation, "
            "friction_angle, complementarity; count_inside gives the number of the body's vertices in where "
            "now; pose (x, y, z, qw, qx, qy, qz), angular_velocity and angular_momentum are of rigid "
            "bodies; joint gives coordinate (rad or m), force (N), gap (m), broken; heap_angle is the slope in degrees "
            "of the cone that is as high and as wide as the vertices in the mean"}});
  const bool of_contact = probe.quantity == Quantity::contact_force;
  const bool of_rigid = is_of_rigid_bodies(probe.quantity);
  const bool of_joint = probe.quantity == Quantity::joint;
  const bool of_body = probe.quantity != Quantity::energy && probe.quantity != Quantity::contacts && !of_joint;
  v.value({"body",
           probe.body,
           {.required = !of_contact,
            .applies = of_body,
            .applies_when = "a quantity other than energy, contacts and joint",
            .text = "the body's name; for contact_force: all contacts of this body"}});
  describe_where(v, probe.where,
                 {.applies = of_body && !of_contact && !of_rigid,
                  .applies_when = "a quantity of vertices",
                  .text = "which vertices"});
  v.value(
      {"joint",
       probe.joint,
       {.required = of_joint, .applies = of_joint, .applies_when = "the quantity joint", .text = "the joint's name"}});
  v.value({"bodies",
           NameList{&probe.bodies},
           {.applies = of_contact,
            .applies_when = "the quantity contact_force",
            .text = "two bodies: the force on the first by the second"}});
}

void describe(SettingVisitor& v, Expectation& e) {
  v.value({"source", &e.source, {}});
  v.value({"probe", e.probe, {.required = true, .text = "a column of probes.csv: corner.y, energy.total"}});
  describe_moment(v, e);
  const auto clear = [&e] {
    e.above.reset();
    e.below.reset();
    e.between.reset();
  };
  v.one_of({{.required = true, .text = "the bound"},
            {alternative_field("above", e.above, clear,
                               [&e](SettingVisitor& w) {
                                 w.value({"above", e.above, {.text = "must exceed this"}});
                               }),
             alternative_field("below", e.below, clear,
                               [&e](SettingVisitor& w) {
                                 w.value({"below", e.below, {.text = "must stay below"}});
                               }),
             alternative_field("between", e.between, clear, [&e](SettingVisitor& w) {
               w.value({"between", e.between, {.text = "lower and upper bound, both allowed"}});
             })}});
}

void describe(SettingVisitor& v, Scene& scene) {
  v.value({"source", &scene.source, {}});
  v.value({"pliant", scene.pliant, {.at_least = 1, .at_most = 1, .required = true, .text = "version of the format"}});
  v.value({"title", scene.title, {.text = "shown in reports"}});
  v.value({"seed", scene.seed, {.at_least = 0, .text = "of everything random"}});
  Group time = group_of("time", scene.time, "steps and duration");
  time.meaning.required = true;
  v.group(time);
  v.value({"gravity",
           scene.gravity,
           {.unit = "m/s²", .at_least = -1e6, .at_most = 1e6, .text = "acceleration of free fall"}});
  v.value({"drag", scene.drag, {.unit = "1/s", .at_least = 0, .text = "v ← v/(1 + drag·h) for everything free"}});
  v.group(group_of("wind", scene.wind, "moving air, which pulls at cloth and sheets of springs"));
  v.group(group_of("solver", scene.solver, "how a step is solved"));
  describe_name_map(v, scene.materials);
  List bodies = {
      "bodies",
      {.text = "what is simulated"},
      [&scene] { return static_cast<int>(scene.bodies.size()); },
      [&scene](int size) { scene.bodies.resize(static_cast<std::size_t>(size)); },
      [&scene](SettingVisitor& w, int i) { describe(w, scene.bodies[static_cast<std::size_t>(i)], scene.materials); },
      {}};
  v.list(bodies);
  v.list(list_of("pins", scene.pins, {.text = "what is held, and how it is moved"}));
  v.list(list_of("loads", scene.loads, {.text = "forces that are not gravity"}));
  v.list(list_of("cuts", scene.cuts, {.text = "planes that part bodies"}));
  v.list(list_of("joints", scene.joints, {.text = "what keeps bodies together"}));
  v.value({"ties", NotBuilt{"ties"}, {.text = "stitches"}});
  v.group(group_of("contact", scene.contact, "how bodies touch"));
  v.list(list_of("probes", scene.probes, {.text = "columns of probes.csv, one row per nominal step"}));
  v.group(group_of("output", scene.output, "what is saved"));
  v.group(group_of("view", scene.view, "how it is shown"));
  v.list(list_of("expect", scene.expect, {.text = "what the result must satisfy, checked at the end of a run"}));
}

}  // namespace pliant::scene
