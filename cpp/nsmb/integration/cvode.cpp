#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/sparse_sundials.hpp"
#include "nsmb/integration/sundials_support.hpp"
#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
struct FreeMatrix {
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
};
struct FreeLinearSolver {
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
};

int jacobian(sunrealtype t, N_Vector y, N_Vector, SUNMatrix dfdy, void* integrator, N_Vector,
             N_Vector, N_Vector) {
  return static_cast<SundialsIntegrator*>(integrator)
      ->call_jacobian(t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(dfdy));
}

int project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype, N_Vector,
            void* integrator) {
  return static_cast<SundialsIntegrator*>(integrator)
      ->call_project(t, N_VGetArrayPointer(y), N_VGetArrayPointer(correction));
}

int weights(N_Vector y, N_Vector values, void* integrator) {
  return static_cast<SundialsIntegrator*>(integrator)
      ->call_weights(N_VGetArrayPointer(y), N_VGetArrayPointer(values));
}

int sparse_jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix dfdy, void* integrator,
                    N_Vector, N_Vector, N_Vector);

std::unique_ptr<SparseNewton> sparse_newton(OdeProblem& problem, LinearSolver wanted) {
  if (wanted == LinearSolver::Dense) return nullptr;
  const Index n = problem.dimension();
  const SparsityPattern given = problem.jacobian_pattern();
  if (given.begin.empty()) {
    if (wanted == LinearSolver::Automatic) return nullptr;
    reject("linear_solver", "'dense' or 'auto' for a problem without jacobian_pattern", "'sparse'");
  }
  auto sparse = std::make_unique<SparseNewton>(with_diagonal(given, n));
  const bool wins = SparseNewton::pays(sparse->pattern());
  return wanted == LinearSolver::Sparse || wins ? std::move(sparse) : nullptr;
}

/// BDF of order 1 to 5 with a dense or sparse linear solver.
class Cvode final : public SundialsIntegrator {
 public:
  Cvode(OdeProblem& problem, const IntegratorOptions& options);

  int order() const override;

  int call_sparse_jacobian(double t, const double* y, const double* f, double* values) noexcept;

 private:
  void begin(double t, const Vector& y, double h) override;
  StepStatus take_step(double t_stop) override;
  Index worst_component() const override;
  double tried_step() const override;
  void fill_dense_output(DenseOutput& dense) const override;
  void choose_jacobian(double t, const Vector& y);

  bool jacobian_chosen_ = false;
  bool has_jacobian_ = false;
  long failures_ = 0, jacobians_ = 0;  // since this start, as CVODE counts from 0 again
  Matrix dfdy_;
  std::unique_ptr<SparseNewton> sparse_;  // if null, dense
  Vector increments_;
  sundials::Context context_;
  sundials::NVector y_begin_, y_end_, derivative_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, FreeMatrix> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, FreeLinearSolver> linear_solver_;
  std::unique_ptr<void, FreeCvode> memory_;
};

