// Contact points that come and go in the course of a run.
#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

namespace {

// A contact that is found deeper than so many times the tolerance of the start has been missed.
constexpr double kMissed = 1e3;

}  // namespace

// Candidates anew where they may have changed, and which contact points that touch are contacts.
// -1, or a contact that is found where it would have been missed before.
Index EventDriven::update_features() {
  const auto closes = [](Trigger trigger) { return trigger == Trigger::Closes; };
  const auto& contacts = triggers_.contacts;
  const bool touches = std::any_of(contacts.begin(), contacts.end(), closes);
  if (!triggers_.features && !touches) return -1;
  Mechanics& mechanics = transition_.mechanics();
  mechanics.contacts.features = next_features_;
  const double gap_tolerance = options_.transition.gap_tolerance;
  if (triggers_.features) {
    mechanics.find_features(t_, next_y_, next_states_, gap_tolerance);
  } else {
    mechanics.settle_features(t_, next_y_, next_states_, gap_tolerance);
  }
  const double deepest = kMissed * options_.start_tolerance;
  for (std::size_t c = 0; c < states_.size(); ++c) {
    const ContactFeature& before = next_features_.slots[c];
    const ContactFeature& now = mechanics.contacts.features.slots[c];
    const Index i = static_cast<Index>(c);
    if (!now.used() || !now.valid || !system_.rows().is_unilateral(i)) continue;
    const bool fresh = !before.valid || !before.same(now);
    if (fresh && mechanics.contacts.g_N(i) < -deepest) return i;
  }
  next_features_ = mechanics.contacts.features;
  return -1;
}

SimulationStatus EventDriven::fail_missed(Index contact) {
  message_ =
      "t = " + to_text(t_) + " s: contact '" +
      system_.contacts()[static_cast<std::size_t>(contact)].name +
      "' is found at g_N = " + to_text(transition_.mechanics().contacts.g_N(contact)) +
      " m; its impact has been missed, or the start penetrates there: try a smaller max_step. An "
      "open contour is touched from its right alone: is it turned the wrong way?";
  return SimulationStatus::IntegrationFailure;
}

// Nothing has fired but margins, and the integrator stands where the step ended: the motion can go
// on behind a search.
bool EventDriven::ends_margin() const {
  const auto is_margin = [](const Indicator& i) { return i.quantity->only_searches(); };
  if (users_ && !users_->fired().empty()) return false;
  return !variation_ && !leaves_ && std::all_of(fired_.begin(), fired_.end(), is_margin) &&
         phase_->integrator().t() == phase_->t();
}

// Candidates anew while the motion goes on as it is. False: what is closed or touches is concerned,
// which an instant has to decide.
bool EventDriven::search_on_the_way() {
  const double gap_tolerance = options_.transition.gap_tolerance;
  const ContactFeatures& before = *phase_->features();
  Mechanics& mechanics = transition_.mechanics();
  mechanics.contacts.features = before;
  mechanics.find_features(t_, y_, states_, gap_tolerance);
  for (std::size_t c = 0; c < states_.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (!system_.rows().is_unilateral(i)) continue;
    const ContactFeature& now = mechanics.contacts.features.slots[c];
    if (is_closed(states_[c])) {
      if (!now.valid || !now.same(before.slots[c])) return false;
    } else if (now.valid && !(mechanics.contacts.g_N(i) > gap_tolerance)) {
      return false;
    }
  }
  features_ = mechanics.contacts.features;
  phase_->set_features(features_);
  transition_.watch(t_, y_);
  return true;
}

}  // namespace nsmb
