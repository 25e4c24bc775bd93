#include "pliant/scene/probe_set.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/dynamics/joint_motion.h"
#include "pliant/scene/element_stretches.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

constexpr const char* kAxis[3] = {"x", "y", "z"};

Mat3 edges(const Vec4i& tet, const auto& position) {
  Mat3 m;
  for (int i = 0; i < 3; ++i) m.col(i) = position(tet[i + 1]) - position(tet[0]);
  return m;
}

void push(std::vector<double>& values, const Vec3& v) { values.insert(values.end(), v.begin(), v.end()); }

// One vector from all points: their mean, or the smallest or largest of each coordinate.
Vec3 summarise(Quantity quantity, const std::vector<SelectedPoint>& points, const State& state) {
  const bool is_velocity = quantity == Quantity::mean_velocity;
  Vec3 sum = Vec3::Zero(), low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const SelectedPoint& p : points) {
    const Vec3 value = p.point.evaluate(is_velocity ? state.velocities : state.positions);
    sum += value;
    low = low.cwiseMin(value);
    high = high.cwiseMax(value);
  }
  if (quantity == Quantity::min_position) return low;
  if (quantity == Quantity::max_position) return high;
  return sum / static_cast<double>(points.size());
}

// Columns are those of the vertices the scene began with.
void drop_copies(const ModelBody& body, std::vector<SelectedPoint>& points) {
  if (body.origin.empty()) return;
  std::erase_if(points, [&](const SelectedPoint& p) { return body.origin[p.vertex] != p.vertex; });
}

// How many of the points that are there already are inside.
double count_inside(const Simulation& simulation, const std::vector<SelectedPoint>& points, const Selection& where) {
  const std::vector<unsigned char> is_there = simulation.model().presence(simulation.state().time);
  return static_cast<double>(std::count_if(points.begin(), points.end(), [&](const SelectedPoint& p) {
    return is_there[static_cast<std::size_t>(p.point.block[0])] != 0 &&
           is_selected(where, p.vertex, p.point.evaluate(simulation.state().positions));
  }));
}

// Degrees. A cone of height H and radius R has the mean height H/4 and the mean distance R/2 from its axis: tan of its slope is
// H/R, twice the first over the second. Heights count from the lowest point, distances from the vertical through the mean.
double heap_angle(const Simulation& simulation, const std::vector<SelectedPoint>& points) {
  const std::vector<unsigned char> is_there = simulation.model().presence(simulation.state().time);
  std::vector<Vec3> places;
  Vec3 mean = Vec3::Zero();
  double lowest = std::numeric_limits<double>::infinity();
  for (const SelectedPoint& p : points) {
    if (is_there[static_cast<std::size_t>(p.point.block[0])] == 0) continue;
    places.push_back(p.point.evaluate(simulation.state().positions));
    mean += places.back();
    lowest = std::min(lowest, places.back().y());
  }
  if (places.empty()) return 0;
  mean /= static_cast<double>(places.size());
  double distance = 0;
  for (const Vec3& x : places) distance += std::hypot(x.x() - mean.x(), x.z() - mean.z());
  const double slope = std::atan2(2 * (mean.y() - lowest), distance / static_cast<double>(places.size()));
  return slope * 180 / std::numbers::pi;
}

// What holds the axes of a rigid body is a torque.
Vec3 pin_force(const std::vector<SelectedPoint>& points, const DofLayout& layout, const BlockVector& forces) {
  Vec3 sum = Vec3::Zero();
  for (const int block : blocks_of(points)) {
    if (layout.kind(block) != BlockKind::rigid_axis) sum += forces[block];
  }
  return sum;
}

// Without any contact the smallest gap is at least the contact distance, where forces begin.
void push_contacts(const Simulation& simulation, double intersections, std::vector<double>& values) {
  const contact::ContactSummary summary = simulation.contact_summary();
  const double gap = summary.count > 0 ? summary.smallest_gap : simulation.options().contact.distance;
  const contact::ContactQuality quality = simulation.contact_quality();
  values.insert(values.end(),
                {static_cast<double>(summary.count), gap, summary.largest_force, intersections, quality.cone_violation,
                 quality.relative_cone_violation, quality.friction_angle, quality.complementarity});
}

