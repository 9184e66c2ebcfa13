#include "nsmb/simulation/event_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/smooth_phase.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// A value beyond any event of a step.
constexpr double kNever = 2.0;

// Number of instants in a row, each ending where it starts, after which the run is stuck.
constexpr long kStanding = 100, kStandingPerContact = 20;  // per closed contact
constexpr int kMostWaysOut = 20;

double evaluate(const ConstVectorRef& c, double s) {
  double p = 0.0;
  for (Index k = c.size(); k-- > 0;) p = p * s + c(k);
  return p;
}

double slope(const ConstVectorRef& c, double s) {
  double p = 0.0;
  for (Index k = c.size(); k-- > 1;) p = p * s + static_cast<double>(k) * c(k);
  return p;
}

}  // namespace

EventSearch::EventSearch(const System& system, std::shared_ptr<RootFinder> roots)
    : system_(system),
      roots_(std::move(roots)),
      coefficients_(std::max(LinearFlow::kOrder, SmoothPhase::kMaxDegree) + 1,
                    5 * system.nc() + system.ne() + 3),
      row_(coefficients_.rows()),
      mirrored_(coefficients_.rows()) {}

// Return the last point in [a, b] where the polynomial of row_, negative at b, falls through zero.
double EventSearch::last_fall(double a, double b) {
  // Taylor series at b of -p(b + (a - b) x), by repeated division.
  mirrored_ = -row_;
  const Index n = mirrored_.size();
  for (Index i = 0; i < n; ++i) {
    for (Index k = n - 2; k >= i; --k) mirrored_(k) += b * mirrored_(k + 1);
  }
  double power = 1.0;
  for (Index k = 0; k < n; ++k, power *= a - b) mirrored_(k) *= power;
  const double x = roots_->first_crossing(mirrored_);
  const double place = b + (a - b) * x;
  return x > 1.0 || place - a <= event_times::kOneInstant ? a : place;
}

// Return where the indicator of row_, which falls below zero at s, does so by more than touching.
double EventSearch::fall_of(const SearchedStep& step, const Indicator& indicator, double s) {
  const double tolerance = step.phase.touch_tolerance(indicator);
  if (!(tolerance > 0.0)) return s;
  // A straight fall, the usual case, is recognised at once.
  const double descent = -slope(row_, s);
  const double deeper = s + 4.0 * tolerance / descent;
  if (descent > 0.0 && deeper <= 1.0 && evaluate(row_, deeper) < -tolerance) return s;
  const double value = row_(0);
  row_(0) += tolerance;
  const double deep = roots_->first_crossing(row_);
  row_(0) = value;
  if (deep <= 1.0) return deep > s ? last_fall(s, deep) : s;
  if (evaluate(row_, 1.0) >= 0.0) return kNever;
  const double last = last_fall(s, 1.0);
  if (last <= event_times::kSlowFall) return last;
  // The step ends before the outcome of the fall is known.
  if (step.phase.t() < step.t_stop) cut_ = std::min(cut_, last - event_times::kLookAgain);
  return kNever;
}

// Return where an indicator falls below zero for the first time, or > 1 if it does not up to
// `limit`.
double EventSearch::crossing_of(const SearchedStep& step, std::size_t k, double limit) {
  const Indicator& indicator = step.indicators[k];
  const auto c = coefficients_.col(static_cast<Index>(k));
  const double crossing = roots_->first_crossing(c, limit);
  if (!(crossing <= 1.0)) return crossing;
  if (indicator.quantity->may_pass_beside()) {
    return passes_beside(step, indicator.contact, crossing, c) ? kNever : crossing;
  }
  if (!may_touch(indicator)) return crossing;
  row_ = c;
  return fall_of(step, indicator, crossing);
}

// Return true if the indicator falls through zero at the end of the step, up to rounding of the
// time.
bool EventSearch::ends_at_zero(const SearchedStep& step, Index k) const {
  const auto c = coefficients_.col(k);
  const double sum = c.sum();
  const double value = step.phase.end_value(step.indicators[static_cast<std::size_t>(k)], sum);
  double descent = 0.0;
  for (Index i = 1; i < c.size(); ++i) descent -= static_cast<double>(i) * c(i);
  const double way = event_times::kEndRounding * std::abs(step.t_stop) / step.phase.duration();
  // The value may be below zero while the series is not, because the end value of the series is
  // accurate to this part of its terms.
  const double inaccuracy = event_times::kSeries * c.cwiseAbs().sum();
  return descent > 0.0 && value <= descent * way && value >= -descent * way - inaccuracy;
}

