// Slip in a plane, and states of which the law itself is asked whether they last.
#include <algorithm>
#include <cmath>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// Slip that begins at rest keeps its first direction up to this part of the velocities so far: the
// direction is drawn to its true value within |γ_T|/(μ λ_N wᵀM⁻¹w), which no explicit method
// follows from zero. What it is wrong by is healed by the same attraction.
constexpr double kLayer = 1e-5;
// Speeds that end slip, in units of what the tolerances of the integrator resolve.
constexpr double kStickResolution = 8.0;
// Contacts of one body come to rest together, those with speeds up to so many times that.
constexpr double kTogether = 4.0;
// The law is asked with this many times the tolerance it decides with.
constexpr double kLawMargin = 10.0;

}  // namespace

// What the tolerances of the velocities leave of γ_T, and no less than what counts as rest.
double SmoothPhase::slip_resolution(Index i) const {
  const auto part = atol_.segment(mechanics_.nq(), mechanics_.nu());
  double largest = 0.0;
  for (Index d = 0; d < contact_rows_.dim(i); ++d) {
    const auto w = mechanics_.contacts.W_T.col(contact_rows_.tangent(i) + d).cwiseAbs();
    largest = std::max(largest, w.dot(part));
  }
  return std::max(rest_velocity_, kStickResolution * largest);
}

bool SmoothPhase::is_watched_in_plane(const Indicator& indicator) const {
  return indicator.kind == IndicatorKind::SlipVelocity && contact_rows_.dim(indicator.contact) > 1;
}

// |γ_T| never changes its sign: slip in a plane ends where it cannot be told from rest.
double SmoothPhase::watched_value(const Indicator& indicator,
                                  const Observation& observation) const {
  double f = value(indicator, observation);
  if (is_watched_in_plane(indicator) && armed_[static_cast<std::size_t>(indicator.contact)]) {
    f -= slip_resolution(indicator.contact);
  }
  return f;
}

void SmoothPhase::arm_slips() {
  layer_ = 0.0;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (contact_rows_.dim(i) < 2 || !is_slip(roles_[c].state)) continue;
    const double speed = mechanics_.slip(i);
    if (speed > 2.0 * slip_resolution(i)) armed_[c] = true;
    // The velocities are what the tolerances are rtol times of, given or measured.
    const double velocity = slip_resolution(i) / (kStickResolution * options_.rtol);
    layer_ = std::max(layer_, kLayer * velocity);
    if (speed > layer_) in_layer_[c] = false;
  }
}

// From the speed that ends slip in a plane straight to rest, at most `longest` s: on this last bit
// direction and deceleration do not change any more.
void SmoothPhase::come_to_rest(const Indicator& indicator, double longest) {
  observe(t_, y_, samples_[0]);
  const double speed = samples_[0].contacts(indicator.contact, kGammaT);
  const double rate = samples_[0].contacts(indicator.contact, kGammaDotT);
  const double dt = -speed / rate;
  if (!(rate < 0.0) || !(dt <= longest)) return;
  rhs(t_, y_, small_step_slopes_.col(0));
  // What is left of γ_T there is rounding: the direction stays the last one.
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (armed_[c] && mechanics_.slip(i) <= kTogether * slip_resolution(i)) in_layer_[c] = true;
  }
  rest_friction_ = roles_.friction;
  y_ += dt * small_step_slopes_.col(0);
  t_ += dt;
  duration_ += dt;
}

void SmoothPhase::mark_rest(std::vector<bool>& contacts) {
  if (!contact_rows_.spatial) return;
  mechanics_.update_contacts(t_, y_);
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (contact_rows_.dim(i) < 2 || !armed_[c]) continue;
    if (mechanics_.slip(i) <= kTogether * slip_resolution(i)) contacts[c] = true;
  }
}

void SmoothPhase::update_slip_directions() {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (contact_rows_.dim(i) < 2 || c >= roles_.size() || !is_slip(roles_[c].state)) continue;
    const Index t = contact_rows_.tangent(i);
    auto friction = roles_.friction.segment(t, 2);
    const double speed = mechanics_.slip(i);
    const double depth = in_layer_[c] && layer_ > 0.0 ? 2.0 * speed / layer_ - 1.0 : 1.0;
    if (depth <= 0.0 || speed == 0.0) {
      friction = rest_friction_.segment(t, 2);
      continue;
    }
    mechanics_.slip_friction(i, friction);
    if (depth >= 1.0) continue;
    const double weight = depth * depth * (3.0 - 2.0 * depth);
    friction = weight * friction + (1.0 - weight) * rest_friction_.segment(t, 2);
  }
}

