// Multigrid beside PETSc's GAMG, hypre's BoomerAMG, block-Jacobi PCG and CHOLMOD on the same systems, taking turns.
//
//   peers_linear                      cloth of 128² and 256² vertices, irregular cloth, the five scenes, bars
//   peers_linear --only=bar           systems whose names begin so: cloth128, cloth256, pinned145, …, bar_0.30, …,
//                                     bar6_0.30 (six tets per cell instead of five), …
//   peers_linear --large              cloth of 512² vertices and bars of 96 k, without PCG
//   peers_linear --cells=44           of the bars across: (4 n + 1)(n + 1)² vertices
//   peers_linear --rounds=5           three by default; times are medians
//   peers_linear --measure=energy     stop at ‖x − x*‖_A ≤ 10⁻⁵ ‖x*‖_A instead of ‖b − A x‖ ≤ 10⁻⁵ ‖b‖
//   peers_linear --with=gamg,pcg      only multigrid and these contestants
//   peers_linear -pc_gamg_threshold 0 options of PETSc
//
// A contestant gets the loosest tolerance at which the measured error is small enough: an untimed round finds it.
// `first` is set-up and solve of the first matrix, `again` those of another matrix of the same pattern (progress 1.2):
//   multigrid          as MultigridCg::factor decides: values-only refresh, or nothing; multigrid_values: refresh
//   gamg               set up anew; gamg_values: interpolation kept; gamg_kept: all of the first preconditioner kept
//   boomeramg          set up anew; boomeramg_kept likewise
//   cholesky           order of elimination kept
// One thread, processor time of the process. `slower`: total over multigrid's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "benchmarks/peers/linear/contestant.h"
#include "benchmarks/peers/stopwatch.h"
#include "pliant/linear/linear_solver.h"
#include "pliant/parallel/parallel.h"

namespace pliant::peers {
namespace {

using systems::Scene;

constexpr double kGoal = 1e-5;     // residual or error in the energy norm, relative
constexpr double kProgress = 1.2;  // of the second matrix: its diagonal differs by more than a tenth
constexpr double kExact = 1e-11;   // tolerance of the reference where it is multigrid's
constexpr int kDirectVertices = 70000;
constexpr int kMostTrials = 12;      // of a tolerance
constexpr double kTightening = 0.7;  // the least step of the search; nearer to one: fewer iterations too many

struct Wishes {
  std::string only, with;
  int rounds = 3, cells = 0;
  bool is_large = false, by_energy = false;
};

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Contestant>()> make;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"multigrid", [] { return make_pliant_multigrid(Reuse::everything); }},
      {"multigrid_values", [] { return make_pliant_multigrid(Reuse::patterns); }},
      {"gamg", [] { return make_petsc_gamg(Reuse::nothing); }},
      {"gamg_values", [] { return make_petsc_gamg(Reuse::patterns); }},
      {"gamg_kept", [] { return make_petsc_gamg(Reuse::everything); }},
      {"boomeramg", [] { return make_hypre_boomeramg(Reuse::nothing); }},
      {"boomeramg_kept", [] { return make_hypre_boomeramg(Reuse::everything); }},
      {"pcg", make_pliant_pcg},
      {"cholesky", make_pliant_cholesky},
  };
  return all;
}

// A system and its exact solution.
struct Problem {
  System system;
  BlockVector exact;
};

struct Errors {
  double residual = 0, energy = 0;  // ‖b − A x‖ / ‖b‖, ‖x − x*‖_A / ‖x*‖_A
};

Errors errors_of(const Problem& problem, const BlockVector& x) {
  BlockVector product(x.size()), error(x.size());
  Errors result;
  const System& system = problem.system;
  result.residual = linear::relative_residual(system.matrix, system.right_side, x, nullptr, product);
  sparse::combine(error, 1, x, -1, problem.exact);
  system.matrix.multiply(error, product);
  const double of_error = sparse::dot(error, product);
  system.matrix.multiply(problem.exact, product);
  result.energy = std::sqrt(std::max(0.0, of_error) / sparse::dot(problem.exact, product));
  return result;
}

