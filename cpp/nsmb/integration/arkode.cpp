#include <arkode/arkode.h>
#include <arkode/arkode_butcher_erk.h>
#include <arkode/arkode_erkstep.h>

#include <array>
#include <limits>

#include "nsmb/integration/sundials_support.hpp"

// The functions of ERKStep became functions of all ARKODE steppers in 7.1, with the same arguments.
#if SUNDIALS_VERSION_MAJOR > 7 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR >= 1)
#define NSMB_ARK(function) ARKode##function
#else
#define NSMB_ARK(function) ERKStep##function
#endif

namespace nsmb {

namespace {

struct Method {
  std::string_view name;
  ARKODE_ERKTableID table;
  int order;
  bool first_same_as_last;
};

constexpr std::array<Method, 4> kMethods{{
    {"arkode_fehlberg78", ARKODE_FEHLBERG_13_7_8, 8, false},
    {"arkode_verner56", ARKODE_VERNER_8_5_6, 6, false},
    {"arkode_dormand_prince45", ARKODE_DORMAND_PRINCE_7_4_5, 5, true},
    {"arkode_bogacki_shampine23", ARKODE_BOGACKI_SHAMPINE_4_2_3, 3, true},
}};

struct FreeArkode {
  void operator()(void* memory) const { NSMB_ARK(Free)(&memory); }
};

class Arkode final : public SundialsIntegrator {
 public:
  Arkode(const Method& method, OdeProblem& problem, const IntegratorOptions& options);

  int order() const override { return method_.order; }

 private:
  void begin(double t, const Vector& y, double h) override;
  StepStatus take_step(double t_stop) override;
  void take_tolerances() override;
  double proposed_step() const override;
  void fill_dense_output(DenseOutput& dense) const override;
  void known_slope(double t, Vector& ydot) const;
  void project_inside();

