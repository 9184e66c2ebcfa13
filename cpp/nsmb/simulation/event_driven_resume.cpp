// A run that goes on where another one ended: what stands where is known, not found out. Or one
// that goes on with other equations.
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven_part.hpp"

namespace nsmb {

namespace {

// What is closed is so to much less than this many times the tolerance of the start: on numerical
// steps it drifts, where the run itself went on with it.
constexpr double kDrift = 1e3;

template <typename T>
std::vector<T> chosen(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> result;
  if (values.empty()) return result;
  for (const Index place : places) result.push_back(values[static_cast<std::size_t>(place)]);
  return result;
}

}  // namespace

Standing EventDriven::standing() const {
  const bool moves = begun_ && phase_ && system_.has_features();
  return {states_, modes_, moves ? phase_->features()->slots : features_.slots};
}

void EventDriven::resume(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const Standing& standing) {
  check_state(t, q, u, x);
  check_size("x", x, system_.nx());
  const auto fits = [](std::size_t size, Index n) { return size == static_cast<std::size_t>(n); };
  if (!fits(standing.states.size(), system_.nc()) || !fits(standing.modes.size(), system_.ne()) ||
      (!standing.slots.empty() && !fits(standing.slots.size(), system_.nc()))) {
    reject("standing", "as many contacts and force elements as the system has", "others");
  }
  if (parts_.empty()) {
    begin_with(system_.given_inputs(), [&] { check_standing(t, q, u, x, standing); });
    start_from(t);
    stand(standing);
    return;
  }
  std::vector<Standing> own;
  for (const auto& part : parts_) {
    const SystemPart& places = part->places;
    own.push_back({chosen(standing.states, places.contacts),
                   chosen(standing.modes, places.elements),
                   chosen(standing.slots, places.contacts)});
    part->run.check_standing(t, Vector(q(places.q)), Vector(u(places.u)), Vector(x(places.x)),
                             own.back());
  }
  begin_parts_at(t);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    parts_[k]->run.stand(own[k]);
    collect_states(*parts_[k]);
  }
}

// As check_start(), but closed contacts are those that were; all others may not penetrate.
void EventDriven::check_standing(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& x, const Standing& standing) {
  next_states_ = standing.states;
  find_start(t, q, u, x, standing.slots);
  check_constraints();
  const Mechanics& mechanics = transition_.mechanics();
  const double allowed = kDrift * options_.start_tolerance;
  for (Index i = 0; i < system_.nc(); ++i) {
    const ContactState state = next_states_[static_cast<std::size_t>(i)];
    const double g_N = mechanics.contacts.g_N(i);
    const std::string at =
        " at contact '" + system_.contacts()[static_cast<std::size_t>(i)].name + "'";
    if (!is_closed(state)) {
      if (mechanics.contacts.is_valid(i)) check_gap(i);
      continue;
    }
    if (system_.rows().is_unilateral(i)) {
      if (!mechanics.contacts.is_valid(i)) reject("q", "a contact point" + at, "none");
      if (!(std::abs(g_N) <= allowed))
        reject("q", "g_N = 0" + at + ", which is closed", to_text(g_N));
      const double gamma_N = mechanics.gamma_N(i);
      if (!(std::abs(gamma_N) <= allowed)) {
        reject("u", "γ_N = 0" + at + ", which is closed", to_text(gamma_N));
      }
    }
    if (state != ContactState::Stick) continue;
    for (Index k = 0; k < system_.rows().dim(i); ++k) {
      const double gamma_T = mechanics.gamma_T(system_.rows().tangent(i) + k);
      if (std::abs(gamma_T) <= allowed) continue;
      reject("u", "γ_T = 0" + at + ", which sticks", to_text(gamma_T));
    }
  }
}

void EventDriven::stand(const Standing& standing) {
  states_ = standing.states;
  modes_ = standing.modes;
  resumes_ = true;
  if (users_) users_->pass_due(t_);
}

void EventDriven::check_shape_of(const EventDriven& before) const {
  const System& a = system_;
  const System& b = before.system_;
  const bool same = a.nq() == b.nq() && a.nu() == b.nu() && a.nx() == b.nx() && a.nc() == b.nc() &&
                    a.nt() == b.nt() && a.ne() == b.ne() && a.nb() == b.nb() && a.ni() == b.ni() &&
                    a.has_features() == b.has_features();
  if (!same) reject("take_over", "a system of the same shape", "another one");
  if (!parts_.empty() || !before.parts_.empty()) {
    reject("take_over", "a run of the whole system (divide=False)", "one in parts");
  }
  if (variation_ || before.variation_) {
    reject("take_over", "a run whose derivative is not followed", "one whose derivative is");
  }
  if (!before.is_reset_ || is_final(before.status_)) {
    reject("take_over", "a run that can go on",
           "one that ended with " + std::string(to_text(before.status_)));
  }
}

// Contacts that were closed may have opened by the change; no other may penetrate, and they no more
// than the run itself lets them drift.
void EventDriven::check_changed(const EventDriven& before) {
  const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
  next_states_ = before.states_;
  find_start(before.t_, before.y_.head(nq), before.y_.segment(nq, nu), before.y_.tail(nx),
             before.standing().slots);
  check_constraints();
  const ContactKinematics& contacts = transition_.mechanics().contacts;
  for (Index i = 0; i < system_.nc(); ++i) {
    ContactState& state = next_states_[static_cast<std::size_t>(i)];
    if (!system_.rows().is_unilateral(i)) continue;
    if (!contacts.is_valid(i)) {
      state = ContactState::Open;
      continue;
    }
    const bool drifts = is_closed(state) && contacts.g_N(i) >= -kDrift * options_.start_tolerance;
    if (!drifts) check_gap(i);
    if (contacts.g_N(i) > kDrift * options_.start_tolerance) state = ContactState::Open;
  }
}

void EventDriven::take_over(EventDriven& before) {
  check_shape_of(before);
  begin_with(before.outside_.next_inputs, [&] { check_changed(before); });
  const ContactStates states = next_states_;
  start_from(before.t_);
  output_ = before.output_;
  if (!before.begun_) return;
  if (users_ && before.users_) users_->go_on(*before.users_);
  states_ = states;
  trajectory_.take(before.trajectory_);
  t_start_ = before.t_start_;
  work_ = before.work_;
  work_.forget_step();
  events_ = before.events_;
  impacts_ = before.impacts_;
  impact_loss_ = before.impact_loss_;
  rests_ = before.rests_;
  rest_loss_ = before.rest_loss_;
  const SimulationStatistics so_far = before.statistics();
  outside_.earlier.integrator = so_far.integrator;
  outside_.earlier.counts = so_far.counts;
  outside_.takes_over = true;
}

}  // namespace nsmb
