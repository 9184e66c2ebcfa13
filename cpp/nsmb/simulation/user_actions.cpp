#include "nsmb/simulation/user_actions.hpp"

#include <algorithm>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

bool is_known(EffectResult result) {
  return result != EffectResult::Pause && result != EffectResult::Unknown;
}

Halt halt_of(const UserEvent& event, EffectResult result) {
  if (event.terminal || result == EffectResult::Stop) return Halt::End;
  return result == EffectResult::Pause ? Halt::Pause : Halt::None;
}

}  // namespace

void UserActions::reset(double t) {
  events_.reset(t);
  rows_.clear();
  halt_ = Halt::None;
}

EffectResult UserActions::act(const UserEvent& event, EventInstant& instant) {
  if (!event.effect) return EffectResult::Changed;
  const Vector u = instant.u;
  const EffectResult result = event.effect(instant);
  if (system_.nb() > 0 && instant.u != u) held_ = hold_constraints(instant) || held_;
  return result;
}

// Restore the bilateral constraints after an effect, by impulses with M (u⁺ - u) = W_B Λ_B
// and W_Bᵀ u⁺ + w̃_B = 0. Return true if the velocities have changed.
bool UserActions::hold_constraints(EventInstant& instant) {
  Vector y(system_.ny());
  y << instant.q, instant.u, instant.x;
  mechanics_.project_velocities(instant.t, y);
  const auto held = y.segment(system_.nq(), system_.nu());
  const double change = (held - instant.u).cwiseAbs().maxCoeff();
  if (change <= resolutions::kOnConstraints * (1.0 + instant.u.cwiseAbs().maxCoeff())) return false;
  instant.u = held;
  return true;
}

void UserActions::apply(const RunState& state, RunState& next) {
  rows_.clear();
  known_ = true;
  held_ = false;
  if (have_fired()) {
    const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
    EventInstant instant{state.t,         next.y.head(nq), next.y.segment(nq, nu),
                         next.y.tail(nx), state.states,    state.modes};
    for (const std::size_t k : events_.fired()) {
      const Vector u = instant.u;
      const ElementModes modes = instant.modes;
      const EffectResult result = act(events_[k], instant);
      known_ = known_ && is_known(result);
      halt_ = std::max(halt_, halt_of(events_[k], result));
      TransitionEvent& row = rows_.emplace_back(system_);
      row.kind = EventKind::User;
      row.user = static_cast<std::int32_t>(k);
      row.state_minus = row.state_plus = state.states;
      row.u_minus = u;
      row.u_plus = instant.u;
      for (std::size_t e = 0; e < modes.size(); ++e) row.elements[e] = modes[e] != instant.modes[e];
    }
    next.y.segment(nq, nu) = instant.u;
    next.y.tail(nx) = instant.x;
    next.modes = instant.modes;
  }
  y_ = next.y;
}

void UserActions::follow(const RunState& state, Variation& variation) {
  for (const std::size_t k : events_.fired()) {
    if (!events_[k].function) {
      variation.add_fixed_time();
      continue;
    }
    variation.add_user_zero(state.t, state.y, [&](double t, const ConstVectorRef& y) {
      return events_.value(k, t, y);
    });
  }
  if (!have_fired()) return;
  // The impulses of constraints are not differentiated with respect to parameters.
  const bool known = known_ && !(held_ && variation.parameters() > 0);
  if (!known) return variation.doubt_effect(state.t);
  const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
  variation.follow_effect(state.t, state.y,
                          [&](double t, const ConstVectorRef& y, VectorRef after) {
                            EventInstant instant{t,          y.head(nq),   y.segment(nq, nu),
                                                 y.tail(nx), state.states, state.modes};
                            for (const std::size_t k : events_.fired()) act(events_[k], instant);
                            after << instant.q, instant.u, instant.x;
                          });
}

std::vector<TimedFunction> UserActions::functions() {
  std::vector<TimedFunction> functions;
  for (const std::size_t k : events_.fired()) {
    if (!events_[k].function) continue;
    functions.emplace_back(
        [this, k](double t, const ConstVectorRef& y) { return events_.value(k, t, y); });
  }
  return functions;
}

}  // namespace nsmb