// Return true if the gap vanishes clearly beyond the features and stays negative: the point passes
// by.
bool EventSearch::passes_beside(const SearchedStep& step, Index contact, double s,
                                const ConstVectorRef& c) const {
  if (!(c.sum() < 0.0)) return false;
  const double beside = features::kBesideFeatures * system_.feature_search()->length_of(contact);
  return step.phase.domain_at(s, contact) < -beside;
}

bool EventSearch::find(const SearchedStep& step, double& s_event, std::size_t& first) {
  const std::vector<Indicator>& indicators = step.indicators;
  const Index count = static_cast<Index>(indicators.size());
  if (coefficients_.cols() < count) coefficients_.resize(coefficients_.rows(), count);
  step.phase.expand(indicators, step.starts, coefficients_);
  crossings_.resize(indicators.size());
  s_event = cut_ = kNever;
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    // Crossings later than the first one found so far are of no interest.
    crossings_[k] = crossing_of(step, k, std::min(1.0, s_event + event_times::kOneInstant));
    if (crossings_[k] < s_event) {
      s_event = crossings_[k];
      first = k;
    }
  }
  if (s_event <= 1.0) return true;
  if (step.phase.t() < step.t_stop || step.t_stop < step.t_end) return false;
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    if (!ends_at_zero(step, static_cast<Index>(k))) continue;
    crossings_[k] = 1.0;
    if (s_event > 1.0) first = k;
    s_event = 1.0;
  }
  return s_event <= 1.0;
}

double EventSearch::part_in_doubt(const SearchedStep& step, double s_event, std::size_t first,
                                  double gap_tolerance) const {
  const double t = std::abs(step.phase.t()), h = step.phase.duration();
  const double ticks = event_times::kUlps * t / h;
  const double least = event_times::kShortestStep * t / h;
  const auto closer = [&](double part) { return part > least ? part : kNever; };
  for (std::size_t k = 0; k < step.indicators.size(); ++k) {
    const Indicator& indicator = step.indicators[k];
    if (!is_gap(indicator) || !step.phase.moves_with_time(indicator.contact)) continue;
    const auto c = coefficients_.col(static_cast<Index>(k));
    const double range = c.tail(c.size() - 1).cwiseAbs().sum();
    const double agreement = watching::kGapAgreement * range;
    const double missed =
        std::abs(c.tail(c.size() - 1).sum() - step.phase.gap_change(indicator.contact));
    if (missed > std::max(watching::kMissedEnd * agreement, gap_tolerance + ticks * range)) {
      return closer(std::min(1.0, s_event) / watching::kCloser);
    }
    if (k != first || watching::kCloser * s_event > 0.5) continue;
    double change = 0.0, power = s_event;
    for (Index j = 1; j < c.size(); ++j, power *= s_event) change += std::abs(c(j)) * power;
    if (agreement > watching::kUnsure * change) return closer(watching::kCloser * s_event);
  }
  return kNever;
}

// Find the end of a step that leaves an instant at which no state lasts. On the border between
// several states, each one ends where it starts, but a little later one of them lasts. On the step
// nothing may move by more than counts as zero. If possible, no force may have a wrong sign by more
// than is just visible. Return false if there is no such step.
bool EventSearch::find_way_out(const SearchedStep& step, const ContactStates& states,
                               const TransitionOptions& options, double& s) {
  const auto closed = std::count_if(states.begin(), states.end(), is_closed);
  if (++standing_ < kStanding + kStandingPerContact * closed || ways_out_ == kMostWaysOut) {
    return false;
  }
  const std::vector<Indicator>& indicators = step.indicators;
  const double least = event_times::kShortestWayOut * std::abs(step.phase.t());
  for (const bool with_forces : {true, false}) {
    for (s = standstill::kLongestWayOut; s * step.phase.duration() > least; s *= 0.1) {
      bool small = true;
      for (std::size_t k = 0; k < indicators.size() && small; ++k) {
        const double most = indicators[k].quantity->negligible(indicators[k], options, with_forces);
        if (std::isinf(most)) continue;
        small = evaluate(coefficients_.col(static_cast<Index>(k)), s) >= -most;
      }
      if (!small) continue;
      standing_ = 0;
      ++ways_out_;
      return true;
    }
  }
  return false;
}