Cvode::Cvode(OdeProblem& problem, const IntegratorOptions& options)
    : SundialsIntegrator("cvode", problem, options),
      dfdy_(Matrix::Zero(n_, n_)),
      sparse_(sparse_newton(problem, options.linear_solver)),
      increments_(n_),
      context_(sundials::make_context(this)),
      y_begin_(sundials::borrow(y_, context_)),
      y_end_(sundials::borrow(y_new_, context_)),
      derivative_(sundials::borrow(y_new_, context_)) {
  using sundials::check_created;
  using sundials::check_flag;
  const auto n = static_cast<sunindextype>(n_);
  if (sparse_) {
    matrix_.reset(check_created(sundials::make_sparse_matrix(*sparse_, context_.get())));
    linear_solver_.reset(check_created(sundials::make_sparse_solver(*sparse_, context_.get())));
  } else {
    matrix_.reset(check_created(SUNDenseMatrix(n, n, context_.get())));
    linear_solver_.reset(
        check_created(SUNLinSol_Dense(y_begin_.get(), matrix_.get(), context_.get())));
  }
  memory_.reset(check_created(CVodeCreate(CV_BDF, context_.get())));
  void* memory = memory_.get();
#if SUNDIALS_VERSION_MAJOR < 7
  check_flag(
      CVodeSetErrHandlerFn(memory, sundials::error_handler, static_cast<SundialsIntegrator*>(this)),
      "CVodeSetErrHandlerFn");
#endif
  check_flag(CVodeInit(memory, sundials::rhs, 0.0, y_begin_.get()), "CVodeInit");
  // CVODE asks for the weights at each step, since given tolerances could not change during a run.
  check_flag(CVodeWFtolerances(memory, weights), "CVodeWFtolerances");
  check_flag(CVodeSetUserData(memory, static_cast<SundialsIntegrator*>(this)), "CVodeSetUserData");
  check_flag(CVodeSetLinearSolver(memory, linear_solver_.get(), matrix_.get()),
             "CVodeSetLinearSolver");
  check_flag(CVodeSetMaxHnilWarns(memory, -1), "CVodeSetMaxHnilWarns");
  check_flag(CVodeSetMaxErrTestFails(memory, sundials::kMaxErrorTestFailures),
             "CVodeSetMaxErrTestFails");
  if (max_step_ < std::numeric_limits<double>::infinity()) {
    check_flag(CVodeSetMaxStep(memory, max_step_), "CVodeSetMaxStep");
  }
  check_flag(CVodeSetProjFn(memory, project), "CVodeSetProjFn");
  // OdeProblem::project moves a state. It does not project an error estimate.
  check_flag(CVodeSetProjErrEst(memory, SUNFALSE), "CVodeSetProjErrEst");
}

/// Set the Jacobian function. The problem is asked once, at the first start. Without a function
/// CVODE uses differences.
void Cvode::choose_jacobian(double t, const Vector& y) {
  if (jacobian_chosen_) return;
  has_jacobian_ = problem_.jacobian(t, y, dfdy_);
  CVLsJacFn function = has_jacobian_ ? jacobian : nullptr;
  if (sparse_) function = sparse_jacobian;
  sundials::check_flag(CVodeSetJacFn(memory_.get(), function), "CVodeSetJacFn");
  jacobian_chosen_ = true;
}

int sparse_jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix dfdy, void* integrator,
                    N_Vector, N_Vector, N_Vector) {
  return static_cast<Cvode*>(static_cast<SundialsIntegrator*>(integrator))
      ->call_sparse_jacobian(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f),
                             sundials::sparse_values(dfdy));
}

/// Compute the Jacobian in closed form if the problem has it, otherwise by differences as in CVODE,
/// for all columns of a colour at once.
int Cvode::call_sparse_jacobian(double t, const double* y, const double* f,
                                double* values) noexcept {
  using namespace tolerances;
  if (has_jacobian_) {
    const int flag = call_jacobian(t, y, dfdy_.data());
    if (flag == 0) sparse_->gather(dfdy_, values);
    return flag;
  }
  double h = 0.0, change = 0.0;
  if (CVodeGetCurrentStep(memory_.get(), &h) != CV_SUCCESS) return -1;
  const auto scale = [&](Index i) { return rtol_ * std::abs(y[i]) + atol_[i]; };
  for (Index i = 0; i < n_; ++i) change += (f[i] / scale(i)) * (f[i] / scale(i));
  const auto n = static_cast<double>(n_);
  const double least = jacobians::kLeastIncrement * std::numeric_limits<double>::epsilon() * n *
                       std::abs(h) * std::sqrt(change / n);
  for (Index i = 0; i < n_; ++i) {
    increments_(i) =
        std::max(jacobians::kIncrement * std::abs(y[i]), (least > 0.0 ? least : 1.0) * scale(i));
  }
  const auto rhs = [this](double time, const double* at, double* ydot) {
    return call_rhs(time, at, ydot);
  };
  return sparse_->differences(t, y, f, increments_, rhs, values);
}

