// Interface for smooth initial value problems: the motion between two events.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsmb/core/sparsity.hpp"
#include "nsmb/core/types.hpp"

namespace nsmb {

inline constexpr int kTriesNotFinite = 16;  // attempts after a rhs that is not finite

/// The problem ẏ = f(t, y). It is not const, since an implementation may use a workspace of its
/// own.
class OdeProblem {
 public:
  virtual ~OdeProblem() = default;

  virtual Index dimension() const = 0;
  virtual void rhs(double t, const ConstVectorRef& y, VectorRef ydot) = 0;

  /// Compute ∂f/∂y. Return false if it is not available. Stiff methods then use differences.
  virtual bool jacobian(double /*t*/, const ConstVectorRef& /*y*/, MatrixRef /*dfdy*/) {
    return false;
  }

  /// Return the entries of ∂f/∂y that may differ from zero, queried once. If empty, any entry may.
  virtual SparsityPattern jacobian_pattern() { return {}; }

  /// Move y onto the invariants of the motion (closed gaps stay closed). Called after each accepted
  /// step. Return false if y is unchanged.
  virtual bool project(double /*t*/, VectorRef /*y*/) { return false; }
};

enum class StepStatus {
  Ok,
  StepTooSmall,   // the error test asks for a step below the resolution of t
  RhsNotFinite,   // f returned NaN or inf
  StandsStill,    // many steps without progress, never returned by an Integrator itself
  SolverFailure,  // anything else the underlying library reports; see message()
};

/// The linear solver of implicit methods for I - γ ∂f/∂y.
enum class LinearSolver {
  Automatic,  // sparse if the pattern is known, large, and thin enough to be faster
  Dense,
  Sparse,  // requires a known pattern
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

/// A method with its problem and its workspace. The methods of this library allocate nothing after
/// construction. The README states what SUNDIALS allocates.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Start at (t, y), for example after a jump. The method keeps its step size where it can.
  virtual void restart(double t, const ConstVectorRef& y) = 0;

  /// Set the absolute tolerances from the next step on.
  virtual void set_atol(const ConstVectorRef& atol) = 0;
  /// After the next restart(), take steps as long as those of `other`, of the same method, would
  /// be.
  virtual void expect_as(const Integrator& /*other*/) {}

  /// Take one accepted step from t(), not beyond t_stop. Exceptions of the problem pass unchanged.
  virtual StepStatus step(double t_stop) = 0;

  /// Replace the last step by a step that ends at t_end, where t_old() < t_end <= the end of the
  /// last step(). The method integrates again from t_old() with its own error test. The next step
  /// starts at t_end. t_old() stays, and the dense output covers [t_old(), t_end], however many
  /// steps this takes.
  virtual StepStatus redo(double t_end) = 0;

  /// Evaluate the dense output of the last step, t_old() <= t <= t().
  virtual void interpolate(double t, VectorRef y) const = 0;

  virtual double t_old() const = 0;
  virtual double t() const = 0;
  virtual const Vector& y() const = 0;

  virtual std::string_view name() const = 0;
  virtual std::string message() const { return {}; }
  /// Return the component of y with the largest part of the last error estimate, or -1 if unknown.
  virtual Index worst_component() const { return -1; }
  /// Return the order of the method in the last step, or 0 if it has none, like a closed-form flow.
  virtual int order() const { return 0; }
  virtual IntegratorStatistics statistics() const = 0;
};

/// Return the names that make_integrator() accepts, separated by commas.
std::string_view integrator_names();

/// Create a method by name: "dp853", "arkode_<table>" (see the README), "cvode".
/// Throws std::invalid_argument, with the known names, for an unknown name.
std::unique_ptr<Integrator> make_integrator(std::string_view method, OdeProblem& problem,
                                            const IntegratorOptions& options);

}  // namespace nsmb