// N, on the bodies of the first name (copies count as one) by those of the second, or by all others.
Vec3 contact_force(const Simulation& simulation, const std::string& first, const std::string& second) {
  Vec3 sum = Vec3::Zero();
  if (simulation.contact() == nullptr) return sum;
  const std::vector<std::string>& names = simulation.contact()->surface().body_names;
  const auto is_called = [&](int body, const std::string& name) {
    const std::string& own = names[static_cast<std::size_t>(body)];
    return own == name || own.rfind(name + ".", 0) == 0;
  };
  for (const contact::ContactForce& f : simulation.contact_forces()) {
    const bool first_is = is_called(f.first_body, first), second_is = is_called(f.second_body, first);
    if (first_is == second_is) continue;  // inside, or elsewhere
    if (!second.empty() && !is_called(first_is ? f.second_body : f.first_body, second)) continue;
    sum += first_is ? f.force : Vec3(-f.force);
  }
  return sum;
}

void push_rigid(Quantity quantity, const RigidBody& rigid, const State& state, std::vector<double>& values) {
  const RigidFrame& frame = rigid.frame;
  if (quantity == Quantity::pose) {
    push(values, state.positions[frame.centre]);
    const Eigen::Quaterniond q(Mat3(rotation_of(frame, state.positions) * rigid.rest_rotation.transpose()));
    values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
    return;
  }
  const Vec3 momentum = angular_momentum(frame, state.positions, state.velocities);
  const bool is_momentum = quantity == Quantity::angular_momentum;
  push(values, is_momentum ? momentum : angular_velocity(frame, state.positions, momentum));
}

// Coordinate [rad or m] and gap [m] as they are now, the force of the last step [N], 1 when the joint is gone.
void push_joint(const Simulation& simulation, const std::string& name, std::vector<double>& values) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].name != name) continue;
    constraint::JointRows rows;
    const constraint::JointStart start{state.joints.coordinates[j], 0};
    evaluate(model.joints[j], joint_poses(model, model.joints[j], state.positions, state.time), start, rows);
    values.insert(values.end(), {rows.coordinate, state.joints.forces[j], anchor_gap(rows),
                                 static_cast<double>(state.joints.broken[j])});
  }
}

// Of an edge of a rod, or of a spring.
double segment_stretch(const ModelBody& body, const State& state, std::size_t segment) {
  const auto [from, to] = body.segments[segment];
  const auto position = [&](int v) { return body.point(v).evaluate(state.positions); };
  return (position(to) - position(from)).norm() / body.segment_length[segment];
}

}  // namespace

double largest_stretch(const ModelBody& body, const State& state) {
  double largest = 0;
  for (const Stretch& stretch : element_stretches(body, state)) largest = std::max(largest, stretch.size);
  for (std::size_t s = 0; s < body.segments.size(); ++s) largest = std::max(largest, segment_stretch(body, state, s));
  return largest;
}

double smallest_stretch(const ModelBody& body, const State& state) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Stretch& stretch : element_stretches(body, state)) smallest = std::min(smallest, stretch.smallest);
  for (std::size_t s = 0; s < body.segments.size(); ++s) smallest = std::min(smallest, segment_stretch(body, state, s));
  return std::isinf(smallest) ? 0 : smallest;
}

