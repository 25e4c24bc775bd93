#include "library_versions.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <tbb/version.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>

#ifdef PLIANT_WITH_CHOLMOD
#include <cholmod.h>

extern "C" {  // as in pliant/linear/cholmod_calls.h
char* openblas_get_config(void);
char* openblas_get_corename(void);
}
#endif

namespace pliant::cli {
namespace {

std::string embree_version() {
  const RTCDevice device = rtcNewDevice("threads=1");
  if (device == nullptr) return RTC_VERSION_STRING;
  const auto number = rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION);  // 31305
  rtcReleaseDevice(device);
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

#ifdef PLIANT_WITH_CHOLMOD
std::string cholmod_version_text() {
  int version[3] = {0, 0, 0};
  cholmod_l_version(version);
  return fmt::format("{}.{}.{}", version[0], version[1], version[2]);
}

// "OpenBLAS 0.3.21 DYNAMIC_ARCH …": the first two words.
std::string openblas_version() {
  const std::string config = openblas_get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1));
}
#endif

}  // namespace

std::vector<std::string> library_versions() {
  std::vector<std::string> versions = {
      fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
      std::string("oneTBB ") + TBB_runtime_version(),
#ifdef PLIANT_WITH_CHOLMOD
      "CHOLMOD " + cholmod_version_text(),
      openblas_version(),
#endif
      "HDF5 " + hdf5_version(),
      "Embree " + embree_version(),
      std::string("zlib ") + zlibVersion(),
      std::string("yaml-cpp ") + PLIANT_YAML_CPP_VERSION,
      std::string("nlohmann-json ") + PLIANT_JSON_VERSION,
      fmt::format("fmt {}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
      std::string("CLI11 ") + CLI11_VERSION,
      std::string("cpp-httplib ") + PLIANT_HTTPLIB_VERSION};
  return versions;
}

std::string blas_kernels() {
#ifdef PLIANT_WITH_CHOLMOD
  const std::string kernels = openblas_get_corename();
  std::string text = fmt::format("{} kernels of {}", kernels, openblas_version());
  // What OpenBLAS falls back to on processors that it does not know.
  if (kernels == "Prescott" && __builtin_cpu_supports("avx2"))
    text += ", which does not know this processor; direct solves are faster with OPENBLAS_CORETYPE=Haswell";
  return text;
#else
  return "";
#endif
}

}  // namespace pliant::cli
