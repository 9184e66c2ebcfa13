// What comes from outside: times at which the equations jump, and functions of the user that say
// something else than they did when the run was last left.
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

// A jump that was found on the way is a discontinuity from now on.
void EventDriven::expect_jump(double t) {
  next_ = Discontinuities({t}, {}).next(t_);
  next_.source = -1;
  t_stop_ = t;
  phase_->set_span(last_, next_);
  if (variation_) variation_->set_span(last_, next_);
}

// Over a discontinuity: the contacts are decided anew under the forces behind it.
SimulationStatus EventDriven::enter_next_span() {
  last_ = next_;
  next_ = system_.discontinuities().next(last_.t);
  triggers_.clear();
  fired_.clear();
  transition_.begin_anew();
  crosses_ = deciding_ = true;
  const SimulationStatus status = handle_instant(true);
  crosses_ = deciding_ = false;
  return status;
}

SimulationStatus EventDriven::cross(bool& event) {
  const std::size_t events_before = trajectory_.event_t.size();
  const SimulationStatus status = enter_next_span();
  if (status != SimulationStatus::Finished) return status;
  record_sample(t_, y_);
  event = trajectory_.event_t.size() > events_before;
  return status;
}

// Integrators go on with slopes they have taken before: what these were, for inputs_changed().
void EventDriven::remember_inputs() {
  const bool went = status_ == SimulationStatus::Finished || status_ == SimulationStatus::Ready ||
                    status_ == SimulationStatus::Stopped ||
                    status_ == SimulationStatus::Interrupted;
  holds_ = system_.has_inputs() && begun_ && phase_valid_ && went;
  if (!holds_) return;
  held_rate_.resize(system_.ny());
  phase_->rate(t_, y_, held_rate_);
  phase_->observe(t_, y_, held_);
}

bool EventDriven::inputs_changed() {
  if (!holds_) return false;
  phase_->rate(t_, y_, rate_);
  phase_->observe(t_, y_, observation_);
  const bool same = rate_ == held_rate_ && observation_.contacts == held_.contacts &&
                    observation_.gamma_T == held_.gamma_T &&
                    observation_.element_gamma == held_.element_gamma;
  if (!same) transition_.begin_anew();
  return !same;
}

}  // namespace nsmb
