#include "pliant/scene/run_scene.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numbers>
#include <optional>
#include <thread>
#include <utility>

#include "pliant/dynamics/vertex_forces.h"
#include "pliant/energy/attachment/grip.h"
#include "pliant/energy/solid/stress.h"
#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/probes_csv.h"
#include "pliant/io/result_file.h"
#include "pliant/io/result_file_storage.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/probe_set.h"
#include "pliant/scene/reader.h"
#include "pliant/scene/run_checkpoint.h"
#include "pliant/scene/tearing.h"
#include "pliant/scene/verification.h"
#include "pliant/scene/wall_clock.h"
#include "pliant/scene/writer.h"

namespace pliant {
namespace {

// Checkpoints may cost this share of the run's time when the scene does not say how often to write them.
constexpr double kCheckpointShare = 0.02;
// s, that frames of many bodies wait for each other while a run is looked at.
constexpr double kLongestWaitOfView = 0.1;
constexpr double kGripFrequency = 1;  // Hz
const std::vector<std::string> kConvergenceColumns = {
    "iterations",     "linear_iterations",        "line_search_trials",      "residual",
    "linear_seconds", "linear_processor_seconds", "solve_seconds",           "contact_count",
    "smallest_gap",   "cone_violation",           "relative_cone_violation", "friction_angle",
    "complementarity"};

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
std::int64_t memory_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

// Ascending.
std::vector<int> pinned_vertices(const Model& model, const ModelBody& body) {
  std::vector<char> is_pinned(static_cast<std::size_t>(model.layout.block_count()));
  for (const ScriptedPin& pin : model.pins) {
    for (const int block : pin.blocks) is_pinned[static_cast<std::size_t>(block)] = 1;
  }
  std::vector<int> vertices;
  for (int v = 0; v < static_cast<int>(body.rest.vertices.size()); ++v) {
    if (is_pinned[static_cast<std::size_t>(body.point(v).block[0])] != 0) vertices.push_back(v);
  }
  return vertices;
}

// Before anything in the folder is touched: the files of a run that goes on right now belong to it.
void refuse_second_run(const std::filesystem::path& folder) {
  const std::filesystem::path result = io::result_path(folder);
  if (io::has_writer(result) || io::has_writer(result.string() + ".partial")) {
    throw InputError(result.string(),
                     "another run is writing to this file; wait for it or choose another output folder");
  }
}

bool wants(const Scene& scene, scene::OutputField field) {
  return std::find(scene.output.fields.begin(), scene.output.fields.end(), field) != scene.output.fields.end();
}

// Normal and friction force of contact per vertex (dynamics/vertex_forces.h).
void add_force_fields(const Scene& scene, const Model& model, std::vector<io::FieldDescription>& fields) {
  if (!wants(scene, scene::OutputField::contact_forces) || !model.contact) return;
  fields.push_back({"normal_forces", io::FieldPlace::vertex, 3, "N", io::StoredAs::float32});
  fields.push_back({"friction_forces", io::FieldPlace::vertex, 3, "N", io::StoredAs::float32});
}

// Stress is that of tets: sheets, lines and grains would show zeros that mean nothing.
bool has_stress(const Scene& scene, const ModelBody& body) {
  return wants(scene, scene::OutputField::stress) && body.kind == BodyKind::solid;
}

// Of a body of the model.
std::vector<io::FieldDescription> fields_of(const Scene& scene, const Model& model, const ModelBody& body) {
  std::vector<io::FieldDescription> fields;
  if (body.kind == BodyKind::rod)
    fields.push_back({"material_frames", io::FieldPlace::cell, 4, "1", io::StoredAs::float32});
  if (body.is_poured) fields.push_back({"active", io::FieldPlace::cell, 1, "1", io::StoredAs::uint8});
  if (wants(scene, scene::OutputField::velocities))
    fields.push_back({"velocities", io::FieldPlace::vertex, 3, "m/s", io::StoredAs::float32});
  if (has_stress(scene, body)) fields.push_back({"stress", io::FieldPlace::vertex, 1, "Pa", io::StoredAs::float32});
  add_force_fields(scene, model, fields);
  return fields;
}

// Rods and chains of springs are lines, sheets triangles, particles points, the others tets.
io::BodyMesh mesh_of(const ModelBody& body) {
  if (body.kind == BodyKind::particles) {
    io::BodyMesh mesh = io::point_mesh(body.rest.vertices);
    mesh.radius = body.radii;
    return mesh;
  }
  if (!body.rest.tets.empty()) return io::body_mesh(body.rest);
  if (!body.triangles.empty()) return io::body_mesh(TriangleMesh{body.rest.vertices, body.triangles, body.texture, {}});
  std::vector<int> segments;
  for (const auto& segment : body.segments) segments.insert(segments.end(), segment.begin(), segment.end());
  io::BodyMesh mesh = io::segment_mesh(body.rest.vertices, segments);
  if (body.radius > 0) mesh.radius.assign(body.rest.vertices.size(), body.radius);
  return mesh;
}

// The turn that takes x, y, z to the tangent and the two material directors of a rod's edge, as w x y z.
Vec4 material_frame(const RodEdge& edge, const Vec3& director, const State& state) {
  const double theta = state.positions[edge.twist][0];
  Mat3 frame;
  frame.col(0) = tangent(edge, state.positions);
  frame.col(1) = std::cos(theta) * director + std::sin(theta) * frame.col(0).cross(director);
  frame.col(2) = frame.col(0).cross(frame.col(1));
  const Eigen::Quaterniond q(frame);
  return {q.w(), q.x(), q.y(), q.z()};
}

io::Pose pose_of(const Obstacle& obstacle, double time) {
  const RigidTransform place = obstacle.motion.at(time);
  const Eigen::Quaterniond q(place.rotation);
  return {place.translation, Vec4(q.w(), q.x(), q.y(), q.z())};
}

// From where the mesh stands as placed.
io::Pose pose_of(const RigidBody& rigid, const State& state) {
  const Mat3 turn = rotation_of(rigid.frame, state.positions) * rigid.rest_rotation.transpose();
  const Eigen::Quaterniond q(turn);
  return {state.positions[rigid.frame.centre] - turn * rigid.rest_centre, Vec4(q.w(), q.x(), q.y(), q.z())};
}

io::BodyMesh described_mesh(const Model& model, const ModelBody& body) {
  io::BodyMesh mesh = mesh_of(body);
  mesh.surface = body.embedded;
  mesh.pinned = pinned_vertices(model, body);
  return mesh;
}

// Bodies with unknowns, then obstacles.
std::vector<io::BodyDescription> describe(const Scene& scene, const Model& model) {
  std::vector<io::BodyDescription> bodies;
  for (const ModelBody& body : model.bodies) {
    const io::BodyMotion motion = body.rigid >= 0 ? io::BodyMotion::posed : io::BodyMotion::vertices;
    bodies.push_back({body.name, body.kind, motion, described_mesh(model, body), fields_of(scene, model, body)});
  }
  for (const Obstacle& obstacle : model.obstacles) {
    if (obstacle.half_space) continue;  // nothing to draw
    std::vector<io::FieldDescription> fields;
    add_force_fields(scene, model, fields);
    bodies.push_back({obstacle.name, BodyKind::obstacle, io::BodyMotion::posed, io::body_mesh(obstacle.mesh), fields});
  }
  return bodies;
}

// Contacts with bodies numbered as in the result, which leaves half-spaces out.
std::vector<io::Contact> contacts_of(const Simulation& simulation, std::span<const contact::ContactForce> forces) {
  std::vector<int> number;
  for (std::size_t b = 0; b < simulation.model().bodies.size(); ++b) number.push_back(static_cast<int>(b));
  int next = static_cast<int>(number.size());
  for (const Obstacle& obstacle : simulation.model().obstacles) number.push_back(obstacle.half_space ? -1 : next++);
  std::vector<io::Contact> contacts;
  for (const contact::ContactForce& f : forces)
    contacts.push_back({number[f.first_body], number[f.second_body], f.point, f.normal, f.force});
  return contacts;
}

// The values of add_force_fields.
std::array<std::vector<double>, 2> force_values(const BodyVertexForces& forces) {
  std::array<std::vector<double>, 2> values;
  for (const Vec3& f : forces.normal) values[0].insert(values[0].end(), f.begin(), f.end());
  for (const Vec3& f : forces.friction) values[1].insert(values[1].end(), f.begin(), f.end());
  return values;
}

// The spring would swing the whole body at kGripFrequency. A rigid body is pulled at its centre, beside which the vertex
// keeps its place: a hand moves it and does not turn it. Throws InputError when there is no such vertex.
GrippedBlock grip_of(const Hand& hand, const Model& model, const State& state) {
  const auto body =
      std::find_if(model.bodies.begin(), model.bodies.end(), [&](const ModelBody& b) { return b.name == hand.body; });
  if (body == model.bodies.end() || hand.vertex >= static_cast<int>(body->rest.vertices.size())) {
    throw InputError(
        fmt::format("a hand pulls vertex {} of body '{}', which the scene does not have", hand.vertex, hand.body));
  }
  const double rate = 2 * std::numbers::pi * kGripFrequency;
  const MappedPoint point = body->point(hand.vertex);
  const Vec3 beside = point.evaluate(state.positions) - state.positions[point.block[0]];
  return {point.block[0], hand.target - beside, model.mass_of(*body) * rate * rate};
}

// One run: the simulation and everything it writes.
class Run {
 public:
  Run(const Scene& scene, const RunOptions& options, std::vector<scene::PlacedBody> placed, BuiltScene built);
  RunSummary go();

