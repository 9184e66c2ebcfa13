// Slip in a plane, and states of which the law itself is asked whether they last.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/smooth_phase.hpp"
#include "nsmb/simulation/transition.hpp"

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
// Slip is known to be above zero from so many times that on, and ends below as many.
constexpr double kArmed = 2.0;
// Slip that ends is looked for by so many evaluations at most.
constexpr int kMostPasses = 60;
// Of the determinant of the frozen equations less than this part is left.
constexpr double kJamming = 1e-6;
// The law is asked with this many times the tolerance it decides with.
constexpr double kLawMargin = 10.0;
// Accelerations are the same up to this part of those without contact.
constexpr double kAlike = 1e-5;

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
  return is_slip(indicator) && contact_rows_.dim(indicator.contact) > 1;
}

// Is its direction that of γ_T, and not the one in which slip began?
bool SmoothPhase::is_straight_slip(Index i) const {
  const std::size_t c = static_cast<std::size_t>(i);
  return contact_rows_.dim(i) > 1 && is_slip(roles_[c].state) && !in_layer_[c];
}

// Of an observation behind a node of the step, seen from its start: -1 beyond zero.
double SmoothPhase::side_of(Index i, Index node, const Observation& observation) const {
  if (!is_straight_slip(i)) return 1.0;
  const Index t = contact_rows_.tangent(i);
  const Observation& before = samples_[static_cast<std::size_t>(node)];
  const double along = observation.gamma_T.segment<2>(t).dot(before.gamma_T.segment<2>(t));
  return along < 0.0 ? -sides_(i, node) : sides_(i, node);
}

// A step that ends behind the end of slip has seen it turn round from one node to the next, where
// |γ_T| alone has a kink and comes back. What is counted on from the start has a crossing.
void SmoothPhase::follow_sides() {
  sides_.setOnes();
  for (Index j = 1; j <= kNodes; ++j) {
    Observation& sample = samples_[static_cast<std::size_t>(j)];
    for (Index i = 0; i < mechanics_.nc(); ++i) {
      sides_(i, j) = side_of(i, j - 1, sample);
      for (const Observable o : {kGammaT, kGammaDotT, kLambdaT}) {
        sample.contacts(i, o) *= sides_(i, j);
      }
    }
  }
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
    const double resolution = slip_resolution(i);
    if (speed > kArmed * resolution) armed_[c] = true;
    // The velocities are what the tolerances are rtol times of, given or measured.
    const double velocity = resolution / (kStickResolution * options_.rtol);
    layer_ = std::max({layer_, kLayer * velocity, 2.0 * kArmed * resolution});
    if (speed > layer_) in_layer_[c] = false;
  }
}

// Slip that is too slow at the start of a phase to be seen to end keeps its direction: it ends
// where it has none in that direction.
void SmoothPhase::keep_slow_directions() {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (is_straight_slip(i) && !armed_[c]) in_layer_[c] = true;
  }
}

// The integrator goes to where slip ends, from the side on which it lasts: beyond, friction has
// turned round, and neither speed nor forces say where that was.
StepStatus SmoothPhase::locate_rest(const Indicator& indicator, double s_guess) {
  const Index i = indicator.contact;
  const Index tangent = contact_rows_.tangent(i);
  const double h = whole_;
  const double resolution = slip_resolution(i);
  sample();
  Index node = 0;
  while (node + 1 < kNodes && nodes_(node) < s_guess &&
         watched_value(indicator, samples_[static_cast<std::size_t>(node + 1)]) > 0.0) {
    ++node;
  }
  const Eigen::Vector2d direction =
      sides_(i, node) *
      samples_[static_cast<std::size_t>(node)].gamma_T.segment<2>(tangent).normalized();
  // Shorter steps know better than the dense output of one that went beyond.
  double low = 0.0, high = h, dt = s_guess * h;
  sampled_ = false;
  StepStatus status = StepStatus::Ok;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    status = go_to(dt);
    if (status != StepStatus::Ok) return status;
    observe(t_, y_, samples_[0]);
    const bool beyond = !(samples_[0].gamma_T.segment<2>(tangent).dot(direction) > 0.0);
    const double speed = samples_[0].contacts(i, kGammaT);
    if (!beyond && speed <= kArmed * resolution) break;
    (beyond ? high : low) = dt;
    if (high - low <= std::numeric_limits<double>::epsilon() * h) break;
    const double rate = samples_[0].contacts(i, kGammaDotT);
    dt += beyond || !(rate < 0.0) ? h : (speed - resolution) / -rate;
    if (dt >= high) dt = 0.5 * (low + high);
  }
  t_ = std::min(t_, t_stop_);  // small steps may have rounded it up
  come_to_rest(indicator, t_stop_ - t_);
  return status;
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

