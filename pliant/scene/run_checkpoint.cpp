#include "pliant/scene/run_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "pliant/input_error.h"

namespace pliant {
namespace {

std::vector<double> packed(const BlockVector& v) {
  std::vector<double> values(3 * static_cast<std::size_t>(v.size()));
  for (int i = 0; i < v.size(); ++i) Eigen::Map<Vec3>(values.data() + 3 * static_cast<std::size_t>(i)) = v[i];
  return values;
}

BlockVector unpacked(const std::vector<double>& values) {
  BlockVector v(static_cast<int>(values.size() / 3));
  for (int i = 0; i < v.size(); ++i) v[i] = Eigen::Map<const Vec3>(values.data() + 3 * static_cast<std::size_t>(i));
  return v;
}

// Vectors by key: what sticking contacts and forces remember.
void add_keyed(const char* key_name, const std::vector<std::uint64_t>& keys, const char* value_name,
               const std::vector<Vec3>& values, io::CheckpointWriter& out) {
  out.add_integers(key_name, std::vector<std::int64_t>(keys.begin(), keys.end()));
  out.add_doubles(value_name, {reinterpret_cast<const double*>(values.data()), 3 * values.size()});
}

void read_keyed(const io::CheckpointReader& in, const char* key_name, std::vector<std::uint64_t>& keys,
                const char* value_name, std::vector<Vec3>& values) {
  for (const std::int64_t key : in.integers(key_name)) keys.push_back(static_cast<std::uint64_t>(key));
  const BlockVector read = unpacked(in.doubles(value_name));
  for (int i = 0; i < read.size(); ++i) values.push_back(read[i]);
}

// A body's part of a block vector, in the user's vertex order; scenes can start from it (start: {state: file}).
std::vector<double> of_body(const BlockVector& v, const ModelBody& body) {
  std::vector<double> values;
  for (const int block : body.place_blocks()) values.insert(values.end(), v[block].begin(), v[block].end());
  return values;
}

void to_body(const std::vector<double>& values, const ModelBody& body, BlockVector& v) {
  const std::vector<int> blocks = body.place_blocks();
  if (values.size() != 3 * blocks.size()) {
    throw InputError(
        fmt::format("the checkpoint has another mesh for body '{}'; start afresh without --resume", body.name));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) v[blocks[i]] = Eigen::Map<const Vec3>(values.data() + 3 * i);
}

// Reference frames, twists and spins of a rod, by its own edges and joints. With them a rod goes on as it was, however
// often it is wound.
void add_rod(const Model& model, const ModelBody& body, const State& state, io::CheckpointWriter& out) {
  std::vector<double> directors, twists, rates;
  for (std::size_t s = 0; s < body.segments.size(); ++s) {
    const std::size_t edge = body.first_rod_edge + s;
    const Vec3& director = state.rod_frames.directors[edge];
    directors.insert(directors.end(), director.begin(), director.end());
    twists.push_back(state.positions[model.rods.edges[edge].twist][0]);
    rates.push_back(state.velocities[model.rods.edges[edge].twist][0]);
  }
  const auto [first, last] = rod_joints(model, body);
  const auto joints = std::span(state.rod_frames.reference_twist).subspan(first, last - first);
  out.add_doubles(fmt::format("bodies/{}/directors", body.name), directors);
  out.add_doubles(fmt::format("bodies/{}/twists", body.name), twists);
  out.add_doubles(fmt::format("bodies/{}/twist_rates", body.name), rates);
  out.add_doubles(fmt::format("bodies/{}/reference_twist", body.name), joints);
}

// Counters of the summary in a fixed order; names are for the reader of this file.
void add_counters(const RunSummary& s, io::CheckpointWriter& out) {
  const std::int64_t integers[] = {s.steps,
                                   s.solver.iterations_total,
                                   s.solver.linear_iterations_total,
                                   s.solver.line_search_trials_total,
                                   s.solver.iterations_max,
                                   s.solver.steps_not_converged,
                                   s.solver.steps_budgeted,
                                   s.solver.retries,
                                   s.contacts.max,
                                   s.contacts.intersections,
                                   s.contacts.judged};
  const double numbers[] = {s.wall_seconds,       s.cpu_seconds,          s.stages.assemble,       s.stages.linear,
                            s.stages.line_search, s.stages.output,        s.solver.residual_worst, s.energy_start,
                            s.stages.contact,     s.contacts.smallest_gap};
  const contact::ContactQuality& worst = s.contacts.worst;
  const double quality[] = {worst.cone_violation, worst.relative_cone_violation, worst.friction_angle,
                            worst.complementarity};
  out.add_integers("summary/integers", integers);
  out.add_doubles("summary/numbers", numbers);
  out.add_doubles("summary/contact_quality", quality);
  out.add_text("summary/residual_worst_at", s.solver.residual_worst_at);
  out.add_text("summary/first_intersection", s.contacts.first_intersection);
}

void read_counters(const io::CheckpointReader& in, RunSummary& s) {
  const auto integers = in.integers("summary/integers");
  const auto numbers = in.doubles("summary/numbers");
  const auto quality =
      in.has("summary/contact_quality") ? in.doubles("summary/contact_quality") : std::vector<double>{};
  if (integers.size() != 11 || numbers.size() != 10 || quality.size() != 4)
    throw InputError("the checkpoint is of another version of Pliant; start afresh without --resume");
  s.steps = integers[0];
  s.solver.iterations_total = integers[1];
  s.solver.linear_iterations_total = integers[2];
  s.solver.line_search_trials_total = integers[3];
  s.solver.iterations_max = static_cast<int>(integers[4]);
  s.solver.steps_not_converged = integers[5];
  s.solver.steps_budgeted = integers[6];
  s.solver.retries = integers[7];
  s.wall_seconds = numbers[0];
  s.cpu_seconds = numbers[1];
  s.stages.assemble = numbers[2];
  s.stages.linear = numbers[3];
  s.stages.line_search = numbers[4];
  s.stages.output = numbers[5];
  s.solver.residual_worst = numbers[6];
  s.energy_start = numbers[7];
  s.contacts.max = integers[8];
  s.contacts.intersections = integers[9];
  s.contacts.judged = integers[10];
  s.stages.contact = numbers[8];
  s.contacts.smallest_gap = numbers[9];
  s.contacts.worst = {quality[0], quality[1], quality[2], quality[3]};
  s.solver.residual_worst_at = in.text("summary/residual_worst_at");
  s.contacts.first_intersection = in.text("summary/first_intersection");
}

// All events one after the other: step, frames, number of tears; of each body, faces, removed elements, then these.
std::vector<std::int64_t> packed(const std::vector<TearEvent>& events) {
  std::vector<std::int64_t> values;
  for (const TearEvent& event : events) {
    values.insert(values.end(), {event.step, event.frames, static_cast<std::int64_t>(event.tears.size())});
    for (const scene::Tear& tear : event.tears) {
      const MeshOpening& opening = tear.opening;
      values.insert(values.end(), {tear.body, static_cast<std::int64_t>(opening.faces.size()),
                                   static_cast<std::int64_t>(opening.removed.size())});
      for (const auto& face : opening.faces) values.insert(values.end(), face.begin(), face.end());
      values.insert(values.end(), opening.removed.begin(), opening.removed.end());
    }
  }
  return values;
}

}  // namespace

CheckpointOrigin read_checkpoint_origin(const std::filesystem::path& file) {
  const io::CheckpointReader in(file);
  CheckpointOrigin origin{in.text("scene"), {}};
  if (!in.has("tears"))
    throw InputError(file.string(), "the checkpoint is of another version of Pliant; start afresh without --resume");
  const std::vector<std::int64_t> values = in.integers("tears");
  std::size_t next = 0;
  const auto take = [&] {
    if (next == values.size())
      throw InputError(file.string(),
                       "the checkpoint is damaged: its tears are cut short; start afresh without --resume");
    return values[next++];
  };
  while (next < values.size()) {
    TearEvent& event = origin.tears.emplace_back();
    event.step = take();
    event.frames = take();
    for (std::int64_t left = take(); left > 0; --left) {
      scene::Tear& tear = event.tears.emplace_back();
      tear.body = static_cast<int>(take());
      const std::int64_t faces = take(), removed = take();
      for (std::int64_t i = 0; i < faces; ++i) {
        const int first = static_cast<int>(take());
        tear.opening.faces.push_back({first, static_cast<int>(take())});
      }
      for (std::int64_t i = 0; i < removed; ++i) tear.opening.removed.push_back(static_cast<int>(take()));
    }
  }
  return origin;
}

void write_checkpoint(const std::filesystem::path& file, const Model& model, const RunCheckpoint& c) {
  io::CheckpointWriter out;
  out.add_text("scene", c.origin.scene_text);
  out.add_integers("tears", packed(c.origin.tears));
  for (const ModelBody& body : model.bodies) {
    out.add_doubles(fmt::format("bodies/{}/positions", body.name), of_body(c.state.positions, body));
    out.add_doubles(fmt::format("bodies/{}/velocities", body.name), of_body(c.state.velocities, body));
    if (body.kind == BodyKind::rod) add_rod(model, body, c.state, out);
  }
  const double times[] = {c.state.time, c.state.previous_step, c.position.origin_time};
  out.add_doubles("times", times);
  const std::int64_t counts[] = {c.state.step_count, c.position.nominal_step, c.position.frames,
                                 c.position.rows,    c.position.next_frame,   c.position.origin_step};
  out.add_integers("counts", counts);
  out.add_doubles("accelerations", packed(c.state.accelerations));
  out.add_doubles("previous_positions", packed(c.state.previous_positions));
  out.add_doubles("previous_velocities", packed(c.state.previous_velocities));
  out.add_doubles("pin_since", c.state.pin_since);
  const auto* anchors = reinterpret_cast<const double*>(c.state.pin_anchors.data());
  out.add_doubles("pin_anchors", {anchors, 3 * c.state.pin_anchors.size()});
  add_keyed("stick_keys", c.state.stick.keys, "stick_slips", c.state.stick.slips, out);
  add_keyed("force_keys", c.state.forces.keys, "forces", c.state.forces.forces, out);
  out.add_doubles("joint_coordinates", c.state.joints.coordinates);
  out.add_doubles("joint_forces", c.state.joints.forces);
  out.add_bytes("joint_broken", c.state.joints.broken);
  const SleepMemory& sleep = c.state.sleep;
  out.add_doubles("sleep_calm", sleep.calm);
  out.add_integers("sleep_islands", std::vector<std::int64_t>(sleep.island.begin(), sleep.island.end()));
  add_keyed("sleep_keys", sleep.forces.keys, "sleep_forces", sleep.forces.forces, out);
  out.add_integers("sleep_force_islands",
                   std::vector<std::int64_t>(sleep.island_of_force.begin(), sleep.island_of_force.end()));
  out.add_doubles("contact_pressure", {&c.state.contact_pressure, 1});
  add_counters(c.summary, out);
  out.write(file);
}

bool read_rod(const io::CheckpointReader& in, const Model& model, const ModelBody& body, State& state) {
  const auto values = [&](const char* quantity, std::size_t count) {
    const std::string entry = fmt::format("bodies/{}/{}", body.name, quantity);
    std::vector<double> found = in.has(entry) ? in.doubles(entry) : std::vector<double>{};
    if (found.size() != count) found.clear();
    return found;
  };
  const auto [first, last] = rod_joints(model, body);
  const std::size_t edges = body.segments.size(), joints = last - first;
  const std::vector<double> directors = values("directors", 3 * edges), twists = values("twists", edges),
                            rates = values("twist_rates", edges), reference = values("reference_twist", joints);
  if (directors.empty() || twists.empty() || rates.empty() || reference.size() != joints) return false;
  for (std::size_t s = 0; s < edges; ++s) {
    const std::size_t edge = body.first_rod_edge + s;
    state.rod_frames.directors[edge] = Eigen::Map<const Vec3>(directors.data() + 3 * s);
    state.positions[model.rods.edges[edge].twist][0] = twists[s];
    state.velocities[model.rods.edges[edge].twist][0] = rates[s];
  }
  std::copy(reference.begin(), reference.end(), state.rod_frames.reference_twist.begin() + first);
  return true;
}

RunCheckpoint read_checkpoint(const std::filesystem::path& file, const Model& model) {
  const io::CheckpointReader in(file);
  RunCheckpoint c;
  c.origin = read_checkpoint_origin(file);
  c.state.positions.resize(model.layout.block_count());
  c.state.velocities.resize(model.layout.block_count());
  c.state.rod_frames.directors.resize(model.rods.edges.size());
  c.state.rod_frames.reference_twist.resize(model.rods.joints.size());
  for (const ModelBody& body : model.bodies) {
    to_body(in.doubles(fmt::format("bodies/{}/positions", body.name)), body, c.state.positions);
    to_body(in.doubles(fmt::format("bodies/{}/velocities", body.name)), body, c.state.velocities);
    if (body.kind == BodyKind::rod && !read_rod(in, model, body, c.state))
      throw InputError(fmt::format("the checkpoint has another rod '{}'; start afresh without --resume", body.name));
  }
  const auto times = in.doubles("times");
  const auto counts = in.integers("counts");
  if (times.size() != 3 || counts.size() != 6)
    throw InputError("the checkpoint is of another version of Pliant; start afresh without --resume");
  c.state.time = times[0];
  c.state.previous_step = times[1];
  c.position.origin_time = times[2];
  c.state.step_count = counts[0];
  c.position.nominal_step = counts[1];
  c.position.frames = counts[2];
  c.position.rows = counts[3];
  c.position.next_frame = counts[4];
  c.position.origin_step = counts[5];
  c.state.accelerations = unpacked(in.doubles("accelerations"));
  c.state.previous_positions = unpacked(in.doubles("previous_positions"));
  c.state.previous_velocities = unpacked(in.doubles("previous_velocities"));
  c.state.pin_since = in.doubles("pin_since");
  const BlockVector anchors = unpacked(in.doubles("pin_anchors"));
  for (int i = 0; i < anchors.size(); ++i) c.state.pin_anchors.push_back(anchors[i]);
  read_keyed(in, "stick_keys", c.state.stick.keys, "stick_slips", c.state.stick.slips);
  read_keyed(in, "force_keys", c.state.forces.keys, "forces", c.state.forces.forces);
  if (in.has("joint_broken"))
    c.state.joints = {in.doubles("joint_coordinates"), in.doubles("joint_forces"), in.bytes("joint_broken")};
  if (in.has("sleep_calm")) {
    SleepMemory& sleep = c.state.sleep;
    sleep.calm = in.doubles("sleep_calm");
    for (const std::int64_t island : in.integers("sleep_islands")) sleep.island.push_back(static_cast<int>(island));
    read_keyed(in, "sleep_keys", sleep.forces.keys, "sleep_forces", sleep.forces.forces);
    for (const std::int64_t island : in.integers("sleep_force_islands"))
      sleep.island_of_force.push_back(static_cast<int>(island));
  }
  const std::vector<double> pressure = in.doubles("contact_pressure");
  if (pressure.size() != 1 || !std::isfinite(pressure.front()) || pressure.front() < 0)
    throw InputError(
        "contact_pressure in the checkpoint must be one finite number, at least 0 Pa: the file is damaged; start "
        "afresh "
        "without --resume");
  c.state.contact_pressure = pressure.front();
  read_counters(in, c.summary);
  return c;
}

}  // namespace pliant