 private:
  void open_fresh();
  void open_resumed();
  [[nodiscard]] io::ResultOptions result_options() const;
  void check_fields() const;
  [[nodiscard]] std::int64_t nominal_step_count() const;
  void take_hand();
  void wait_for_clock() const;
  bool advance_once();
  void write_frame_if_due();
  void write_frame();
  void verify();
  [[nodiscard]] std::vector<std::vector<double>> field_values(const ModelBody& body,
                                                              const std::vector<double>& stress) const;
  void write_row(const AdvanceReport& report);
  void let_hands_in(Model& model) const;
  void tear_if_due(double begin);
  scene::Tearing::Revision tear(const TearEvent& event);
  void save_checkpoint();
  void save_checkpoint_if_due();
  void report_progress(const AdvanceReport& report);
  [[nodiscard]] std::string warning_of_depth() const;
  RunSummary finish(RunOutcome outcome);

  const Scene& scene_;
  const RunOptions& options_;
  std::string scene_text_;
  scene::Tearing tearing_;
  double intersections_ = std::numeric_limits<double>::quiet_NaN();  // in the last judged state
  std::vector<TearEvent> tears_;
  std::vector<char> has_new_mesh_;  // per body: torn since the last frame
  scene::ProbeSet probes_;
  scene::Expectations expectations_;
  std::optional<Simulation> simulation_;
  State start_;
  SimulationOptions simulation_options_;
  Model model_before_run_;
  RunPosition position_;
  RunSummary summary_;
  std::optional<io::ResultWriter> result_;
  std::optional<io::ProbesCsv> csv_;
  std::optional<io::ProbesCsv> convergence_;  // convergence.csv: what the solver did, with as many rows
  Interaction interaction_;                   // so far
  io::OpenFile interaction_file_;
  std::size_t interaction_bytes_ = 0;  // written to it
  VertexForces vertex_forces_;
  double wall_start_ = wall_now(), cpu_start_ = cpu_now();
  double clock_start_ = 0, clock_time_ = 0;              // s, of the wall and of the simulation, when the loop began
  double checkpoint_seconds_ = 0, checkpoint_time_ = 0;  // s spent; s simulated at the last one
};

Run::Run(const Scene& scene, const RunOptions& options, std::vector<scene::PlacedBody> placed, BuiltScene built)
    : scene_(scene),
      options_(options),
      scene_text_(write_scene(scene, PathForm::absolute)),
      tearing_(scene, std::move(placed), built.model, built.state),
      has_new_mesh_(built.model.bodies.size(), 0),
      probes_(scene, built.model, built.state),
      expectations_(scene, probes_.columns()),
      start_(std::move(built.state)),
      simulation_options_(built.options),
      model_before_run_(std::move(built.model)) {
  if (options.replay != nullptr) {  // said before anything is written
    for (const Interaction::Change& change : options.replay->changes()) {
      if (change.hand) (void)grip_of(*change.hand, model_before_run_, start_);
    }
  }
  let_hands_in(model_before_run_);
  summary_.notes = std::move(built.notes);
  summary_.solver.tolerance = scene.solver.tolerance;
  if (options_.on_note) {
    for (const std::string& note : summary_.notes) options_.on_note(note);
  }
  refuse_second_run(options_.folder);
  if (options_.mode == RunOptions::Mode::resume) {
    open_resumed();
  } else {
    open_fresh();
  }
  summary_.title = scene.title;
  summary_.threads = thread_count();
}

// --- Opening the result folder ---

void Run::open_fresh() {
  const std::vector<io::BodyDescription> bodies = describe(scene_, model_before_run_);
  simulation_.emplace(std::move(model_before_run_), std::move(start_), simulation_options_);
  io::make_folder(options_.folder);
  io::write_file_atomically(options_.folder / "scene.yaml", scene_text_);
  std::filesystem::remove(options_.folder / "checkpoint.bin");
  std::filesystem::remove(options_.folder / "summary.json");
  std::filesystem::remove(options_.folder / "interaction.csv");
  std::filesystem::remove(options_.folder / "probes.csv");
  std::filesystem::remove(options_.folder / "convergence.csv");
  result_.emplace(options_.folder, bodies, result_options());
  csv_.emplace(options_.folder / "probes.csv", probes_.columns());
  convergence_.emplace(options_.folder / "convergence.csv", kConvergenceColumns);
  summary_.energy_start = simulation_->energies().total();
  write_frame();
  write_row({});
  save_checkpoint();
}

io::ResultOptions Run::result_options() const {
  io::ResultOptions options{.pliant_version = version()};
  if (options_.keeps_real_time) options.longest_wait = kLongestWaitOfView;  // somebody looks at it now
  return options;
}

// A frame must hold what the frames before it hold.
void Run::check_fields() const {
  const std::vector<io::BodyDescription> wanted = describe(scene_, simulation_->model());
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    if (wanted[b].fields == result_->outline().bodies[b].revisions.back().fields) continue;
    throw InputError(scene_.source,
                     fmt::format("output.fields of body '{}' are not those of the result in '{}'; set them as they "
                                 "were, or start afresh without --resume",
                                 wanted[b].name, options_.folder.string()));
  }
}

void Run::open_resumed() {
  const std::filesystem::path file = options_.folder / "checkpoint.bin";
  const CheckpointOrigin origin = read_checkpoint_origin(file);
  // Settings may change between the parts of a run, the physics may not.
  Scene before = parse_scene(origin.scene_text, file.string());
  Scene now = parse_scene(scene_text_, "scene");
  const bool same_step = before.time.step == now.time.step;
  before.time = now.time;
  before.solver = now.solver;
  before.output = now.output;
  before.view = now.view;
  before.expect = now.expect;
  if (!(before == now)) {
    throw InputError(
        scene_.source,
        fmt::format("'{}' was made by another scene; only time, solver, output, view and expect may change when a run "
                    "is resumed. Start afresh without --resume",
                    options_.folder.string()));
  }
  simulation_.emplace(std::move(model_before_run_), std::move(start_), simulation_options_);
  for (const TearEvent& event : origin.tears) {
    scene::Tearing::Revision revision = tear(event);
    simulation_->replace_model(std::move(revision.built.model), revision.source, event.step);
  }
  RunCheckpoint checkpoint = read_checkpoint(file, simulation_->model());
  if (now.time.end < checkpoint.state.time - kTimeTolerance)
    throw InputError(
        scene_.source,
        fmt::format("'{}' has been run to t = {:.6g} s, and time.end is {:.6g} s; give a later end, or start "
                    "afresh without --resume",
                    options_.folder.string(), checkpoint.state.time, now.time.end));
  // Nominal steps count anew from here when their length changed, or when the last one was cut short by the old end.
  position_ = checkpoint.position;
  const double planned_time =
      position_.origin_time + static_cast<double>(position_.nominal_step - position_.origin_step) * now.time.step;
  if (!same_step || checkpoint.state.time < planned_time - kTimeTolerance) {
    position_.origin_time = checkpoint.state.time;
    position_.origin_step = position_.nominal_step;
  }
  std::vector<std::string> notes = std::move(summary_.notes);
  const RunSummary::Tears tears = summary_.tears;
  summary_ = checkpoint.summary;
  summary_.notes = std::move(notes);
  summary_.tears = tears;
  summary_.solver.tolerance = scene_.solver.tolerance;
  wall_start_ -= summary_.wall_seconds;
  cpu_start_ -= summary_.cpu_seconds;
  checkpoint_time_ = checkpoint.state.time;
  simulation_->restore(std::move(checkpoint.state));
  // The file keeps no mesh that begins with the next frame.
  for (const TearEvent& event : tears_) {
    for (const scene::Tear& t : event.tears) has_new_mesh_[t.body] = event.frames == position_.frames;
  }
  io::write_file_atomically(options_.folder / "scene.yaml", scene_text_);
  // Rows first: a kill in between leaves frames without a row. (Rows without a frame there are while frames wait; nothing counts
  // but what the checkpoint says.)
  csv_.emplace(io::ProbesCsv::reopen(options_.folder / "probes.csv", probes_.columns(), position_.rows));
  convergence_.emplace(io::ProbesCsv::reopen(options_.folder / "convergence.csv", kConvergenceColumns, position_.rows));
  result_.emplace(io::ResultWriter::reopen(options_.folder, position_.frames, result_options()));
  check_fields();
  for (const io::ProbeRow& row : io::read_probes(options_.folder / "probes.csv").rows)
    expectations_.observe(row.time, row.values);
  if (std::filesystem::exists(options_.folder / "interaction.csv")) {
    interaction_ = Interaction::read(options_.folder / "interaction.csv");
    interaction_.forget_from(position_.nominal_step);
  }
}

// --- The loop ---

// Nominal steps of the whole run; the last one may be shorter.
std::int64_t Run::nominal_step_count() const {
  const double left = (scene_.time.end - position_.origin_time) / scene_.time.step;
  return position_.origin_step + static_cast<std::int64_t>(std::ceil(left - kTimeTolerance));
}

RunSummary Run::go() {
  const std::int64_t last = nominal_step_count();
  if (options_.on_started) options_.on_started();
  clock_start_ = wall_now();
  clock_time_ = simulation_->state().time;
  while (position_.nominal_step < last) {
    if (options_.interrupted != nullptr && *options_.interrupted) {
      save_checkpoint();
      return finish(RunOutcome::interrupted);
    }
    if (!advance_once()) {
      save_checkpoint();
      return finish(RunOutcome::could_not_go_on);
    }
    result_->write_if_due();
    save_checkpoint_if_due();
    if (options_.keeps_real_time) wait_for_clock();
  }
  save_checkpoint();
  return finish(RunOutcome::done);
}

// What is pulled in the next nominal step.
void Run::take_hand() {
  std::optional<Hand> hand;
  if (options_.replay != nullptr) {
    hand = options_.replay->at(position_.nominal_step);
  } else if (options_.hand) {
    hand = options_.hand();
  }
  std::vector<GrippedBlock> grips;
  if (hand) grips.push_back(grip_of(*hand, simulation_->model(), simulation_->state()));
  simulation_->set_grips(std::move(grips));
  if (!interaction_.note(position_.nominal_step, hand)) return;
  // A row is added; the first one comes with the header and what a resumed run has kept.
  const bool is_first = interaction_bytes_ == 0;
  const std::string text = is_first ? interaction_.to_csv() : Interaction::row_of(interaction_.changes().back());
  if (is_first) interaction_file_ = io::OpenFile(options_.folder / "interaction.csv", O_WRONLY | O_CREAT | O_TRUNC);
  interaction_file_.write(std::as_bytes(std::span(text)), interaction_bytes_);
  interaction_bytes_ += text.size();
}

void Run::wait_for_clock() const {
  const double ahead = (simulation_->state().time - clock_time_) - (wall_now() - clock_start_);
  if (ahead > 0) std::this_thread::sleep_for(std::chrono::duration<double>(std::min(ahead, 0.1)));
}

void Run::let_hands_in(Model& model) const {
  if (!options_.hand && options_.replay == nullptr) return;
  model.energies.push_back(std::make_unique<Grip>());
  model.roles.push_back(EnergyRole::load);
}

// begin: s, of the step that has been taken.
void Run::tear_if_due(double begin) {
  if (!tearing_.is_possible()) return;
  const std::size_t notes = summary_.notes.size();
  TearEvent event{simulation_->state().step_count, position_.frames, {}};
  event.tears = tearing_.find(simulation_->model(), simulation_->state(), begin, summary_.notes);
  for (std::size_t n = notes; n < summary_.notes.size() && options_.on_note; ++n) options_.on_note(summary_.notes[n]);
  if (event.tears.empty()) return;
  scene::Tearing::Revision revision = tear(event);
  simulation_->replace_model(std::move(revision.built.model), revision.source);
}

scene::Tearing::Revision Run::tear(const TearEvent& event) {
  scene::Tearing::Revision revision = tearing_.apply(event.tears, simulation_->model());
  probes_ = scene::ProbeSet(scene_, revision.built.model, revision.built.state);
  let_hands_in(revision.built.model);
  for (const scene::Tear& t : event.tears) has_new_mesh_[t.body] = 1;
  ++summary_.tears.events;
  summary_.tears.vertices_added += revision.vertices_added;
  summary_.tears.elements_removed += revision.elements_removed;
  tears_.push_back(event);
  return revision;
}

bool Run::advance_once() {
  take_hand();
  const auto planned_time = [&](std::int64_t nominal_step) {
    return position_.origin_time + static_cast<double>(nominal_step - position_.origin_step) * scene_.time.step;
  };
  // The last step may be shorter, and so may one that a resumed run takes up in its middle.
  const double begin = planned_time(position_.nominal_step), planned = planned_time(position_.nominal_step + 1);
  const bool is_cut = planned > scene_.time.end + kTimeTolerance,
             is_begun = simulation_->state().time > begin + kTimeTolerance;
  const double end = is_cut ? scene_.time.end : planned;
  const double step = is_cut || is_begun ? end - simulation_->state().time : scene_.time.step;
  const double time_before = simulation_->state().time;
  const AdvanceReport report = simulation_->advance(step, end, [this] {
    verify();
    write_frame_if_due();
  });
  for (const StepReport& s : report.steps) summary_.count(s, simulation_->model());
  summary_.solver.retries += report.retries;
  if (!report.reached) {
    summary_.failure =
        fmt::format("the step to t = {:.6g} s could not be taken even in parts of {:.3g} s: {} at {}{}", end,
                    report.failure.step, to_string(report.failure.solve.status), report.failed_at,
                    report.failure.solve.not_finite_in.empty()
                        ? ""
                        : fmt::format(" (a number that is not finite, in {})", report.failure.solve.not_finite_in));
    return false;
  }
  ++position_.nominal_step;
  if (is_cut) {
    // A run that is extended later goes on from here in full steps.
    position_.origin_time = end;
    position_.origin_step = position_.nominal_step;
  }
  write_row(report);
  tear_if_due(time_before);
  report_progress(report);
  return true;
}

// --- Output ---

void Run::verify() {
  if (!options_.verifies || !simulation_->model().contact) return;
  const Model& model = simulation_->model();
  const double time = simulation_->state().time;
  const contact::Judgement judgement = scene::judge_state(model, simulation_->state().positions, time);
  intersections_ = static_cast<double>(judgement.count);
  RunSummary::Contacts& contacts = summary_.contacts;
  if (contacts.intersections < 0) contacts.unjudged = scene::unjudged_bodies(model);
  if (judgement.not_judged == 0) ++contacts.judged;
  contacts.intersections = std::max<std::int64_t>(0, contacts.intersections) + judgement.count;
  if (judgement.first.empty() || !contacts.first_intersection.empty()) return;
  contacts.first_intersection =
      fmt::format("{} at t = {:.6g} s", scene::describe(model, judgement.first.front()), time);
}

void Run::write_frame_if_due() {
  const double fps = scene_.output.frames_per_second, time = simulation_->state().time;
  if (time < static_cast<double>(position_.next_frame) / fps - kTimeTolerance) return;
  write_frame();
  position_.next_frame = static_cast<std::int64_t>(std::floor((time + kTimeTolerance) * fps)) + 1;
}

void Run::write_frame() {
  const double start = wall_now();
  const State& state = simulation_->state();
  std::vector<double> stress;
  if (wants(scene_, scene::OutputField::stress))
    stress = solid::von_mises_per_block(simulation_->model().energies, state.positions);
  // What a frame shows is copied body by body; the frame refers to it.
  const std::vector<ModelBody>& bodies = simulation_->model().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (std::exchange(has_new_mesh_[b], 0) != 0)
      result_->add_revision(static_cast<int>(b), described_mesh(simulation_->model(), bodies[b]));
  }
  std::vector<std::vector<Vec3>> positions(bodies.size());
  std::vector<std::vector<std::vector<double>>> fields(bodies.size() + simulation_->model().obstacles.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) fields[b] = field_values(bodies[b], stress);
  const std::vector<contact::ContactForce> forces = simulation_->contact_forces();
  if (wants(scene_, scene::OutputField::contact_forces) && simulation_->model().contact) {
    const std::vector<BodyVertexForces> found = vertex_forces_.find(simulation_->model(), state, forces);
    for (std::size_t b = 0; b < found.size(); ++b) {
      for (std::vector<double>& values : force_values(found[b])) fields[b].push_back(std::move(values));
    }
  }
  io::Frame frame{state.time, state.step_count, {}, {}};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    io::BodyFrame& body = frame.bodies.emplace_back();
    body.fields = {fields[b].begin(), fields[b].end()};
    if (bodies[b].rigid >= 0) {
      body.pose = pose_of(simulation_->model().rigids[static_cast<std::size_t>(bodies[b].rigid)], state);
      continue;
    }
    for (const int block : bodies[b].block_of_vertex) positions[b].emplace_back(state.positions[block]);
    body.positions = positions[b];
  }
  for (std::size_t o = 0; o < simulation_->model().obstacles.size(); ++o) {
    const Obstacle& obstacle = simulation_->model().obstacles[o];
    const std::vector<std::vector<double>>& values = fields[bodies.size() + o];
    if (!obstacle.half_space)
      frame.bodies.push_back({{}, pose_of(obstacle, state.time), {values.begin(), values.end()}});
  }
  std::vector<io::Contact> contacts;
  if (wants(scene_, scene::OutputField::contacts)) contacts = contacts_of(*simulation_, forces);
  frame.contacts = contacts;
  result_->append(frame);
  ++position_.frames;
  summary_.stages.output += wall_now() - start;
}

