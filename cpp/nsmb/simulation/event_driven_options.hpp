// How an event-driven run is computed.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

struct EventDrivenOptions {
  /// "auto": the closed-form flow for a linear system, "dp853" for any other. By name:
  /// "linear_flow", or a method of make_integrator().
  std::string integrator = "auto";
  double rtol = 1e-8;
  Vector atol;  // (ny); empty: rtol times the largest value each component has had
  double max_step = std::numeric_limits<double>::infinity();
  TransitionOptions transition;
  double start_tolerance = 1e-9;         // m: a start that penetrates deeper is refused
  long max_events = 10'000'000;          // altogether
  long max_events_per_instant = 10'000;  // without t moving on
  bool dense_output = true;              // keep every step as a polynomial
  bool step_log = false;                 // and what the integrator did in it
  double max_memory = 2e9;               // bytes that samples, events and steps may take
  /// Parts of a system that nothing joins move by themselves; without value: where they are many.
  std::optional<bool> divide;
};

/// Throws std::invalid_argument for options out of range; returns them.
const EventDrivenOptions& check_options(const EventDrivenOptions& options, const System& system);

/// Of the method that the options name.
std::unique_ptr<Phase> make_phase(const System& system, const EventDrivenOptions& options);

}  // namespace nsmb
