#include "nsmb/simulation/event_locator.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Maximum number of evaluations to find the end of slip.
constexpr int kMostPasses = 60;

}  // namespace

EventLocator::EventLocator(FrozenMotion& motion, IntegratedStep& step, StepSamples& samples)
    : motion_(motion),
      step_(step),
      samples_(samples),
      here_(motion.system()),
      beside_(motion.system()),
      y_(motion.system().ny()),
      slope_(motion.system().ny()) {}

// Chord steps with the slope of the dense output, whose error there is small.
StepStatus EventLocator::cut_at_zero(const TimedFunction& f, double s) {
  constexpr int most_passes = 4;
  const double t_old = step_.t_old(), t_end = step_.t(), h = t_end - t_old;
  const double before = std::max(s - event_times::kChord, 0.0),
               after = std::min(s + event_times::kChord, 1.0);
  step_.at(before, y_);
  const double at_before = f(t_old + before * h, y_);
  step_.at(after, y_);
  const double slope = (f(t_old + after * h, y_) - at_before) / (after - before);
  double place = s;
  for (int pass = 0;; ++pass) {
    const StepStatus status = step_.end_at(std::min(t_old + place * h, t_end));
    if (status != StepStatus::Ok || pass == most_passes) return status;
    const double correction = -f(step_.t(), step_.y()) / slope;
    const double resolved = kEpsilon * (4.0 + std::abs(step_.t()) / h);
    if (!(std::abs(correction) > resolved) ||
        std::abs(correction) > event_times::kFarthestCorrection)
      return status;
    if (!(place + correction > 0.0) || place + correction > 1.0) return status;
    place += correction;
  }
}

// Return the time derivative of an indicator at the end of the step, dt after its start. Its value
// there is f.
double EventLocator::slope_at_end(const Indicator& indicator, double f, double dt) {
  double observed = 0.0;
  if (indicator.quantity->slope(indicator, here_, observed)) return observed;
  // For forces, take a difference over a short interval back. Take it ahead if the start of the
  // step, at which loads may have kinks, is too close.
  const double least = event_times::kShortestWay * step_.whole();
  const double way = event_times::kWayBack * dt < least ? least : -event_times::kWayBack * dt;
  step_.extrapolate(way, y_);
  motion_.observe(step_.t() + way, y_, beside_);
  return (motion_.slip().watched_value(indicator, beside_) - f) / way;
}

// Return the error of a gap due to rounding of the coordinates.
double EventLocator::rounding(Index contact) const {
  const Mechanics& mechanics = motion_.mechanics();
  const auto w = mechanics.contacts.W_N.col(contact).cwiseAbs();
  const auto q = step_.y().head(mechanics.nq()).cwiseAbs();
  return resolutions::kGapRounding * (q.size() == w.size() ? w.dot(q) : q.maxCoeff());
}

StepStatus EventLocator::locate(const Indicator& indicator, double s_guess, bool starts) {
  const PlaneSlip& slip = motion_.slip();
  // A value within its tolerance, such as a gap, counted as zero at the start. If this matters, the
  // zero is the return to that value. Otherwise a slow return would be located far away, beyond
  // other events.
  const bool returns = starts && indicator.zeros > 0 && (is_gap(indicator) || is_slip(indicator));
  const double start =
      returns && samples_.are_taken() ? slip.watched_value(indicator, samples_[0]) : 0.0;
  if (slip.is_watched(indicator) && slip.is_armed(indicator.contact)) {
    return locate_rest(indicator, s_guess);
  }
  return find_root(indicator, s_guess * step_.whole(), start);
}