// The values of fields_of for one body; stress: per block, when wanted.
std::vector<std::vector<double>> Run::field_values(const ModelBody& body, const std::vector<double>& stress) const {
  std::vector<std::vector<double>> values;
  if (body.kind == BodyKind::rod) {
    std::vector<double>& frames = values.emplace_back();
    const State& state = simulation_->state();
    for (std::size_t s = 0; s < body.segments.size(); ++s) {
      const std::size_t edge = static_cast<std::size_t>(body.first_rod_edge) + s;
      const Vec4 q = material_frame(simulation_->model().rods.edges[edge], state.rod_frames.directors[edge], state);
      frames.insert(frames.end(), q.begin(), q.end());
    }
  }
  if (body.is_poured) {
    std::vector<double>& active = values.emplace_back();
    const std::vector<unsigned char> is_there = simulation_->model().presence(simulation_->state().time);
    for (const int block : body.block_of_vertex) active.push_back(is_there[static_cast<std::size_t>(block)]);
  }
  if (wants(scene_, scene::OutputField::velocities)) {
    std::vector<double>& v = values.emplace_back();
    for (int vertex = 0; vertex < static_cast<int>(body.rest.vertices.size()); ++vertex) {
      const Vec3 velocity = body.point(vertex).evaluate(simulation_->state().velocities);
      v.insert(v.end(), velocity.begin(), velocity.end());
    }
  }
  if (has_stress(scene_, body)) {
    std::vector<double>& s = values.emplace_back();
    for (const int block : body.block_of_vertex) s.push_back(stress[static_cast<std::size_t>(block)]);
  }
  return values;
}

