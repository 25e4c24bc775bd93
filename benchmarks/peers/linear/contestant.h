// One who solves A x = b, timed stage by stage: Pliant's solvers and those of other libraries behind the same five calls.
//
//   contestant.take(system);             // not timed: the matrix in the library's own format
//   contestant.prepare();                // everything a first matrix needs
//   contestant.solve(b, tolerance, x);
//   contestant.take(next);               // not timed: another matrix of the same pattern
//   contestant.prepare_again();          // the cheapest set-up that this contestant has for it
//   contestant.solve(b, tolerance, x);
#pragma once

#include <memory>
#include <string>

#include "benchmarks/multigrid_systems.h"

namespace pliant::peers {

using systems::System;

// What of the first set-up serves the second matrix.
enum class Reuse {
  nothing,
  patterns,    // aggregates, interpolation or order of elimination; values are computed anew
  everything,  // the preconditioner of the first matrix
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void take(const System& system) = 0;
  virtual void prepare() = 0;
  virtual void prepare_again() = 0;
  // Tolerance in the contestant's own norm; returns iterations, 0 of direct solvers, −1 without success.
  virtual int solve(const BlockVector& b, double tolerance, BlockVector& x) = 0;
};

std::unique_ptr<Contestant> make_pliant_multigrid(Reuse reuse);  // everything: where factor() finds that enough
std::unique_ptr<Contestant> make_pliant_pcg();
std::unique_ptr<Contestant> make_pliant_cholesky();
std::unique_ptr<Contestant> make_petsc_gamg(Reuse reuse);
std::unique_ptr<Contestant> make_hypre_boomeramg(Reuse reuse);

// Around all use of PETSc and hypre; both start MPI with one process.
class PeerLibraries {
 public:
  // Options of PETSc may stand on the command line: -pc_gamg_threshold 0.05, -mg_levels_pc_type sor …
  PeerLibraries(int& argc, char**& argv);
  ~PeerLibraries();
  PeerLibraries(const PeerLibraries&) = delete;
  PeerLibraries& operator=(const PeerLibraries&) = delete;
};

}  // namespace pliant::peers
