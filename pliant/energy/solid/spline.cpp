#include "pliant/energy/solid/spline.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"
#include "pliant/energy/solid/hyperelastic_tets_kernels.h"

namespace pliant::solid {
namespace {

// Slopes at the control points: harmonic means of neighbouring chords, zero at extrema [FritschCarlson1980].
std::vector<double> monotone_slopes(std::span<const Vec2> points) {
  const std::size_t n = points.size();
  std::vector<double> chord(n - 1), slope(n);
  for (std::size_t k = 0; k + 1 < n; ++k)
    chord[k] = (points[k + 1].y() - points[k].y()) / (points[k + 1].x() - points[k].x());
  slope.front() = chord.front();
  slope.back() = chord.back();
  for (std::size_t k = 1; k + 1 < n; ++k) {
    if (chord[k - 1] * chord[k] <= 0) continue;
    const double left = points[k].x() - points[k - 1].x(), right = points[k + 1].x() - points[k].x();
    slope[k] = 3 * (left + right) / ((2 * right + left) / chord[k - 1] + (right + 2 * left) / chord[k]);
  }
  return slope;
}

}  // namespace

StressCurve::StressCurve(std::span<const Vec2> points) {
  if (points.empty()) return;
  PLIANT_ASSERT(points.size() >= 2, "a stress curve has at least two control points");
  const std::vector<double> slope = monotone_slopes(points);
  segments_.push_back({{points.front().y(), slope.front(), 0, 0, 0}, points.front().x()});
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double width = points[k + 1].x() - points[k].x();
    const double chord = (points[k + 1].y() - points[k].y()) / width;
    breaks_.push_back(points[k].x());
    segments_.push_back({{points[k].y(), slope[k], (3 * chord - 2 * slope[k] - slope[k + 1]) / width,
                          (slope[k] + slope[k + 1] - 2 * chord) / (width * width), 0},
                         points[k].x()});
  }
  breaks_.push_back(points.back().x());
  segments_.push_back({{points.back().y(), slope.back(), 0, 0, 0}, points.back().x()});
  set_integration_constants();
}

// Makes the integral continuous across the breaks and zero at stretch 1.
void StressCurve::set_integration_constants() {
  for (std::size_t k = 1; k < segments_.size(); ++k) {
    segments_[k].c[4] = evaluate(segments_[k - 1], breaks_[k - 1]).value - evaluate(segments_[k], breaks_[k - 1]).value;
  }
  const double at_rest = (*this)(1.0).value;
  for (Segment& segment : segments_) segment.c[4] -= at_rest;
}

CurveValue<double> StressCurve::evaluate(const Segment& segment, double x) const {
  const double* c = segment.c;
  const double t = x - segment.knot;
  return {c[4] + t * (c[0] + t * (c[1] / 2 + t * (c[2] / 3 + t * c[3] / 4))), c[0] + t * (c[1] + t * (c[2] + t * c[3])),
          c[1] + t * (2 * c[2] + t * 3 * c[3])};
}

const StressCurve::Segment& StressCurve::segment_at(double x) const {
  int segment = 0;
  for (const double b : breaks_) segment += x >= b ? 1 : 0;
  return segments_[segment];
}

CurveValue<double> StressCurve::operator()(double x) const {
  if (segments_.empty()) return {0, 0, 0};
  return evaluate(segment_at(x), x);
}

CurveValue<math::SecondOrderDual> StressCurve::operator()(const math::SecondOrderDual& x) const {
  if (segments_.empty()) return {0.0, 0.0, 0.0};
  const Segment& segment = segment_at(x.value);
  const CurveValue<double> v = evaluate(segment, x.value);
  const double fourth = 6 * segment.c[3], third = 2 * segment.c[2] + fourth * (x.value - segment.knot);
  return {x.chain(v.value, v.first, v.second), x.chain(v.first, v.second, third), x.chain(v.second, third, fourth)};
}

CurveValue<math::Lanes> StressCurve::operator()(math::Lanes x) const {
  using math::Lanes;
  if (segments_.empty()) return {Lanes{}, Lanes{}, Lanes{}};
  // The segment of each lane: how many breaks lie at or below x.
  math::LaneMask count{};
  for (const double b : breaks_) count -= x >= math::lanes_of(b);
  const Segment* s[4] = {&segments_[count[0]], &segments_[count[1]], &segments_[count[2]], &segments_[count[3]]};
  Lanes c0 = math::load(s[0]->c), c1 = math::load(s[1]->c), c2 = math::load(s[2]->c), c3 = math::load(s[3]->c);
  math::transpose(c0, c1, c2, c3);
  const Lanes c4 = {s[0]->c[4], s[1]->c[4], s[2]->c[4], s[3]->c[4]};
  const Lanes t = x - Lanes{s[0]->knot, s[1]->knot, s[2]->knot, s[3]->knot};
  return {c4 + t * (c0 + t * (0.5 * c1 + t * ((1.0 / 3.0) * c2 + t * (0.25 * c3)))), c0 + t * (c1 + t * (c2 + t * c3)),
          c1 + t * (2.0 * c2 + 3.0 * (t * c3))};
}

std::vector<double> SplineCurves::kinks() const {
  std::vector<double> result;
  for (const StressCurve* curve : {&a_curve, &b_curve, &c_curve}) {
    result.insert(result.end(), curve->breaks().begin(), curve->breaks().end());
  }
  return result;
}

template class HyperelasticTets<Spline>;

}  // namespace pliant::solid
