#include "pliant/contact/penalty_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pliant/contact/barrier.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

// Boxes of the broad detection reach so much further than the contact distance, in units of it: more makes it rarer, and
// its lists longer. It is also how deep below a face a point is still seen.
constexpr double kSlack = 2;
// Of the way from its last limit to the one that the normal force sets, friction leaves this part to later iterations.
constexpr double kFrictionLag = 0.5;

}  // namespace

PenaltyContact::PenaltyContact(std::shared_ptr<const ContactSurface> surface, const ContactOptions& common,
                               const PenaltyOptions& options)
    : surface_(std::move(surface)),
      common_(common),
      options_(options),
      detection_(*surface_, kSlack * common.distance),
      finder_(*surface_) {
  if (is_limited()) on_the_way_.emplace(*surface_, common_.distance);
}

// --- A step ---

void PenaltyContact::begin_step(const ContactStep& step) {
  const ContactSurface& s = *surface_;
  controls_ = &step.controls;
  pressure_ = step.pressure;
  memory_ = step.memory;
  place_points(s, *controls_, step.before, 0, before_);
  find_fixed_points(s, *controls_, is_fixed_);
  has_moving_obstacles_ = controls_->obstacle_points != controls_->obstacle_before;
  shape_before_.clear();
  shape_now_.clear();
  for (const ObstacleShape& shape : s.shapes) {
    std::array<Vec3, 3> was, will;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto point = static_cast<std::size_t>(shape.carried.points()[k] - s.first_obstacle_point);
      was[k] = controls_->obstacle_before[point];
      will[k] = controls_->obstacle_points[point];
    }
    shape_before_.push_back(shape.carried.pose_at(was));
    shape_now_.push_back(shape.carried.pose_at(will));
  }
  searched_.clear();
  has_way_ = false;
  terms_.clear();
  rubs_.clear();
}

StickMemory PenaltyContact::memory_at(const BlockVector& q) {
  place_points(*surface_, *controls_, q, 1, trial_);
  StickMemory memory;
  if (!common_.has_memory) return memory;
  for (const Rub& rub : rubs_) remember(rub.law, slip_of(rub, trial_), memory);
  return memory;
}

// --- Terms ---

// Pairs of the way from the start of the step to the iterate: what went through something is among them.
void PenaltyContact::renew_candidates() {
  const double slack = kSlack * common_.distance;
  const bool is_new = searched_.empty();
  if (!is_new) {
    const double moved = parallel_max(static_cast<int>(x_.size()), 0, [&](int begin, int end) {
      double most = 0;
      for (int i = begin; i < end; ++i) most = std::max(most, (x_[i] - searched_[i]).squaredNorm());
      return most;
    });
    if (4 * moved <= slack * slack) return;
  }
  detection_.find(before_, x_, common_.distance, is_fixed_, is_new);
  searched_ = x_;
  finder_.sort_out(setting(), detection_.pairs(), x_, slack, candidates_);
}

PenaltyContact::Change PenaltyContact::find(const BlockVector& q, double progress) {
  look(q, progress);
  renew_candidates();
  std::swap(terms_, last_terms_);
  finder_.find(setting(), candidates_, x_, last_terms_, terms_);
  if (options_.release == Release::when_separating) {
    std::erase_if(terms_, [&](const PenaltyTerm& t) { return t.normal.dot(t.motion(x_, before_)) > 0; });
  }
  renew_friction();
  Change change{0, static_cast<int>(terms_.size())};
  auto last = last_terms_.begin();
  for (const PenaltyTerm& t : terms_) {
    while (last != last_terms_.end() && last->pair.key() < t.pair.key()) ++last;
    if (last == last_terms_.end() || last->pair.key() != t.pair.key()) ++change.created;
  }
  return change;
}

void PenaltyContact::look(const BlockVector& q, double progress) {
  place_points(*surface_, *controls_, q, progress, x_);
}

PenaltyContact::Push PenaltyContact::push_of(const PenaltyTerm& term, std::span<const Vec3> x) const {
  const double open = term.gap_at(x) / term.distance;
  if (open >= 1) return {};
  if (!is_limited()) return {0.5 * term.distance * (1 - open) * (1 - open), open - 1};
  if (!(open > 0)) return {std::numeric_limits<double>::infinity(), 0};
  const BarrierValue<> b = barrier(open);
  return {term.distance * b.value, b.slope};
}

double PenaltyContact::value_of(std::span<const Vec3> x) const {
  const double pushing = parallel_sum(static_cast<int>(terms_.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += terms_[i].area * push_of(terms_[i], x).value;
    return sum;
  });
  const double rubbing = parallel_sum(static_cast<int>(rubs_.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += friction_energy(rubs_[i].law, slip_of(rubs_[i], x));
    return sum;
  });
  return pressure_ * pushing + rubbing;
}

double PenaltyContact::value_at(const BlockVector& q, double progress) {
  place_points(*surface_, *controls_, q, progress, trial_);
  return value_of(trial_);
}