void Run::write_row(const AdvanceReport& report) {
  const double start = wall_now();
  const std::vector<double> values = probes_.measure(*simulation_, intersections_);
  csv_->append(position_.nominal_step, simulation_->state().time, values);
  double iterations = 0, linear = 0, trials = 0, residual = 0;
  double linear_seconds = 0, linear_processor_seconds = 0, solve_seconds = 0;
  // Of contact the worst of the parts of a step. Without any the smallest gap is at least the contact distance.
  int contacts = 0;
  double gap =
      simulation_->model().contact ? simulation_->options().contact.distance : std::numeric_limits<double>::quiet_NaN();
  contact::ContactQuality quality;
  for (const StepReport& step : report.steps) {
    contacts = std::max(contacts, step.solve.contacts.count);
    if (step.solve.contacts.count > 0) gap = std::min(gap, step.solve.contacts.smallest_gap);
    quality.include(step.contact_quality);
    const solver::StageSeconds& seconds = step.solve.seconds;
    linear_seconds += seconds.linear;
    linear_processor_seconds += seconds.linear_processor;
    solve_seconds += seconds.assemble + seconds.linear + seconds.line_search + seconds.contact + seconds.projection;
    iterations += step.solve.iterations;
    linear += step.solve.linear_iterations;
    trials += step.solve.line_search_trials;
    residual = std::max(residual, step.solve.residual);
  }
  convergence_->append(
      position_.nominal_step, simulation_->state().time,
      std::vector<double>{iterations, linear, trials, residual, linear_seconds, linear_processor_seconds, solve_seconds,
                          static_cast<double>(contacts), gap, quality.cone_violation, quality.relative_cone_violation,
                          quality.friction_angle, quality.complementarity});
  ++position_.rows;
  expectations_.observe(simulation_->state().time, values);
  summary_.stages.output += wall_now() - start;
}