// --- One contestant ---

struct Timing {
  double prepare = 0, solve = 0;  // s
  int iterations = 0;
  Errors errors;

  [[nodiscard]] double total() const { return prepare + solve; }
};

struct Turn {
  Timing first, again;
};

// The loosest tolerance with which the measured error is small enough.
double find_tolerance(Contestant& contestant, const Problem& problem, bool by_energy) {
  BlockVector x(problem.system.positions.size());
  double tolerance = by_energy ? 1e-3 : kGoal;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    if (contestant.solve(problem.system.right_side, tolerance, x) <= 0) break;
    const Errors errors = errors_of(problem, x);
    const double error = by_energy ? errors.energy : errors.residual;
    if (error <= kGoal) break;
    tolerance *= std::clamp(kGoal / error, 0.1, kTightening);
  }
  return tolerance;
}

Timing time_of(Contestant& contestant, const Problem& problem, double tolerance, const std::function<void()>& prepare) {
  Timing timing;
  BlockVector x(problem.system.positions.size());
  contestant.take(problem.system);
  const Stopwatch of_prepare(1);
  prepare();
  timing.prepare = of_prepare.seconds();
  const Stopwatch of_solve(1);
  timing.iterations = contestant.solve(problem.system.right_side, tolerance, x);
  timing.solve = of_solve.seconds();
  timing.errors = errors_of(problem, x);
  return timing;
}

struct Tolerances {
  double first = 0, again = 0;
};

Tolerances find_tolerances(const Entry& entry, const Problem& first, const Problem& next, bool by_energy) {
  const auto contestant = entry.make();
  Tolerances result;
  contestant->take(first.system);
  contestant->prepare();
  result.first = find_tolerance(*contestant, first, by_energy);
  contestant->take(next.system);
  contestant->prepare_again();
  result.again = find_tolerance(*contestant, next, by_energy);
  return result;
}

Turn take_turn(const Entry& entry, const Problem& first, const Problem& next, const Tolerances& tolerances) {
  const auto contestant = entry.make();
  Turn turn;
  turn.first = time_of(*contestant, first, tolerances.first, [&] { contestant->prepare(); });
  turn.again = time_of(*contestant, next, tolerances.again, [&] { contestant->prepare_again(); });
  return turn;
}

// --- One system ---

Timing median_of(std::vector<Timing> timings) {
  std::sort(timings.begin(), timings.end(), [](const Timing& a, const Timing& b) { return a.total() < b.total(); });
  return timings[timings.size() / 2];
}

void print(const Problem& problem, const Entry& entry, const Turn& turn, const Turn& ours) {
  const auto print_timing = [](const Timing& t, const Timing& of_ours) {
    std::printf(",%.4f,%.4f,%d,%.2f,%.1e,%.1e", t.prepare, t.solve, t.iterations, t.total() / of_ours.total(),
                t.errors.residual, t.errors.energy);
  };
  std::printf("%s,%d,%s", problem.system.name.c_str(), problem.system.positions.size(), entry.name.c_str());
  print_timing(turn.first, ours.first);
  print_timing(turn.again, ours.again);
  std::printf("\n");
  std::fflush(stdout);
}

Problem problem_of(System system) {
  Problem problem;
  problem.system = std::move(system);
  problem.exact.resize(problem.system.positions.size());
  // The factor of a large bar would not fit into memory.
  const bool is_large = problem.exact.size() > kDirectVertices;
  const auto solver = is_large ? make_pliant_multigrid(Reuse::nothing) : make_pliant_cholesky();
  solver->take(problem.system);
  solver->prepare();
  (void)solver->solve(problem.system.right_side, kExact, problem.exact);
  return problem;
}

