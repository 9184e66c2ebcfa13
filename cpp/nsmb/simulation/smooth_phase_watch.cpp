// How a SmoothPhase looks at its last step: polynomials of indicators, power and state.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// Forces are known to this part of the largest one.
constexpr double kForceResolution = 1e-9;
// Polynomials differ from the motion by less than this part of what they range over. A gap that
// ranges over a long step may dip below zero anywhere on it.
constexpr double kAgreement = 1e-4, kGapAgreement = 1e-8;
// The margin is 1 where candidates are found.
constexpr double kMarginAgreement = 0.05;

// A watched function may leave the zero where its mode begins with slope zero, as the way to a
// limit does that has just been left: what the polynomial has of a slope there is its error.
void leave_slowly(VectorRef c) {
  const double range = c.tail(c.size() - 2).cwiseAbs().maxCoeff();
  if (c(1) < 0.0 && c(1) >= -10.0 * kAgreement * range && c.sum() > 0.0) c(1) = 0.0;
}

}  // namespace

// Which observables of a contact the indicators look at, and what of them is noise.
bool SmoothPhase::is_looked_at(Index i, Observable o) const {
  const FrozenRole& role = roles_[static_cast<std::size_t>(i)];
  const ContactFeature& slot = mechanics_.contacts.features.slots[static_cast<std::size_t>(i)];
  const bool has_point = mechanics_.system().has_features() && contact_rows_.is_unilateral(i);
  if (has_point && !(slot.used() && slot.valid)) return false;
  if (!is_closed(role.state)) return o == kGap;
  const bool sticks = role.state == ContactState::Stick && !mechanics_.is_frictionless(i);
  // What slips without friction in a plane does so whatever its speed.
  if (o == kGammaT) return !sticks && !(contact_rows_.dim(i) > 1 && mechanics_.is_frictionless(i));
  return (o == kLambdaN || ((o == kLambdaT || o == kRadius) && sticks)) && !roles_.ask_law;
}

double SmoothPhase::noise(Index i, Observable o) const {
  if (o == kGap) return resolution(i, false);
  if (o == kGammaT) return slip_resolution(i);
  const auto forces = samples_[0].contacts.col(kLambdaN).cwiseAbs();
  return kForceResolution * std::max(forces.maxCoeff(), samples_[0].contacts(i, kRadius));
}

double SmoothPhase::element_noise(Index e) const {
  const ForceElementDescription& element =
      mechanics_.system().elements()[static_cast<std::size_t>(e)];
  if (element.law == ElementLaw::Watched) return element.resolution;
  const Index nq = mechanics_.nq();
  const double place = atol_.head(nq).maxCoeff();
  const double speed = atol_.segment(nq, mechanics_.nu()).maxCoeff();
  return std::max(place, element.c * place + element.d * speed);
}