void Run::save_checkpoint() {
  const double start = wall_now();
  result_->write();  // who resumes needs all frames until here
  summary_.wall_seconds = start - wall_start_;
  summary_.cpu_seconds = cpu_now() - cpu_start_;
  write_checkpoint(options_.folder / "checkpoint.bin", simulation_->model(),
                   {{scene_text_, tears_}, simulation_->state(), position_, summary_});
  checkpoint_time_ = simulation_->state().time;
  const double seconds = wall_now() - start;
  checkpoint_seconds_ += seconds;
  summary_.stages.output += seconds;
}

void Run::save_checkpoint_if_due() {
  const double time = simulation_->state().time;
  const bool due = scene_.output.checkpoint_every
                       ? time >= checkpoint_time_ + *scene_.output.checkpoint_every - kTimeTolerance
                       : result_->is_written() && checkpoint_seconds_ < kCheckpointShare * (wall_now() - wall_start_);
  if (due) save_checkpoint();
}

void Run::report_progress(const AdvanceReport& report) {
  if (!options_.on_progress) return;
  RunProgress progress;
  progress.step = position_.nominal_step;
  progress.step_count = nominal_step_count();
  progress.time = simulation_->state().time;
  progress.end = scene_.time.end;
  for (const StepReport& s : report.steps) {
    progress.iterations += s.solve.iterations;
    progress.converged = progress.converged && is_success(s.solve.status);
  }
  progress.retries = report.retries;
  progress.wall_seconds = wall_now() - wall_start_;
  const double per_step = progress.wall_seconds / static_cast<double>(std::max<std::int64_t>(1, progress.step));
  progress.seconds_left = per_step * static_cast<double>(progress.step_count - progress.step);
  options_.on_progress(progress);
}

