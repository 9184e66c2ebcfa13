#include "nsmb/simulation/smooth_phase.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/system/step_limits.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Halvings of a step to resolve the contacts, down to a millionth.
constexpr int kMaxHalvings = 20;
// Halvings before rounding is measured.
constexpr int kPatience = 3;

}  // namespace

SmoothPhase::SmoothPhase(const System& system, std::string_view method,
                         const IntegratorOptions& options, const TransitionOptions& transition)
    : tolerance_(system, options.rtol, options.atol),
      motion_(system, transition, options.rtol, tolerance_.atol()),
      step_(motion_, method, options),
      samples_(motion_, step_, tolerance_.atol()),
      resolution_(motion_, step_, samples_, tolerance_.atol()),
      series_(motion_, step_, samples_, resolution_),
      locator_(motion_, step_, samples_),
      stall_(system.ny(), options.rtol),
      seen_(system) {
  reset();
}

void SmoothPhase::reset() {
  motion_.reset();
  tolerance_.reset();
  stall_.reset();
  step_.reset(tolerance_.atol());
}

void SmoothPhase::freeze(const FrozenRoles& roles, const ElementModes& modes) {
  motion_.freeze(roles, modes);
  resolution_.freeze();
}

// Take over the directions of slip in a plane that the motion has kept.
void SmoothPhase::adopt(const Phase& other) {
  motion_.adopt(dynamic_cast<const SmoothPhase&>(other).motion_);
}

void SmoothPhase::measure_scale(double t, const ConstVectorRef& y) {
  if (tolerance_.measure(motion_, t, y)) step_.set_atol(tolerance_.atol());
}

void SmoothPhase::enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                        VectorRef y) {
  motion_.enter(roles, modes, t, y);
  resolution_.freeze();
  measure_scale(t, y);
  motion_.begin(t, y);
  step_.begin(t, y);
}

StepStatus SmoothPhase::step(double t_stop) {
  motion_.begin_step(step_.t(), step_.y());
  // A phase that starts at rest must not keep the component sizes of rest.
  if (tolerance_.is_outgrown(step_.y())) measure_scale(step_.t(), step_.y());
  motion_.forget_trouble();
  const StepStatus status = resolve(step_within_limits(t_stop));
  if (status != StepStatus::Ok || !std::isinf(jump_)) return status;
  const long searches = stall_.searches();
  const bool stands = stall_.stands_still(motion_, step_.integrator(), tolerance_.scale());
  // Restore the mechanics at the end of the step.
  if (stall_.searches() != searches) motion_.observe(step_.t(), step_.y(), seen_);
  return stands ? StepStatus::StandsStill : StepStatus::Ok;
}

double SmoothPhase::longest_step() {
  const System& system = motion_.system();
  const Vector& y = step_.y();
  return system.step_limits()->longest_step(step_.t(), y.head(system.nq()),
                                            y.segment(system.nq(), system.nu()),
                                            motion_.mechanics().work());
}

// Limit the step by what is known at its start and at its end, so that it passes over nothing
// unseen.
StepStatus SmoothPhase::step_within_limits(double t_stop) {
  if (!motion_.system().step_limits()) return step_.advance(t_stop);
  const double t_old = step_.t();
  StepStatus status = step_.advance(std::min(t_stop, t_old + longest_step()));
  while (status == StepStatus::Ok && step_.t() - t_old > longest_step()) {
    status = step_.shorten_to(t_old + 0.5 * (step_.t() - t_old));
  }
  return status;
}

// Report what the samples of the last step resolve, after measuring rounding if `measure`. A
// function with values at the ends of the step but not on it counts as not seen.
SmoothPhase::Sight SmoothPhase::look(bool measure) {
  try {
    samples_.take();
    if (resolution_.is_resolved()) return Sight::Clear;
    if (!measure) return Sight::Unclear;
    resolution_.measure_rounding();
    if (resolution_.is_resolved()) return Sight::Clear;
    jump_ = resolution_.find_jump();
    return std::isinf(jump_) ? Sight::Unclear : Sight::Clear;
  } catch (const std::domain_error& error) {
    motion_.note_trouble(error.what());
    return Sight::None;
  }
}

// Halve the last step until the contacts are resolved on it, or a jump is found.
StepStatus SmoothPhase::resolve(StepStatus status) {
  jump_ = std::numeric_limits<double>::infinity();
  for (int halvings = 0; status == StepStatus::Ok; ++halvings) {
    if (motion_.roles().empty() && motion_.system().ne() == 0) break;
    const Sight sight = look(halvings == kPatience);
    if (sight == Sight::Clear) break;
    const bool seen = sight != Sight::None;
    if (halvings == kMaxHalvings) {
      if (!seen || motion_.lost_contact() >= 0) return StepStatus::RhsNotFinite;
      break;
    }
    const double t_old = step_.t_old();
    const double middle = t_old + 0.5 * (step_.t() - t_old);
    if (!(middle > t_old && middle < step_.t())) {
      if (!seen) return StepStatus::RhsNotFinite;
      break;
    }
    motion_.restore_features();
    status = step_.shorten_to(middle);
  }
  return status;
}

