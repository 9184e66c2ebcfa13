#include "nsmb/stepping/switch_search.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

SwitchSearch::SwitchSearch(Mechanics& mechanics, double resolution)
    : mechanics_(mechanics),
      resolution_(resolution),
      middle_(mechanics.system()),
      rates_(mechanics.nq()),
      scale_(Vector::Zero(mechanics.system().ne())) {
  for (Index e = 0; e < mechanics.system().ne(); ++e) exists_ = exists_ || has_force(e);
}

bool SwitchSearch::has_force(Index e) const {
  return mechanics_.system().elements()[at(e)].law != ElementLaw::Watched;
}

// Evaluate the elements in the modes of `from`. The walls of open elements are where they return to
// by themselves, (3.20), as the end of a step has them at their masses already.
void SwitchSearch::update(const RunState& from, const RunState& there) {
  const System& system = mechanics_.system();
  y_ = there.y;
  for (Index e = 0; e < system.ne(); ++e) {
    if (system.wall(e) < 0 || from.modes[at(e)] != ElementMode::Open) continue;
    const ForceElementDescription& law = system.elements()[at(e)];
    const Index wall = system.nq() + system.nu() + system.wall(e);
    y_(wall) = from.y(wall) * std::exp(-law.c / law.d * (there.t - from.t));
  }
  const ElementModes modes = mechanics_.elements.modes;
  mechanics_.elements.modes = from.modes;
  mechanics_.update_elements(there.t, y_);
  mechanics_.elements.modes = modes;
}

// Return the switching function as a length in m.
double SwitchSearch::length(Index e, ElementMode mode) const {
  const ForceElementDescription& element = mechanics_.system().elements()[at(e)];
  const double value = mechanics_.elements.switch_value(e);
  const bool is_force = element.law == ElementLaw::Clipped ||
                        (element.law == ElementLaw::RelaxingWall && mode == ElementMode::Closed);
  return is_force ? value / element.c : value;
}

// The middle of the step, where its forces act: an element that has let go before and set in again
// afterwards is in its mode at both ends.
const RunState& SwitchSearch::middle(const RunState& from, const RunState& end) {
  const Index nq = mechanics_.nq();
  middle_.t = 0.5 * (from.t + end.t);
  middle_.y = from.y;
  mechanics_.coordinate_rates(from.t, from.y.head(nq), from.y.segment(nq, mechanics_.nu()), rates_);
  middle_.y.head(nq) += 0.5 * (end.t - from.t) * rates_;
  return middle_;
}

bool SwitchSearch::finds(const RunState& from, const RunState& end) {
  scale_.setZero();
  bool found = false;
  for (const RunState* place : {&middle(from, end), &end}) {
    update(from, *place);
    for (Index e = 0; e < scale_.size(); ++e) {
      if (!has_force(e) || !(length(e, from.modes[at(e)]) < -resolution_)) continue;
      scale_(e) = std::max(scale_(e), -mechanics_.elements.switch_value(e));
      found = true;
    }
  }
  if (!found) return false;
  update(from, from);
  found = false;
  for (Index e = 0; e < scale_.size(); ++e) {
    const double before = mechanics_.elements.switch_value(e);
    // What was beyond already, by more than a step that ends at a switch leaves, does not switch in
    // this step.
    if (before < -stepping::kBeyondBefore * scale_(e)) scale_(e) = 0.0;
    if (scale_(e) > 0.0) scale_(e) += before;
    found = found || scale_(e) > 0.0;
  }
  return found;
}

double SwitchSearch::beyond(const RunState& from, const RunState& end) {
  double most = -kInfinity;
  for (const RunState* place : {&middle(from, end), &end}) {
    update(from, *place);
    for (Index e = 0; e < scale_.size(); ++e) {
      if (!(scale_(e) > 0.0)) continue;
      most = std::max(most, -mechanics_.elements.switch_value(e) / scale_(e));
    }
  }
  return most;
}

double SwitchSearch::depth(const RunState& from, const RunState& end) {
  update(from, end);
  double deepest = 0.0;
  for (Index e = 0; e < scale_.size(); ++e) {
    if (!has_force(e) || from.modes[at(e)] != ElementMode::Open) continue;
    deepest = std::max(deepest, -length(e, ElementMode::Open));
  }
  return deepest;
}

double SwitchSearch::between(double near, double near_value, double far, double far_value) {
  const double middle = 0.5 * (near + far);
  const double line = near + (far - near) * near_value / (near_value - far_value);
  // The line through both is of no use near its ends.
  const double margin = 0.05 * (far - near);
  return line > near + margin && line < far - margin ? line : middle;
}

}  // namespace nsmb
