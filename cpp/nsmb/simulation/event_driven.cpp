#include "nsmb/simulation/event_driven.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// Smallest numbers of parts: by default, from where a run in parts costs less, and on request.
constexpr std::size_t kMany = 4, kFew = 2;

std::vector<SystemPart> parts_of(const System& system, const EventDrivenOptions& options) {
  // Parameters chosen from the results of compression depend on all contacts at once.
  if (!options.divide.value_or(true) || options.transition.expansion) return {};
  // The end of slip in a plane depends on the steps, and these must not depend on other parts.
  const Division* division = system.division();
  if (!division || system.rows().spatial || system.calls_user()) return {};
  return division->split(options.divide ? kFew : kMany);
}

}  // namespace

EventDriven::EventDriven(const System& system, const EventDrivenOptions& options)
    : Simulation(system),
      options_(options),
      roots_(std::make_shared<RootFinder>(std::max(LinearFlow::kOrder, SmoothPhase::kMaxDegree))) {
  check_options(options_, system_);
  std::vector<SystemPart> parts = parts_of(system_, options_);
  if (parts.empty()) {
    unite();
    return;
  }
  auto run = std::make_unique<PartedRun>(system_, options_, std::move(parts), roots_);
  parted_ = run.get();
  run_ = std::move(run);
}

// Replace the run by one of the whole system, from the same start.
void EventDriven::unite() {
  if (single_) return;
  auto run = std::make_unique<SingleRun>(system_, options_, roots_);
  const std::unique_ptr<Run> before = std::move(run_);
  single_ = run.get();
  parted_ = nullptr;
  run_ = std::move(run);
  if (!before) return;
  run_->output() = before->output();
  run_->record(before->passing());
  if (!before->is_reset()) return;
  const Vector& y = before->state().y;
  reset(before->t_start(), y.head(system_.nq()), y.segment(system_.nq(), system_.nu()),
        y.tail(system_.nx()));
}

void EventDriven::set_inputs(const ConstVectorRef& values) {
  if (single_) return single_->set_inputs(values);
  check_size("inputs", values, system_.ni());
}

void EventDriven::take_over(Simulation& before) {
  const auto* other = dynamic_cast<EventDriven*>(&before);
  if (!other) reject("take_over", "a run of the same method", "a run of another method");
  if (!single_ || !other->single_) {
    reject("take_over", "a run of the whole system (divide=False)", "a run in parts");
  }
  single_->take_over(*other->single_);
}

// A new phase starts there, and contacts keep their states.
void EventDriven::begin_as(Simulation& other) {
  check_goes_on(other);
  auto* from = dynamic_cast<EventDriven*>(&other);
  if (!from) reject("copy", "a run of the same method", "a run of another method");
  const Index nq = system_.nq(), nu = system_.nu();
  const Vector y = other.y();
  if (from->run_->has_begun()) {
    resume(other.t(), y.head(nq), y.segment(nq, nu), y.tail(system_.nx()), other.discrete_state());
  } else {
    reset(other.t(), y.head(nq), y.segment(nq, nu), y.tail(system_.nx()));
  }
  if (system_.ni() > 0) set_inputs(other.inputs());
  run_->output() = from->run_->output();
  if (single_ && single_->user_events())
    single_->user_events()->go_on(*from->single_->user_events());
}

void EventDriven::follow_derivative(std::vector<ParameterShift> shifts) {
  check_not_begun("follow_derivative");
  check_shifts(system_, shifts);
  unite();
  single_->follow_derivative(std::move(shifts));
}

void EventDriven::watch(std::vector<UserEvent> events) {
  check_not_begun("watch");
  if (!events.empty()) unite();  // functions may depend on everything
  if (single_) single_->watch(std::move(events));
}

std::vector<std::int32_t> EventDriven::parts_of_y() const {
  return parted_ ? parted_->parts_of_y() : std::vector<std::int32_t>();
}

std::vector<std::int32_t> EventDriven::parts_of_contacts() const {
  return parted_ ? parted_->parts_of_contacts() : std::vector<std::int32_t>();
}

}  // namespace nsmb