// Springs of contact give way, and what is deeper in a mesh than twice their reach is not seen any more.
std::string Run::warning_of_depth() const {
  const double distance = simulation_options_.contact.distance, gap = summary_.contacts.smallest_gap;
  const bool has_springs = simulation_options_.method == StepMethod::quasi_newton && summary_.contacts.max > 0;
  if (!has_springs || gap > -2 * distance) return "";
  return fmt::format(
      "contact gave way by {:.3g} m, more than twice contact.distance: things pressed so deep into a mesh may go "
      "through it; raise contact.penalty.stiffness, now {:.2g} Pa/m, or set contact.penalty.step_limit: true, or take "
      "solver.method: newton",
      -gap, simulation_->state().contact_pressure / distance);
}

RunSummary Run::finish(RunOutcome outcome) {
  result_->finish();
  summary_.outcome = outcome;
  const State& state = simulation_->state();
  summary_.seconds_simulated = state.time;
  summary_.energy_end = simulation_->energies().total();
  summary_.solver.method = simulation_->solver() != nullptr ? simulation_->solver()->name() : "none";
  summary_.solver.linear = simulation_->solver() != nullptr ? simulation_->solver()->linear_name() : "none";
  summary_.contacts.are_possible = simulation_->model().contact != nullptr;
  summary_.contacts.pressure = state.contact_pressure;
  summary_.contacts.warning = warning_of_depth();
  if (!summary_.contacts.warning.empty()) summary_.notes.push_back(summary_.contacts.warning);
  summary_.expect = expectations_.results();
  summary_.memory_peak_bytes = memory_peak();
  for (const ModelBody& body : simulation_->model().bodies) {
    TetMesh now = body.rest;
    for (std::size_t v = 0; v < now.vertices.size(); ++v)
      now.vertices[v] = body.point(static_cast<int>(v)).evaluate(state.positions);
    const std::vector<double> volumes = tet_volumes(now);
    const double mass = simulation_->model().mass_of(body);
    summary_.bodies.push_back(
        {body.name, static_cast<std::int64_t>(now.vertices.size()), static_cast<std::int64_t>(now.tets.size()),
         static_cast<std::int64_t>(body.triangles.size()), static_cast<std::int64_t>(body.segments.size()), mass,
         std::count_if(volumes.begin(), volumes.end(), [](double v) { return v <= 0; })});
  }
  summary_.wall_seconds = wall_now() - wall_start_;
  summary_.cpu_seconds = cpu_now() - cpu_start_;
  io::write_file_atomically(options_.folder / "summary.json", to_json(summary_));
  return summary_;
}

}  // namespace

RunSummary run_scene(const Scene& scene, const RunOptions& options) {
  std::vector<scene::PlacedBody> placed = scene::place_bodies(scene);
  BuiltScene built = build(scene, placed, 0);
  return Run(scene, options, std::move(placed), std::move(built)).go();
}

std::filesystem::path default_folder(const Scene& scene, const std::filesystem::path& scene_file) {
  if (scene.output.folder) return *scene.output.folder;
  return std::filesystem::path("out") / scene_file.stem();
}

}  // namespace pliant