double volume(const ModelBody& body, const State& state) {
  double sum = 0;
  for (const Vec3i& t : body.triangles) {  // what a closed sheet encloses
    const auto corner = [&](int c) { return body.point(t[c]).evaluate(state.positions); };
    sum += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  for (const Vec4i& tet : body.rest.tets) {
    sum += edges(tet, [&](int v) { return body.point(v).evaluate(state.positions); }).determinant() / 6;
  }
  return sum;
}

namespace {

// The largest or the smallest. Of a rigid body: 1 and what its axes are strained, or less it.
double stretch_of(Quantity quantity, const Model& model, int index, const State& state) {
  const ModelBody& body = model.bodies[index];
  const bool is_largest = quantity == Quantity::stretch_max;
  if (body.rigid < 0) return is_largest ? largest_stretch(body, state) : smallest_stretch(body, state);
  const double strain = strain_of(model.rigids[body.rigid].frame, state.positions);
  return is_largest ? 1 + strain : 1 - strain;
}

}  // namespace

ProbeSet::ProbeSet(const Scene& scene, const Model& model, const State& start) {
  for (const Probe& probe : scene.probes) {
    if (probe.quantity == Quantity::energy || probe.quantity == Quantity::contacts ||
        probe.quantity == Quantity::contact_force || probe.quantity == Quantity::joint) {
      const bool is_of_two = !probe.bodies.empty();
      entries_.push_back({probe.quantity,
                          -1,
                          {},
                          is_of_two ? probe.bodies[0] : probe.body + probe.joint,
                          is_of_two ? probe.bodies[1] : std::string(),
                          {}});
      add_columns(probe, probe.name, entries_.back());
      continue;
    }
    const std::vector<int> bodies = bodies_named(model, probe.body);
    for (std::size_t copy = 0; copy < bodies.size(); ++copy) {
      // What is inside is looked up anew each time.
      const Selection where = probe.quantity == Quantity::count_inside ? Selection(AllSelection{}) : probe.where;
      std::vector<SelectedPoint> points;
      if (!is_of_rigid_bodies(probe.quantity)) points = select(model, start, bodies[copy], where, probe.source);
      entries_.push_back({probe.quantity, bodies[copy], std::move(points), {}, {}, probe.where});
      if (probe.quantity == Quantity::position || probe.quantity == Quantity::velocity)
        drop_copies(model.bodies[bodies[copy]], entries_.back().points);
      add_columns(probe, bodies.size() == 1 ? probe.name : fmt::format("{}.{}", probe.name, copy), entries_.back());
    }
  }
}

void ProbeSet::add_columns(const Probe& probe, const std::string& name, const Entry& entry) {
  const auto add_axes = [&](const std::string& prefix) {
    for (const char* axis : kAxis) columns_.push_back(fmt::format("{}.{}", prefix, axis));
  };
  switch (probe.quantity) {
    case Quantity::position:
    case Quantity::velocity:
      for (const SelectedPoint& p : entry.points) {
        add_axes(entry.points.size() == 1 ? name : fmt::format("{}.{}", name, p.vertex));
      }
      break;
    case Quantity::energy:
      for (const char* part : {"kinetic", "elastic", "gravity", "contact", "total"})
        columns_.push_back(fmt::format("{}.{}", name, part));
      break;
    case Quantity::joint:
      for (const std::string& part : joint_components()) columns_.push_back(fmt::format("{}.{}", name, part));
      break;
    case Quantity::pose:
      for (const std::string& part : pose_components()) columns_.push_back(fmt::format("{}.{}", name, part));
      break;
    case Quantity::contacts:
      for (const std::string& part : contact_components()) columns_.push_back(fmt::format("{}.{}", name, part));
      break;
    case Quantity::stretch_max:
    case Quantity::stretch_min:
    case Quantity::volume:
    case Quantity::count_inside:
    case Quantity::heap_angle:
      columns_.push_back(name);
      break;
    default:
      add_axes(name);
  }
}

std::vector<double> ProbeSet::measure(Simulation& simulation, double intersections) const {
  const State& state = simulation.state();
  std::vector<double> values;
  BlockVector forces;  // of pins, computed at the first probe that asks
  for (const Entry& entry : entries_) {
    switch (entry.quantity) {
      case Quantity::position:
        for (const SelectedPoint& p : entry.points) push(values, p.point.evaluate(state.positions));
        break;
      case Quantity::velocity:
        for (const SelectedPoint& p : entry.points) push(values, p.point.evaluate(state.velocities));
        break;
      case Quantity::energy: {
        const EnergyBalance balance = simulation.energies();
        values.insert(values.end(),
                      {balance.kinetic, balance.elastic, balance.gravity, balance.contact, balance.total()});
        break;
      }
      case Quantity::contacts:
        push_contacts(simulation, intersections, values);
        break;
      case Quantity::joint:
        push_joint(simulation, entry.first, values);
        break;
      case Quantity::pose:
      case Quantity::angular_velocity:
      case Quantity::angular_momentum: {
        const Model& model = simulation.model();
        push_rigid(entry.quantity, model.rigids[model.bodies[entry.body].rigid], state, values);
        break;
      }
      case Quantity::contact_force:
        push(values, contact_force(simulation, entry.first, entry.second));
        break;
      case Quantity::stretch_max:
      case Quantity::stretch_min:
        values.push_back(stretch_of(entry.quantity, simulation.model(), entry.body, state));
        break;
      case Quantity::volume:
        values.push_back(volume(simulation.model().bodies[entry.body], state));
        break;
      case Quantity::count_inside:
        values.push_back(count_inside(simulation, entry.points, entry.where));
        break;
      case Quantity::heap_angle:
        values.push_back(heap_angle(simulation, entry.points));
        break;
      case Quantity::pin_force:
        if (forces.size() == 0) forces = simulation.pin_forces();
        push(values, pin_force(entry.points, simulation.model().layout, forces));
        break;
      default:
        push(values, summarise(entry.quantity, entry.points, state));
    }
  }
  return values;
}

}  // namespace pliant::scene
