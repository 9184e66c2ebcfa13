#include "nsmb/simulation/step_series.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Remove a spurious slope of a watched function at the zero where its mode starts. The function may
// leave zero with slope zero, for example the distance to a limit that was just left. The slope of
// the polynomial is then only its error. The function leaves upwards if its end is positive, or if
// its curvature raises it before it has fallen by this error. The step may then extend to a later
// fall.
void leave_slowly(VectorRef c) {
  const double range = c.tail(c.size() - 2).cwiseAbs().maxCoeff();
  const bool rises = c.sum() > 0.0 || c(2) > watching::kClearCurvature * range;
  if (c(1) < 0.0 && c(1) >= -watching::kMadeUpSlope * range && rises) c(1) = 0.0;
}

}  // namespace

StepSeries::StepSeries(FrozenMotion& motion, const IntegratedStep& step, StepSamples& samples,
                       const StepResolution& resolution)
    : motion_(motion),
      step_(step),
      samples_(samples),
      resolution_(resolution),
      states_(motion.system().ny(), kNodes + 1),
      node_slopes_(motion.system().ny(), kNodes),
      c_(kMaxDegree + 1),
      seen_(motion.system()),
      y_(motion.system().ny()) {}

void StepSeries::fit(const Indicator& indicator, VectorRef c) const {
  const PlaneSlip& slip = motion_.slip();
  samples_.interpolation().expand(
      [&](Index j) { return slip.watched_value(indicator, samples_[j]); }, c.head(kNodes + 1));
}

// Fit a gap or a slip velocity after its zero at the start of the step, from its derivative.
// Differences of samples would lose a short flight or a slow departure in rounding.
void StepSeries::fit_after_zero(const Indicator& indicator, Index zeros, VectorRef c) const {
  const Index i = indicator.contact;
  const double h = step_.t() - step_.t_old();
  const bool gap = is_gap(indicator);
  const Index order = gap ? 2 : 1;  // of the derivative that is sampled
  const Observable derivative = gap ? kGammaDotN : kGammaDotT;
  const double sign = gap ? 1.0 : indicator.sign;
  samples_.interpolation().expand(
      [&](Index j) { return sign * samples_[j].contacts(i, derivative); },
      c.segment(order, kNodes + 1));
  for (Index k = order; k <= order + kNodes; ++k) {
    const double p = static_cast<double>(k);
    c(k) *= gap ? h * h / (p * (p - 1.0)) : h / p;
  }
  if (gap) {
    const double gamma_N = samples_[0].contacts(i, kGammaN);
    const bool approaches = std::abs(gamma_N) > samples_.resolution(i, true) || zeros == 1;
    c(1) = approaches ? gamma_N * h : 0.0;
  }
  // On a later step the gap may be slightly open, or closed by less than its resolution.
  if (gap && zeros == 0) c(0) = std::max(0.0, samples_[0].contacts(i, kGap));
  // An acceleration that the law has taken as zero counts if it opens the contact.
  const bool opens = gap && zeros > 2 && c(2) > 0.0;
  c.head(opens ? 2 : zeros).setZero();
}

// Return true if an indicator shows rounding only. Bodies that fly side by side touch without
// force. Neither gap nor force ever leaves zero, and their rounding is no event.
bool StepSeries::is_noise(const Indicator& indicator, bool at_zero) const {
  const bool force = is_force(indicator);
  const Index i = indicator.contact;
  if (!at_zero && !force) return false;
  const double gamma_N = samples_[0].contacts(i, kGammaN);
  if (at_zero && std::abs(gamma_N) > samples_.resolution(i, true)) return false;
  const double zero =
      force ? std::max(indicator.noise, resolution_.rounding(i, kLambdaN)) : indicator.noise;
  for (Index j = 0; j <= kNodes; ++j) {
    const Observation& sample = samples_[j];
    const double value =
        force ? motion_.slip().watched_value(indicator, sample) : sample.contacts(i, kGammaDotN);
    // A zero gap that is never accelerated towards closing does not return to zero.
    if (!(force ? std::abs(value) <= zero : value >= -zero)) return false;
  }
  return true;
}

bool StepSeries::is_watched_function(const Indicator& indicator) const {
  if (!indicator.quantity->is_of_element()) return false;
  const auto e = static_cast<std::size_t>(indicator.contact);
  return motion_.system().elements()[e].law == ElementLaw::Watched;
}

void StepSeries::expand(const std::vector<Indicator>& indicators, bool starts,
                        Matrix& coefficients) {
  samples_.take();
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    auto column = coefficients.col(static_cast<Index>(k));
    column.setZero();
    c_.setZero();
    expand_one(indicators[k], starts ? indicators[k].zeros : 0, c_);
    column.head(c_.size()) = c_;
  }
}