bool SmoothPhase::slips_on(Index i) const {
  const std::size_t c = static_cast<std::size_t>(i);
  return contact_rows_.dim(i) > 1 && armed_[c] &&
         mechanics_.slip(i) > kTogether * slip_resolution(i);
}

void SmoothPhase::rest_speeds(double t, const ConstVectorRef& y, VectorRef speeds) {
  mechanics_.update_contacts(t, y);
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    speeds(i) = contact_rows_.dim(i) > 1 ? slip_resolution(i) : 0.0;
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
    // On the rim, between both.
    const double size = std::hypot(friction(0), friction(1) / mechanics_.laws[c].aspect);
    if (size > 0.0) friction /= size;
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

// Where the forces cancel, as at the end of many a state, the law is known as well as it was where
// the phase began: as instants have it.
void SmoothPhase::remember_rounding(double t, const ConstVectorRef& y) {
  if (is_same_instant(t, entered_)) return;
  mechanics_.update(t, y);
  mechanics_.measure_rounding(y.segment(mechanics_.nq(), mechanics_.nu()));
  mechanics_.rounding.remember();
}

// Forces that grow beyond all bounds as the root of what is left of the time take ever shorter
// steps before the equations can be seen to be singular.
bool SmoothPhase::jams() {
  if (roles_.law_forces) return false;
  observe(t_, y_, check_sample_);
  return check_sample_.regularity < kJamming;
}

// The law at the last update of mechanics_, slip as it is frozen.
void SmoothPhase::ask_law(bool warm) {
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
  solve_acceleration_law(problem, law_solver_, law_, warm);
  law_is_warm_ = law_.status == LcpStatus::Solved;
}

// Does the law as it is at hand give the frozen state?
bool SmoothPhase::law_gives_state() const {
  if (law_.status != LcpStatus::Solved) return false;
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
  return true;
}

// Does the law just asked give the frozen state? It may have several solutions where contacts are
// dependent: the one found without a start decides, as it does at instants. The forces found are
// taken, which are admissible, at the end of the state, too, if they move the body alike; else
// those before it.
bool SmoothPhase::law_lasts(const ConstVectorRef& u) {
  mechanics_.measure_rounding(u);
  bool lasts = law_gives_state();
  if (!lasts && !roles_.law_forces) {
    ask_law(false);
    lasts = law_gives_state();
  }
  if (lasts || law_moves_alike()) {
    last_N_ = law_.lambda_N;
    last_T_ = law_.lambda_T;
  } else if (!is_dependent_) {
    return false;
  }
  lambda_N_ = last_N_;
  lambda_T_ = last_T_;
  return lasts;
}

// Do the forces of the law accelerate as those of the frozen state? Where the law jumps to another
// solution they do not.
bool SmoothPhase::law_moves_alike() {
  if (law_.status != LcpStatus::Solved) return false;
  correction_ = udot_ - mechanics_.Minv_h;
  correction_.noalias() -= mechanics_.delassus.Minv_W.leftCols(mechanics_.nc()) * law_.lambda_N;
  correction_.noalias() -= mechanics_.delassus.Minv_W.rightCols(mechanics_.nt()) * law_.lambda_T;
  return mechanics_.kinetic_energy(correction_) <=
         kAlike * kAlike * mechanics_.kinetic_energy(mechanics_.Minv_h);
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
