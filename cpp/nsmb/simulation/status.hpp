// Statuses of a simulation, and kinds of events.
#pragma once

#include <cstdint>
#include <string_view>

namespace nsmb {

enum class SimulationStatus {
  Ready,               // not run yet, or stopped at an event with motion left
  Finished,            // t_end reached
  Stopped,             // an event of the user ended it
  NoContactSolution,   // the acceleration-level problem (6.35) has no solution
  NoImpactSolution,    // an impact problem (8.87), (8.97) or (7.11) has no solution
  EventLimit,          // too many events, at one instant or altogether
  MemoryLimit,         // the record of the run takes too much memory
  IntegrationFailure,  // the integrator could not continue
  Interrupted,         // stopped from outside
  SystemError,         // a function of the system threw
};

constexpr std::string_view to_text(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::Ready:
      return "ready";
    case SimulationStatus::Finished:
      return "finished";
    case SimulationStatus::Stopped:
      return "stopped";
    case SimulationStatus::NoContactSolution:
      return "no_contact_solution";
    case SimulationStatus::NoImpactSolution:
      return "no_impact_solution";
    case SimulationStatus::EventLimit:
      return "event_limit";
    case SimulationStatus::MemoryLimit:
      return "memory_limit";
    case SimulationStatus::IntegrationFailure:
      return "integration_failure";
    case SimulationStatus::Interrupted:
      return "interrupted";
    case SimulationStatus::SystemError:
      return "system_error";
  }
  return "?";
}

/// Return true if the contact state after this status is not known.
constexpr bool is_final(SimulationStatus status) {
  return status == SimulationStatus::NoContactSolution ||
         status == SimulationStatus::NoImpactSolution || status == SimulationStatus::EventLimit;
}

enum class EventKind : std::int8_t { Impact, Touch, Detach, Stick, Slip, Reversal, Switch, User };

}  // namespace nsmb
