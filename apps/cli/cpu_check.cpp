// Says so, instead of crashing, when the processor is older than the build. Compiled for the oldest one.
#include <cstdio>
#include <cstdlib>

#ifdef PLIANT_ARCH
namespace {

// Before the constructors of other files, which may already use the wide instructions.
__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
  std::fputs("pliant: this build needs a processor with AVX2 and FMA (" PLIANT_ARCH
             "); configure with -DPLIANT_ARCH=x86-64 and build again\n",
             stderr);
  std::_Exit(1);
}

}  // namespace
#endif
