// Pliant's own solvers as contestants.
#include "benchmarks/peers/linear/contestant.h"
#include "pliant/linear/cholesky.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/linear/pcg.h"

namespace pliant::peers {
namespace {

constexpr int kMaxIterations = 50000;

// factor() decides what has to be done for another matrix, as in a Newton step: multigrid keeps what it can, Cholesky
// the order of elimination.
template <class Solver>
class PliantContestant : public Contestant {
 public:
  explicit PliantContestant(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}

  void take(const System& system) override { system_ = &system; }
  void prepare() override {
    solver_->begin_step({&system_->positions, nullptr, &system_->filter});
    status_ = solver_->factor(system_->matrix);
  }
  void prepare_again() override { status_ = solver_->factor(system_->matrix); }
  int solve(const BlockVector& b, double tolerance, BlockVector& x) override {
    if (status_ != linear::LinearStatus::solved) return -1;
    solver_->set_tolerance(tolerance);
    const linear::LinearReport report = solver_->solve(b, x);
    return report.status == linear::LinearStatus::solved ? report.iterations : -1;
  }

 protected:
  std::unique_ptr<Solver> solver_;
  const System* system_ = nullptr;
  linear::LinearStatus status_ = linear::LinearStatus::not_converged;
};

class PliantMultigrid final : public PliantContestant<linear::MultigridCg> {
 public:
  explicit PliantMultigrid(Reuse reuse)
      : PliantContestant(
            std::make_unique<linear::MultigridCg>(linear::MultigridSettings{.max_iterations = kMaxIterations})),
        reuse_(reuse) {}
  void prepare_again() override {
    status_ = reuse_ == Reuse::patterns ? solver_->factor_values(system_->matrix) : solver_->factor(system_->matrix);
  }

 private:
  Reuse reuse_;
};

}  // namespace

std::unique_ptr<Contestant> make_pliant_multigrid(Reuse reuse) { return std::make_unique<PliantMultigrid>(reuse); }
std::unique_ptr<Contestant> make_pliant_pcg() {
  return std::make_unique<PliantContestant<linear::Pcg>>(
      std::make_unique<linear::Pcg>(linear::PcgSettings{.max_iterations = kMaxIterations}));
}
std::unique_ptr<Contestant> make_pliant_cholesky() {
  return std::make_unique<PliantContestant<linear::Cholesky>>(std::make_unique<linear::Cholesky>());
}

}  // namespace pliant::peers
