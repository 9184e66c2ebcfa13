#include "nsmb/simulation/step_resolution.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kNodes = StepSamples::kNodes;
// Halvings after which a slope has lost most of its change, and a jump none of it.
constexpr int kWider = 6;

}  // namespace

StepResolution::StepResolution(FrozenMotion& motion, const IntegratedStep& step,
                               StepSamples& samples, const Vector& atol)
    : motion_(motion),
      step_(step),
      samples_(samples),
      atol_(atol),
      rounding_(Matrix::Zero(motion.system().nc(), kObservables)),
      change_(rounding_),
      end_change_(rounding_),
      seen_(motion.system()),
      y_(motion.system().ny()),
      c_(kNodes + 1) {}

// Return true if the indicators use this observable of a contact.
bool StepResolution::is_looked_at(Index i, Observable o) const {
  const Mechanics& mechanics = motion_.mechanics();
  const ContactRows& rows = motion_.contact_rows();
  const FrozenRole& role = motion_.roles()[static_cast<std::size_t>(i)];
  if (motion_.system().feature_search() && rows.is_unilateral(i)) {
    const ContactFeature& slot = mechanics.contacts.features.slots[static_cast<std::size_t>(i)];
    if (!(slot.used() && slot.valid)) return false;
  }
  if (!is_closed(role.state)) return o == kGap && rows.is_unilateral(i);
  const bool sticks = role.state == ContactState::Stick && mechanics.can_stick(i);
  // A contact that slips in a plane and cannot stick does so at any speed.
  if (o == kGammaT) return !sticks && (rows.dim(i) == 1 || mechanics.can_stick(i));
  return (o == kLambdaN || ((o == kLambdaT || o == kRadius) && sticks)) && !motion_.roles().ask_law;
}

double StepResolution::noise(Index i, Observable o) const {
  if (o == kGap) return samples_.resolution(i, false);
  if (o == kGammaT) return motion_.slip().resolution(i);
  const auto forces = samples_[0].contacts.col(kLambdaN).cwiseAbs();
  return resolutions::kForce * std::max(forces.maxCoeff(), samples_[0].contacts(i, kRadius));
}

double StepResolution::element_noise(Index e) const {
  const ForceElementDescription& element = motion_.system().elements()[static_cast<std::size_t>(e)];
  if (element.law == ElementLaw::Watched) return element.resolution;
  const Index nq = motion_.system().nq();
  const double place = atol_.head(nq).maxCoeff();
  const double speed = atol_.segment(nq, motion_.system().nu()).maxCoeff();
  return std::max(place, element.c * place + element.d * speed);
}

