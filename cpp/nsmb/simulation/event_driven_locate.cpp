// Where the first event of a step is.
#include <algorithm>

#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

namespace {

// Parts of a step: indicators that cross closer together than this need no second look.
constexpr double kBeside = 1e-9;

}  // namespace

// The root of a polynomial is where it is to the accuracy of the polynomial, and the location moves
// on to that of the motion. What crosses zero on this way comes first; what crosses together with
// the first one, to the same accuracy, still does so there.
StepStatus EventDriven::locate_event(double s_event, std::size_t first) {
  const std::vector<Indicator>& indicators = transition_.indicators();
  const Integrator& integrator = phase_->integrator();
  const double t_old = integrator.t_old(), h = integrator.t() - t_old;
  for (std::size_t pass = 0;; ++pass) {
    collect_triggers(s_event, first);
    const StepStatus status = phase_->locate(indicators[first], s_event);
    const double reached = phase_->duration() / h;
    if (status != StepStatus::Ok || phase_->is_linear() || pass >= indicators.size() ||
        reached <= s_event + kBeside) {
      return status;
    }
    // Slip in a plane that comes to rest does so a little behind where it was found, perhaps behind
    // the end of the step, of which the polynomials say nothing.
    double before = std::min(reached - kBeside, 1.0);
    std::size_t other = first;
    for (std::size_t k = 0; k < indicators.size(); ++k) {
      if (k == first) continue;
      const double crossing = crossing_of(k, before);
      if (crossing <= s_event + kTogether || crossing >= before) continue;
      before = crossing;
      other = k;
    }
    if (other == first) return status;
    crossings_[first] = reached;
    crossings_[other] = s_event = before;
    first = other;
  }
}

}  // namespace nsmb
