// The derivative of a run by its start y₀ and by parameters p: variational equations along the
// phases, and at instants, with the jump y⁺ = J(t, y) at the zero of an indicator h(t, y),
//   δẏ = f_y δy + f_p δp,      δt = -(h_y δy + h_p δp)/ḣ,
//   δy⁺ = J_y δy + J_p δp + (J_y f⁻ + J_t - f⁺) δt.
#pragma once

#include <vector>

#include "nsmb/simulation/simultaneous_zeros.hpp"
#include "nsmb/simulation/variation_flow.hpp"
#include "nsmb/simulation/variation_jump.hpp"
#include "nsmb/simulation/variation_record.hpp"

namespace nsmb {

/// Follows a run from outside: the run is the same with and without it.
class Variation {
 public:
  Variation(const System& system, const TransitionOptions& options, const PhaseFactory& make_phase,
            std::vector<ParameterShift> shifts);
  Variation(const Variation&) = delete;
  Variation& operator=(const Variation&) = delete;

  Index parameters() const { return systems_.parameters(); }
  const VariationRecord& record() const { return record_; }

  void reset();
  /// Drop the parts so far; the last rate becomes the first.
  void forget() { record_.forget(n_); }
  /// Along the last step of `phase`, as it stands after a location.
  void step(const Phase& phase);
  /// An instant is about to be decided at (t, y), because `fired` vanished, the first one first.
  void before(double t, const ConstVectorRef& y, const Phase& phase,
              const std::vector<Indicator>& fired);
  /// Values of the inputs from now on, before the run begins.
  void set_inputs(const ConstVectorRef& values);
  /// Likewise at the instant that before() was told of: its time is given.
  void take_inputs(const ConstVectorRef& values);
  /// The equations from now on are those between these discontinuities.
  void set_span(const Discontinuity& from, const Discontinuity& to);
  /// Likewise, at the instant that before() was told of: its time is that of `from`.
  void cross_into(const Discontinuity& from, const Discontinuity& to);
  /// At that instant f vanished, or its time was given: an event of the user.
  void add_user_zero(double t, const ConstVectorRef& y, const TimedFunction& f) {
    zeros_.add(t, y, f_minus_, f);
  }
  void add_fixed_time() { zeros_.add_fixed_time(); }
  /// What was done to y before the contacts were decided: the derivative of `effect` at (t, y) by
  /// differences.
  void follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect) {
    jump_.follow_effect(t, y, effect, f_minus_);
  }
  /// That is not known.
  void doubt_effect(double t) { record_.note(t, VariationNote::Unknown, -1); }
  /// An event without effect: a part ends.
  void pass(double t, const ConstVectorRef& y, const Phase& phase,
            const std::vector<TimedFunction>& functions);
  /// It has been decided, or the run begins. `y` as it was before the instant.
  void behind(double t, const ConstVectorRef& y, const Transition& transition,
              const ElementModes& modes, const ContactFeatures& features,
              const ConstVectorRef& y_plus);
  /// A part ends at the present (t, y).
  void end_part(double t, const ConstVectorRef& y, bool is_event);
  /// A part ends at an instant that could not be decided: its derivative is not known.
  void abandon(double t);
  /// A part ends where a function of the system threw; the run may go on from there.
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
  Matrix Y_before_;          // (ny, ny) where the instant began that is decided
  Matrix total_;             // (ny, ny) up to there, times some number
  Vector dt_;                // (ny + np) of the last event
  Vector f_minus_, f_plus_;  // ẏ before and behind it
  Vector difference_;
  Matrix next_;
  std::vector<Index> rows_;
  Index lost_ = 0;  // directions of motion, in the present part
};

}  // namespace nsmb
