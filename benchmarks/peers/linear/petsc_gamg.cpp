// PETSc: conjugate gradients preconditioned by GAMG, its smoothed aggregation, with the six rigid motions as near-kernel.
//
// For another matrix of the same pattern GAMG can keep its interpolation and compute only coarse matrices
// (PCGAMGSetReuseInterpolation), or keep all of the preconditioner (KSPSetReusePreconditioner).
#include <petscksp.h>

#include <stdexcept>

#include "benchmarks/peers/linear/contestant.h"
#include "benchmarks/peers/linear/scalar_rows.h"

namespace pliant::peers {
namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed, see its message above");
}

class PetscGamg final : public Contestant {
 public:
  explicit PetscGamg(Reuse reuse) : reuse_(reuse) {
    check(KSPCreate(PETSC_COMM_SELF, &solver_));
    check(KSPSetType(solver_, KSPCG));
    check(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));  // ‖b − A x‖ / ‖b‖
    PC preconditioner = nullptr;
    check(KSPGetPC(solver_, &preconditioner));
    check(PCSetType(preconditioner, PCGAMG));
    check(PCGAMGSetReuseInterpolation(preconditioner, reuse == Reuse::nothing ? PETSC_FALSE : PETSC_TRUE));
    check(KSPSetFromOptions(solver_));
  }
  ~PetscGamg() override {
    KSPDestroy(&solver_);
    MatDestroy(&matrix_);
    VecDestroy(&b_);
    VecDestroy(&x_);
  }
  PetscGamg(const PetscGamg&) = delete;
  PetscGamg& operator=(const PetscGamg&) = delete;

  void take(const System& system) override {
    ScalarRows rows = scalar_rows_of(system.matrix);
    if (matrix_ != nullptr) {
      double* values = nullptr;
      check(MatSeqAIJGetArray(matrix_, &values));
      std::copy(rows.value.begin(), rows.value.end(), values);
      check(MatSeqAIJRestoreArray(matrix_, &values));  // notes the change
      return;
    }
    rows_ = std::move(rows);
    const int n = rows_.row_count();
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, rows_.start.data(), rows_.column.data(), rows_.value.data(),
                                    &matrix_));
    check(MatSetBlockSize(matrix_, 3));
    check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
    check(MatSetOption(matrix_, MAT_SPD_ETERNAL, PETSC_TRUE));
    attach_rigid_motions(system.positions);
    check(MatCreateVecs(matrix_, &x_, &b_));
  }
  void prepare() override {
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(KSPSetUp(solver_));
  }
  void prepare_again() override {
    if (reuse_ == Reuse::everything) check(KSPSetReusePreconditioner(solver_, PETSC_TRUE));
    prepare();
  }
  int solve(const BlockVector& b, double tolerance, BlockVector& x) override {
    check(KSPSetTolerances(solver_, tolerance, 0, PETSC_DEFAULT, 20000));
    fill(b_, packed(b));
    check(KSPSolve(solver_, b_, x_));
    const double* values = nullptr;
    check(VecGetArrayRead(x_, &values));
    unpack(values, x);
    check(VecRestoreArrayRead(x_, &values));
    KSPConvergedReason reason{};
    PetscInt iterations = 0;
    check(KSPGetConvergedReason(solver_, &reason));
    check(KSPGetIterationNumber(solver_, &iterations));
    return reason > 0 ? static_cast<int>(iterations) : -1;
  }

 private:
  static void fill(Vec to, const std::vector<double>& from) {
    double* values = nullptr;
    check(VecGetArray(to, &values));
    std::copy(from.begin(), from.end(), values);
    check(VecRestoreArray(to, &values));
  }
  void attach_rigid_motions(const BlockVector& positions) {
    Vec places = nullptr;
    MatNullSpace motions = nullptr;
    check(VecCreateSeq(PETSC_COMM_SELF, rows_.row_count(), &places));
    check(VecSetBlockSize(places, 3));
    fill(places, packed(positions));
    check(MatNullSpaceCreateRigidBody(places, &motions));
    check(MatSetNearNullSpace(matrix_, motions));
    check(MatNullSpaceDestroy(&motions));
    check(VecDestroy(&places));
  }

  Reuse reuse_;
  ScalarRows rows_;
  KSP solver_ = nullptr;
  Mat matrix_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr;
};

}  // namespace

std::unique_ptr<Contestant> make_petsc_gamg(Reuse reuse) { return std::make_unique<PetscGamg>(reuse); }

}  // namespace pliant::peers
