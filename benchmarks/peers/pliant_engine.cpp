#include "benchmarks/peers/pliant_engine.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "benchmarks/peers/stopwatch.h"
#include "pliant/pliant.h"

namespace pliant::peers {
namespace {

std::string list_of(const Vec3& v) {
  std::ostringstream text;
  text.precision(17);
  text << '[' << v[0] << ", " << v[1] << ", " << v[2] << ']';
  return text.str();
}

void write_head(std::ostream& text, const PliantSettings& settings, double end) {
  text.precision(17);
  text << "pliant: 1\ntime: {step: " << PeerScene::kStep << ", end: " << end << "}\ngravity: [0, "
       << -PeerScene::kGravity << ", 0]\nsolver: {method: projection, ";
  if (settings.until_rest) {
    text << "tolerance: " << settings.tolerance << ", max_iterations: " << settings.iterations
         << ", projection: {iteration: conjugate_residual, iterations: null";
  } else {
    text << "projection: {iteration: " << settings.iteration << ", iterations: " << settings.iterations;
  }
  text << ", looks: " << settings.looks << ", precision: " << settings.precision << "}}\n";
}

void write_body(std::ostream& text, const PeerBody& body, int number) {
  text << "  - {name: b" << number << ", kind: " << (body.is_fixed ? "obstacle" : "rigid") << ", mesh: ";
  if (body.shape.kind == contact::ConvexKind::ball) {
    text << "{sphere: {radius: " << body.shape.radius << ", subdivisions: 1}}";
  } else {
    text << "{box: {size: " << list_of(2 * body.shape.half_size) << ", cells: [1, 1, 1]}}";
  }
  if (!body.is_fixed) text << ", material: {density: " << body.density << "}, velocity: " << list_of(body.velocity);
  const Eigen::Quaterniond q(body.pose.turn);
  text << ", position: " << list_of(body.pose.shift) << ", rotation: {quaternion: [" << q.w() << ", " << q.x() << ", "
       << q.y() << ", " << q.z() << "]}}\n";
}

// Where the box or ball of a rigid body is. Boxes and balls are convex shapes around their centre of mass.
contact::Pose pose_of(const RigidBody& rigid, const State& state) {
  const Mat3 turn = rotation_of(rigid.frame, state.positions);
  const Vec3 centre = state.positions[rigid.frame.centre];
  return {turn * rigid.shape.rotation, centre + turn * rigid.shape.centre};
}

std::vector<contact::Pose> poses_of(const PeerScene& scene, const Simulation& simulation) {
  std::vector<contact::Pose> poses;
  std::size_t rigid = 0;
  for (const PeerBody& body : scene.bodies) {
    poses.push_back(body.is_fixed ? body.pose : pose_of(simulation.model().rigids[rigid++], simulation.state()));
  }
  return poses;
}

std::optional<Simulation> simulation_of(const std::string& text, std::string& note) {
  try {
    BuiltScene built = build(parse_scene(text, "peer"));
    return Simulation(std::move(built.model), std::move(built.state), built.options);
  } catch (const InputError& error) {
    note = error.what();
    return {};
  }
}

}  // namespace

std::string scene_text(const PeerScene& scene, const PliantSettings& settings) {
  std::ostringstream text;
  write_head(text, settings, scene.steps * PeerScene::kStep);
  text << "contact: {friction: " << PeerScene::kFriction << ", initial_intersections: ignore}\nbodies:\n";
  int number = 0;
  for (const PeerBody& body : scene.bodies) write_body(text, body, number++);
  text << "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n";
  return text.str();
}

std::string scene_text(const ClothScene& scene, const PliantSettings& settings) {
  std::ostringstream text;
  write_head(text, settings, scene.steps * PeerScene::kStep);
  const int cells = scene.points - 1;
  text << "contact: {method: none}\nbodies:\n  - {name: cloth, kind: springs, mesh: {grid: {size: [2, 2], cells: ["
       << cells << ", " << cells << "]}}, material: {model: springs, surface_density: 0.2, stretch_stiffness: 1.0e4, "
       << "shear_stiffness: 1.0e4, bend_stiffness: 1.0e4}}\n"
       << "pins:\n  - {body: cloth, where: {sphere: {center: [-1, 0, -1], radius: 1.0e-3}}}\n"
       << "  - {body: cloth, where: {sphere: {center: [1, 0, -1], radius: 1.0e-3}}}\n";
  return text.str();
}

PeerRun run_pliant(const PeerScene& scene, const PliantSettings& settings) {
  set_thread_count(settings.threads);
  PeerRun run;
  std::optional<Simulation> simulation = simulation_of(scene_text(scene, settings), run.note);
  if (!simulation) return run;
  for (int step = 1; step <= scene.steps; ++step) {
    const Stopwatch watch(settings.threads);
    const AdvanceReport report = simulation->advance(PeerScene::kStep);
    run.step_seconds.push_back(watch.seconds());
    if (!report.reached) {
      run.note = "could not go on at " + report.failed_at;
      return run;
    }
    if (step % PeerRun::kSampled == 0 || step == scene.steps) run.poses.push_back(poses_of(scene, *simulation));
  }
  return run;
}

ClothRun run_pliant(const ClothScene& scene, const PliantSettings& settings) {
  set_thread_count(settings.threads);
  ClothRun run;
  const long long n = scene.points;
  run.links = 2 * n * (n - 1) + 2 * (n - 1) * (n - 1) + 2 * n * (n - 2);
  std::optional<Simulation> simulation = simulation_of(scene_text(scene, settings), run.note);
  if (!simulation) return run;
  std::vector<double> seconds;
  for (int step = 0; step < scene.steps; ++step) {
    const Stopwatch watch(settings.threads);
    if (!simulation->advance(PeerScene::kStep).reached) {
      run.note = "could not go on";
      return run;
    }
    seconds.push_back(watch.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  run.seconds_per_step = seconds[seconds.size() / 2];
  for (const int block : simulation->model().bodies[0].block_of_vertex) {
    run.lowest = std::max(run.lowest, -simulation->state().positions[block][1]);
  }
  return run;
}

}  // namespace pliant::peers