void Cvode::begin(double t, const Vector& y, double h) {
  choose_jacobian(t, y);
  N_VSetArrayPointer(const_cast<double*>(y.data()), y_begin_.get());  // read only
  void* memory = memory_.get();
  sundials::check_flag(CVodeReInit(memory, t, y_begin_.get()), "CVodeReInit");
  // Every start is one of order 1, where a step size found at a higher order does not help.
  sundials::check_flag(
      CVodeSetInitStep(memory, statistics_.steps == 0 || rhs_was_not_finite_ ? h : 0.0),
      "CVodeSetInitStep");
  failures_ = jacobians_ = 0;
}

double Cvode::tried_step() const {
  double h = 0.0;
  return CVodeGetCurrentStep(memory_.get(), &h) == CV_SUCCESS ? h : 0.0;
}

int Cvode::order() const {
  int order = 0;
  return CVodeGetLastOrder(memory_.get(), &order) == CV_SUCCESS ? order : 0;
}

Index Cvode::worst_component() const {
  Vector error(n_), weight(n_);
  const auto read = [&](auto function, Vector& values) {
    N_VSetArrayPointer(values.data(), derivative_.get());
    return function(memory_.get(), derivative_.get()) == CV_SUCCESS;
  };
  if (!read(CVodeGetEstLocalErrors, error) || !read(CVodeGetErrWeights, weight)) return -1;
  Index worst = 0;
  error.cwiseProduct(weight).cwiseAbs().maxCoeff(&worst);
  return worst;
}

StepStatus Cvode::take_step(double t_stop) {
  void* memory = memory_.get();
  sundials::check_flag(CVodeSetStopTime(memory, finite_stop(t_stop)), "CVodeSetStopTime");
  const int flag = CVode(memory, direction(t_stop), y_end_.get(), &t_new_, CV_ONE_STEP);
  long failures = 0, solves = 0, jacobians = 0;
  sundials::check_flag(CVodeGetNumErrTestFails(memory, &failures), "CVodeGetNumErrTestFails");
  sundials::check_flag(CVodeGetNumStepSolveFails(memory, &solves), "CVodeGetNumStepSolveFails");
  sundials::check_flag(CVodeGetNumJacEvals(memory, &jacobians), "CVodeGetNumJacEvals");
  failures += solves;
  statistics_.rejected += failures - failures_;
  failures_ = failures;
  if (!has_jacobian_) statistics_.jacobian_evaluations += jacobians - jacobians_;
  jacobians_ = jacobians;
  switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
      return StepStatus::Ok;
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
      return StepStatus::RhsNotFinite;
    case CV_CONV_FAILURE:
      return rhs_was_not_finite_ ? StepStatus::RhsNotFinite : StepStatus::SolverFailure;
    case CV_ERR_FAILURE:
    case CV_TOO_CLOSE:
      return StepStatus::StepTooSmall;
    default:
      return StepStatus::SolverFailure;
  }
}

/// Fill the Nordsieck array of the step, c_k = h^k y^(k)(t) / k!. Its polynomial passes through
/// y_old, before and after a projection, and is therefore valid on all of [t_old, t].
void Cvode::fill_dense_output(DenseOutput& dense) const {
  void* memory = memory_.get();
  double h = 0.0, t = 0.0;
  sundials::check_flag(CVodeGetLastOrder(memory, &dense.degree), "CVodeGetLastOrder");
  sundials::check_flag(CVodeGetLastStep(memory, &h), "CVodeGetLastStep");
  sundials::check_flag(CVodeGetCurrentTime(memory, &t), "CVodeGetCurrentTime");
  dense.anchor = t;
  dense.h = h;
  double weight = 1.0;
  for (int k = 0; k <= dense.degree; ++k) {
    auto column = dense.coefficients.col(k);
    N_VSetArrayPointer(column.data(), derivative_.get());
    sundials::check_flag(CVodeGetDky(memory, t, k, derivative_.get()), "CVodeGetDky");
    column *= weight;
    weight *= h / (k + 1);
  }
}

}  // namespace

std::unique_ptr<Integrator> make_cvode(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(problem, options);
}

}  // namespace nsmb