// Does the polynomial through the nodes agree with the motion at check point c? `sample` gives the
// value at a node. A gap far from zero may be described worse.
template <typename Sample>
bool SmoothPhase::agrees(Index c, double motion, double floor, bool is_gap,
                         const Sample& sample) const {
  double polynomial = 0.0, low = std::numeric_limits<double>::infinity(), high = -low;
  for (Index j = 0; j <= kNodes; ++j) {
    const double value = sample(samples_[static_cast<std::size_t>(j)]);
    polynomial += check_weights_(c, j) * value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double margin = is_gap ? 0.1 * std::max(low, 0.0) : 0.0;
  const double error = std::abs(polynomial - motion);
  const double part = is_gap ? kGapAgreement : kAgreement;
  return error <= std::max({part * (high - low), 1e-9 * std::abs(high), margin, floor});
}

// Do the polynomials through the nodes describe the contacts between them? Tested where they are
// worst.
bool SmoothPhase::is_resolved() {
  const double t_old = integrator_->t_old();
  unresolved_contact_ = -1;
  for (Index c = 0; c < kChecks; ++c) {
    const double t = t_old + checks_(c) * (t_ - t_old);
    integrator_->interpolate(t, y_scratch_);
    look(t, y_scratch_, check_sample_);
    for (Index i = 0; i < mechanics_.nc(); ++i) {
      for (const Observable o : {kGap, kGammaT, kLambdaN, kLambdaT, kRadius}) {
        if (!is_looked_at(i, o)) continue;
        const double floor = std::max(noise(i, o), rounding_(i, o));
        double motion = check_sample_.contacts(i, o);
        if (o == kGammaT) motion *= side_of(i, node_before(c), check_sample_);
        const bool same = agrees(c, motion, floor, o == kGap,
                                 [&](const Observation& sample) { return sample.contacts(i, o); });
        if (same) continue;
        unresolved_ = o;
        unresolved_contact_ = o == kGap ? -1 : i;
        return false;
      }
    }
    if (mechanics_.system().has_features() && !features_are_resolved(c)) return false;
    for (Index e = 0; e < mechanics_.system().ne(); ++e) {
      const bool same = agrees(c, check_sample_.element_switch(e), element_noise(e), false,
                               [&](const Observation& sample) { return sample.element_switch(e); });
      if (!same) return false;
    }
  }
  return true;
}

// Where shorter steps do not help, what is seen may be rounding: of a force that is zero by the
// cancellation of its terms, as that of a disc that runs along a wall. A few ulps of t and y more
// or less show how much that is. Off both ends of the step, and the smaller of both: what jumps on
// the step is seen from one end at most.
void SmoothPhase::measure_noise() {
  change_.setZero();
  largest_change(0, -1.0, change_);
  end_change_.setZero();
  largest_change(kNodes, 1.0, end_change_);
  constexpr double margin = 16.0;
  rounding_ = rounding_.cwiseMax(margin * change_.cwiseMin(end_change_));
}

// What a few ulps of t, in this direction, and of y change at a node.
void SmoothPhase::largest_change(Index node, double direction, Matrix& change) {
  constexpr double ulps = 32.0 * std::numeric_limits<double>::epsilon();
  const double t = node == 0 ? integrator_->t_old() : t_;
  const Matrix& here = samples_[static_cast<std::size_t>(node)].contacts;
  for (Index pattern = 1; pattern <= 4; pattern *= 2) {
    for (const double way : {ulps, -ulps}) {
      for (Index i = 0; i < y_scratch_.size(); ++i) {
        y_scratch_(i) = sampled_y_(i, node) * (1.0 + ((i & pattern) ? way : -way));
      }
      observe(t + direction * ulps * std::abs(t), y_scratch_, check_sample_);
      for (Index k = 0; k < change.size(); ++k) {
        const double size = std::abs(check_sample_.contacts.data()[k] - here.data()[k]);
        if (size > change.data()[k]) change.data()[k] = size;  // not of what has no value
      }
    }
  }
}

// The same for the ends of features and for the candidates.
bool SmoothPhase::features_are_resolved(Index c) const {
  constexpr double floor = 0.1 * kOverrun;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const ContactFeature& slot = mechanics_.contacts.features.slots[static_cast<std::size_t>(i)];
    if (!slot.used() || std::isinf(samples_[0].domain(i))) continue;
    // Positive far from where it counts: there it may have kinks.
    const double sign = slot.valid ? 1.0 : -1.0;
    const bool same = agrees(c, sign * check_sample_.domain(i), floor, true,
                             [&](const Observation& sample) { return sign * sample.domain(i); });
    if (!same) return false;
    if (slot.valid) continue;
    const bool comes = agrees(c, check_sample_.approach(i), floor, true,
                              [&](const Observation& sample) { return sample.approach(i); });
    if (!comes) return false;
  }
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (std::isinf(samples_[0].margin(i))) continue;
    const bool same = agrees(c, check_sample_.margin(i), kMarginAgreement, true,
                             [&](const Observation& sample) { return sample.margin(i); });
    if (!same) return false;
  }
  return true;
}

// Below this a value of g_N or γ_N is error of the integrator or rounding: the tolerances of the
// components, seen through w_N.
double SmoothPhase::resolution(Index contact, bool velocity) const {
  constexpr double rounding = 32.0 * std::numeric_limits<double>::epsilon();
  const Index nq = mechanics_.nq();
  const auto w = mechanics_.contacts.W_N.col(contact).cwiseAbs();
  const Index first = velocity ? nq : 0;
  const Index size = velocity ? mechanics_.nu() : nq;
  const auto part = atol_.segment(first, size);
  const auto y = sampled_y_.col(0).segment(first, size);
  if (part.size() != w.size()) return part.maxCoeff() + rounding * y.cwiseAbs().maxCoeff();
  return w.dot(part + rounding * y.cwiseAbs());
}

