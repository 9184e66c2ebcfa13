// What counts as small on a SmoothPhase: absolute tolerances, and why a step failed.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// s: far below the time in which a mechanical system does something.
constexpr double kShortTime = 1e-3;
// Of rest, the time of a motion is the one in which its forces change by this part of themselves,
// found by this many tenths of the short time.
constexpr double kChanged = 0.1;
constexpr int kTenths = 12;
// A size below this one is zero: tolerances are parts of it, and numbers end at 1e-308.
constexpr double kNothing = 1e-200;
// A component that has grown by this factor since sizes were measured: they are those of rest, or
// of another motion.
constexpr double kOutgrown = 1e4;
// Closed contacts are held to this, m and m/s: what projection may stir up.
constexpr double kDrift = 1e-13;
// What evaluations of the internal states are exact to.
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

// At most the time in which the forces change all velocities.
double SmoothPhase::short_time(double energy) const {
  const double power = mechanics_.h.dot(mechanics_.Minv_h);
  if (!(power > 0.0)) return kShortTime;
  return std::min(kShortTime, std::sqrt(2.0 * energy / power));
}

// The energy of a system at rest is what its forces make, if nothing holds it, in the time of its
// motion. That time is not known at rest: it is shortened until the forces at its end are those of
// its start. Called behind an update of mechanics_ at (t, y).
void SmoothPhase::measure_rest(double t, const ConstVectorRef& y) {
  const double power = mechanics_.h.dot(mechanics_.Minv_h);
  // A system that moves as fast shows its size itself.
  if (!(power > 0.0) || largest_energy_ >= 0.5 * power * kShortTime * kShortTime) return;
  const Index nq = mechanics_.nq();
  rhs(t, y, small_step_slopes_.col(0));
  correction_ = mechanics_.Minv_h;
  state_rate_ = state_rate_.cwiseMax(mechanics_.xdot.cwiseAbs());
  mechanics_.coordinate_rates(t, y.head(nq), udot_, q_step_);
  double time = kShortTime;
  for (int k = 0; k < kTenths; ++k, time *= 0.1) {
    y_scratch_ = y + time * small_step_slopes_.col(0);
    y_scratch_.head(nq) += 0.5 * time * time * q_step_;
    rhs(t + time, y_scratch_, small_step_slopes_.col(1));
    if (!small_step_slopes_.col(1).allFinite()) continue;
    udot_ = mechanics_.Minv_h - correction_;
    if (mechanics_.kinetic_energy(udot_) <= 0.5 * kChanged * kChanged * power) break;
  }
  if (small_step_slopes_.col(1).allFinite()) {
    state_rate_ =
        state_rate_.cwiseMax(small_step_slopes_.col(1).tail(state_rate_.size()).cwiseAbs());
  }
  rest_energy_ = std::max(rest_energy_, 0.5 * power * time * time);
  mechanics_.update(t, y);
}

// Absolute tolerances: rtol times the size of each component. The size of a velocity is the largest
// one it has had, or the one all the kinetic energy so far would give it, so that a component at
// rest is not judged by its rounding; that of a coordinate, at least what its velocity covers in a
// short time.
void SmoothPhase::measure_scale(double t, const ConstVectorRef& y) {
  if (!scaled_tolerance_) return;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  const Index nx = mechanics_.system().nx();
  mechanics_.update(t, y);
  largest_energy_ = std::max(largest_energy_, mechanics_.kinetic_energy(y.segment(nq, nu)));
  size_ = size_.cwiseMax(y.cwiseAbs());
  if (largest_energy_ <= rest_energy_ || rest_energy_ == 0.0) measure_rest(t, y);
  const double energy = std::max(largest_energy_, rest_energy_);
  const double time = short_time(energy);
  scale_ = size_;
  double fastest = 0.0;
  for (Index i = 0; i < nu; ++i) {
    double& size = scale_(nq + i);
    size = std::max(size, std::sqrt(2.0 * energy / mechanics_.mass.entries()(i, i)));
    fastest = std::max(fastest, size);
  }
  for (Index i = 0; i < nu; ++i) {
    if (scale_(nq + i) < kNothing) scale_(nq + i) = fastest > kNothing ? fastest : 1.0;
  }
  for (Index i = 0; i < nq; ++i) {
    const double speed = nq == nu ? scale_(nq + i) : fastest;
    scale_(i) = std::max(scale_(i), time * (speed > kNothing ? speed : 1.0));
  }
  const Index own = mechanics_.system().nx_own();
  auto states = scale_.tail(nx);
  for (Index i = 0; i < nx; ++i) {
    const double rate = i >= own ? fastest : std::max(state_rate_(i), std::abs(mechanics_.xdot(i)));
    states(i) = std::max(states(i), time * (rate > kNothing ? rate : 1.0));
  }
  // A state at rest beside others has their rounding.
  if (own > 0)
    states.head(own) =
        states.head(own).cwiseMax(kRounding / options_.rtol * states.head(own).maxCoeff());
  atol_ = options_.rtol * scale_;
  allow_for_projection();
  integrator_->set_atol(atol_);
}

