#include "nsmb/simulation/run.hpp"

#include <algorithm>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/core/no_value.hpp"

namespace nsmb {

namespace {

// Samples of one step from which on their memory is checked before they are made.
constexpr long kManySamples = 1000;

}  // namespace

void SimulationStatistics::add(const SimulationStatistics& other) {
  integrator.steps += other.integrator.steps;
  integrator.rejected += other.integrator.rejected;
  integrator.rhs_evaluations += other.integrator.rhs_evaluations;
  integrator.jacobian_evaluations += other.integrator.jacobian_evaluations;
  integrator.restarts += other.integrator.restarts;
  counts.largest_residual = std::max(counts.largest_residual, other.counts.largest_residual);
  counts.contact_problems += other.counts.contact_problems;
  counts.dependent_impacts += other.counts.dependent_impacts;
  counts.dependent_contacts += other.counts.dependent_contacts;
  counts.ambiguous_accelerations += other.counts.ambiguous_accelerations;
  counts.nonunique_problems += other.counts.nonunique_problems;
  counts.impacts_without_collision += other.counts.impacts_without_collision;
  counts.energy_gains += other.counts.energy_gains;
  counts.largest_gain = std::max(counts.largest_gain, other.counts.largest_gain);
  rest_loss += other.rest_loss;
  rests += other.rests;
  solver_iterations += other.solver_iterations;
  missed_steps += other.missed_steps;
  locked_steps += other.locked_steps;
  coarse_steps += other.coarse_steps;
  asleep = other.asleep;
  steps_asleep += other.steps_asleep;
}

Run::Run(const System& system, const RunLimits& limits)
    : system_(system),
      limits_(limits),
      state_(system),
      trajectory_(row_sizes(system)),
      counts_(limits.rest_velocity) {}

void Run::check_state(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x) const {
  check_finite("t", t);
  check_size("q", q, system_.nq());
  check_size("u", u, system_.nu());
  check_finite("q", q);
  check_finite("u", u);
  if (x.size() != system_.nx()) check_size("x", x, system_.nx_own());
  check_finite("x", x);
}

void Run::resume(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const DiscreteState& discrete) {
  check_state(t, q, u, x);
  check_size("x", x, system_.nx());
  const auto fits = [](std::size_t size, Index n) { return size == static_cast<std::size_t>(n); };
  if (!fits(discrete.states.size(), system_.nc()) || !fits(discrete.modes.size(), system_.ne()) ||
      (!discrete.slots.empty() && !fits(discrete.slots.size(), system_.nc()))) {
    reject("standing", "one entry per contact and force element of the system",
           std::to_string(discrete.states.size()) + " contact states, " +
               std::to_string(discrete.slots.size()) + " contact points and " +
               std::to_string(discrete.modes.size()) + " modes of elements");
  }
  resume_at(t, q, u, x, discrete);
}

void Run::check_takes_over(const Run& before) const {
  const System& a = system_;
  const System& b = before.system_;
  const bool same = a.nq() == b.nq() && a.nu() == b.nu() && a.nx() == b.nx() && a.nc() == b.nc() &&
                    a.nt() == b.nt() && a.ne() == b.ne() && a.nb() == b.nb() && a.ni() == b.ni() &&
                    !a.feature_search() == !b.feature_search();
  if (!same) reject("take_over", "a system of the same shape", "a system of another shape");
  if (!before.is_reset() || is_final(before.status_)) {
    reject("take_over", "a run that can be continued",
           "a run that ended with " + std::string(to_text(before.status_)));
  }
}

void Run::clear(double t) {
  state_.t = t_start_ = t;
  std::fill(state_.states.begin(), state_.states.end(), ContactState::Open);
  trajectory_.clear();
  output_.restart(t);
  counts_.restart(t);
  status_ = SimulationStatus::Ready;
  message_.clear();
}

std::string Run::at_present() const { return "t = " + to_text(state_.t) + " s: "; }

SimulationStatus Run::make_room() {
  if (trajectory_.is_full(rows_to_come()) && !pass_on()) return interrupt();
  return kept_bytes() <= limits_.max_memory ? SimulationStatus::Finished : fail_memory();
}

SimulationStatus Run::fail_memory() {
  message_ = at_present() +
             "the record of the run exceeds max_memory = " + to_text(limits_.max_memory) +
             " bytes. Use a longer output_step, dense_output=False, a larger max_memory, or "
             "record=nsmb.to_hdf5(path).";
  return SimulationStatus::MemoryLimit;
}

SimulationStatus Run::check_samples(double t) {
  const double samples = output_.count_to(t);
  if (trajectory_.passes() || samples < static_cast<double>(kManySamples))
    return SimulationStatus::Finished;
  const double bytes = samples * static_cast<double>(trajectory_.samples.row_bytes());
  return kept_bytes() + bytes <= limits_.max_memory ? SimulationStatus::Finished : fail_memory();
}

SimulationStatus Run::advance(double t_end, bool one_event, const Monitor& monitor) {
  check_finite("t_end", t_end);
  if (t_end < state_.t) reject("t_end", "a time >= t = " + to_text(state_.t), to_text(t_end));
  if (has_begun() && is_final(status_)) {
    reject("advance", "a run that can be continued",
           "a run that ended with " + std::string(to_text(status_)) +
               ". Call reset() to start again.");
  }
  message_.clear();
  output_.aim_at(t_end);
  try {
    status_ = go(t_end, one_event, monitor);
  } catch (const NoValue& error) {
    if (is_at_start()) {
      give_up(error.what());
      throw std::invalid_argument(error.what());
    }
    status_ = SimulationStatus::IntegrationFailure;
    message_ = at_present() + error.what();
  } catch (const std::domain_error& error) {
    // The motion has led to a state where the system has no value. This is no misuse.
    status_ = SimulationStatus::IntegrationFailure;
    message_ = at_present() + error.what();
  } catch (const std::exception& error) {
    give_up(error.what());
    throw;
  }
  if (status_ == SimulationStatus::IntegrationFailure) lose_phase();
  try {
    complete_samples();
  } catch (const std::domain_error&) {
    // The system has no value where the run stopped, either.
  }
  end();
  return status_;
}

void Run::give_up(std::string_view why) {
  status_ = SimulationStatus::SystemError;
  lose_phase();  // the integrator may be beyond t
  message_ = at_present() + std::string(why);
  break_off();
}

SimulationStatus Run::interrupt() {
  message_ = at_present() + "interrupted";
  return status_ = SimulationStatus::Interrupted;
}

}  // namespace nsmb
