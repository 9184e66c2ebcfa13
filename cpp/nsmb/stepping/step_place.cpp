#include "nsmb/stepping/step_place.hpp"

#include <algorithm>

#include "nsmb/simulation/element_forces.hpp"

namespace nsmb {

namespace {

// Modes that depend on one another settle in turn.
constexpr int kPlaceTurns = 4;

}  // namespace

StepPlace::StepPlace(Mechanics& mechanics, double gap_tolerance)
    : mechanics_(mechanics), gap_tolerance_(gap_tolerance) {}

void StepPlace::settle_modes(double t, VectorRef y, ElementModes& modes) const {
  const System& system = mechanics_.system();
  if (system.ne() == 0) return;
  ElementForces& elements = mechanics_.elements;
  elements.modes = modes;
  const Index first = system.nq() + system.nu();
  for (int turn = 0; turn < kPlaceTurns; ++turn) {
    mechanics_.update_elements(t, y);
    bool changed = false;
    for (Index e = 0; e < system.ne(); ++e) {
      const ForceElementDescription& element = system.elements()[static_cast<std::size_t>(e)];
      if (!(elements.switch_value(e) < -element.resolution)) continue;
      ElementMode& mode = elements.modes[static_cast<std::size_t>(e)];
      mode = mode == ElementMode::Open ? ElementMode::Closed : ElementMode::Open;
      if (element.law == ElementLaw::Watched) {
        y(first + element.state) = mode == ElementMode::Closed ? 1.0 : 0.0;
      }
      changed = true;
    }
    if (!changed) break;
  }
  mechanics_.update_elements(t, y);
  modes = elements.modes;
}

void StepPlace::look(double t, const ConstVectorRef& y, RunState& state) {
  mechanics_.restrict_to(&none_);
  mechanics_.contacts.features = state.features;
  if (mechanics_.system().feature_search()) {
    mechanics_.find_touches(t, y, state.states, gap_tolerance_);
  } else {
    mechanics_.update_contacts(t, y);
  }
  state.features = mechanics_.contacts.features;
  list(gap_tolerance_);
}

void StepPlace::list(double within) {
  closed_.clear();
  touching_.clear();
  const ContactKinematics& contacts = mechanics_.contacts;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.rows().is_unilateral(i)) {
      closed_.push_back(i);
      continue;
    }
    if (!contacts.is_valid(i) || !(contacts.g_N(i) <= within)) continue;
    closed_.push_back(i);
    touching_.push_back(i);
  }
}

void StepPlace::take(const std::vector<Index>& closed) {
  closed_ = closed;
  touching_.clear();
  for (const Index i : closed_) {
    if (mechanics_.rows().is_unilateral(i)) touching_.push_back(i);
  }
}

void StepPlace::add(const std::vector<Index>& more) {
  if (more.empty()) return;
  std::vector<Index>* const both[] = {&closed_, &touching_};
  for (std::vector<Index>* list : both) {
    list->insert(list->end(), more.begin(), more.end());
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

double StepPlace::passed(const RunState& end) const {
  mechanics_.contacts.features = end.features;
  mechanics_.update_gaps(end.t, end.y);
  const ContactKinematics& contacts = mechanics_.contacts;
  double deepest = 0.0;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.rows().is_unilateral(i) || !contacts.is_valid(i)) continue;
    if (!(contacts.g_N(i) < -deepest)) continue;
    if (!std::binary_search(closed_.begin(), closed_.end(), i)) deepest = -contacts.g_N(i);
  }
  return deepest;
}

void place_walls(Mechanics& mechanics, double t, const ElementModes& modes, VectorRef y) {
  const System& system = mechanics.system();
  if (system.nx() == system.nx_own()) return;
  mechanics.update_elements(t, y);
  for (Index e = 0; e < system.ne(); ++e) {
    const bool closed = modes[static_cast<std::size_t>(e)] == ElementMode::Closed;
    if (system.wall(e) < 0 || !closed) continue;
    y(system.nq() + system.nu() + system.wall(e)) = mechanics.elements.kinematics.gamma(e);
  }
}

void move_coordinates(Mechanics& mechanics, double t, double h, const ConstVectorRef& u,
                      VectorRef q, Vector& scratch) {
  scratch.resize(q.size());
  if (!mechanics.system().coordinate_map()) {
    q += h * u;
    return;
  }
  mechanics.coordinate_rates(t, q, u, scratch);
  const Vector middle = q + 0.5 * h * scratch;
  mechanics.coordinate_rates(t, middle, u, scratch);
  q += h * scratch;
  mechanics.system().normalise(q);
}

}  // namespace nsmb
