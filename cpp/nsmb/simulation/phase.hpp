// Motion with frozen contact state: one smooth phase between two events.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

#include "nsmb/integration/integrator.hpp"
#include "nsmb/simulation/quantity.hpp"
#include "nsmb/simulation/step_motion.hpp"

namespace nsmb {

/// The number and size of the contact states that a phase has stored.
struct KeptStates {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

/// The motion of y = (q, u, x) in a frozen contact state. The event loop uses both implementations,
/// the closed form of linear systems and the general one, through this interface.
class Phase : public StepMotion {
 public:
  /// Discard everything that earlier motion has left, for a new run.
  virtual void reset() = 0;

  /// Freeze `roles` and `modes` from (t, y) on. First move y onto the closed contacts.
  virtual void enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                     VectorRef y) = 0;

  /// Use the equations between these discontinuities from the next enter(), freeze() or
  /// end_before_jump() on.
  virtual void set_span(const Discontinuity& from, const Discontinuity& to) = 0;

  /// Set the values of the inputs (ni) from the next enter() or freeze() on.
  virtual void set_inputs(const ConstVectorRef& values) = 0;

  /// Set the candidates of contact points that come and go, from the next enter() on. features()
  /// returns the current candidates with the contour parameters found last, or nullptr.
  virtual void set_features(const ContactFeatures& /*features*/) {}
  virtual const ContactFeatures* features() const { return nullptr; }

  /// Take one accepted step, not beyond t_stop. locate() and cut() may shorten it.
  virtual StepStatus step(double t_stop) = 0;
  /// Return the time at which the equations were found to jump on the last step, other than at
  /// discontinuities that the system reports. Infinite if there is no jump.
  virtual double jump() const { return std::numeric_limits<double>::infinity(); }
  /// End the last step at this jump, after a set_span() that ends there.
  virtual StepStatus end_before_jump() { return StepStatus::Ok; }
  /// End the last step where `indicator`, which crosses zero near the fraction s_guess of the step,
  /// does so. The state is that of the crossing, even where t() is too large to resolve it. A
  /// second location refers to the whole step again.
  virtual StepStatus locate(const Indicator& indicator, double s_guess) = 0;

  /// Return how far an indicator may fall below zero and come back without an event.
  virtual double touch_tolerance(const Indicator& indicator) const { return indicator.noise; }
  /// End the last step at its fraction s, 0 < s < 1, without an event.
  virtual StepStatus cut(double s) = 0;
  /// Cut the last step at s such that polynomials describe what is left of it.
  virtual StepStatus look_closer(double s) { return cut(s); }
  /// Return true if the gap depends explicitly on t at the end of the step.
  virtual bool moves_with_time(Index /*contact*/) const { return false; }
  /// Return the change of g_N on the step in m, in phases that implement look_closer().
  virtual double gap_change(Index /*contact*/) const { return 0.0; }
  /// End the last step where f, which changes sign near the fraction s on the dense output, does so
  /// on the motion. The integrator also ends there.
  virtual StepStatus cut_at_zero(const TimedFunction& f, double s) = 0;

  /// Mark the contacts whose slip in a plane is indistinguishable from rest after the last
  /// location.
  virtual void mark_rest(std::vector<bool>& /*contacts*/) {}
  /// Return true if a contact continues to slip after the last location, although it was to stick.
  virtual bool slips_on(Index /*contact*/) const { return false; }
  /// Return true if the last step failed because sliding contacts jam (Painlevé).
  virtual bool jams() { return false; }
  /// Compute the speeds (nc) in m/s below which slip in a plane at (t, y) is indistinguishable from
  /// rest.
  virtual void rest_speeds(double /*t*/, const ConstVectorRef& /*y*/, VectorRef /*speeds*/) {}

  /// Observe the motion at (t, y) with the forces of the frozen state.
  virtual void observe(double t, const ConstVectorRef& y, Observation& observation) = 0;

  /// Expand all indicators on the last step as power series in s = (t - t_old)/(t_new - t_old), one
  /// column per indicator. If `starts`, the step is the first of the phase. The leading
  /// coefficients of an indicator with a zero of order `zeros` at its start are then exactly zero.
  virtual void expand(const std::vector<Indicator>& indicators, bool starts,
                      Matrix& coefficients) = 0;

  /// Return how far a contact point lies within its features at the fraction s of the last step, in
  /// m.
  virtual double domain_at(double /*s*/, Index /*contact*/) {
    return std::numeric_limits<double>::infinity();
  }

  /// Return true if an indicator is clearly below zero at the end of the last location.
  virtual bool has_fallen(const Indicator& /*indicator*/) { return false; }

  /// Return an indicator at the end of the last step, where its series equals `sum` up to rounding.
  virtual double end_value(const Indicator& /*indicator*/, double sum) const { return sum; }

  /// Expand the power lost to friction on the last step, -λ_T γ_T in W, as power series in s, one
  /// row per contact. If no contact slips, return false and leave `power` unchanged.
  virtual bool expand_friction_power(Matrix& power) = 0;

  /// Expand the power of moving contacts and constraints on the last step, -λᵀw̃ in W, as a power
  /// series in s. If nothing moves, return false and leave `power` unchanged.
  virtual bool expand_drive_power(VectorRef power) = 0;

  /// The last step as a power series in s, shape (ny, degree + 1).
  virtual const Matrix& series() = 0;
  virtual Index series_degree() const = 0;

  /// The state at the end of the last step or location, at t().
  virtual const Vector& y() const = 0;
  double t_old() const override { return integrator().t_old(); }

  virtual const Integrator& integrator() const = 0;

  // The equations of a frozen state alone, for callers that follow the motion of another phase.

  /// Freeze `roles` and `modes` without moving. step() needs an enter() first.
  virtual void freeze(const FrozenRoles& roles, const ElementModes& modes) = 0;
  /// Take over what `other`, a phase of the same kind in the same state, has found on its motion.
  virtual void adopt(const Phase& /*other*/) {}
  /// Compute ẏ at (t, y).
  virtual void rate(double t, const ConstVectorRef& y, VectorRef ydot) = 0;
  /// Compute ∂ẏ/∂y at (t, y). Return false if it is not known.
  virtual bool rate_jacobian(double t, const ConstVectorRef& y, MatrixRef J) = 0;
  /// Advance y from t by `duration` along the motion. Return false if no closed form is known.
  virtual bool move(double /*t*/, double /*duration*/, VectorRef /*y*/) { return false; }
  /// Return true if ∂ẏ/∂y is constant in a frozen state.
  virtual bool is_linear() const { return false; }

  /// Return true if another phase in the same state observes the same at any (t, y), whatever
  /// motion led there.
  virtual bool recalls() const { return false; }

  virtual KeptStates kept_states() const { return {}; }

  /// Explain a failure of the last step that the integrator cannot explain. Empty if it can.
  virtual std::string trouble(StepStatus /*status*/) const { return {}; }
  /// Return true if trouble() also names a remedy.
  virtual bool knows_remedy(StepStatus /*status*/) const { return false; }
};

}  // namespace nsmb
