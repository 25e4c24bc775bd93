// The schema of the scene file: every key, declared once, as visits of the fields of the scene's structs.
// schema.cpp has the scene, pins, loads, probes and expectations; schema_run.cpp time, solver, contact and output;
// schema_material.cpp materials; schema_mesh.cpp meshes; schema_body.cpp bodies and motions; schema_joint.cpp joints.
//
// The order of the visits is the order of reading and writing: a key that decides which others apply comes first.
#pragma once

#include "pliant/scene/settings.h"

namespace pliant::scene {

void describe(SettingVisitor& v, Scene& scene);

void describe(SettingVisitor& v, TimeSettings& time);
void describe(SettingVisitor& v, NewmarkSettings& newmark);
void describe(SettingVisitor& v, Wind& wind);
void describe(SettingVisitor& v, SolverSettings& solver);
void describe(SettingVisitor& v, NewtonSettings& newton);
void describe(SettingVisitor& v, QuasiNewtonSettings& quasi_newton);
void describe(SettingVisitor& v, ProjectionSettings& projection);
void describe(SettingVisitor& v, LinearSettings& linear);
void describe(SettingVisitor& v, ContactSettings& contact);
void describe(SettingVisitor& v, PenaltySettings& penalty);
void describe(SettingVisitor& v, ContactPair& pair);
void describe(SettingVisitor& v, OutputSettings& output);
void describe(SettingVisitor& v, ViewSettings& view);
void describe(SettingVisitor& v, Camera& camera);

void describe(SettingVisitor& v, Material& material);
void describe(SettingVisitor& v, Fibre& fibre);
void describe(SettingVisitor& v, MaterialDamping& damping);
void describe(SettingVisitor& v, Bending& bending);
void describe(SettingVisitor& v, StrainLimit& limit);
void describe(SettingVisitor& v, VolumeTerm& term);

// Inline materials are added to `materials` under a name made from the body's.
void describe(SettingVisitor& v, Body& body, std::vector<Material>& materials);
void describe(SettingVisitor& v, MeshSource& mesh);
void describe(SettingVisitor& v, Tetrahedralize& tetrahedralize);
void describe(SettingVisitor& v, BodyTearing& tearing);
void describe(SettingVisitor& v, Emitter& emitter);
void describe(SettingVisitor& v, AnimatedRest& rest);
void describe(SettingVisitor& v, RestKeyframe& keyframe);
void describe(SettingVisitor& v, BodyContact& contact);
void describe(SettingVisitor& v, Copies& copies);
void describe(SettingVisitor& v, Keyframe& keyframe);
void describe_rotation(SettingVisitor& v, Rotation& rotation, const char* text);
void describe_motion(SettingVisitor& v, Motion& motion, const Meaning& meaning);
void describe_where(SettingVisitor& v, Selection& where, const Meaning& meaning);

void describe(SettingVisitor& v, Pin& pin);
void describe(SettingVisitor& v, Load& load);
void describe(SettingVisitor& v, Cut& cut);
void describe(SettingVisitor& v, Joint& joint);
void describe(SettingVisitor& v, JointLimits& limits);
void describe(SettingVisitor& v, JointMotor& motor);
void describe(SettingVisitor& v, ScalarKeyframe& keyframe);
void describe(SettingVisitor& v, VectorKeyframe& keyframe);
void describe(SettingVisitor& v, Probe& probe);
void describe(SettingVisitor& v, Expectation& expectation);

// ---- how the pieces are put together --------------------------------------------------------------------------------

template <class Struct>
[[nodiscard]] Group group_of(const char* key, Struct& field, const char* text) {
  return {key, {.text = text}, [&field](SettingVisitor& v) { describe(v, field); }, {}, {}};
}

// A group that may be null.
template <class Struct>
[[nodiscard]] Group group_of(const char* key, std::optional<Struct>& field, const char* text) {
  return {key,
          {.text = text},
          [&field](SettingVisitor& v) { describe(v, *field); },
          [&field] { return field.has_value(); },
          [&field](bool present) {
            field.reset();
            if (present) field.emplace();
          }};
}

template <class Struct>
[[nodiscard]] List list_of(const char* key, std::vector<Struct>& items, const Meaning& meaning) {
  return {key,
          meaning,
          [&items] { return static_cast<int>(items.size()); },
          [&items](int size) { items.resize(static_cast<std::size_t>(size)); },
          [&items](SettingVisitor& v, int i) { describe(v, items[static_cast<std::size_t>(i)]); },
          {}};
}

// Alternative `Kind` of a variant; `keys_of` visits its keys in the current map.
template <class Kind, class Variant, class KeysOf>
[[nodiscard]] Alternative alternative_of(Variant& field, std::vector<const char*> keys, KeysOf keys_of) {
  return {std::move(keys), [&field] { return std::holds_alternative<Kind>(field); },
          [&field] { field.template emplace<Kind>(); },
          [&field, keys_of](SettingVisitor& v) { keys_of(v, std::get<Kind>(field)); }};
}

// The alternative `key: {…}` of a variant, where `describe_shape` visits the map.
template <class Shape, class Variant, class DescribeShape>
[[nodiscard]] Alternative map_alternative(const char* key, Variant& field, const char* text,
                                          DescribeShape describe_shape) {
  return alternative_of<Shape>(field, {key}, [key, text, describe_shape](SettingVisitor& v, Shape& shape) {
    v.group({key, {.text = text}, [&shape, describe_shape](SettingVisitor& w) { describe_shape(w, shape); }, {}, {}});
  });
}

// Alternative that is an optional field among several of which exactly one is set; `clear` empties them all.
template <class Field, class Clear, class KeysOf>
[[nodiscard]] Alternative alternative_field(const char* key, std::optional<Field>& field, Clear clear, KeysOf keys_of) {
  return {{key},
          [&field] { return field.has_value(); },
          [&field, clear] {
            clear();
            field.emplace();
          },
          keys_of};
}

// A value over time: a constant, or keyframes {t, value}. A constant is one keyframe at t = 0.
template <class Curve>
void describe_time_curve(SettingVisitor& v, const char* key, Curve& curve, const Meaning& meaning) {
  constexpr bool is_scalar = std::is_same_v<Curve, ScalarCurve>;
  const auto is_constant = [&curve] { return curve.keyframes.size() == 1 && curve.keyframes[0].t == 0.0; };
  const auto constant = [key, &curve, meaning](SettingVisitor& w) {
    w.value({key, curve.keyframes.at(0).value, meaning});
  };
  const auto keyed = [key, &curve, meaning](SettingVisitor& w) { w.list(list_of(key, curve.keyframes, meaning)); };
  v.forms({key,
           meaning,
           {{is_scalar ? FormShape::number : FormShape::numbers, is_scalar ? "a number" : "[x, y, z]", is_constant,
             [&curve] { curve.keyframes.assign(1, {}); }, constant},
            {FormShape::maps, "keyframes [{t: …, value: …}, …]", [is_constant] { return !is_constant(); },
             [&curve] { curve.keyframes.clear(); }, keyed}}});
}

}  // namespace pliant::scene
