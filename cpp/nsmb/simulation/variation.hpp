// Derivative of a run with respect to its start y₀ and to parameters p. It follows variational
// equations along the phases, and at instants the jump y⁺ = J(t, y) at the zero of an indicator
// h(t, y):
//   δẏ = f_y δy + f_p δp,      δt = -(h_y δy + h_p δp)/ḣ,
//   δy⁺ = J_y δy + J_p δp + (J_y f⁻ + J_t - f⁺) δt.
#pragma once

#include <vector>

#include "nsmb/simulation/simultaneous_zeros.hpp"
#include "nsmb/simulation/variation_flow.hpp"
#include "nsmb/simulation/variation_jump.hpp"
#include "nsmb/simulation/variation_record.hpp"

namespace nsmb {

/// The derivative of a run, followed from outside: the run is the same with and without it.
class Variation {
 public:
  Variation(const System& system, const TransitionOptions& options, const PhaseFactory& make_phase,
            std::vector<ParameterShift> shifts);
  Variation(const Variation&) = delete;
  Variation& operator=(const Variation&) = delete;

  Index parameters() const { return systems_.parameters(); }
  const VariationRecord& record() const { return record_; }

  void reset();
  /// Drop the parts so far. The last rate becomes the first.
  void forget() { record_.forget(n_); }
  /// Follow the last step of `phase`, as it is after a location.
  void step(const Phase& phase);
  /// Prepare for an instant at (t, y) that occurs because `fired` vanished, the first one first.
  void before(double t, const ConstVectorRef& y, const Phase& phase,
              const std::vector<Indicator>& fired);
  /// Set the inputs from now on, before the run starts.
  void set_inputs(const ConstVectorRef& values);
  /// Set the inputs at the instant passed to before(), whose time is given.
  void take_inputs(const ConstVectorRef& values);
  /// Use the equations between these discontinuities from now on.
  void set_span(const Discontinuity& from, const Discontinuity& to);
  /// Do the same at the instant passed to before(), whose time is that of `from`.
  void cross_into(const Discontinuity& from, const Discontinuity& to);
  /// Add a zero of f, or a given time, at that instant: an event of the user.
  void add_user_zero(double t, const ConstVectorRef& y, const TimedFunction& f) {
    zeros_.add(t, y, f_minus_, f);
  }
  void add_fixed_time() { zeros_.add_fixed_time(); }
  /// Follow the change of y before the contact states were determined: differentiate `effect` at
  /// (t, y) by differences.
  void follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect) {
    jump_.follow_effect(t, y, effect, f_minus_);
  }
  /// Note that the derivative of an effect is not known.
  void doubt_effect(double t) { record_.note(t, VariationNote::Unknown, -1); }
  /// End a part at an event without effect.
  void pass(double t, const ConstVectorRef& y, const Phase& phase,
            const std::vector<TimedFunction>& functions);
  /// Follow the resolved instant, or the start of the run. `y` is the state before the instant.
  void after(double t, const ConstVectorRef& y, const Transition& transition,
             const ElementModes& modes, const ContactFeatures& features,
             const ConstVectorRef& y_plus);
  /// End a part at the current (t, y).
  void end_part(double t, const ConstVectorRef& y, bool is_event);
  /// End a part at an instant that could not be resolved. Its derivative is not known.
  void abandon(double t);
  /// End a part where a function of the system threw. The run may continue from there.
  void break_off(double t);

 private:
  void cross(double t);
  bool changes_rates() const;
  void freeze(const FrozenRoles& roles, const ElementModes& modes, const ContactFeatures& features);
  void count_lost(const FrozenRoles& roles);
  void start_factor();
  void close_part(double t, bool is_event);

  VariedSystems systems_;
  FrozenChoices frozen_;
  VariationFlow flow_;
  VariationJump jump_;
  SimultaneousZeros zeros_;
  VariationRecord record_;
  const Index n_;  // ny
  bool begun_ = false;
  Matrix Y_;                 // (ny, ny + np) since the end of the last part
  Matrix Y_before_;          // (ny, ny) before the instant being resolved
  Matrix total_;             // (ny, ny) over the run up to there, up to a factor
  Vector dt_;                // (ny + np) of the last event
  Vector f_minus_, f_plus_;  // ẏ before and after it
  Vector difference_;
  Matrix next_;
  std::vector<Index> rows_;
  Index lost_ = 0;  // directions of motion lost in the current part
};

}  // namespace nsmb