StepStatus SmoothPhase::look_closer(double s) {
  const double t_old = step_.t_old();
  motion_.restore_features();
  StepStatus status = resolve(step_.shorten_to(t_old + s * (step_.t() - t_old)));
  // A jump ends the step, and the next step starts at it.
  while (status == StepStatus::Ok && !std::isinf(jump_)) status = end_before_jump();
  return status;
}

bool SmoothPhase::moves_with_time(Index contact) const {
  return motion_.mechanics().contacts.w_tilde_N(contact) != 0.0;
}

double SmoothPhase::gap_change(Index contact) const {
  const auto gap = [&](Index node) { return samples_[node].contacts(contact, kGap); };
  return gap(StepSamples::kNodes) - gap(0);
}

StepStatus SmoothPhase::cut(double s) {
  const double t_old = step_.t_old();
  return step_.end_at(t_old + s * (step_.t() - t_old));
}

void SmoothPhase::expand(const std::vector<Indicator>& indicators, bool starts,
                         Matrix& coefficients) {
  starts_ = starts;
  series_.expand(indicators, starts, coefficients);
}

bool SmoothPhase::has_fallen(const Indicator& indicator) {
  if (motion_.slip().is_watched(indicator)) return false;  // never below zero
  motion_.observe(step_.t(), step_.y(), seen_);
  const double tolerance = is_gap(indicator) ? samples_.resolution(indicator.contact, false)
                                             : series_.touch_tolerance(indicator);
  return value(indicator, seen_) < -tolerance;
}

void SmoothPhase::mark_rest(std::vector<bool>& contacts) {
  if (!motion_.contact_rows().spatial) return;
  motion_.mechanics().update_contacts(step_.t(), step_.y());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (motion_.slip().is_slow(static_cast<Index>(c))) contacts[c] = true;
  }
}

void SmoothPhase::rest_speeds(double t, const ConstVectorRef& y, VectorRef speeds) {
  motion_.mechanics().update_contacts(t, y);
  for (Index i = 0; i < speeds.size(); ++i) {
    speeds(i) = motion_.contact_rows().dim(i) > 1 ? motion_.slip().resolution(i) : 0.0;
  }
}

// Return true if the frozen equations are nearly singular. Forces that grow beyond all bounds as
// the root of the remaining time shorten the steps before the singularity itself is seen.
bool SmoothPhase::jams() {
  if (motion_.roles().law_forces) return false;
  motion_.observe(step_.t(), step_.y(), seen_);
  return seen_.regularity < slip_in_a_plane::kJamming;
}

std::string SmoothPhase::name_of(Index component) const {
  const System& system = motion_.system();
  const Index nq = system.nq();
  const Index nu = system.nu();
  if (component < nq)
    return "q of '" + system.coordinates()[static_cast<std::size_t>(component)] + "'";
  if (component >= nq + nu) {
    return "x of '" + system.states()[static_cast<std::size_t>(component - nq - nu)] + "'";
  }
  const Index i = component - nq;
  if (nq != nu) return "velocity " + std::to_string(i);
  return "u of '" + system.coordinates()[static_cast<std::size_t>(i)] + "'";
}

// Name a cause that the integrator cannot know: the function without value, or the component that
// jumps or limits the steps.
std::string SmoothPhase::trouble(StepStatus status) const {
  if (std::string trouble = motion_.trouble(); !trouble.empty()) {
    if (!trouble.ends_with('.')) trouble += '.';
    return trouble + " The record of the run shows how this state is reached.";
  }
  const bool stands = status == StepStatus::StandsStill;
  if (stands && stall_.component() >= 0) {
    return "the motion stands still where the rate of " + name_of(stall_.component()) +
           " jumps from " + to_text(stall_.before()) + " to " + to_text(stall_.after()) +
           ". Model friction as a contact or a nsmb.Friction, not by the sign of a velocity. Model "
           "a force that switches as a force element.";
  }
  if (const std::string names = motion_.weak_constraints(); !names.empty()) {
    return "near a singular position: constraints " + names +
           " lose their independence, and rounding hides the further motion at this rtol";
  }
  const Index worst = step_.integrator().worst_component();
  if (!(stands || status == StepStatus::StepTooSmall) || worst < 0) return {};
  const std::string what = stands ? "the steps have become too short to make progress"
                                  : "the step size fell below the resolution of t";
  return what + ", limited by " + name_of(worst);
}

}  // namespace nsmb
