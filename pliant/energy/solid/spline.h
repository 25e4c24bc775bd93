// Spline material: the user draws the stress curves a', b', c' of a Valanis-Landel solid through control points.
//
// Between control points a' is the monotone cubic of Fritsch and Carlson (no overshoot: rising points give rising
// stress, which keeps the material well posed) [FritschCarlson1980]; outside it continues as a straight line. The
// energy is the exact integral of the curve from stretch 1, so value and gradient agree to rounding, as line searches
// need. The rest shape is stress free when a'(1) + 2 b'(1) + c'(1) = 0; the scene builder checks it. [Xu2015]
#pragma once

#include <span>
#include <vector>

#include "pliant/energy/solid/valanis_landel.h"
#include "pliant/math/types.h"

namespace pliant::solid {

// One curve and its integral. Points: (stretch, Pa), stretches strictly ascending, at least two; empty = zero.
class StressCurve {
 public:
  StressCurve() = default;
  explicit StressCurve(std::span<const Vec2> points);

  [[nodiscard]] CurveValue<double> operator()(double x) const;
  [[nodiscard]] CurveValue<math::Lanes> operator()(math::Lanes x) const;
  [[nodiscard]] CurveValue<math::LanePair> operator()(math::LanePair x) const {
    const CurveValue<math::Lanes> low = (*this)(x.low), high = (*this)(x.high);
    return {{low.value, high.value}, {low.first, high.first}, {low.second, high.second}};
  }
  [[nodiscard]] CurveValue<math::SecondOrderDual> operator()(const math::SecondOrderDual& x) const;
  // Where one piece of the curve ends and the next begins.
  [[nodiscard]] std::span<const double> breaks() const { return breaks_; }

 private:
  // On segment k, with t = x − knot: a' = c₀ + c₁t + c₂t² + c₃t³, integral = c₄ + t (c₀ + …). Segment 0 reaches to −∞
  // and the last one to +∞, both straight.
  struct Segment {
    double c[5];
    double knot;
  };
  [[nodiscard]] const Segment& segment_at(double x) const;
  [[nodiscard]] CurveValue<double> evaluate(const Segment& segment, double x) const;
  void set_integration_constants();

  std::vector<double> breaks_;  // where segment k + 1 begins
  std::vector<Segment> segments_;
};

struct SplineCurves {
  static constexpr std::string_view kName = "spline";
  StressCurve a_curve, b_curve, c_curve;
  [[nodiscard]] std::vector<double> kinks() const;
  template <class T>
  CurveValue<T> a(T x) const {
    return a_curve(x);
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return b_curve(x);
  }
  template <class T>
  CurveValue<T> c(T x) const {
    return c_curve(x);
  }
};

using Spline = ValanisLandel<SplineCurves>;

extern template class HyperelasticTets<Spline>;

}  // namespace pliant::solid