// Return true if the polynomial through the nodes agrees with the motion at check c. `sample` gives
// the value at a node. The agreement may be worse for a gap far from zero.
template <typename Sample>
bool StepResolution::agrees(Index c, double motion, double floor, bool is_gap,
                            const Sample& sample) const {
  const Matrix& weights = samples_.interpolation().check_weights();
  double polynomial = 0.0, low = kInfinity, high = -low;
  for (Index j = 0; j <= kNodes; ++j) {
    const double value = sample(samples_[j]);
    polynomial += weights(c, j) * value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double margin = is_gap ? 0.1 * std::max(low, 0.0) : 0.0;
  const double error = std::abs(polynomial - motion);
  const double part = is_gap ? watching::kGapAgreement : watching::kAgreement;
  return error <= std::max({part * (high - low), 1e-9 * std::abs(high), margin, floor});
}

bool StepResolution::is_resolved() {
  const ChebyshevInterpolation& interpolation = samples_.interpolation();
  unresolved_contact_ = -1;
  for (Index c = 0; c < ChebyshevInterpolation::kChecks; ++c) {
    const double t = step_.interpolate(interpolation.check(c), y_);
    samples_.look(t, y_, seen_);
    if (!contacts_are_resolved(c)) return false;
    if (motion_.system().feature_search() && !features_are_resolved(c)) return false;
    if (!elements_are_resolved(c)) return false;
  }
  return dips_are_resolved();
}

// A body that flies past an edge may come and go between two nodes, wherever they lie on the step.
bool StepResolution::dips_are_resolved() {
  for (Index i = 0; i < rounding_.rows(); ++i) {
    const FrozenRole& role = motion_.roles()[static_cast<std::size_t>(i)];
    if (is_closed(role.state) || !is_looked_at(i, kGap)) continue;
    for (Index j = 0; j < kNodes; ++j) {
      if (!dip_is_resolved(i, j)) return false;
    }
  }
  return true;
}

// Check an interval from a node where the gap falls to one where it grows. For bodies without
// hollows the tangents meet below the gap. If they meet above zero there is no contact. Otherwise
// the polynomial must agree with the motion.
bool StepResolution::dip_is_resolved(Index i, Index j) {
  const Matrix &here = samples_[j].contacts, &there = samples_[j + 1].contacts;
  const double falls = -here(i, kGammaN), grows = there(i, kGammaN);
  const double before = here(i, kGap), after = there(i, kGap);
  if (!(falls > 0.0 && grows > 0.0 && before > 0.0 && after > 0.0)) return true;
  const ChebyshevInterpolation& interpolation = samples_.interpolation();
  const double way = interpolation.node(j + 1) - interpolation.node(j);
  const double time = way * (step_.t() - step_.t_old());
  const double until = (before - after + grows * time) / (falls + grows);
  if (!(until > 0.0 && until < time && before - falls * until <= watching::kDip * before)) {
    return true;
  }
  const double s = interpolation.node(j) + way * until / time;
  const double t = step_.interpolate(s, y_);
  samples_.look(t, y_, seen_);
  interpolation.expand([&](Index k) { return samples_[k].contacts(i, kGap); }, c_);
  double polynomial = c_(kNodes);
  for (Index k = kNodes - 1; k >= 0; --k) polynomial = polynomial * s + c_(k);
  const double motion = seen_.contacts(i, kGap);
  const double error = std::abs(polynomial - motion);
  const double range = std::max(before, after) - std::min({before, after, motion});
  return error <= std::max({watching::kGapAgreement * range, watching::kDip * motion,
                            noise(i, kGap), rounding_(i, kGap)});
}

bool StepResolution::contacts_are_resolved(Index c) {
  const Index node = samples_.interpolation().node_before(c);
  for (Index i = 0; i < rounding_.rows(); ++i) {
    for (const Observable o : {kGap, kGammaT, kLambdaN, kLambdaT, kRadius}) {
      if (!is_looked_at(i, o)) continue;
      const double floor = std::max(noise(i, o), rounding_(i, o));
      double motion = seen_.contacts(i, o);
      if (o == kGammaT) motion *= samples_.side_of(i, node, seen_);
      const bool same = agrees(c, motion, floor, o == kGap,
                               [&](const Observation& sample) { return sample.contacts(i, o); });
      if (same) continue;
      unresolved_ = o;
      unresolved_contact_ = o == kGap ? -1 : i;
      return false;
    }
  }
  return true;
}

// Check the same for the ends of features and for the candidates.
bool StepResolution::features_are_resolved(Index c) const {
  const std::vector<ContactFeature>& slots = motion_.mechanics().contacts.features.slots;
  const FeatureSearch& search = *motion_.mechanics().system().feature_search();
  for (Index i = 0; i < rounding_.rows(); ++i) {
    const ContactFeature& slot = slots[static_cast<std::size_t>(i)];
    if (!slot.used() || std::isinf(samples_[0].domain(i))) continue;
    // The value is positive far from where it counts. It may have kinks there.
    const double sign = slot.valid ? 1.0 : -1.0;
    const double floor = features::kFeatureFloor * search.length_of(i);
    const bool same = agrees(c, sign * seen_.domain(i), floor, true,
                             [&](const Observation& sample) { return sign * sample.domain(i); });
    if (!same) return false;
    if (slot.valid) continue;
    const bool comes = agrees(c, seen_.approach(i), floor, true,
                              [&](const Observation& sample) { return sample.approach(i); });
    if (!comes) return false;
  }
  for (Index i = 0; i < rounding_.rows(); ++i) {
    if (std::isinf(samples_[0].margin(i))) continue;
    const bool same = agrees(c, seen_.margin(i), watching::kMarginAgreement, true,
                             [&](const Observation& sample) { return sample.margin(i); });
    if (!same) return false;
  }
  return true;
}

bool StepResolution::elements_are_resolved(Index c) const {
  for (Index e = 0; e < seen_.element_switch.size(); ++e) {
    const bool same = agrees(c, seen_.element_switch(e), element_noise(e), false,
                             [&](const Observation& sample) { return sample.element_switch(e); });
    if (!same) return false;
  }
  return true;
}

// Vary beyond both ends of the step, and take the smaller change. A jump on the step is visible
// from one end at most.
void StepResolution::measure_rounding() {
  change_.setZero();
  largest_change(0, -1.0, change_);
  end_change_.setZero();
  largest_change(kNodes, 1.0, end_change_);
  rounding_ = rounding_.cwiseMax(event_times::kNoise * change_.cwiseMin(end_change_));
}

// Compute the change at a node due to a few ulps of y, and of t in this direction.
void StepResolution::largest_change(Index node, double direction, Matrix& change) {
  const double t = node == 0 ? step_.t_old() : step_.t();
  const Matrix& here = samples_[node].contacts;
  for (Index pattern = 1; pattern <= 4; pattern *= 2) {
    for (const double way : {event_times::kUlps, -event_times::kUlps}) {
      for (Index i = 0; i < y_.size(); ++i) {
        y_(i) = samples_.states()(i, node) * (1.0 + ((i & pattern) ? way : -way));
      }
      motion_.observe(t + direction * event_times::kUlps * std::abs(t), y_, seen_);
      for (Index k = 0; k < change.size(); ++k) {
        const double size = std::abs(seen_.contacts.data()[k] - here.data()[k]);
        if (size > change.data()[k]) change.data()[k] = size;  // false for NaN
      }
    }
  }
}

double StepResolution::find_jump() {
  if (unresolved_contact_ < 0) return kInfinity;
  const Index i = unresolved_contact_;
  const Observable o = unresolved_;
  const auto value_at = [&](double t) {
    step_.integrator().interpolate(t, y_);
    motion_.observe(t, y_, seen_);
    return seen_.contacts(i, o);
  };
  const double t_old = step_.t_old(), t_end = step_.t();
  const auto place = [&](Index j) {
    return j == kNodes ? t_end : t_old + samples_.interpolation().node(j) * (t_end - t_old);
  };
  const auto sampled = [&](Index j) { return samples_[j].contacts(i, o); };
  Index widest = 0;
  for (Index j = 1; j < kNodes; ++j) {
    const double change = std::abs(sampled(j + 1) - sampled(j));
    if (change > std::abs(sampled(widest + 1) - sampled(widest))) widest = j;
  }
  double low = place(widest), high = place(widest + 1);
  double at_low = sampled(widest), at_high = sampled(widest + 1);
  double before = std::abs(at_high - at_low), wider = before;
  for (int halvings = 0;; ++halvings) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    if (halvings % kWider == 0) {
      wider = before;
      before = std::abs(at_high - at_low);
    }
    const double value = value_at(middle);
    if (!std::isfinite(value)) return kInfinity;
    const bool first_half = std::abs(value - at_low) > std::abs(at_high - value);
    (first_half ? high : low) = middle;
    (first_half ? at_high : at_low) = value;
  }
  const double change = std::abs(at_high - at_low);
  if (!(change > watching::kForceJump * wider)) return kInfinity;
  at_low = value_at(low);
  if (!(change > std::max(noise(i, o), rounding_(i, o)))) return kInfinity;
  // Compare both sides at one state.
  motion_.observe(high, y_, seen_);
  if (!(std::abs(seen_.contacts(i, o) - at_low) > watching::kForceJump * change)) return kInfinity;
  motion_.restore_features();
  return high;
}

}  // namespace nsmb
