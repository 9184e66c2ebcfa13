#include "nsmb/stepping/switch_search.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

SwitchSearch::SwitchSearch(Mechanics& mechanics)
    : mechanics_(mechanics), scale_(Vector::Zero(mechanics.system().ne())) {
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

bool SwitchSearch::finds(const RunState& from, const RunState& end) {
  update(from, end);
  scale_ = mechanics_.elements.switch_value;
  bool found = false;
  for (Index e = 0; e < scale_.size(); ++e) found = found || (has_force(e) && scale_(e) < 0.0);
  if (!found) return false;
  update(from, from);
  scale_ = scale_.cwiseAbs() + mechanics_.elements.switch_value.cwiseAbs();
  return true;
}

double SwitchSearch::beyond(const RunState& from, const RunState& end) {
  update(from, end);
  double most = -kInfinity;
  for (Index e = 0; e < scale_.size(); ++e) {
    if (!has_force(e) || !(scale_(e) > 0.0)) continue;
    most = std::max(most, -mechanics_.elements.switch_value(e) / scale_(e));
  }
  return most;
}

double SwitchSearch::depth(const RunState& from, const RunState& end) {
  update(from, end);
  double deepest = 0.0;
  for (Index e = 0; e < scale_.size(); ++e) {
    if (!has_force(e) || from.modes[at(e)] != ElementMode::Open) continue;
    deepest = std::max(deepest, -mechanics_.elements.kinematics.gamma(e));
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
