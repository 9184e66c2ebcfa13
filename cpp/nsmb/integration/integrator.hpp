// Smooth initial value problems behind one interface: the motion between two events.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsmb/core/sparsity.hpp"
#include "nsmb/core/types.hpp"

namespace nsmb {

inline constexpr int kTriesNotFinite = 16;  // after a rhs that is not finite

/// ẏ = f(t, y). Not const: an implementer may use a workspace of its own.
class OdeProblem {
 public:
  virtual ~OdeProblem() = default;

  virtual Index dimension() const = 0;
  virtual void rhs(double t, const ConstVectorRef& y, VectorRef ydot) = 0;

  /// ∂f/∂y; false: not available, stiff methods then take differences.
  virtual bool jacobian(double /*t*/, const ConstVectorRef& /*y*/, MatrixRef /*dfdy*/) {
    return false;
  }

  /// Entries of ∂f/∂y that may differ from zero, asked for once; empty: any may.
  virtual SparsityPattern jacobian_pattern() { return {}; }

  /// Move y onto the invariants of the motion (closed gaps stay closed); called after each
  /// accepted step. False: y was left as it is.
  virtual bool project(double /*t*/, VectorRef /*y*/) { return false; }
};

enum class StepStatus {
  Ok,
  StepTooSmall,   // the error test asks for a step below the resolution of t
  RhsNotFinite,   // f returned NaN or inf
  StandsStill,    // many steps that lead nowhere; never from an Integrator itself
  SolverFailure,  // anything else the underlying library reports; see message()
};

/// How implicit methods solve with I - γ ∂f/∂y.
enum class LinearSolver {
  Automatic,  // sparse where the pattern is known, large and thin enough to win by it
  Dense,
  Sparse,  // where the pattern is known
};

struct IntegratorOptions {
  double rtol = 1e-8;
  Vector atol;                // per component of y, in its unit; all > 0
  double initial_step = 0.0;  // 0: chosen by the method
  double max_step = std::numeric_limits<double>::infinity();
  LinearSolver linear_solver = LinearSolver::Automatic;
};

struct IntegratorStatistics {
  long steps = 0;
  long rejected = 0;
  long rhs_evaluations = 0;
  long jacobian_evaluations = 0;
  long restarts = 0;
};

/// One problem, one method, one workspace. Nothing is allocated after construction by the methods
/// of this library; what SUNDIALS allocates is said in the README.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begin at (t, y). After a jump: the step size found so far is kept where the method can.
  virtual void restart(double t, const ConstVectorRef& y) = 0;

  /// Absolute tolerances from the next step on.
  virtual void set_atol(const ConstVectorRef& atol) = 0;
  /// Behind the next restart() steps are as long as those of `other`, of the same method, would be.
  virtual void expect_as(const Integrator& /*other*/) {}

  /// One accepted step from t(), not beyond t_stop. Exceptions of the problem come out unchanged.
  virtual StepStatus step(double t_stop) = 0;

  /// Replace the last step by one that ends at t_end, t_old() < t_end <= the time step()
  /// reached: the method integrates again from t_old() with its own error test. The next step
  /// starts at t_end. t_old() stays and the dense output covers [t_old(), t_end], whatever number
  /// of steps it took.
  virtual StepStatus redo(double t_end) = 0;

  /// Dense output of the last step, t_old() <= t <= t().
  virtual void interpolate(double t, VectorRef y) const = 0;

  virtual double t_old() const = 0;
  virtual double t() const = 0;
  virtual const Vector& y() const = 0;

  virtual std::string_view name() const = 0;
  virtual std::string message() const { return {}; }
  /// The component of y with the largest part of the last error estimate; -1: not known.
  virtual Index worst_component() const { return -1; }
  /// Of the method in the last step; 0: it has none, as a flow in closed form.
  virtual int order() const { return 0; }
  virtual IntegratorStatistics statistics() const = 0;
};

/// The names make_integrator() takes, with commas between them.
std::string_view integrator_names();

/// Methods by name: "dp853", "arkode_<table>" (see the README), "cvode".
/// Throws std::invalid_argument for an unknown name, listing the known ones.
std::unique_ptr<Integrator> make_integrator(std::string_view method, OdeProblem& problem,
                                            const IntegratorOptions& options);

}  // namespace nsmb