// Nor is a component judged by what the projection onto closed contacts leaves in it.
void SmoothPhase::allow_for_projection() {
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  const Index nc = mechanics_.nc();
  for (const Index row : rows_) {
    const auto way = mechanics_.delassus.Minv_W.col(row).cwiseAbs();
    const double drift = kDrift / mechanics_.delassus.G(row, row);
    atol_.segment(nq, nu) = atol_.segment(nq, nu).cwiseMax(drift * way);
    if (row < nc && nq == nu) atol_.head(nq) = atol_.head(nq).cwiseMax(drift * way);
  }
}

// A phase that begins at rest must not keep the sizes of rest.
void SmoothPhase::follow_scale() {
  if (!scaled_tolerance_) return;
  if ((y_.array().abs() > kOutgrown * scale_.array()).any()) measure_scale(t_, y_);
}

std::string SmoothPhase::name_of(Index component) const {
  const System& system = mechanics_.system();
  const Index nq = system.nq();
  const Index nu = system.nu();
  if (component < nq)
    return "q of '" + system.coordinates()[static_cast<std::size_t>(component)] + "'";
  if (component >= nq + nu) {
    return "x of '" + system.states()[static_cast<std::size_t>(component - nq - nu)] + "'";
  }
  const Index i = component - nq;
  if (nq != nu) return "velocity " + std::to_string(i);
  return "u of '" + system.coordinates()[static_cast<std::size_t>(i)] + "'";
}

// A contact whose point is not found; -1: none.
Index SmoothPhase::lost_contact() const {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (std::isnan(mechanics_.contacts.g_N(i))) return i;
  }
  return -1;
}

// What the integrator cannot know: the function that has no value, the component that jumps or
// limits the steps.
std::string SmoothPhase::trouble(StepStatus status) const {
  if (!no_value_.empty()) return no_value_;
  if (const Index i = lost_contact(); i >= 0) {
    return "the contact point of '" +
           mechanics_.system().contacts()[static_cast<std::size_t>(i)].name +
           "' is not found: its curvatures are singular there (4.35), or it moves too far in a "
           "step, which a smaller max_step helps";
  }
  if (status == StepStatus::StandsStill && stall_.component() >= 0) {
    return "the motion stands still where the rate of " + name_of(stall_.component()) +
           " jumps from " + to_text(stall_.before()) + " to " + to_text(stall_.behind()) +
           "; friction is a contact law, LinearFriction or CallbackFriction, not a force by the "
           "sign of a velocity, and a force that switches is a force element";
  }
  if (near_singular_) {
    std::string names;
    for (Index i = 0; i < mechanics_.nb(); ++i) {
      if (!mechanics_.bilateral.is_weak(i, kNearlyDependent)) continue;
      names += (names.empty() ? "'" : "', '") +
               mechanics_.system().constraints()[static_cast<std::size_t>(i)];
    }
    if (!names.empty()) {
      return "near a singular position: constraints " + names +
             "' lose their independence, and rounding hides the way on at this rtol";
    }
  }
  const Index worst = integrator_->worst_component();
  const bool short_steps = status == StepStatus::StandsStill || status == StepStatus::StepTooSmall;
  if (!short_steps || worst < 0) return {};
  const std::string what = status == StepStatus::StandsStill
                               ? "the steps have become too short to get on"
                               : "the step size fell below the resolution of t";
  return what + ", for the sake of " + name_of(worst);
}

}  // namespace nsmb
