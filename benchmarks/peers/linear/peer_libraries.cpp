// Start and end of PETSc, hypre and the MPI below them, on one thread.
#include <HYPRE.h>
#include <HYPRE_utilities.h>
#include <dlfcn.h>
#include <petscsys.h>

#include "benchmarks/peers/linear/contestant.h"

namespace pliant::peers {
namespace {

// Looked up at run time: which BLAS the libraries use, and whether with OpenMP, is not ours to know.
void set_threads(const char* function) {
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, function));
  if (set != nullptr) set(1);
}

}  // namespace

PeerLibraries::PeerLibraries(int& argc, char**& argv) {
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  HYPRE_Init();
  set_threads("openblas_set_num_threads");
  set_threads("omp_set_num_threads");
}

PeerLibraries::~PeerLibraries() {
  HYPRE_Finalize();
  PetscFinalize();
}

}  // namespace pliant::peers
