// hypre: conjugate gradients preconditioned by BoomerAMG for systems of three unknowns per node.
//
// BoomerAMG has no values-only set-up: Reuse::patterns sets up anew, Reuse::everything keeps the old preconditioner.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <numeric>

#include "benchmarks/peers/linear/contestant.h"
#include "benchmarks/peers/linear/scalar_rows.h"

namespace pliant::peers {
namespace {

class HypreBoomeramg final : public Contestant {
 public:
  explicit HypreBoomeramg(Reuse reuse) : reuse_(reuse) {
    HYPRE_BoomerAMGCreate(&preconditioner_);
    HYPRE_BoomerAMGSetNumFunctions(preconditioner_, 3);
    HYPRE_BoomerAMGSetMaxIter(preconditioner_, 1);
    HYPRE_BoomerAMGSetTol(preconditioner_, 0);
    HYPRE_BoomerAMGSetPrintLevel(preconditioner_, 0);
    choose_parameters();
    HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &solver_);
    HYPRE_PCGSetMaxIter(solver_, 20000);
    HYPRE_PCGSetTwoNorm(solver_, 1);  // ‖b − A x‖ / ‖b‖
  }
  ~HypreBoomeramg() override {
    HYPRE_ParCSRPCGDestroy(solver_);
    HYPRE_BoomerAMGDestroy(preconditioner_);
    if (matrix_ == nullptr) return;
    HYPRE_IJMatrixDestroy(matrix_);
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJVectorDestroy(x_);
  }
  HypreBoomeramg(const HypreBoomeramg&) = delete;
  HypreBoomeramg& operator=(const HypreBoomeramg&) = delete;

  void take(const System& system) override {
    const ScalarRows rows = scalar_rows_of(system.matrix);
    const int n = rows.row_count();
    std::vector<int> lengths(n);
    for (int i = 0; i < n; ++i) lengths[i] = rows.start[i + 1] - rows.start[i];
    if (matrix_ == nullptr) create(n, lengths);
    HYPRE_IJMatrixInitialize(matrix_);
    HYPRE_IJMatrixSetValues(matrix_, n, lengths.data(), numbers_.data(), rows.column.data(), rows.value.data());
    HYPRE_IJMatrixAssemble(matrix_);
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(matrix_, &object);
    par_matrix_ = static_cast<HYPRE_ParCSRMatrix>(object);
  }
  void prepare() override {
    // The iteration's own set-up calls that of the preconditioner.
    HYPRE_PCGSetPrecond(solver_, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                        reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), preconditioner_);
    HYPRE_ParCSRPCGSetup(solver_, par_matrix_, par_b_, par_x_);
  }
  void prepare_again() override {
    if (reuse_ != Reuse::everything) prepare();
  }
  int solve(const BlockVector& b, double tolerance, BlockVector& x) override {
    const std::vector<double> from = packed(b);
    std::vector<double> values(from.size(), 0.0);
    const int n = static_cast<int>(values.size());
    HYPRE_IJVectorSetValues(b_, n, numbers_.data(), from.data());
    HYPRE_IJVectorSetValues(x_, n, numbers_.data(), values.data());
    HYPRE_PCGSetTol(solver_, tolerance);
    HYPRE_ParCSRPCGSolve(solver_, par_matrix_, par_b_, par_x_);
    HYPRE_IJVectorGetValues(x_, n, numbers_.data(), values.data());
    unpack(values.data(), x);
    int iterations = 0;
    HYPRE_PCGGetNumIterations(solver_, &iterations);
    const bool has_failed = HYPRE_GetError() != 0;
    HYPRE_ClearAllErrors();
    return has_failed ? -1 : iterations;
  }

 private:
  // As hypre's manual advises for systems on one process. Blocks of unknowns coarsened together (SetNodal 4) took as many
  // iterations and a little longer on cloth of 128² vertices and a bar of 19 k.
  void choose_parameters() {
    HYPRE_BoomerAMGSetCoarsenType(preconditioner_, 10);  // HMIS
    HYPRE_BoomerAMGSetInterpType(preconditioner_, 6);    // extended+i
    HYPRE_BoomerAMGSetPMaxElmts(preconditioner_, 4);
    HYPRE_BoomerAMGSetStrongThreshold(preconditioner_, 0.25);
    HYPRE_BoomerAMGSetRelaxType(preconditioner_, 6);  // symmetric Gauss-Seidel
  }
  void create(int n, std::vector<int>& lengths) {
    numbers_.resize(n);
    std::iota(numbers_.begin(), numbers_.end(), 0);
    HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, n - 1, 0, n - 1, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(matrix_, lengths.data());
    for (const auto& [vector, par] : {std::pair{&b_, &par_b_}, std::pair{&x_, &par_x_}}) {
      HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, n - 1, vector);
      HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(*vector);
      HYPRE_IJVectorAssemble(*vector);
      void* object = nullptr;
      HYPRE_IJVectorGetObject(*vector, &object);
      *par = static_cast<HYPRE_ParVector>(object);
    }
  }

  Reuse reuse_;
  HYPRE_Solver preconditioner_ = nullptr, solver_ = nullptr;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_IJVector b_ = nullptr, x_ = nullptr;
  HYPRE_ParCSRMatrix par_matrix_ = nullptr;
  HYPRE_ParVector par_b_ = nullptr, par_x_ = nullptr;
  std::vector<int> numbers_;  // 0, 1, 2 …: rows
};

}  // namespace

std::unique_ptr<Contestant> make_hypre_boomeramg(Reuse reuse) { return std::make_unique<HypreBoomeramg>(reuse); }

}  // namespace pliant::peers
