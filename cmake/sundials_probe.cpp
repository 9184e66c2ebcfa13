// Compiled by CMake only: do these SUNDIALS libraries link without anything else?
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#if SUNDIALS_VERSION_MAJOR < 7
constexpr void* no_communicator = nullptr;
#elif SUNDIALS_MPI_ENABLED
#error "since 7.0 a SUNDIALS with MPI makes MPI a dependency of its every user"
#else
constexpr SUNComm no_communicator = SUN_COMM_NULL;
#endif

static int rhs(sunrealtype, N_Vector, N_Vector, void*) { return 0; }

int main() {
  SUNContext context = nullptr;
  SUNContext_Create(no_communicator, &context);
  N_Vector y = N_VNew_Serial(1, context);
  SUNMatrix matrix = SUNDenseMatrix(1, 1, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void* stiff = CVodeCreate(CV_BDF, context);
  CVodeSetLinearSolver(stiff, solver, matrix);
  void* implicit = ARKStepCreate(nullptr, rhs, 0, y, context);
  void* explicit_ = ERKStepCreate(rhs, 0, y, context);
  ARKStepFree(&implicit);
  ERKStepFree(&explicit_);
  CVodeFree(&stiff);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return SUNContext_Free(&context);
}