// Find the root of the indicator minus `start`, which counts as zero, from dt after the start on.
StepStatus EventLocator::find_root(const Indicator& indicator, double dt, double start) {
  const double h = step_.whole();
  StepStatus status = step_.go_to(dt);
  // The law determines its end itself, and any point near the end of the margin will do.
  if (indicator.quantity->place() != Place::Root) return status;
  const double farthest = std::min(h, dt + event_times::kFarthestRoot * h);
  for (int pass = 0; pass < 8 && status == StepStatus::Ok; ++pass) {
    motion_.observe(step_.t(), step_.y(), here_);
    double f = motion_.slip().watched_value(indicator, here_);
    const double slope = slope_at_end(indicator, f, dt);
    if (std::abs(start) > event_times::kReturn * std::abs(slope) * dt) f -= start;
    // A gap below rounding is less accurate than the polynomial, which is made of its derivatives.
    if (is_gap(indicator) && std::abs(f) <= rounding(indicator.contact)) break;
    if (!(slope < 0.0)) break;  // grazing: the guess cannot be improved
    const double correction = -f / slope;
    if (std::abs(correction) <= 1e-14 * h || !(dt + correction > 0.0)) break;
    if (std::abs(correction) > 1e-6 * h) {
      if (pass >= 4) break;
      dt = std::min(dt + correction, farthest);
      status = step_.go_to(dt);
    } else {
      const double rest = std::min(correction, farthest - dt);
      dt += rest;
      step_.small_step(rest);
    }
  }
  step_.keep_inside();
  return status;
}

// Approach the end of slip in a plane from the side on which slip lasts. Beyond it friction has
// reversed, and neither speed nor forces show where that was.
StepStatus EventLocator::locate_rest(const Indicator& indicator, double s_guess) {
  constexpr Index nodes = StepSamples::kNodes;
  const Index i = indicator.contact;
  const double resolution = motion_.slip().resolution(i);
  samples_.take();
  Index node = 0;
  while (node + 1 < nodes && samples_.interpolation().node(node + 1) < s_guess &&
         motion_.slip().watched_value(indicator, samples_[node + 1]) > 0.0) {
    ++node;
  }
  const Index tangent = motion_.contact_rows().tangent(i);
  const Eigen::Vector2d direction =
      samples_.side(i, node) * samples_[node].gamma_T.segment<2>(tangent).normalized();
  const StepStatus status = find_rest(i, direction, resolution, s_guess * step_.whole());
  if (status != StepStatus::Ok) return status;
  step_.keep_inside();
  come_to_rest(i);
  return status;
}

// Take shorter steps, which are more accurate than the dense output of a step that went beyond.
StepStatus EventLocator::find_rest(Index i, const Eigen::Vector2d& direction, double resolution,
                                   double dt) {
  const Index tangent = motion_.contact_rows().tangent(i);
  const double h = step_.whole();
  double low = 0.0, high = h;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const StepStatus status = step_.go_to(dt);
    if (status != StepStatus::Ok) return status;
    motion_.observe(step_.t(), step_.y(), here_);
    const bool beyond = !(here_.gamma_T.segment<2>(tangent).dot(direction) > 0.0);
    const double speed = here_.contacts(i, kGammaT);
    if (!beyond && speed <= slip_in_a_plane::kSlipArmed * resolution) break;
    (beyond ? high : low) = dt;
    if (high - low <= kEpsilon * h) break;
    const double rate = here_.contacts(i, kGammaDotT);
    dt += beyond || !(rate < 0.0) ? h : (speed - resolution) / -rate;
    if (dt >= high) dt = 0.5 * (low + high);
  }
  return StepStatus::Ok;
}

// Go straight to rest from the speed that ends slip in a plane. On this last interval, direction
// and deceleration no longer change. Slip that already ran against its initial direction has ended
// before the step, so the end is limited to the start of the step.
void EventLocator::come_to_rest(Index i) {
  const double longest = step_.t_stop() - step_.t();
  motion_.observe(step_.t(), step_.y(), here_);
  const double rate = here_.contacts(i, kGammaDotT);
  const double dt = std::max(-here_.contacts(i, kGammaT) / rate, step_.t_old() - step_.t());
  if (!(rate < 0.0) || !(dt <= longest)) return;
  motion_.rhs(step_.t(), step_.y(), slope_);
  motion_.slip().come_to_rest(motion_.roles());
  step_.move_on(dt, slope_);
}

}  // namespace nsmb