void StepSeries::expand_one(const Indicator& indicator, Index zeros, VectorRef c) {
  if (indicator.quantity->place() == Place::EndOfLaw) {
    c(0) = find_end_of_law();
    c(1) = -1.0;
    return;
  }
  const Index i = indicator.contact;
  const bool gap = is_gap(indicator);
  const bool gap_at_zero =
      gap && std::abs(samples_[0].contacts(i, kGap)) <= samples_.resolution(i, false);
  if (is_noise(indicator, gap_at_zero)) return;
  if (gap_at_zero || ((gap || is_slip(indicator)) && zeros > 0)) {
    fit_after_zero(indicator, zeros, c);
    return;
  }
  fit(indicator, c);
  c.head(zeros).setZero();
  if (zeros > 0 && is_watched_function(indicator)) leave_slowly(c);
}

// Return the fraction of the step at which the law first gives another state, or 2 if it does not.
double StepSeries::find_end_of_law() {
  double low = 0.0, high = 2.0;
  for (Index j = 0; j <= kNodes; ++j) {
    const double s = samples_.interpolation().node(j);
    if (!samples_[j].lasts) {
      high = s;
      break;
    }
    low = s;
  }
  if (high > 1.0 || high == 0.0) return high;
  while (high - low > 1e-13) {
    const double middle = 0.5 * (low + high);
    const double t = step_.interpolate(middle, y_);
    motion_.observe(t, y_, seen_);
    (seen_.lasts ? low : high) = middle;
  }
  return high;
}

// Return the depth of a dip of γ_T that may be caused by the integrator tolerances.
double StepSeries::touch_tolerance(const Indicator& indicator) const {
  if (!may_touch(indicator) || is_force(indicator)) return indicator.noise;
  if (motion_.slip().is_watched(indicator)) return 0.0;  // never below zero
  return std::max(indicator.noise, motion_.slip().resolution(indicator.contact));
}

double StepSeries::end_value(const Indicator& indicator, double sum) const {
  return is_gap(indicator) ? motion_.slip().watched_value(indicator, samples_[kNodes]) : sum;
}

double StepSeries::domain_at(double s, Index contact) {
  const double t = step_.interpolate(s, y_);
  motion_.observe_gaps(t, y_, seen_);
  return seen_.domain(contact);
}

bool StepSeries::expand_friction_power(Matrix& power) {
  if (step_.is_tiny()) return false;
  const FrozenRoles& roles = motion_.roles();
  bool slips = false;
  for (const FrozenRole& role : roles.contacts) slips = slips || is_slip(role.state);
  if (!slips) return false;
  samples_.take();
  power.setZero();
  for (std::size_t c = 0; c < roles.size(); ++c) {
    if (!is_slip(roles[c].state)) continue;
    const Index i = static_cast<Index>(c);
    const auto power_at = [&](Index j) {
      const Matrix& o = samples_[j].contacts;
      return -o(i, kLambdaT) * o(i, kGammaT);
    };
    samples_.interpolation().expand(power_at, c_.head(kNodes + 1));
    power.row(i).head(kNodes + 1) = c_.head(kNodes + 1).transpose();
  }
  return true;
}

bool StepSeries::expand_drive_power(VectorRef power) {
  if (step_.is_tiny()) return false;
  const Mechanics& mechanics = motion_.mechanics();
  bool acts = mechanics.nb() > 0 && mechanics.bilateral.kinematics.w_tilde.any();
  for (const FrozenRole& role : motion_.roles().contacts) acts = acts || is_closed(role.state);
  if (!acts) return false;
  samples_.take();
  bool moves = false;
  for (Index j = 0; j <= kNodes; ++j) moves = moves || samples_[j].drive_power != 0.0;
  if (!moves) return false;
  power.setZero();
  samples_.interpolation().expand([&](Index j) { return samples_[j].drive_power; },
                                  power.head(kNodes + 1));
  return true;
}

const Matrix& StepSeries::states() {
  step_.interpolate(0.0, states_.col(0));
  if (step_.is_tiny()) {
    states_.rightCols(kNodes).setZero();
    states_.col(1) = step_.y() - states_.col(0);
    return states_;
  }
  const ChebyshevInterpolation& interpolation = samples_.interpolation();
  for (Index j = 1; j <= kNodes; ++j) {
    auto slope = node_slopes_.col(j - 1);
    step_.at(interpolation.node(j), slope);
    slope = (slope - states_.col(0)) / interpolation.node(j);
  }
  states_.rightCols(kNodes).noalias() = node_slopes_ * interpolation.from_slopes().transpose();
  return states_;
}

}  // namespace nsmb