void compare(const Wishes& wishes, const std::function<System(double)>& make) {
  const Problem first = problem_of(make(1));
  Problem next = problem_of(make(kProgress));
  // Solvers know a pattern by its address.
  sparse::SymmetricBlockMatrix same_pattern(first.system.matrix.shared_pattern());
  std::copy_n(next.system.matrix.values(), 9 * static_cast<std::size_t>(same_pattern.pattern().slot_count()),
              same_pattern.values());
  next.system.matrix = std::move(same_pattern);

  std::vector<Entry> wanted;
  for (const Entry& entry : entries()) {
    const bool is_wanted = wishes.with.empty()
                               ? !(wishes.is_large && entry.name == "pcg")
                               : ("," + wishes.with + ",").find("," + entry.name + ",") != std::string::npos;
    if (is_wanted || entry.name == "multigrid") wanted.push_back(entry);
  }
  std::vector<Tolerances> tolerances;
  for (const Entry& entry : wanted) tolerances.push_back(find_tolerances(entry, first, next, wishes.by_energy));
  std::vector<std::vector<Timing>> firsts(wanted.size()), agains(wanted.size());
  for (int round = 0; round < wishes.rounds; ++round) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Turn turn = take_turn(wanted[k], first, next, tolerances[k]);
      firsts[k].push_back(turn.first);
      agains[k].push_back(turn.again);
    }
  }
  const Turn ours{median_of(firsts[0]), median_of(agains[0])};
  for (std::size_t k = 0; k < wanted.size(); ++k)
    print(first, wanted[k], {median_of(firsts[k]), median_of(agains[k])}, ours);
}

void run(const Wishes& wishes) {
  std::printf(
      "system,vertices,contestant,first_prepare,first_solve,first_iterations,first_slower,first_residual,first_energy_"
      "error,again_prepare,again_solve,again_iterations,again_slower,again_residual,again_energy_error\n");
  const auto is_wanted = [&](const std::string& name) { return name.rfind(wishes.only, 0) == 0; };  // begins so
  const auto compare_sheet = [&](Scene scene, int cells, GridPattern pattern) {
    if (!is_wanted(systems::name_of(scene) + std::to_string(cells + 1))) return;
    compare(wishes, [&](double progress) { return systems::make_sheet(scene, cells, pattern, progress); });
  };
  const std::vector<int> sides = wishes.is_large ? std::vector{512} : std::vector{128, 256};
  for (const int side : sides) compare_sheet(Scene::cloth, side - 1, GridPattern::alternating);
  if (!wishes.is_large) {
    compare_sheet(Scene::cloth, 255, GridPattern::irregular);
    for (const Scene scene : systems::kScenes) compare_sheet(scene, 144, GridPattern::alternating);
  }
  const int cells = wishes.cells > 0 ? wishes.cells : wishes.is_large ? 28 : 16;
  for (const auto cut : {systems::CellCut::five_tets, systems::CellCut::six_tets}) {
    for (const double poisson : {0.3, 0.45, 0.49}) {
      const std::string name = cut == systems::CellCut::six_tets ? "bar6_" : "bar_";
      if (!is_wanted(name + std::to_string(poisson).substr(0, 4))) continue;
      compare(wishes, [&](double progress) { return systems::make_bar(cells, poisson, progress, cut); });
    }
  }
}

}  // namespace
}  // namespace pliant::peers

int main(int argc, char** argv) {
  const pliant::peers::PeerLibraries libraries(argc, argv);
  pliant::peers::Wishes wishes;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value_of = [&](const char* key) {
      return word.rfind(key, 0) == 0 ? argv[k] + std::strlen(key) : nullptr;
    };
    if (const char* value = value_of("--only=")) wishes.only = value;
    if (const char* value = value_of("--with=")) wishes.with = value;
    if (const char* value = value_of("--rounds=")) wishes.rounds = std::max(1, std::atoi(value));
    if (const char* value = value_of("--cells=")) wishes.cells = std::max(0, std::atoi(value));
    wishes.is_large = wishes.is_large || word == "--large";
    wishes.by_energy = wishes.by_energy || word == "--measure=energy";
  }
  pliant::set_thread_count(1);
  pliant::peers::run(wishes);
}