bool EventSearch::is_clear_switch(const Indicator& indicator, Index k) const {
  if (!indicator.quantity->is_of_element()) return false;
  const ForceElementDescription& element =
      system_.elements()[static_cast<std::size_t>(indicator.contact)];
  if (element.law != ElementLaw::Watched) return false;
  const auto c = coefficients_.col(k);
  if (c(0) < -element.resolution) return true;
  return c(1) < -event_times::kClearFall * c.tail(c.size() - 1).cwiseAbs().maxCoeff();
}

std::vector<Index> EventSearch::endless_switches(const SearchedStep& step,
                                                 const ContactStates& states,
                                                 const ElementModes& modes) {
  for (std::size_t k = 0; k < step.indicators.size(); ++k) {
    if (crossings_[k] > event_times::kOneInstant) continue;
    if (is_clear_switch(step.indicators[k], static_cast<Index>(k))) continue;
    circle_.forget();
    return {};
  }
  return circle_.closes(states, modes) ? circle_.elements() : std::vector<Index>{};
}

void EventSearch::collect(const SearchedStep& step, double s_event, std::size_t first,
                          Triggers& triggers, std::vector<Indicator>& fired) const {
  const std::vector<Indicator>& indicators = step.indicators;
  triggers.clear();
  fired.assign(1, indicators[first]);
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    if (k != first && crossings_[k] > s_event + event_times::kOneInstant) continue;
    if (k != first) fired.push_back(indicators[k]);
    indicators[k].quantity->tell(indicators[k], triggers);
  }
}

// Return the first indicator that crosses zero after s_event and before the point reached, or
// `first` if there is none.
std::size_t EventSearch::passed_over(const SearchedStep& step, double s_event, double reached,
                                     std::size_t first) {
  // Slip in a plane comes to rest slightly after the point where it was found. That may be after
  // the end of the step, where the polynomials are not valid.
  double before = std::min(reached - event_times::kNoSecondLook, 1.0);
  std::size_t other = first;
  for (std::size_t k = 0; k < step.indicators.size(); ++k) {
    if (k == first) continue;
    const double crossing = crossing_of(step, k, before);
    if (crossing <= s_event + event_times::kOneInstant || crossing >= before) continue;
    crossings_[k] = before = crossing;
    other = k;
  }
  return other;
}

// Return the indicator whose polynomial crosses zero next after the point reached, but which has
// already fallen in the motion, or `first` if there is none.
std::size_t EventSearch::fallen_before(const SearchedStep& step, double s_event, double reached,
                                       std::size_t first) {
  const double after = std::max(s_event, reached) + event_times::kOneInstant;
  double before = std::min(reached + event_times::kFarthestRoot, 1.0);
  std::size_t other = first;
  for (std::size_t k = 0; k < step.indicators.size(); ++k) {
    const Indicator& indicator = step.indicators[k];
    if (k == first || indicator.quantity->place() != Place::Root) continue;
    // A known zero at the start is only rounding, not a fall.
    if (step.starts && indicator.zeros > 0) continue;
    const double crossing = crossing_of(step, k, before);
    if (crossing <= after || crossing >= before || !step.phase.has_fallen(indicator)) continue;
    crossings_[k] = before = crossing;
    other = k;
  }
  return other;
}

// The root of a polynomial has the accuracy of the polynomial, and the location moves on to the
// root of the motion. An indicator that crosses zero on this interval comes first. Indicators that
// cross together with the first one, to the same accuracy, still fire with it. An indicator that
// has already fallen is unrelated to earlier crossings of the polynomials, and fires alone.
StepStatus EventSearch::locate(const SearchedStep& step, double s_event, std::size_t first,
                               Triggers& triggers, std::vector<Indicator>& fired) {
  const Integrator& integrator = step.phase.integrator();
  const double t_old = integrator.t_old(), h = integrator.t() - t_old;
  bool alone = false;
  for (std::size_t pass = 0;; ++pass) {
    collect(step, alone ? -1.0 : s_event, first, triggers, fired);
    const StepStatus status = step.phase.locate(step.indicators[first], s_event);
    const double reached = step.phase.duration() / h;
    if (status != StepStatus::Ok || step.phase.is_linear() || pass >= step.indicators.size() ||
        std::abs(reached - s_event) <= event_times::kNoSecondLook) {
      return status;
    }
    std::size_t other = first;
    if (reached > s_event) other = passed_over(step, s_event, reached, first);
    alone = other == first;
    if (alone) other = fallen_before(step, s_event, reached, first);
    if (other == first) return status;
    crossings_[first] = reached;
    s_event = crossings_[other];
    first = other;
  }
}

}  // namespace nsmb
