// What comes from outside: times at which the equations jump, inputs that are set, and functions of
// the user that say something else than they did when the run was last left.
#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

EventDriven::Outside::Outside(const System& system)
    : inputs(system.given_inputs()), next_inputs(inputs), rate(system.ny()), held(system) {}

void EventDriven::set_inputs(const ConstVectorRef& values) {
  check_size("inputs", values, system_.ni());
  check_finite("inputs", values);
  outside_.next_inputs = values;
}

// True: they are others than so far.
bool EventDriven::apply_inputs() {
  if (outside_.next_inputs == outside_.inputs) return false;
  outside_.inputs = outside_.next_inputs;
  if (phase_) phase_->set_inputs(outside_.inputs);
  transition_.mechanics().set_inputs(outside_.inputs);
  if (begun_) {
    outside_.takes_inputs = true;
    transition_.begin_anew();
  } else if (variation_) {
    variation_->set_inputs(outside_.inputs);
  }
  return true;
}

// The inputs of a run that begins where `check` admits it; what it throws leaves all as it was.
void EventDriven::begin_with(const Vector& inputs, const std::function<void()>& check) {
  transition_.mechanics().set_inputs(inputs);
  try {
    check();
  } catch (...) {
    transition_.mechanics().set_inputs(outside_.inputs);
    throw;
  }
  begun_ = false;
  outside_.next_inputs = inputs;
  apply_inputs();
}

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
  const std::size_t events_before = trajectory_.events.t.size();
  const SimulationStatus status = enter_next_span();
  if (status != SimulationStatus::Finished) return status;
  record_sample(t_, y_);
  event = trajectory_.events.t.size() > events_before;
  return status;
}

// Integrators go on with slopes they have taken before: what these were, for inputs_changed().
void EventDriven::remember_inputs() {
  const bool went = status_ == SimulationStatus::Finished || status_ == SimulationStatus::Ready ||
                    status_ == SimulationStatus::Stopped ||
                    status_ == SimulationStatus::Interrupted;
  outside_.holds = system_.has_inputs() && begun_ && phase_valid_ && went;
  if (!outside_.holds) return;
  outside_.held_rate.resize(system_.ny());
  phase_->rate(t_, y_, outside_.held_rate);
  phase_->observe(t_, y_, outside_.held);
}

bool EventDriven::inputs_changed() {
  if (!outside_.holds) return false;
  phase_->rate(t_, y_, outside_.rate);
  phase_->observe(t_, y_, observation_);
  const bool same = outside_.rate == outside_.held_rate &&
                    observation_.contacts == outside_.held.contacts &&
                    observation_.gamma_T == outside_.held.gamma_T &&
                    observation_.element_gamma == outside_.held.element_gamma;
  if (!same) transition_.begin_anew();
  return !same;
}

}  // namespace nsmb