// What rounding of the coordinates leaves in a gap.
double SmoothPhase::rounding(Index contact) const {
  constexpr double few = 4.0 * std::numeric_limits<double>::epsilon();
  const auto w = mechanics_.contacts.W_N.col(contact).cwiseAbs();
  const auto q = y_.head(mechanics_.nq()).cwiseAbs();
  return few * (q.size() == w.size() ? w.dot(q) : q.maxCoeff());
}

// The polynomial through the start and the nodes.
void SmoothPhase::fit(const Indicator& indicator, VectorRef c) {
  c(0) = watched_value(indicator, samples_[0]);
  for (Index j = 0; j < kNodes; ++j) {
    const Observation& sample = samples_[static_cast<std::size_t>(j + 1)];
    fit_(j) = (watched_value(indicator, sample) - c(0)) / nodes_(j);
  }
  fitted_.noalias() = from_nodes_ * fit_;
  c.segment(1, kNodes) = fitted_;
}

// A gap or a slip velocity behind its zero at the start of the step, from its derivative:
// differences of samples would drown a short flight or a slow departure in rounding.
void SmoothPhase::fit_behind_zero(const Indicator& indicator, Index zeros, VectorRef c) {
  const Index i = indicator.contact;
  const double h = t_ - integrator_->t_old();
  const bool gap = is_gap(indicator);
  const Index order = gap ? 2 : 1;  // of the derivative that is sampled
  const Observable derivative = gap ? kGammaDotN : kGammaDotT;
  const double sign = gap ? 1.0 : indicator.sign;
  const double start = sign * samples_[0].contacts(i, derivative);
  for (Index j = 0; j < kNodes; ++j) {
    const Matrix& sample = samples_[static_cast<std::size_t>(j + 1)].contacts;
    fit_(j) = (sign * sample(i, derivative) - start) / nodes_(j);
  }
  fitted_.noalias() = from_nodes_ * fit_;
  c(order) = start;
  c.segment(order + 1, kNodes) = fitted_;
  for (Index k = order; k <= order + kNodes; ++k) {
    const double p = static_cast<double>(k);
    c(k) *= gap ? h * h / (p * (p - 1.0)) : h / p;
  }
  if (gap) {
    const double gamma_N = samples_[0].contacts(i, kGammaN);
    c(1) = std::abs(gamma_N) > resolution(i, true) || zeros == 1 ? gamma_N * h : 0.0;
  }
  // On a later step the gap may be open by little, or closed by less than its resolution.
  if (gap && zeros == 0) c(0) = std::max(0.0, samples_[0].contacts(i, kGap));
  // An acceleration that the law has taken for zero is one, if it opens.
  const bool opens = gap && zeros > 2 && c(2) > 0.0;
  c.head(opens ? 2 : zeros).setZero();
}

// Bodies that fly side by side touch without force: neither gap nor force ever leave zero, and what
// rounding makes of them is no event.
bool SmoothPhase::is_noise(const Indicator& indicator, bool at_zero) const {
  const bool force = is_force(indicator);
  const Index i = indicator.contact;
  if (!at_zero && !force) return false;
  if (at_zero && std::abs(samples_[0].contacts(i, kGammaN)) > resolution(i, true)) return false;
  const double zero = force ? std::max(indicator.noise, rounding_(i, kLambdaN)) : indicator.noise;
  for (const Observation& sample : samples_) {
    const double value = force ? watched_value(indicator, sample) : sample.contacts(i, kGammaDotN);
    // A gap that is zero and never pulled towards the other side does not come back to zero.
    if (!(force ? std::abs(value) <= zero : value >= -zero)) return false;
  }
  return true;
}

bool SmoothPhase::is_watched_function(const Indicator& indicator) const {
  if (!indicator.quantity->is_of_element()) return false;
  const auto e = static_cast<std::size_t>(indicator.contact);
  return mechanics_.system().elements()[e].law == ElementLaw::Watched;
}

