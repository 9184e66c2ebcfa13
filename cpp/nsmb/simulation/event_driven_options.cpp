#include "nsmb/simulation/event_driven_options.hpp"

#include <string_view>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/linear_phase.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

void check_integrator(std::string_view name) {
  std::string known = "auto, linear_flow, ";
  known += integrator_names();
  std::size_t begin = 0;
  while (begin < known.size()) {
    const std::size_t end = std::min(known.find(", ", begin), known.size());
    if (std::string_view(known).substr(begin, end - begin) == name) return;
    begin = end + 2;
  }
  std::string given = "'";
  given += name;
  reject("integrator", "one of " + known, given + "'");
}

}  // namespace

const EventDrivenOptions& check_options(const EventDrivenOptions& options, const System& system) {
  check_positive("rtol", options.rtol);
  check_range("rtol", options.rtol, 1e-15, 1.0);
  if (options.atol.size() > 0) {
    check_size("atol", options.atol, system.ny());
    check_positive("atol", options.atol.minCoeff());
  }
  if (!(options.max_step > 0.0)) reject("max_step", "a number > 0", to_text(options.max_step));
  check_positive("gap_tolerance", options.transition.gap_tolerance);
  check_positive("rest_velocity", options.transition.rest_velocity);
  check_positive("start_tolerance", options.start_tolerance);
  check_positive("max_events", static_cast<double>(options.max_events));
  check_positive("max_events_per_instant", static_cast<double>(options.max_events_per_instant));
  check_positive("max_memory", options.max_memory);
  return options;
}

std::unique_ptr<Phase> make_phase(const System& system, const EventDrivenOptions& options) {
  check_integrator(options.integrator);
  const LinearForm* form = system.linear_form();
  if (options.integrator == "linear_flow" && !form) {
    reject("integrator", "a numerical method such as 'dp853'",
           "'linear_flow' for a system without constant matrices");
  }
  if (form && (options.integrator == "auto" || options.integrator == "linear_flow")) {
    return std::make_unique<LinearPhase>(system, *form);
  }
  IntegratorOptions integrator;
  integrator.rtol = options.rtol;
  integrator.atol = options.atol;
  integrator.max_step = options.max_step;
  const std::string method = options.integrator == "auto" ? "dp853" : options.integrator;
  return std::make_unique<SmoothPhase>(system, method, integrator, options.transition);
}

}  // namespace nsmb