void PenaltyContact::add_gradient(BlockVector& gradient) const {
  const auto pull_back = [&](const PenaltyTerm& term, const Vec3& along) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (term.point[j] >= 0 && term.weight[j] != 0)
        surface_->points[term.point[j]].pull_back(term.weight[j] * along, gradient);
    }
  };
  for (const PenaltyTerm& t : terms_) {
    const double slope = push_of(t, x_).slope;
    if (slope != 0) pull_back(t, pressure_ * t.area * slope * t.normal);
  }
  for (const Rub& rub : rubs_) pull_back(terms_[rub.term], friction_gradient(rub.law, slip_of(rub, x_)));
}

double PenaltyContact::stored_energy() const {
  double sum = 0;
  for (const PenaltyTerm& t : terms_) sum += pressure_ * t.area * push_of(t, x_).value;
  return sum;
}

// --- Friction ---

// Normal forces and directions of the iterate. While normal forces still jump from one iteration to the next, friction
// follows them half of the way: taken at once, they drive each other. A spring along the surface that is much stiffer than the one across it would
// only cost iterations: the stick displacement is at least 2 μ times the depth, which makes both as stiff.
void PenaltyContact::renew_friction() {
  const std::vector<Rub> last = std::exchange(rubs_, {});
  auto before = last.begin();
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const PenaltyTerm& t = terms_[i];
    const double coefficient = surface_->rule(t.first_body, t.second_body).friction;
    const double force = -pressure_ * t.area * push_of(t, x_).slope;
    if (coefficient == 0 || !(force > 0)) continue;
    Rub rub;
    rub.term = static_cast<int>(i);
    rub.law.key = t.pair.key();
    rub.law.point = t.point;
    rub.law.weight = t.weight;
    rub.law.tangent = tangents_of(t.normal);
    rub.law.limit = coefficient * force;
    while (before != last.end() && before->law.key < rub.law.key) ++before;
    if (before != last.end() && before->law.key == rub.law.key)
      rub.law.limit += kFrictionLag * (before->law.limit - rub.law.limit);
    const double slide = slip_of(rub, x_).norm();
    rub.law.stick =
        std::max({common_.stick_displacement, 2 * coefficient * (t.distance - t.gap), kStickOfSlide * slide});
    recall(memory_, rub.law);
    rubs_.push_back(rub);
  }
}

// --- The largest step ---

double PenaltyContact::largest_step(const BlockVector& q, const BlockVector& d, double progress, double progress_step) {
  const ContactSurface& s = *surface_;
  place_points(s, *controls_, q, progress, x_);
  find_ways(s, *controls_, d, progress_step, way_);
  return on_the_way_->follow(x_, way_, is_fixed_, !std::exchange(has_way_, true));
}

// --- What happened ---

ContactSummary PenaltyContact::summary() const {
  ContactSummary summary;
  for (const PenaltyTerm& t : terms_) {
    const double gap = t.gap_at(x_);
    if (gap >= t.distance) continue;
    summary.smallest_gap = summary.count == 0 ? gap : std::min(summary.smallest_gap, gap);
    summary.nearest = std::min(summary.nearest, gap / t.distance);
    summary.largest_force = std::max(summary.largest_force, -pressure_ * t.area * push_of(t, x_).slope);
    ++summary.count;
  }
  return summary;
}

std::vector<ContactForce> PenaltyContact::forces() const {
  std::vector<ContactForce> forces;
  auto rub = rubs_.begin();
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const PenaltyTerm& t = terms_[i];
    while (rub != rubs_.end() && rub->term < static_cast<int>(i)) ++rub;
    const bool rubs = rub != rubs_.end() && rub->term == static_cast<int>(i);
    ContactForce f;
    f.gap = t.gap_at(x_);
    if (f.gap >= t.distance && !rubs) continue;
    f.first_body = t.first_body;
    f.second_body = t.second_body;
    f.normal = t.normal;
    f.force = -pressure_ * t.area * push_of(t, x_).slope * t.normal;
    f.slip = along_surface(t.motion(x_, before_), t.normal);
    f.distance = t.distance;
    f.friction_coefficient = surface_->rule(t.first_body, t.second_body).friction;
    f.stick_displacement = rubs ? rub->law.stick : common_.stick_displacement;
    if (rubs) f.friction = -friction_gradient(rub->law, slip_of(*rub, x_));
    f.force += f.friction;
    f.point = x_[t.point[0]];
    if (t.pair.kind == PairKind::edges) f.point = t.weight[0] * x_[t.point[0]] + t.weight[1] * x_[t.point[1]];
    f.bearer = t.point;
    f.share = t.weight;
    forces.push_back(f);
  }
  return forces;
}

std::size_t PenaltyContact::memory_bytes() const {
  return (detection_.pairs().capacity() + candidates_.capacity()) * sizeof(Candidate) +
         (terms_.capacity() + last_terms_.capacity()) * sizeof(PenaltyTerm) + rubs_.capacity() * sizeof(Rub) +
         memory_.keys.capacity() * sizeof(std::uint64_t) + memory_.slips.capacity() * sizeof(Vec3);
}

}  // namespace pliant::contact
