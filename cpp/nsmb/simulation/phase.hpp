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

/// What a phase keeps of contact states it has met.
struct KeptStates {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

/// y = (q, u, x). The event loop sees both implementations, the closed form of linear systems and
/// the general one, through this interface.
class Phase : public StepMotion {
 public:
  /// Forget everything earlier motion has left, for a run that begins anew.
  virtual void reset() = 0;

  /// Freeze `roles` and `modes` from (t, y) on; y is moved onto the closed contacts first.
  virtual void enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                     VectorRef y) = 0;

  /// From the next enter(), freeze() or end_before_jump() on, equations are those between these
  /// discontinuities.
  virtual void set_span(const Discontinuity& from, const Discontinuity& to) = 0;

  /// Values of the inputs (ni) from the next enter() or freeze() on.
  virtual void set_inputs(const ConstVectorRef& values) = 0;

  /// Contact points that come and go: the candidates from the next enter() on, and those the phase
  /// has now, with the contour parameters last found; nullptr: there are none.
  virtual void set_features(const ContactFeatures& /*features*/) {}
  virtual const ContactFeatures* features() const { return nullptr; }

  /// One accepted step, not beyond t_stop; then redo() may shorten it.
  virtual StepStatus step(double t_stop) = 0;
  /// Where the equations were seen to jump in time on the last step, which no discontinuity of the
  /// system told; infinite: nowhere.
  virtual double jump() const { return std::numeric_limits<double>::infinity(); }
  /// End the last step there, behind set_span() with the jump as its end.
  virtual StepStatus end_before_jump() { return StepStatus::Ok; }
  /// End the last step where `indicator`, which crosses zero near its part s_guess, does so. The
  /// state is that of the crossing, even where t() is too large to resolve it. Behind another
  /// location the step is still the whole one.
  virtual StepStatus locate(const Indicator& indicator, double s_guess) = 0;

  /// An indicator that falls below zero by less and comes back has touched zero, nothing more.
  virtual double touch_tolerance(const Indicator& indicator) const { return indicator.noise; }
  /// End the last step at its part s, 0 < s < 1, where nothing happens.
  virtual StepStatus cut(double s) = 0;
  /// Ends it there, and sees to it that polynomials describe what is left of it.
  virtual StepStatus look_closer(double s) { return cut(s); }
  /// Does the gap depend on t, besides the motion, where the step ends?
  virtual bool moves_with_time(Index /*contact*/) const { return false; }
  /// m, what g_N changes on the step, of phases that look closer.
  virtual double gap_change(Index /*contact*/) const { return 0.0; }
  /// End the last step where f, which changes its sign near its part s on the dense output, does so
  /// on the motion; the integrator stands there, too.
  virtual StepStatus cut_at_zero(const TimedFunction& f, double s) = 0;

  /// Which contacts that slip in a plane cannot be told from rest where the last location ended?
  virtual void mark_rest(std::vector<bool>& /*contacts*/) {}
  /// And which of them slip on there, although their slip was to end?
  virtual bool slips_on(Index /*contact*/) const { return false; }
  /// Has the last step failed because sliding contacts jam (Painlevé)?
  virtual bool jams() { return false; }
  /// (nc) m/s: slip in a plane that is slower at (t, y) cannot be told from rest.
  virtual void rest_speeds(double /*t*/, const ConstVectorRef& /*y*/, VectorRef /*speeds*/) {}

  /// At (t, y), with the forces of the frozen state.
  virtual void observe(double t, const ConstVectorRef& y, Observation& observation) = 0;

  /// Power series in s = (t - t_old)/(t_new - t_old) of all indicators on the last step, one column
  /// per indicator.
  /// `starts`: the step is the first of the phase, and an indicator with a zero of order `zeros`
  /// at its start gets leading coefficients that are exactly zero.
  virtual void expand(const std::vector<Indicator>& indicators, bool starts,
                      Matrix& coefficients) = 0;

  /// m, how far a contact point lies within its features at the part s of the last step.
  virtual double domain_at(double /*s*/, Index /*contact*/) {
    return std::numeric_limits<double>::infinity();
  }

  /// Is an indicator clearly below zero where the last location ended?
  virtual bool has_fallen(const Indicator& /*indicator*/) { return false; }

  /// An indicator at the end of the last step, where its series has the value `sum` to rounding.
  virtual double end_value(const Indicator& /*indicator*/, double sum) const { return sum; }

  /// Power series in s of the power lost to friction on the last step, -λ_T γ_T in W, one row per
  /// contact. False: no contact slips, `power` is left as it is.
  virtual bool expand_friction_power(Matrix& power) = 0;

  /// Power series in s of the power of moving contacts and constraints on the last step, -λᵀw̃ in W.
  /// False: nothing moves, `power` is left as it is.
  virtual bool expand_drive_power(VectorRef power) = 0;

  /// The last step as power series in s, (ny, degree + 1).
  virtual const Matrix& series() = 0;
  virtual Index series_degree() const = 0;

  /// Where the last step or location ended, at t().
  virtual const Vector& y() const = 0;
  double t_old() const override { return integrator().t_old(); }

  virtual const Integrator& integrator() const = 0;

  // The equations of a frozen state by themselves, for whoever follows the motion of another phase.

  /// Freeze `roles` and `modes`; nothing moves, and step() needs an enter() before.
  virtual void freeze(const FrozenRoles& roles, const ElementModes& modes) = 0;
  /// Take over what `other`, a phase of the same kind in the same state, has found on its way.
  virtual void adopt(const Phase& /*other*/) {}
  /// ẏ at (t, y).
  virtual void rate(double t, const ConstVectorRef& y, VectorRef ydot) = 0;
  /// ∂ẏ/∂y at (t, y); false: not known.
  virtual bool rate_jacobian(double t, const ConstVectorRef& y, MatrixRef J) = 0;
  /// y := the motion from (t, y) on, `duration` later; false: not known in closed form.
  virtual bool move(double /*t*/, double /*duration*/, VectorRef /*y*/) { return false; }
  /// ∂ẏ/∂y does not change in a frozen state.
  virtual bool is_linear() const { return false; }

  /// Does another phase in the same state observe the same, at any (t, y)? Not where the way that
  /// led there leaves something behind.
  virtual bool recalls() const { return false; }

  virtual KeptStates kept_states() const { return {}; }

  /// Why the last step failed, where the integrator cannot know; empty: it does.
  virtual std::string trouble(StepStatus /*status*/) const { return {}; }
  /// And says what to do about it.
  virtual bool knows_remedy(StepStatus /*status*/) const { return false; }
};

}  // namespace nsmb