void SmoothPhase::expand(const std::vector<Indicator>& indicators, bool starts,
                         Matrix& coefficients) {
  sample();
  phase_starts_ = starts;
  const Matrix& first = samples_[0].contacts;
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    const Indicator& indicator = indicators[k];
    const Index zeros = starts ? indicator.zeros : 0;
    Vector& c = indicator_series_;
    c.setZero();
    auto column = coefficients.col(static_cast<Index>(k));
    column.setZero();
    if (indicator.quantity->place() == Place::EndOfLaw) {
      column(0) = find_end_of_law();
      column(1) = -1.0;
      continue;
    }
    const bool gap = is_gap(indicator);
    const bool slip = is_slip(indicator);
    const bool gap_at_zero =
        gap && std::abs(first(indicator.contact, kGap)) <= resolution(indicator.contact, false);
    if (is_noise(indicator, gap_at_zero)) continue;
    if (gap_at_zero || ((gap || slip) && zeros > 0)) {
      fit_behind_zero(indicator, zeros, c);
    } else {
      fit(indicator, c);
      c.head(zeros).setZero();
      if (zeros > 0 && is_watched_function(indicator)) leave_slowly(c);
    }
    column.head(c.size()) = c;
  }
}

double SmoothPhase::domain_at(double s, Index contact) {
  const double t_old = integrator_->t_old();
  integrator_->interpolate(t_old + s * (t_ - t_old), y_scratch_);
  observe_gaps(t_old + s * (t_ - t_old), y_scratch_, check_sample_);
  return check_sample_.domain(contact);
}

const Matrix& SmoothPhase::series() {
  const double t_old = integrator_->t_old();
  integrator_->interpolate(t_old, series_.col(0));
  if (tiny_) {
    series_.rightCols(kNodes).setZero();
    series_.col(1) = y_ - series_.col(0);
    return series_;
  }
  for (Index j = 0; j < kNodes; ++j) {
    node_state(j, node_slopes_.col(j));
    node_slopes_.col(j) = (node_slopes_.col(j) - series_.col(0)) / nodes_(j);
  }
  series_.rightCols(kNodes).noalias() = node_slopes_ * from_nodes_.transpose();
  return series_;
}

// A dip of γ_T that the tolerances of the integrator may have made.
double SmoothPhase::touch_tolerance(const Indicator& indicator) const {
  if (!may_touch(indicator) || is_force(indicator)) return indicator.noise;
  if (is_watched_in_plane(indicator)) return 0.0;  // never below zero
  return std::max(indicator.noise, slip_resolution(indicator.contact));
}

double SmoothPhase::end_value(const Indicator& indicator, double sum) const {
  return is_gap(indicator) ? watched_value(indicator, samples_[kNodes]) : sum;
}

bool SmoothPhase::expand_friction_power(Matrix& power) {
  if (tiny_) return false;
  bool slips = false;
  for (const FrozenRole& role : roles_.contacts) slips = slips || is_slip(role.state);
  if (!slips) return false;
  sample();
  power.setZero();
  for (std::size_t c = 0; c < roles_.size(); ++c) {
    if (!is_slip(roles_[c].state)) continue;
    const Index i = static_cast<Index>(c);
    const auto power_at = [&](Index j) {
      const Matrix& o = samples_[static_cast<std::size_t>(j)].contacts;
      return -o(i, kLambdaT) * o(i, kGammaT);
    };
    power(i, 0) = power_at(0);
    for (Index j = 0; j < kNodes; ++j) fit_(j) = (power_at(j + 1) - power(i, 0)) / nodes_(j);
    fitted_.noalias() = from_nodes_ * fit_;
    power.row(i).segment(1, kNodes) = fitted_.transpose();
  }
  return true;
}

bool SmoothPhase::expand_drive_power(VectorRef power) {
  if (tiny_) return false;
  bool acts = mechanics_.nb() > 0 && mechanics_.bilateral.kinematics.w_tilde.any();
  for (const FrozenRole& role : roles_.contacts) acts = acts || is_closed(role.state);
  if (!acts) return false;
  sample();
  bool moves = false;
  for (const Observation& sample : samples_) moves = moves || sample.drive_power != 0.0;
  if (!moves) return false;
  power.setZero();
  power(0) = samples_[0].drive_power;
  for (Index j = 0; j < kNodes; ++j) {
    fit_(j) = (samples_[static_cast<std::size_t>(j + 1)].drive_power - power(0)) / nodes_(j);
  }
  fitted_.noalias() = from_nodes_ * fit_;
  power.segment(1, kNodes) = fitted_;
  return true;
}

}  // namespace nsmb
