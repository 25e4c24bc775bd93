#include "pliant/energy/cloth/stretch_membrane.h"

#include "pliant/energy/cloth/stretch_membrane_kernels.h"

namespace pliant::cloth {

Mat32 clamp_stretches(const Mat32& f, double min, double max) {
  const StretchFrame frame(Lanes{f(0, 0), f(1, 0), f(2, 0), 0}, Lanes{f(0, 1), f(1, 1), f(2, 1), 0});
  const Lanes first = std::clamp(frame.s1, min, max) * frame.u1, second = std::clamp(frame.s2, min, max) * frame.u2;
  Mat32 g;
  for (int r = 0; r < 3; ++r) {
    g(r, 0) = frame.c * first[r] - frame.s * second[r];
    g(r, 1) = frame.s * first[r] + frame.c * second[r];
  }
  return g;
}

template class StretchMembrane<NeoHookean>;
template class StretchMembrane<Corotated>;
template class StretchMembrane<StrainLimit>;

}  // namespace pliant::cloth
