// Schema of what governs a run: time, air, solver, contact, output, view.
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {

void describe(SettingVisitor& v, TimeSettings& time) {
  v.value({"step", time.step, {.unit = "s", .above = 0, .text = "time step"}});
  v.value(
      {"end",
       time.end,
       {.unit = "s", .above = 0, .required = true, .text = "simulated time; the last step is shortened to hit it"}});
  v.value({"integrator", choice_of(time.integrator), {.text = "how velocities follow from positions"}});
  v.group(group_of("newmark", time.newmark, "parameters of integrator newmark"));
  v.value({"retries",
           time.retries,
           {.at_least = 0, .at_most = 30, .text = "how often a failing step is halved before the run stops"}});
}

void describe(SettingVisitor& v, NewmarkSettings& newmark) {
  v.value({"beta", newmark.beta, {.above = 0, .at_most = 1, .text = "1/4 is the trapezoidal rule"}});
  v.value({"gamma", newmark.gamma, {.at_least = 0.5, .at_most = 1, .text = "above 1/2 damps numerically"}});
}

void describe(SettingVisitor& v, Wind& wind) {
  v.value({"source", &wind.source, {}});
  v.value({"velocity", wind.velocity, {.unit = "m/s", .text = "of the air"}});
  v.value({"air_density", wind.air_density, {.unit = "kg/m³", .at_least = 0, .text = "mass per volume of the air"}});
  v.value({"drag", wind.drag, {.at_least = 0, .text = "coefficient, against the motion through the air"}});
  v.value({"lift", wind.lift, {.at_least = 0, .text = "coefficient, across it"}});
}

void describe(SettingVisitor& v, SolverSettings& solver) {
  v.value({"method", choice_of(solver.method), {.text = "how a step is solved"}});
  v.value({"tolerance",
           solver.tolerance,
           {.above = 0, .below = 1, .text = "when a step counts as solved, relative to its characteristic speed"}});
  v.value({"max_iterations",
           solver.max_iterations,
           {.at_least = 1, .text = "per step; hitting it is reported as not converged"}});
  v.group(group_of("newton", solver.newton, "method newton"));
  v.group(group_of("quasi_newton", solver.quasi_newton, "method quasi_newton"));
  v.group(group_of("linear", solver.linear, "linear systems inside a step"));
  v.group(group_of("projection", solver.projection, "method projection"));
}

void describe(SettingVisitor& v, NewtonSettings& newton) {
  v.value({"linear", choice_of(newton.linear), {.text = "who solves the linear systems"}});
  v.value({"hessian", choice_of(newton.hessian), {.text = "which second derivative is used"}});
  v.value({"line_search", choice_of(newton.line_search), {.text = "how far a step direction is followed"}});
  v.value({"iterations",
           newton.iterations,
           {.at_least = 1, .text = "a fixed budget, 1 is linearly implicit Euler; null iterates until the tolerance"}});
}

void describe(SettingVisitor& v, QuasiNewtonSettings& quasi_newton) {
  v.value({"history",
           quasi_newton.history,
           {.at_least = 0, .at_most = 100, .text = "steps remembered by L-BFGS; 0 is the constant matrix alone"}});
  v.value({"iterations",
           quasi_newton.iterations,
           {.at_least = 1, .text = "a fixed budget; null iterates until the tolerance"}});
  v.value({"factor",
           choice_of(quasi_newton.factor),
           {.text = "how the factored matrix is stored; gradients and states are double always"}});
  v.value({"after_tears",
           choice_of(quasi_newton.after_tears),
           {.text = "the matrix of a torn body: factored at once, left as it was, or factored beside the time steps"}});
  v.value({"background_steps",
           quasi_newton.background_steps,
           {.at_least = 1, .text = "until a factor from the background is taken up; at most twice as many"}});
  v.value({"then_newton", &quasi_newton.then_newton, {.text = "hand over to newton, which goes on to the tolerance"}});
}

void describe(SettingVisitor& v, ProjectionSettings& projection) {
  v.value({"iteration", choice_of(projection.iteration), {.text = "in which order constraints are solved"}});
  v.value({"iterations",
           projection.iterations,
           {.at_least = 1, .text = "a fixed budget; null iterates until the tolerance"}});
  v.value({"precision",
           choice_of(projection.precision),
           {.text = "of positions inside the iteration; float is faster, and what comes out has six digits"}});
  v.value({"friction_cone",
           choice_of(projection.friction_cone),
           {.text = "how friction is projected: clamped to the normal force, together with it, or per tangent"}});
  v.value({"relaxation", projection.relaxation, {.above = 0, .below = 2, .text = "of sor; 1 is gauss_seidel"}});
  v.value({"warm_start",
           &projection.warm_start,
           {.text = "contacts of rigid bodies and grains start with the forces of the last step"}});
  v.value(
      {"looks",
       projection.looks,
       {.at_least = 0,
        .at_most = 100,
        .text =
            "how often a step looks for contacts that arrive within it, and goes on with them for another budget; 0 is "
            "fastest, and lets bodies that tumble go deeper into each other"}});
  v.value(
      {"velocity_level",
       &projection.velocity_level,
       {.text =
            "links, strains and hinges are linear, with the directions they have before the step; joints are not"}});
  v.value(
      {"sleep_after",
       projection.sleep_after,
       {.unit = "s", .above = 0, .text = "what has been slow for so long is held until it is touched; null: never"}});
  v.value({"sleep_speed", projection.sleep_speed, {.unit = "m/s", .above = 0, .text = "what counts as slow"}});
}

void describe(SettingVisitor& v, LinearSettings& linear) {
  v.value({"tolerance", linear.tolerance, {.above = 0, .below = 1, .text = "relative residual of iterative solvers"}});
  v.value({"max_iterations", linear.max_iterations, {.at_least = 1, .text = "of iterative solvers"}});
  v.value({"deterministic",
           &linear.deterministic,
           {.text = "the same bits for any number of threads; false lets BLAS use several threads"}});
}

void describe(SettingVisitor& v, ContactSettings& contact) {
  v.value({"method",
           choice_of(contact.method, {"adonis", "embedded_residual"}),
           {.text = "how contact is resolved; auto takes barrier under newton, penalty under quasi_newton, projected "
                    "under projection, and nothing under symplectic_euler or then_newton, nor for a rigid body alone "
                    "under newmark"}});
  v.value({"friction", contact.friction, {.at_least = 0, .text = "default coefficient"}});
  v.value({"distance",
           contact.distance,
           {.unit = "m",
            .above = 0,
            .text = "gap at which force begins; null is 1e-3 of the scene's diagonal, at most "
                    "half the shortest surface edge"}});
  v.value({"restitution",
           contact.restitution,
           {.at_least = 0,
            .at_most = 1,
            .text = "bounce; under solver.method projection and time.integrator backward_euler"}});
  v.value(
      {"friction_iterations", contact.friction_iterations, {.at_least = 1, .text = "updates of friction per step"}});
  v.value({"stick_displacement",
           contact.stick_displacement,
           {.unit = "m", .above = 0, .text = "elastic slip before friction is fully up"}});
  v.value(
      {"friction_memory",
       &contact.friction_memory,
       {.text = "slips are kept from step to step; false: smoothed friction alone, under which what rests creeps"}});
  v.value({"initial_intersections",
           choice_of(contact.initial_intersections),
           {.text = "what to do when bodies intersect or touch at the start: say so, move them apart, or let those "
                    "pairs pass through each other"}});
  v.group(group_of("penalty", contact.penalty, "method penalty"));
  v.list(list_of("pairs", contact.pairs, {.text = "exceptions for pairs of bodies"}));
}

void describe(SettingVisitor& v, PenaltySettings& penalty) {
  v.value({"stiffness",
           penalty.stiffness,
           {.unit = "Pa/m", .above = 0, .text = "pressure per depth; null follows from masses, step and gravity"}});
  v.value({"step_limit",
           &penalty.step_limit,
           {.text = "whether continuous detection bounds every iterate, so that nothing ever intersects"}});
  v.value({"release",
           choice_of(penalty.release),
           {.text = "when a spring lets go: as its gap is open, or already as its pair separates"}});
}

void describe(SettingVisitor& v, ContactPair& pair) {
  v.value({"source", &pair.source, {}});
  v.value({"bodies", NameList{&pair.bodies}, {.required = true, .text = "two bodies by name"}});
  v.value({"friction", pair.friction, {.at_least = 0, .text = "coefficient; null is the default rule"}});
  v.value({"thickness",
           pair.thickness,
           {.unit = "m",
            .at_least = 0,
            .text = "how far the two meshes stay apart; null is the sum of the bodies' thicknesses"}});
  v.value({"distance",
           pair.distance,
           {.unit = "m", .above = 0, .text = "gap at which force begins; null is the mean of the two bodies' own"}});
  v.value({"enabled", &pair.enabled, {.text = "whether the two may touch"}});
}

void describe(SettingVisitor& v, OutputSettings& output) {
  v.value({"frames_per_second", output.frames_per_second, {.unit = "1/s", .above = 0, .text = "saved frames"}});
  v.value({"folder", output.folder, {.text = "where results go; null is out/ and the scene file's name"}});
  v.value({"checkpoint_every",
           output.checkpoint_every,
           {.unit = "s",
            .above = 0,
            .text = "simulated time between checkpoints; null is as often as costs at most 2 % of the run time"}});
  const auto get = [&output] {
    std::vector<int> indices;
    for (const OutputField field : output.fields) indices.push_back(static_cast<int>(field));
    return indices;
  };
  const auto set = [&output](const std::vector<int>& indices) {
    output.fields.clear();
    for (const int index : indices) output.fields.push_back(static_cast<OutputField>(index));
  };
  v.value(
      {"fields",
       ChoiceList{words_of(OutputField{}), get, set},
       {.text =
            "what a frame holds; positions and contacts always, stress: von Mises, of solids; contact_forces: normal "
            "and friction force per vertex"}});
}

void describe(SettingVisitor& v, ViewSettings& view) { v.group(group_of("camera", view.camera, "where to look from")); }

void describe(SettingVisitor& v, Camera& camera) {
  v.value({"from", camera.from, {.unit = "m", .text = "the eye; null fits the motion"}});
  v.value({"to", camera.to, {.unit = "m", .text = "the point looked at; null fits the motion"}});
  v.value({"up", camera.up, {.not_all_zero = true, .text = "the upward direction"}});
  v.value({"degrees", camera.degrees, {.unit = "degrees", .above = 0, .below = 180, .text = "vertical field of view"}});
}

}  // namespace pliant::scene
