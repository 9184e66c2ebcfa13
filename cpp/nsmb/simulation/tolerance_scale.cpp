#include "nsmb/simulation/tolerance_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kTenths = 12;

// Return a short time, at most that in which the forces change all velocities.
double short_time(const Mechanics& mechanics, double energy) {
  const double power = mechanics.h.dot(mechanics.Minv_h);
  if (!(power > 0.0)) return sizes::kShortTime;
  return std::min(sizes::kShortTime, std::sqrt(2.0 * energy / power));
}

}  // namespace

ToleranceScale::ToleranceScale(const System& system, double rtol, Vector given)
    : rtol_(rtol),
      given_(std::move(given)),
      element_speed_(system.ne()),
      size_(system.ny()),
      state_rate_(system.nx()),
      scale_(system.ny()),
      y_(system.ny()),
      slope_(system.ny()),
      slope_at_rest_(system.ny()),
      Minv_h_(system.nu()),
      change_(system.nu()),
      q_step_(system.nq()) {
  reset();
}

void ToleranceScale::reset() {
  knows_rounding_ = false;
  rounding_energy_ = 0.0;
  element_speed_.setZero();
  size_.setZero();
  state_rate_.setZero();
  largest_energy_ = rest_energy_ = 0.0;
  if (is_given()) {
    atol_ = given_;
    scale_ = given_ / rtol_;  // the tolerances are rtol times these
  } else {
    scale_.setOnes();
    atol_ = rtol_ * scale_;
  }
}

// Measure the rounding of large forces that balance. It leaves accelerations that no step resolves.
// Differences over a small part of y show the terms of the forces. Compared with the coordinates,
// these show how fast the forces act. Friction is ignored, since its direction is rounding at the
// onset of slip. To be called after an update of the mechanics at (t, y).
void ToleranceScale::measure_rounding(FrozenMotion& motion, double t, const ConstVectorRef& y) {
  knows_rounding_ = true;
  Mechanics& mechanics = motion.mechanics();
  if (mechanics.nq() != mechanics.nu()) return;
  const double part = std::sqrt(std::numeric_limits<double>::epsilon());
  Minv_h_ = mechanics.Minv_h;
  change_ = y.head(mechanics.nq());
  const double size = mechanics.kinetic_energy(change_);
  for (Index pattern = 1; pattern <= 4; pattern *= 2) {
    for (Index i = 0; i < y.size(); ++i) y_(i) = y(i) * (1.0 + ((i & pattern) ? part : -part));
    motion.rhs(t, y_, slope_);
    if (!slope_.allFinite()) continue;
    change_ = (mechanics.Minv_h - Minv_h_) / part;
    const double terms = mechanics.kinetic_energy(change_);
    if (!(terms > 0.0)) continue;
    const double time = std::min(sizes::kShortTime, std::sqrt(std::sqrt(size / terms)));
    change_ *= event_times::kUlps * time / rtol_;
    rounding_energy_ = std::max(rounding_energy_, mechanics.kinetic_energy(change_));
  }
  mechanics.update(t, y);
}

// Measure the energy that the forces would give to a system at rest, if nothing holds it, in the
// time of its motion. This time is not known at rest. It is shortened until the forces at its end
// are those at its start. To be called after an update of the mechanics at (t, y).
void ToleranceScale::measure_rest(FrozenMotion& motion, double t, const ConstVectorRef& y) {
  Mechanics& mechanics = motion.mechanics();
  const double power = mechanics.h.dot(mechanics.Minv_h);
  // A system that moves this fast shows its size itself.
  if (!(power > 0.0) || largest_energy_ >= 0.5 * power * sizes::kShortTime * sizes::kShortTime)
    return;
  const Index nq = mechanics.nq();
  motion.rhs(t, y, slope_at_rest_);
  Minv_h_ = mechanics.Minv_h;
  state_rate_ = state_rate_.cwiseMax(mechanics.xdot.cwiseAbs());
  mechanics.coordinate_rates(t, y.head(nq), slope_at_rest_.segment(nq, mechanics.nu()), q_step_);
  double time = sizes::kShortTime;
  for (int k = 0; k < kTenths; ++k, time *= 0.1) {
    y_ = y + time * slope_at_rest_;
    y_.head(nq) += 0.5 * time * time * q_step_;
    motion.rhs(t + time, y_, slope_);
    if (!slope_.allFinite()) continue;
    change_ = mechanics.Minv_h - Minv_h_;
    if (mechanics.kinetic_energy(change_) <=
        0.5 * sizes::kChangedForce * sizes::kChangedForce * power)
      break;
  }
  if (slope_.allFinite()) {
    state_rate_ = state_rate_.cwiseMax(slope_.tail(state_rate_.size()).cwiseAbs());
  }
  rest_energy_ = std::max(rest_energy_, 0.5 * power * time * time);
  mechanics.update(t, y);
}