  const Method method_;
  bool projects_inside_ = false;
  long failures_ = 0;
  mutable Vector f_old_, f_end_, f_a_, f_b_, y_stage_;
  // Declared after the numbers that they borrow, and destroyed before them.
  sundials::Context context_;
  sundials::NVector y_begin_, y_end_, atol_vector_, slope_vector_;
  std::unique_ptr<void, FreeArkode> memory_;
};

int project_step(sunrealtype t, N_Vector y, void* integrator) {
  return static_cast<SundialsIntegrator*>(integrator)->call_project(t, N_VGetArrayPointer(y));
}

Arkode::Arkode(const Method& method, OdeProblem& problem, const IntegratorOptions& options)
    : SundialsIntegrator(method.name, problem, options),
      method_(method),
      f_old_(Vector::Zero(n_)),
      f_end_(Vector::Zero(n_)),
      f_a_(Vector::Zero(n_)),
      f_b_(Vector::Zero(n_)),
      y_stage_(Vector::Zero(n_)),
      context_(sundials::make_context(this)),
      y_begin_(sundials::borrow(y_, context_)),
      y_end_(sundials::borrow(y_new_, context_)),
      atol_vector_(sundials::borrow(atol_, context_)),
      slope_vector_(sundials::borrow(f_end_, context_)) {
  using sundials::check_flag;
  memory_.reset(
      sundials::check_created(ERKStepCreate(sundials::rhs, 0.0, y_begin_.get(), context_.get())));
  void* memory = memory_.get();
#if SUNDIALS_VERSION_MAJOR < 7
  check_flag(ERKStepSetErrHandlerFn(memory, sundials::error_handler,
                                    static_cast<SundialsIntegrator*>(this)),
             "ERKStepSetErrHandlerFn");
#endif
  check_flag(NSMB_ARK(SetUserData)(memory, static_cast<SundialsIntegrator*>(this)), "SetUserData");
  check_flag(ERKStepSetTableNum(memory, method_.table), "ERKStepSetTableNum");
  // Degree 3 needs no slopes of its own. ARKODE evaluates its interpolant at every stop time, and
  // at degree 5 each evaluation costs four slopes. fill_dense_output() builds degree 5 from three.
  check_flag(NSMB_ARK(SetInterpolantDegree)(memory, 3), "SetInterpolantDegree");
  check_flag(NSMB_ARK(SetMaxHnilWarns)(memory, -1), "SetMaxHnilWarns");
  check_flag(NSMB_ARK(SetMaxErrTestFails)(memory, sundials::kMaxErrorTestFailures),
             "SetMaxErrTestFails");
  if (max_step_ < std::numeric_limits<double>::infinity()) {
    check_flag(NSMB_ARK(SetMaxStep)(memory, max_step_), "SetMaxStep");
  }
  // Up to 6.4 ERKStep assumes for every table with c_s = 1 that the last slope is f(t, y_new). It
  // then starts the next step with a wrong slope. A function run after the step makes it evaluate
  // f.
  if (!method_.first_same_as_last) project_inside();
}

void Arkode::project_inside() {
  sundials::check_flag(NSMB_ARK(SetPostprocessStepFn)(memory_.get(), project_step),
                       "SetPostprocessStepFn");
  projects_inside_ = true;
}

void Arkode::begin(double t, const Vector& y, double h) {
  N_VSetArrayPointer(const_cast<double*>(y.data()), y_begin_.get());  // read only
  void* memory = memory_.get();
  sundials::check_flag(NSMB_ARK(Reset)(memory, t, y_begin_.get()), "Reset");
  sundials::check_flag(NSMB_ARK(SVtolerances)(memory, rtol_, atol_vector_.get()), "SVtolerances");
  // Otherwise Reset would continue with the last step, however much the stop time has cut it.
  sundials::check_flag(NSMB_ARK(SetInitStep)(memory, h), "SetInitStep");
}

void Arkode::take_tolerances() {
  sundials::check_flag(NSMB_ARK(SVtolerances)(memory_.get(), rtol_, atol_vector_.get()),
                       "SVtolerances");
}

StepStatus Arkode::take_step(double t_stop) {
  void* memory = memory_.get();
  sundials::check_flag(NSMB_ARK(SetStopTime)(memory, finite_stop(t_stop)), "SetStopTime");
  const int flag = NSMB_ARK(Evolve)(memory, direction(t_stop), y_end_.get(), &t_new_, ARK_ONE_STEP);
  long failures = 0;
  sundials::check_flag(NSMB_ARK(GetNumErrTestFails)(memory, &failures), "GetNumErrTestFails");
  statistics_.rejected += failures - failures_;
  failures_ = failures;
  // Unless the problem is known to project, a table whose last slope is f(t, y_new) saves one
  // slope.
  if (flag >= 0 && !projects_inside_ && problem_.project(t_new_, y_new_)) {
    project_inside();
    begin(t_, y_, natural_step_);
    return take_step(t_stop);
  }
  if (flag >= 0) return StepStatus::Ok;
  if (flag == ARK_ERR_FAILURE || flag == ARK_TOO_CLOSE) return StepStatus::StepTooSmall;
  return rhs_was_not_finite_ ? StepStatus::RhsNotFinite : StepStatus::SolverFailure;
}

double Arkode::proposed_step() const {
  double h = 0.0;
  sundials::check_flag(NSMB_ARK(GetCurrentStep)(memory_.get(), &h), "GetCurrentStep");
  return h;
}

/// Compute f at an end of the step, as the slope of ARKODE's own interpolant there.
void Arkode::known_slope(double t, Vector& ydot) const {
  N_VSetArrayPointer(ydot.data(), slope_vector_.get());
  const int flag = NSMB_ARK(GetDky)(memory_.get(), t, 1, slope_vector_.get());
  rethrow_from_callback();
  sundials::check_flag(flag, "GetDky");
}

/// Fill the dense output by Hermite interpolation and bootstrapping [HNW II.6; Enright, Jackson,
/// Norsett, Thomsen 1986]. The cubic through y and f at both ends gives a slope at θ = 2/3. The
/// quartic through this slope gives the slopes at θ = 1/3 and 2/3 for the polynomial of degree 5.
void Arkode::fill_dense_output(DenseOutput& dense) const {
  const double h = t_ - t_old_;
  dense.anchor = t_old_;
  dense.h = h;
  known_slope(t_, f_end_);
  if (method_.order > 3) {
    known_slope(t_old_, f_old_);
  } else {
    evaluate(t_old_, y_old_, f_old_);  // ARKODE stores no polynomial of degree 3 at order 3
  }
  auto c = dense.coefficients.array();
  // Remaining conditions for c_2 ... c_5: p(1), p'(1), p'(1/3), p'(2/3).
  auto d = [&] { return (y_ - y_old_ - h * f_old_).array(); };
  auto e = [&] { return h * (f_end_ - f_old_).array(); };
  auto a = [&] { return h * (f_a_ - f_old_).array(); };
  auto b = [&] { return h * (f_b_ - f_old_).array(); };
  c.col(0) = y_old_;
  c.col(1) = h * f_old_;
  c.col(2) = 3.0 * d() - e();
  c.col(3) = e() - 2.0 * d();
  dense.degree = 3;
  if (method_.order <= 3) return;

  const auto value = [&](double theta) {
    y_stage_ = c.col(dense.degree);
    for (int k = dense.degree; k-- > 0;) y_stage_ = theta * y_stage_.array() + c.col(k);
  };
  constexpr double third = 1.0 / 3.0, two_thirds = 2.0 / 3.0;
  value(two_thirds);
  evaluate(t_old_ + two_thirds * h, y_stage_, f_b_);
  c.col(2) = 12.0 * d() - e() - 6.75 * b();
  c.col(3) = -20.0 * d() + e() + 13.5 * b();
  c.col(4) = 9.0 * d() - 6.75 * b();
  dense.degree = 4;

  value(third);
  evaluate(t_old_ + third * h, y_stage_, f_a_);
  value(two_thirds);
  evaluate(t_old_ + two_thirds * h, y_stage_, f_b_);
  c.col(2) = 30.0 * d() - 3.25 * e() - 6.75 * a() - 13.5 * b();
  c.col(3) = -110.0 * d() + 12.25 * e() + 33.75 * a() + 47.25 * b();
  c.col(4) = 135.0 * d() - 15.75 * e() - 47.25 * a() - 54.0 * b();
  c.col(5) = -54.0 * d() + 6.75 * e() + 20.25 * a() + 20.25 * b();
  dense.degree = 5;
}

}  // namespace

std::unique_ptr<Integrator> make_arkode(std::string_view name, OdeProblem& problem,
                                        const IntegratorOptions& options) {
  for (const Method& method : kMethods) {
    if (method.name == name) return std::make_unique<Arkode>(method, problem, options);
  }
  return nullptr;
}

}  // namespace nsmb
