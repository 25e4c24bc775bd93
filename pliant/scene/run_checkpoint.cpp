#include "pliant/scene/run_checkpoint.h"

#include <fmt/format.h>

#include "pliant/input_error.h"
#include "pliant/io/checkpoint.h"

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

// A body's part of a block vector, in the user's vertex order; scenes can start from it (start: {state: file}).
std::vector<double> of_body(const BlockVector& v, const ModelBody& body) {
  std::vector<double> values;
  for (const int block : body.block_of_vertex) values.insert(values.end(), v[block].begin(), v[block].end());
  return values;
}

void to_body(const std::vector<double>& values, const ModelBody& body, BlockVector& v) {
  if (values.size() != 3 * body.block_of_vertex.size()) {
    throw InputError(
        fmt::format("the checkpoint has another mesh for body '{}'; start afresh without --resume", body.name));
  }
  for (std::size_t i = 0; i < body.block_of_vertex.size(); ++i) {
    v[body.block_of_vertex[i]] = Eigen::Map<const Vec3>(values.data() + 3 * i);
  }
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
                                   s.solver.retries};
  const double numbers[] = {s.wall_seconds,       s.cpu_seconds,   s.stages.assemble,       s.stages.linear,
                            s.stages.line_search, s.stages.output, s.solver.residual_worst, s.energy_start};
  out.add_integers("summary/integers", integers);
  out.add_doubles("summary/numbers", numbers);
  out.add_text("summary/residual_worst_at", s.solver.residual_worst_at);
}

void read_counters(const io::CheckpointReader& in, RunSummary& s) {
  const auto integers = in.integers("summary/integers");
  const auto numbers = in.doubles("summary/numbers");
  if (integers.size() != 8 || numbers.size() != 8)
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
  s.solver.residual_worst_at = in.text("summary/residual_worst_at");
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Model& model, const RunCheckpoint& c) {
  io::CheckpointWriter out;
  out.add_text("scene", c.scene_text);
  for (const ModelBody& body : model.bodies) {
    out.add_doubles(fmt::format("bodies/{}/positions", body.name), of_body(c.state.positions, body));
    out.add_doubles(fmt::format("bodies/{}/velocities", body.name), of_body(c.state.velocities, body));
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
  const RodFrames& frames = c.state.rod_frames;
  const auto* directors = reinterpret_cast<const double*>(frames.directors.data());
  out.add_doubles("rod_directors", {directors, 3 * frames.directors.size()});
  out.add_doubles("rod_reference_twist", frames.reference_twist);
  std::vector<double> twists, twist_rates;
  for (const RodEdge& edge : model.rods.edges) {
    twists.push_back(c.state.positions[edge.twist][0]);
    twist_rates.push_back(c.state.velocities[edge.twist][0]);
  }
  out.add_doubles("rod_twists", twists);
  out.add_doubles("rod_twist_rates", twist_rates);
  add_counters(c.summary, out);
  out.write(file);
}

RunCheckpoint read_checkpoint(const std::filesystem::path& file, const Model& model) {
  const io::CheckpointReader in(file);
  RunCheckpoint c;
  c.scene_text = in.text("scene");
  c.state.positions.resize(model.layout.block_count());
  c.state.velocities.resize(model.layout.block_count());
  for (const ModelBody& body : model.bodies) {
    to_body(in.doubles(fmt::format("bodies/{}/positions", body.name)), body, c.state.positions);
    to_body(in.doubles(fmt::format("bodies/{}/velocities", body.name)), body, c.state.velocities);
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
  const BlockVector directors = unpacked(in.doubles("rod_directors"));
  for (int i = 0; i < directors.size(); ++i) c.state.rod_frames.directors.push_back(directors[i]);
  c.state.rod_frames.reference_twist = in.doubles("rod_reference_twist");
  const std::vector<double> twists = in.doubles("rod_twists"), twist_rates = in.doubles("rod_twist_rates");
  if (twists.size() != model.rods.edges.size() || twist_rates.size() != twists.size())
    throw InputError("the checkpoint has other rods; start afresh without --resume");
  for (std::size_t e = 0; e < twists.size(); ++e) {
    c.state.positions[model.rods.edges[e].twist][0] = twists[e];
    c.state.velocities[model.rods.edges[e].twist][0] = twist_rates[e];
  }
  read_counters(in, c.summary);
  return c;
}

}  // namespace pliant
