#include "nsmb/simulation/run_start.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

std::string RunStart::at(Index i, const char* state) const {
  return std::string(" at ") + state + "contact '" +
         system_.contacts()[static_cast<std::size_t>(i)].name + "'";
}

// Update the kinematics for given states. `slots` are the contact points that are known.
void RunStart::find(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                    const ConstVectorRef& x, const std::vector<ContactFeature>& slots,
                    RunState& start) {
  const Discontinuities& discontinuities = system_.discontinuities();
  mechanics_.set_span(TimeSpan(discontinuities.last(t), discontinuities.next(t)));
  start.t = t;
  start.y << q, u, x, Vector::Zero(system_.nx() - x.size());
  ContactFeatures& features = mechanics_.contacts.features;
  features.slots = slots;
  features.slots.resize(start.states.size());
  features.reference.resize(0);  // discard that of an earlier run
  if (system_.feature_search()) {
    mechanics_.find_features(t, start.y, start.states, asked_.gap);
  }
  mechanics_.update_contacts(t, start.y);
  start.features = features;
}

void RunStart::check_constraints() const {
  for (Index i = 0; i < system_.nb(); ++i) {
    const std::string at =
        " at constraint '" + system_.constraints()[static_cast<std::size_t>(i)] + "'";
    const std::string remedy = ". Use consistent_state() to find a state that satisfies it.";
    const double g = mechanics_.bilateral.kinematics.g(i);
    const double gamma = mechanics_.bilateral.gamma(i);
    if (!(std::abs(g) <= asked_.start)) reject("q", "g = 0" + at, to_text(g) + remedy);
    if (!(std::abs(gamma) <= asked_.start)) reject("u", "γ = 0" + at, to_text(gamma) + remedy);
  }
}

void RunStart::check_gap(Index i) const {
  const double g_N = mechanics_.contacts.g_N(i);
  if (g_N >= -asked_.start) return;
  reject("q", "g_N >= -" + to_text(asked_.start) + at(i), "g_N = " + to_text(g_N));
}

void RunStart::check_new(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, RunState& start) {
  std::fill(start.states.begin(), start.states.end(), ContactState::Open);
  find(t, q, u, x, {}, start);
  check_constraints();
  for (Index i = 0; i < system_.nc(); ++i) {
    if (mechanics_.contacts.is_valid(i)) check_gap(i);
  }
}

void RunStart::check_closed(Index i) const {
  const double allowed = drift::kClosedGap * asked_.start;
  if (!mechanics_.contacts.is_valid(i)) reject("q", "a contact point" + at(i), "no contact point");
  const double g_N = mechanics_.contacts.g_N(i);
  if (!(std::abs(g_N) <= allowed)) {
    reject("q", "g_N = 0" + at(i, "closed "), to_text(g_N));
  }
  const double gamma_N = mechanics_.gamma_N(i);
  if (!(std::abs(gamma_N) <= allowed)) {
    reject("u", "γ_N = 0" + at(i, "closed "), to_text(gamma_N));
  }
}

void RunStart::check_stick(Index i) const {
  for (Index k = 0; k < system_.rows().dim(i); ++k) {
    const double gamma_T = mechanics_.gamma_T(system_.rows().tangent(i) + k);
    if (std::abs(gamma_T) <= drift::kClosedGap * asked_.start) continue;
    reject("u", "γ_T = 0" + at(i, "sticking "), to_text(gamma_T));
  }
}

void RunStart::check_resumed(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             const ConstVectorRef& x, const DiscreteState& discrete,
                             RunState& start) {
  start.states = discrete.states;
  find(t, q, u, x, discrete.slots, start);
  check_constraints();
  for (Index i = 0; i < system_.nc(); ++i) {
    const ContactState state = start.states[static_cast<std::size_t>(i)];
    if (!is_closed(state)) {
      if (mechanics_.contacts.is_valid(i)) check_gap(i);
      continue;
    }
    if (system_.rows().is_unilateral(i)) check_closed(i);
    if (state == ContactState::Stick) check_stick(i);
  }
}

void RunStart::check_changed(const RunState& present, const std::vector<ContactFeature>& slots,
                             RunState& start) {
  const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
  start.states = present.states;
  find(present.t, present.y.head(nq), present.y.segment(nq, nu), present.y.tail(nx), slots, start);
  check_constraints();
  const double allowed = drift::kClosedGap * asked_.start;
  const ContactKinematics& contacts = mechanics_.contacts;
  for (Index i = 0; i < system_.nc(); ++i) {
    ContactState& state = start.states[static_cast<std::size_t>(i)];
    if (!system_.rows().is_unilateral(i)) continue;
    if (!contacts.is_valid(i)) {
      state = ContactState::Open;
      continue;
    }
    const bool drifts = is_closed(state) && contacts.g_N(i) >= -allowed;
    if (!drifts) check_gap(i);
    if (contacts.g_N(i) > allowed) state = ContactState::Open;
  }
}

// Find the modes. A watched element whose function is negative in its mode takes the other mode.
void RunStart::find_modes(RunState& start) {
  if (system_.ne() == 0) return;
  mechanics_.update_elements(start.t, start.y);
  const Index first = system_.nq() + system_.nu();
  for (Index e = 0; e < system_.ne(); ++e) {
    const ForceElementDescription& element = system_.elements()[static_cast<std::size_t>(e)];
    ElementMode& mode = start.modes[static_cast<std::size_t>(e)];
    const double gamma = mechanics_.elements.kinematics.gamma(e);
    if (element.law == ElementLaw::Watched) {
      double& number = start.y(first + element.state);
      const bool lasts = mechanics_.elements.switch_value(e) >= -element.resolution;
      const bool closed = (number > 0.5) == lasts;
      number = closed ? 1.0 : 0.0;
      mode = closed ? ElementMode::Closed : ElementMode::Open;
      continue;
    }
    double place = 0.0;
    if (system_.wall(e) >= 0) {
      double& wall = start.y(first + system_.wall(e));
      wall = place = std::min(wall, gamma);
    }
    mode = start_mode(element, gamma, mechanics_.elements.speed(e), place);
  }
}

}  // namespace nsmb