bool ToleranceScale::measure(FrozenMotion& motion, double t, const ConstVectorRef& y) {
  if (is_given()) return false;
  Mechanics& mechanics = motion.mechanics();
  const Index nq = mechanics.nq();
  const Index nu = mechanics.nu();
  mechanics.update(t, y);
  largest_energy_ = std::max(largest_energy_, mechanics.kinetic_energy(y.segment(nq, nu)));
  size_ = size_.cwiseMax(y.cwiseAbs());
  measure_elements(mechanics, y.segment(nq, nu));
  if (!knows_rounding_) measure_rounding(motion, t, y);
  if (largest_energy_ <= rest_energy_ || rest_energy_ == 0.0) measure_rest(motion, t, y);
  const double energy = std::max({largest_energy_, rest_energy_, rounding_energy_});
  const double time = short_time(mechanics, energy);
  scale_ = size_;
  const double fastest = scale_velocities(mechanics, energy);
  for (Index i = 0; i < nq; ++i) {
    const double speed = nq == nu ? scale_(nq + i) : fastest;
    scale_(i) = std::max(scale_(i), time * (speed > sizes::kNothing ? speed : 1.0));
  }
  scale_states(mechanics, fastest, time);
  atol_ = rtol_ * scale_;
  allow_for_projection(motion);
  return true;
}

// Measure elements separately: parts of a machine run fast, while their teeth hardly move relative
// to each other.
void ToleranceScale::measure_elements(const Mechanics& mechanics, const ConstVectorRef& u) {
  const ElementForces& elements = mechanics.elements;
  for (Index e = 0; e < element_speed_.size(); ++e) {
    double terms = std::abs(elements.kinematics.w_tilde(e));
    for (Index i = 0; i < u.size(); ++i) terms += std::abs(elements.kinematics.W(i, e) * u(i));
    const double speed = std::abs(elements.speed(e));
    if (speed > sizes::kStateRounding * terms) {
      element_speed_(e) = std::max(element_speed_(e), speed);
    }
  }
}

// Set the sizes of the velocities. Return the largest of them in m/s or rad/s.
double ToleranceScale::scale_velocities(Mechanics& mechanics, double energy) {
  auto sizes = scale_.segment(mechanics.nq(), mechanics.nu());
  double fastest = 0.0;
  for (Index i = 0; i < sizes.size(); ++i) {
    sizes(i) = std::max(sizes(i), std::sqrt(2.0 * energy / mechanics.mass.entries()(i, i)));
    fastest = std::max(fastest, sizes(i));
  }
  for (double& size : sizes) {
    if (size < sizes::kNothing) size = fastest > sizes::kNothing ? fastest : 1.0;
  }
  return fastest;
}

void ToleranceScale::scale_states(const Mechanics& mechanics, double fastest, double time) {
  const Index nx = mechanics.system().nx();
  const Index own = mechanics.system().nx_own();
  auto states = scale_.tail(nx);
  scale_walls(mechanics, fastest, time);
  for (Index i = 0; i < own; ++i) {
    const double rate = std::max(state_rate_(i), std::abs(mechanics.xdot(i)));
    states(i) = std::max(states(i), time * (rate > sizes::kNothing ? rate : 1.0));
  }
  if (own == 0) return;
  // A state at rest has the rounding of the other states.
  const double least = sizes::kStateRounding / rtol_ * states.head(own).maxCoeff();
  states.head(own) = states.head(own).cwiseMax(least);
}

// Nothing is known of an element that has not moved. An element that hardly moves has the rounding
// of those that move.
void ToleranceScale::scale_walls(const Mechanics& mechanics, double fastest, double time) {
  const System& system = mechanics.system();
  auto states = scale_.tail(system.nx());
  const double longest = time * (fastest > sizes::kNothing ? fastest : 1.0);
  for (Index e = 0; e < system.ne(); ++e) {
    const Index wall = system.wall(e);
    if (wall < 0) continue;
    const ForceElementDescription& element = system.elements()[static_cast<std::size_t>(e)];
    const double speed = element_speed_(e);
    const double way = speed > 0.0 ? std::min(time, element.d / element.c) * speed : longest;
    states(wall) = std::max({states(wall), way, sizes::kStateRounding / rtol_ * longest});
  }
}

// Do not judge a component by what the projection onto closed contacts leaves in it.
void ToleranceScale::allow_for_projection(FrozenMotion& motion) {
  const Index nq = motion.mechanics().nq();
  const Index nu = motion.mechanics().nu();
  if (motion.rows().empty()) return;
  auto velocities = atol_.segment(nq, nu);
  velocities = velocities.cwiseMax(motion.held_velocity() * motion.reach_of_rows());
  if (nq == nu) {
    atol_.head(nq) = atol_.head(nq).cwiseMax(motion.held_gap() * motion.reach_of_gaps());
  }
}

bool ToleranceScale::is_outgrown(const Vector& y) const {
  return !is_given() && (y.array().abs() > sizes::kOutgrown * scale_.array()).any();
}

}  // namespace nsmb
