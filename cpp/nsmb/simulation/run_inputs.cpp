#include "nsmb/simulation/run_inputs.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

RunInputs::RunInputs(const System& system)
    : values_(system.given_inputs()),
      next_(values_),
      held_rate_(system.ny()),
      rate_(system.ny()),
      held_(system),
      here_(system) {}

void RunInputs::set(const System& system, const ConstVectorRef& values) {
  check_size("inputs", values, system.ni());
  check_finite("inputs", values);
  next_ = values;
}

void RunInputs::hold(Phase& phase, const RunState& state) {
  holds_ = true;
  phase.rate(state.t, state.y, held_rate_);
  phase.observe(state.t, state.y, held_);
}

bool RunInputs::have_changed(Phase& phase, const RunState& state) {
  if (!holds_) return false;
  phase.rate(state.t, state.y, rate_);
  phase.observe(state.t, state.y, here_);
  const bool same = rate_ == held_rate_ && here_.contacts == held_.contacts &&
                    here_.gamma_T == held_.gamma_T && here_.element_gamma == held_.element_gamma;
  return !same;
}

}  // namespace nsmb
