// Messages of a stepped run about steps that end it.
#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/stepping/stepping_run.hpp"
#include "nsmb/system/contact_finder.hpp"

namespace nsmb {

namespace {

// Names in a message. Of further ones only the number is given.
constexpr std::size_t kMostNames = 5;

}  // namespace

std::string SteppingRun::where_not_finite(const Vector& y) const {
  for (Index i = 0; i < y.size(); ++i) {
    if (std::isfinite(y(i))) continue;
    if (i < system_.nq())
      return "coordinate '" + system_.coordinates()[static_cast<std::size_t>(i)] + "'";
    if (i < system_.nq() + system_.nu()) {
      return "the velocity of " + system_.name_of_velocity(i - system_.nq());
    }
    const Index k = i - system_.nq() - system_.nu();
    return "state '" + system_.states()[static_cast<std::size_t>(k)] + "'";
  }
  return {};
}

SimulationStatus SteppingRun::fail_to_be_finite(const StepOutcome& outcome) {
  const std::string name = where_not_finite(outcome.end.y);
  const std::string trouble = system_.trouble(
      state_.t, state_.y.head(system_.nq()), state_.y.segment(system_.nq(), system_.nu()),
      state_.y.tail(system_.nx()).head(system_.nx_own()), mechanics_.work());
  message_ = at_present() + "the step of " + to_text(h_) + " s gives no finite value of " + name +
             (trouble.empty() ? ". Try a smaller step." : " (" + trouble + ")");
  return SimulationStatus::IntegrationFailure;
}

SimulationStatus SteppingRun::stop_missed() {
  message_ = at_present() + "the residual of the contact problem is " + to_text(outcome_.residual) +
             " times its largest velocity, above tol = " + to_text(options_.tol) +
             ", at contacts " + missed_contacts() +
             ". Use a smaller step, a larger tol, or on_failure=\"continue\".";
  return SimulationStatus::NoContactSolution;
}

SimulationStatus SteppingRun::stop_overlap() {
  message_ = at_present() + outlines_.complaint();
  return SimulationStatus::IntegrationFailure;
}

SimulationStatus SteppingRun::stop_coarse() {
  if (touches_.is_spent()) {
    message_ = at_present() + "shapes touch too often within the step of " +
               to_text(options_.step) +
               " s to resolve each touch, and may pass through each other. Use a smaller step or "
               "on_failure=\"continue\".";
    return SimulationStatus::IntegrationFailure;
  }
  if (!doubling_.is_used()) {
    message_ = at_present() + "the step of " + to_text(h_) + " s leaves a penetration of " +
               to_text(outcome_.left_in) +
               " m. Use a smaller step, a larger gap_tolerance, or on_failure=\"continue\".";
    return SimulationStatus::IntegrationFailure;
  }
  message_ = at_present() + "the shortest step, " + to_text(h_) +
             " s, exceeds the allowed error by a factor of " +
             to_text(doubling_.control().ratio()) +
             ". Use a smaller min_step, a larger error, or on_failure=\"continue\".";
  return SimulationStatus::IntegrationFailure;
}

// Trial steps store their own contacts, and the last trial may not be the accepted step.
const FoundContacts* SteppingRun::found() const {
  const bool is_kept = doubling_.is_used() ? has_begun() : stage_ == Stage::TakenOver;
  return stepper_->found() && is_kept ? &outcome_.found : stepper_->found();
}

// For contacts between shapes, name both shapes.
std::string SteppingRun::missed_contacts() const {
  std::vector<std::string> names;
  for (const Index i : outcome_.missed) {
    std::string name;
    if (i < system_.nc()) {
      name = "'" + system_.contacts()[at(i)].name + "'";
    } else {
      const FoundContact& contact = found()->contacts[at(i - system_.nc())];
      const std::vector<std::string>& shapes = system_.contact_finder()->shape_names();
      name = "'" + shapes[at(contact.shape_1)] + "' on '" + shapes[at(contact.shape_2)] + "'";
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMostNames); ++k) {
    text += (k == 0 ? "" : ", ") + names[k];
  }
  if (names.size() > kMostNames) {
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  }
  return text;
}

}  // namespace nsmb
