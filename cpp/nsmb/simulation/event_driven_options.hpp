// Options of an event-driven run.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

struct EventDrivenOptions {
  /// The integration method: "linear_flow", a method of make_integrator(), or "auto". "auto" takes
  /// the closed-form flow for a linear system and "dp853" for any other.
  std::string integrator = "auto";
  double rtol = 1e-8;
  Vector atol;  // (ny); empty: rtol times the largest value of each component so far
  double max_step = std::numeric_limits<double>::infinity();
  TransitionOptions transition;
  double start_tolerance = 1e-9;         // m: a start that penetrates deeper is rejected
  long max_events = 10'000'000;          // in total
  long max_events_per_instant = 10'000;  // while t does not advance
  bool dense_output = true;              // keep every step as a polynomial
  bool step_log = false;                 // and a log of the integrator's work in it
  double max_memory = 2e9;               // limit for samples, events and steps, bytes
  /// Divide the system into its unconnected parts; without value: if there are many.
  std::optional<bool> divide;
};

/// Return the options. Throws std::invalid_argument if one is out of range.
const EventDrivenOptions& check_options(const EventDrivenOptions& options, const System& system);

/// Create a phase with the method that the options name.
std::unique_ptr<Phase> make_phase(const System& system, const EventDrivenOptions& options);

}  // namespace nsmb
