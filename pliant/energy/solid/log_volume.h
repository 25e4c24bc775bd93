// ln J, continued below J = 0.1 so that flattened and inverted elements keep a finite, restoring energy.
//
//   ℓ(J) = ln J                                            J ≥ J₀
//        = ln J₀ + (J − J₀)/J₀ − (J − J₀)²/(2 J₀²)         J < J₀ = 0.1
//
// The continuation is the second-order Taylor polynomial at J₀, so ℓ, ℓ' and ℓ'' are continuous and ℓ' > 0: less volume
// always costs more. Above a tenth of its rest volume a material is not touched. A smaller J₀ makes a stiffer wall near
// J = 0 (slower line searches), a larger one changes physics that users can see.
#pragma once

#include "pliant/math/elementary.h"
#include "pliant/math/lane_pair.h"
#include "pliant/math/lanes.h"
#include "pliant/math/second_order_dual.h"

namespace pliant::solid {

inline constexpr double kLogVolumeSwitch = 0.1;                // J₀
inline constexpr double kLogOfSwitch = -2.302585092994045684;  // ln J₀

template <class T>
struct LogVolume {
  T value, first, second;  // ℓ, ℓ', ℓ''
};

template <class T>
inline LogVolume<T> log_volume(T j) {
  const T j0 = math::constant<T>(kLogVolumeSwitch);
  const auto regular = j >= j0;
  const T safe = math::select(regular, j, j0);
  const T inverse = 1.0 / safe;
  const T below = (j - safe) * (1.0 / kLogVolumeSwitch);  // 0 where regular
  LogVolume<T> l;
  l.value = math::log(safe) + below - 0.5 * below * below;
  l.first = inverse - below * (1.0 / kLogVolumeSwitch);
  l.second = -inverse * inverse;
  return l;
}

}  // namespace pliant::solid
