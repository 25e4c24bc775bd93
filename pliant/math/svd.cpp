// The plain (one matrix) instances of the kernels in svd_kernel.h.
#include "pliant/math/svd.h"

#include "pliant/math/svd_kernel.h"

namespace pliant::math {

Svd3 signed_svd(const Mat3& f) {
  double entries[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries[i][j] = f(i, j);
  SvdLanes<double> svd;
  signed_svd(entries, svd);
  Svd3 result;
  for (int j = 0; j < 3; ++j) {
    result.stretches[j] = svd.s[j];
    for (int i = 0; i < 3; ++i) result.u(i, j) = svd.u[i][j], result.v(i, j) = svd.v[i][j];
  }
  return result;
}

Svd32 thin_svd(const Mat32& f) {
  double entries[3][2];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) entries[i][j] = f(i, j);
  ThinSvdLanes<double> svd;
  thin_svd(entries, svd);
  Svd32 result;
  for (int j = 0; j < 2; ++j) {
    result.stretches[j] = svd.s[j];
    for (int i = 0; i < 3; ++i) result.u(i, j) = svd.u[i][j];
    for (int i = 0; i < 2; ++i) result.v(i, j) = svd.v[i][j];
  }
  return result;
}

}  // namespace pliant::math