// Columns of the tangential direction; in a plane those of the speed.
void SmoothPhase::observe_slip(Index i, Observation& observation) const {
  const Index t = contact_rows_.tangent(i);
  const Index dim = contact_rows_.dim(i);
  const auto W_T = mechanics_.contacts.W_T.middleCols(t, dim);
  auto row = observation.contacts.row(i);
  const Index normal = contact_rows_.normal_of(i);
  row(kRadius) =
      mechanics_.contacts.bound(i) + (normal < 0 ? 0.0 : mechanics_.mu(i) * lambda_N_(normal));
  if (dim == 1) {
    row(kGammaT) = mechanics_.gamma_T(t);
    row(kLambdaT) = lambda_T_(t);
    row(kGammaDotT) = mechanics_.contacts.w_bar_T(t) + W_T.col(0).dot(udot_);
    return;
  }
  const Eigen::Vector2d gamma = mechanics_.gamma_T.segment<2>(t);
  const Eigen::Vector2d lambda = lambda_T_.segment<2>(t);
  Eigen::Vector2d rate;
  for (Index d = 0; d < 2; ++d) {
    rate(d) = mechanics_.contacts.w_bar_T(t + d) + W_T.col(d).dot(udot_);
  }
  const std::size_t c = static_cast<std::size_t>(i);
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
  if (gamma.norm() > 0.0) direction = gamma.normalized();
  if (in_layer_[c] && gamma.norm() < 0.5 * layer_) {
    // Of a speed that is hardly more than rounding: the direction in which slip began.
    const double aspect = mechanics_.laws[c].aspect;
    direction << -rest_friction_(t), -rest_friction_(t + 1) / (aspect * aspect);
    direction.normalize();
  }
  row(kGammaT) = gamma.dot(direction);
  row(kGammaDotT) = rate.dot(direction);
  row(kLambdaT) = is_slip(roles_[c].state) ? lambda.dot(direction) : lambda.norm();
}

// The law at the last update of mechanics_, slip as it is frozen.
void SmoothPhase::ask_law() {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    const ContactState state = roles_[c].state;
    law_roles_[c] = !is_closed(state)               ? ContactRole::Absent
                    : mechanics_.is_frictionless(i) ? ContactRole::Frictionless
                    : state == ContactState::Stick  ? ContactRole::Candidate
                    : slip_sign(state) > 0          ? ContactRole::SlidesPositive
                                                    : ContactRole::SlidesNegative;
  }
  const AccelerationProblem problem{
      contact_rows_,  mechanics_.delassus.G,     mechanics_.free_N, mechanics_.free_T,
      mechanics_.mu,  mechanics_.contacts.bound, mechanics_.laws,   law_roles_,
      roles_.friction};
  solve_acceleration_law(problem, law_solver_, law_, law_is_warm_);
  law_is_warm_ = law_.status == LcpStatus::Solved;
}

// Does the law just asked give the frozen state? Then its forces are taken, which are admissible
// where contacts are dependent.
bool SmoothPhase::law_lasts(const ConstVectorRef& u) {
  if (law_.status != LcpStatus::Solved) return false;
  mechanics_.measure_rounding(u);
  const auto tolerance = [&](Index row) {
    return kLawMargin * mechanics_.acceleration_resolution(row, law_);
  };
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(roles_[c].state)) continue;
    if (contact_rows_.is_unilateral(i) && law_.gammadot_N(i) > tolerance(i)) return false;
    if (law_roles_[c] != ContactRole::Candidate) continue;
    for (Index d = 0; d < contact_rows_.dim(i); ++d) {
      const double rate = law_.gammadot_T(contact_rows_.tangent(i) + d);
      if (std::abs(rate) > tolerance(contact_rows_.row(i) + d)) return false;
    }
  }
  lambda_N_ = law_.lambda_N;
  lambda_T_ = law_.lambda_T;
  return true;
}

// Part of the last step at which the law gives another state for the first time; 2: nowhere.
double SmoothPhase::find_end_of_law() {
  double low = 0.0, high = 2.0;
  for (Index j = 0; j <= kNodes; ++j) {
    const double s = j == 0 ? 0.0 : nodes_(j - 1);
    if (!samples_[static_cast<std::size_t>(j)].lasts) {
      high = s;
      break;
    }
    low = s;
  }
  if (high > 1.0 || high == 0.0) return high;
  const double t_old = integrator_->t_old();
  const double h = t_ - t_old;
  while (high - low > 1e-13) {
    const double middle = 0.5 * (low + high);
    integrator_->interpolate(t_old + middle * h, y_scratch_);
    observe(t_old + middle * h, y_scratch_, check_sample_);
    (check_sample_.lasts ? low : high) = middle;
  }
  return high;
}

}  // namespace nsmb
