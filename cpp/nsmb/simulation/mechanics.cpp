#include "nsmb/simulation/mechanics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/core/small_products.hpp"
#include "nsmb/simulation/indicators.hpp"

namespace nsmb {

namespace {

// Accelerations below this part of the terms they are the sum of count as zero.
constexpr double kAccelerationResolution = 1e-10;

}  // namespace

Mechanics::Mechanics(const System& system)
    : modes(static_cast<std::size_t>(system.ne()), ElementMode::Open),
      h(system.nu()),
      contacts(system.nu(), system.rows()),
      delassus(system.nu(), system.rows().size()),
      Minv_h(system.nu()),
      gamma_N(Vector::Zero(system.nc())),
      gamma_T(Vector::Zero(system.nt())),
      free_N(Vector::Zero(system.nc())),
      free_T(Vector::Zero(system.nt())),
      mu(system.nc()),
      constraints(system.nu(), system.nb()),
      gamma_B(Vector::Zero(system.nb())),
      elements(system.nu(), system.ne()),
      element_speed(Vector::Zero(system.ne())),
      element_force(Vector::Zero(system.ne())),
      element_switch(Vector::Zero(system.ne())),
      xdot(Vector::Zero(system.nx())),
      system_(system),
      work_(system.make_workspace()),
      M_(system.nu(), system.nu()),
      llt_(system.nu()),
      projection_(system.nu(), system.nb()),
      constraint_sizes_(Vector::Zero(system.nb())),
      u_scratch_(system.nu()),
      q_scratch_(system.nq()),
      velocity_terms_(Vector::Zero(system.nu())),
      impulse_terms_(Vector::Zero(system.nu())),
      acceleration_terms_(Vector::Zero(system.nu())),
      recent_terms_(Vector::Zero(system.nu())),
      momentum_terms_(system.nu()),
      recursive_(system.solves_mass() && system.nb() == 0),
      mass_q_(system.nq()) {
  for (Index i = 0; i < system.nc(); ++i) {
    laws.push_back(system.contacts()[static_cast<std::size_t>(i)].law);
    mu(i) = laws.back().mu;
  }
}

void Mechanics::factorise(double t, const ConstVectorRef& q) {
  if (has_mass_ && system_.constant_mass_matrix()) return;
  mass_t_ = t;
  mass_q_ = q;
  mass_is_old_ = recursive_;
  if (recursive_) return system_.factorise_mass(t, q, *work_);
  system_.mass_matrix(t, q, M_, *work_);
  llt_.compute(M_);
  if (llt_.info() != Eigen::Success || !llt_.matrixLLT().allFinite()) {
    throw std::domain_error("mass matrix: not positive definite at t = " + to_text(t));
  }
  has_mass_ = true;
}

const Matrix& Mechanics::mass() {
  if (mass_is_old_) system_.mass_matrix(mass_t_, mass_q_, M_, *work_);
  mass_is_old_ = false;
  return M_;
}

void Mechanics::solve_mass(MatrixRef B) {
  if (recursive_) return system_.solve_mass(B, *work_);
  if (B.cols() == 1) {  // known to be one column, which needs no blocks
    auto b = B.col(0);
    if (b.size() <= kSmallSolve) return solve_small_cholesky(llt_.matrixLLT(), b);
    llt_.matrixL().solveInPlace(b);
    llt_.matrixU().solveInPlace(b);
    return;
  }
  llt_.matrixL().solveInPlace(B);
  llt_.matrixU().solveInPlace(B);
}

void Mechanics::update_contacts(double t, const ConstVectorRef& y) {
  t = span_.inside(t);
  const auto q = y.head(nq());
  const auto u = y.segment(nq(), nu());
  system_.contact_kinematics(t, q, u, contacts, *work_);
  factorise(t, q);
  if (nb() > 0) update_constraints(t, q, u);
  update_delassus();
  gamma_N = contacts.w_tilde_N;
  add_transposed_product(contacts.W_N, u, gamma_N);
  gamma_T = contacts.w_tilde_T;
  add_transposed_product(contacts.W_T, u, gamma_T);
  if (system_.has_curves()) update_friction_coefficients();
}

void Mechanics::update_gaps(double t, const ConstVectorRef& y) {
  system_.contact_kinematics(span_.inside(t), y.head(nq()), y.segment(nq(), nu()), contacts,
                             *work_);
}

void Mechanics::find_features(double t, const ConstVectorRef& y, const ContactStates& states,
                              double gap_tolerance) {
  t = span_.inside(t);
  system_.find_features(t, y.head(nq()), contacts.features, *work_);
  settle_features(t, y, states, gap_tolerance);
}

void Mechanics::settle_features(double t, const ConstVectorRef& y, const ContactStates& states,
                                double gap_tolerance) {
  t = span_.inside(t);
  update_contacts(t, y);
  for (Index i = 0; i < nc(); ++i) {
    if (!rows().is_unilateral(i)) continue;  // friction alone has no point
    const std::size_t c = static_cast<std::size_t>(i);
    ContactFeature& slot = contacts.features.slots[c];
    const bool closed = slot.valid && is_closed(states[c]);
    // Where corners meet the point comes and goes in no time: it counts from a little before.
    const double before = closed ? 0.5 * kOverrun : kComing;
    slot.valid = slot.used() && contacts.domain(i) > -before;
    if (!slot.valid || closed || contacts.g_N(i) > gap_tolerance) continue;
    slot.valid = system_.is_contact(t, y.head(nq()), y.segment(nq(), nu()), i, contacts, *work_);
  }
}

void Mechanics::update_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  system_.constraint_kinematics(t, q, u, constraints, *work_);
  projection_.update(llt_, constraints);
  if (projection_.weak(kWeakConstraint) > always_weak_) pass_singular_position(t, q, u);
  gamma_B = constraints.w_tilde;
  gamma_B.noalias() += constraints.W.transpose() * u;
}

void Mechanics::pass_singular_position(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  if (!singular_) singular_ = std::make_unique<SingularPosition>(system_);
  const SingularPosition::Kind kind = singular_->look_around(t, q, u, projection_);
  if (kind == SingularPosition::Kind::Permanent) always_weak_ = projection_.weak(kWeakConstraint);
  if (kind != SingularPosition::Kind::Passing) return;
  projection_.continue_with(llt_, kWeakConstraint, singular_->continuation());
}

void Mechanics::update_delassus() {
  if (nc() == 0 || (has_constant_delassus() && has_delassus_)) return;
  delassus.W.leftCols(nc()) = contacts.W_N;
  delassus.W.rightCols(nt()) = contacts.W_T;
  if (needed_) return update_needed_delassus();
  delassus.Minv_W = delassus.W;
  solve_mass(delassus.Minv_W);
  if (nb() > 0) projection_.project(llt_, delassus.Minv_W);
  delassus.G.noalias() = delassus.W.transpose() * delassus.Minv_W;
  has_delassus_ = true;
}

// Of many candidates for contact few are closed.
void Mechanics::update_needed_delassus() {
  needed_rows_.clear();
  for (Index i = 0; i < nc(); ++i) {
    if (!(*needed_)[static_cast<std::size_t>(i)]) continue;
    needed_rows_.push_back(i);
    for (Index d = 0; d < rows().dim(i); ++d) needed_rows_.push_back(rows().row(i) + d);
  }
  for (const Index row : needed_rows_) {
    auto column = delassus.Minv_W.col(row);
    column = delassus.W.col(row);
    solve_mass(column);
    if (nb() > 0) projection_.project(llt_, column);
    for (const Index other : needed_rows_) {
      delassus.G(other, row) = delassus.W.col(other).dot(column);
    }
  }
}

void Mechanics::coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 VectorRef qdot) {
  system_.coordinate_rates(span_.inside(t), q, u, qdot, *work_);
}

void Mechanics::constraint_correction(const ConstVectorRef& value, VectorRef step) {
  projection_.correction(llt_, value, step);
}

void Mechanics::constraint_velocity_correction(const ConstVectorRef& u, VectorRef step) {
  projection_.velocity_correction(llt_, u, gamma_B, step);
}

void Mechanics::constraint_forces(const ConstVectorRef& udot, const ConstVectorRef& lambda_N,
                                  const ConstVectorRef& lambda_T, VectorRef lambda_B) {
  if (nb() == 0) return;
  u_scratch_.noalias() = M_ * udot;
  u_scratch_ -= h;
  u_scratch_.noalias() -= contacts.W_N * lambda_N;
  u_scratch_.noalias() -= contacts.W_T * lambda_T;
  projection_.forces(llt_, u_scratch_, lambda_B);
}

void Mechanics::accelerate(const ConstVectorRef& w_bar_B, VectorRef a) {
  solve_mass(a);
  if (nb() > 0) projection_.project_acceleration(llt_, w_bar_B, a);
}

bool Mechanics::satisfy_constraints(double t, VectorRef y) {
  t = span_.inside(t);
  constexpr double closed = 1e-13;  // m or rad, m/s or rad/s
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  constexpr int most_steps = 50;
  auto u = y.segment(nq(), nu());
  bool close = false;
  for (int step = 0; step <= most_steps; ++step) {
    factorise(t, y.head(nq()));
    update_constraints(t, y.head(nq()), u);
    const double error = constraints.g.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    close = error <= closed;
    if (close || step == most_steps) break;
    constraint_correction(constraints.g, u_scratch_);
    coordinate_rates(t, y.head(nq()), u_scratch_, q_scratch_);
    // A step that rounding swallows: at large lengths g itself is not resolved any better.
    close = q_scratch_.cwiseAbs().maxCoeff() <= rounding * y.head(nq()).cwiseAbs().maxCoeff();
    if (close) break;
    y.head(nq()) += q_scratch_;
    system_.normalise(y.head(nq()));
  }
  if (!close) return false;
  constraint_velocity_correction(u, u_scratch_);
  u += u_scratch_;
  gamma_B = constraints.w_tilde;
  gamma_B.noalias() += constraints.W.transpose() * u;
  return gamma_B.cwiseAbs().maxCoeff() <= 1e3 * closed * (1.0 + u.cwiseAbs().maxCoeff());
}

bool Mechanics::nears_singular_position(double part) {
  if (nb() == 0) return false;
  for (Index i = 0; i < nb(); ++i) {
    constraint_sizes_(i) = std::max(constraint_sizes_(i), projection_.Y().col(i).norm());
  }
  return projection_.has_weaker_than(part, constraint_sizes_);
}

void Mechanics::forget_constraints() {
  constraint_sizes_.setZero();
  always_weak_ = 0;
}

void Mechanics::approach_constraints(double t, VectorRef y) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();  // m or rad
  constexpr int most_steps = 6;
  auto u = y.segment(nq(), nu());
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0;; ++step) {
    factorise(t, y.head(nq()));
    update_constraints(t, y.head(nq()), u);
    const double error = constraints.g.cwiseAbs().maxCoeff();
    // Down to where rounding keeps it: weak constraints amplify what is left.
    if (!(error > rounding && error < 0.25 * before) || step == most_steps) break;
    before = error;
    constraint_correction(constraints.g, u_scratch_);
    coordinate_rates(t, y.head(nq()), u_scratch_, q_scratch_);
    y.head(nq()) += q_scratch_;
    system_.normalise(y.head(nq()));
  }
  constraint_velocity_correction(u, u_scratch_);
  u += u_scratch_;
}

void Mechanics::update_friction_coefficients() {
  for (Index i = 0; i < nc(); ++i) {
    const FrictionCurve* curve = laws[static_cast<std::size_t>(i)].curve.get();
    if (curve) mu(i) = curve->coefficient(std::abs(slip(i)));
  }
}

void Mechanics::update_elements(double t, const ConstVectorRef& y) {
  t = span_.inside(t);
  const auto u = y.segment(nq(), nu());
  const auto x = y.tail(system_.nx());
  system_.element_kinematics(t, y.head(nq()), elements, *work_);
  element_speed = elements.w_tilde;
  element_speed.noalias() += elements.W.transpose() * u;
  for (Index e = 0; e < system_.ne(); ++e) {
    const std::size_t k = static_cast<std::size_t>(e);
    const ForceElementDescription& element = system_.elements()[k];
    const Index wall = system_.wall(e);
    const double place = wall < 0 ? 0.0 : x(wall);
    const double gamma = elements.gamma(e);
    element_force(e) = nsmb::element_force(element, modes[k], gamma, element_speed(e));
    element_switch(e) = switch_function(element, modes[k], gamma, element_speed(e), place);
    if (wall >= 0) xdot(wall) = wall_rate(element, modes[k], element_speed(e), place);
  }
}

void Mechanics::update(double t, const ConstVectorRef& y) {
  t = span_.inside(t);
  update_contacts(t, y);
  update_forces(t, y);
  free_N = contacts.w_bar_N;
  add_transposed_product(contacts.W_N, Minv_h, free_N);
  free_T = contacts.w_bar_T;
  add_transposed_product(contacts.W_T, Minv_h, free_T);
}

void Mechanics::update_flight(double t, const ConstVectorRef& y) {
  t = span_.inside(t);
  factorise(t, y.head(nq()));
  if (nb() > 0) update_constraints(t, y.head(nq()), y.segment(nq(), nu()));
  update_forces(t, y);
}

void Mechanics::update_forces(double t, const ConstVectorRef& y) {
  const auto q = y.head(nq());
  const auto u = y.segment(nq(), nu());
  const auto x = y.tail(system_.nx()).head(system_.nx_own());
  system_.forces(t, q, u, x, h, *work_);
  if (system_.nx_own() > 0) {
    system_.state_rates(t, q, u, x, xdot.head(system_.nx_own()), *work_);
  }
  if (system_.ne() > 0) {
    update_elements(t, y);
    h.noalias() += elements.W * element_force;  // (3.13)
  }
  Minv_h = h;
  solve_mass(Minv_h);
  if (nb() > 0) projection_.project_acceleration(llt_, constraints.w_bar, Minv_h);
}

double Mechanics::kinetic_energy(const ConstVectorRef& u) {
  const Matrix& M = mass();
  double energy = 0.0;
  for (Index k = 0; k < u.size(); ++k) energy += 0.5 * u(k) * M.col(k).dot(u);
  return energy;
}

bool Mechanics::is_frictionless(Index contact) const {
  return !has_friction(rows(), delassus.G, laws, contact);
}

double Mechanics::slip(Index contact) const {
  const Index t = rows().tangent(contact);
  if (rows().dim(contact) == 1) return gamma_T(t);
  return std::hypot(gamma_T(t), gamma_T(t + 1));
}

void Mechanics::slip_friction(Index contact, VectorRef friction) const {
  const Index t = rows().tangent(contact);
  if (rows().dim(contact) == 1) {
    friction(0) = gamma_T(t) > 0.0 ? -1.0 : gamma_T(t) < 0.0 ? 1.0 : 0.0;
    return;
  }
  const double aspect = laws[static_cast<std::size_t>(contact)].aspect;
  const double size = std::hypot(gamma_T(t), aspect * gamma_T(t + 1));
  friction.setZero();
  if (size == 0.0) return;
  friction(0) = -gamma_T(t) / size;
  friction(1) = -aspect * aspect * gamma_T(t + 1) / size;
}

ContactRole Mechanics::role(Index contact, double rest_velocity, VectorRef friction) const {
  if (is_frictionless(contact)) return ContactRole::Frictionless;
  const double speed = slip(contact);
  if (std::abs(speed) <= slip_velocity_resolution(contact, rest_velocity)) {
    return ContactRole::Candidate;
  }
  slip_friction(contact, friction);
  return speed > 0.0 ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
}

void Mechanics::measure_rounding(const ConstVectorRef& u) {
  if (abs_Minv_.size() == 0 || !system_.constant_mass_matrix()) {
    abs_Minv_.setIdentity(nu(), nu());
    solve_mass(abs_Minv_);
    abs_Minv_ = abs_Minv_.cwiseAbs();
  }
  // By columns: products of expressions would allocate.
  momentum_terms_.setZero();
  const Matrix& M = mass();
  for (Index k = 0; k < nu(); ++k) momentum_terms_ += M.col(k).cwiseAbs() * std::abs(u(k));
  velocity_terms_.noalias() = abs_Minv_ * momentum_terms_;
  velocity_terms_ += impulse_terms_;
  acceleration_terms_.setZero();
  for (Index k = 0; k < nu(); ++k) acceleration_terms_ += abs_Minv_.col(k) * std::abs(h(k));
}

void Mechanics::remember_rounding() {
  recent_terms_ = acceleration_terms_.cwiseMax(0.5 * recent_terms_);
}

void Mechanics::forget_rounding() {
  acceleration_terms_.setZero();
  recent_terms_.setZero();
  impulse_terms_.setZero();
}

void Mechanics::add_impulses(const Vector& Lambda_N, const Vector& Lambda_T) {
  for (Index i = 0; i < nc(); ++i) {
    if (Lambda_N(i) == 0.0) continue;
    impulse_terms_ += std::abs(Lambda_N(i)) * delassus.Minv_W.col(i).cwiseAbs();
  }
  for (Index k = 0; k < nt(); ++k) {
    if (Lambda_T(k) == 0.0) continue;
    impulse_terms_ += std::abs(Lambda_T(k)) * delassus.Minv_W.col(nc() + k).cwiseAbs();
  }
}

void Mechanics::velocity_resolutions(double smallest, Vector& resolution) const {
  for (Index row = 0; row < resolution.size(); ++row) {
    resolution(row) = velocity_resolution(row, smallest);
  }
}

double Mechanics::velocity_resolution(Index row, double smallest) const {
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  const Index n = nc();
  const double w_tilde = row < n ? contacts.w_tilde_N(row) : contacts.w_tilde_T(row - n);
  const double size = delassus.W.col(row).cwiseAbs().dot(velocity_terms_) + std::abs(w_tilde);
  return std::max(smallest, rounding * size);
}

double Mechanics::slip_velocity_resolution(Index contact, double smallest) const {
  double largest = smallest;
  for (Index d = 0; d < rows().dim(contact); ++d) {
    largest = std::max(largest, velocity_resolution(rows().row(contact) + d, smallest));
  }
  return largest;
}

// The terms of which the free acceleration of a row is the sum.
double Mechanics::acceleration_scale(Index row) const {
  const double w_bar = row < nc() ? contacts.w_bar_N(row) : contacts.w_bar_T(row - nc());
  return delassus.W.col(row).cwiseAbs().dot(acceleration_terms_.cwiseMax(recent_terms_)) +
         std::abs(w_bar);
}

void Mechanics::free_acceleration_resolutions(Vector& resolution) const {
  for (Index row = 0; row < resolution.size(); ++row) {
    resolution(row) = kAccelerationResolution * acceleration_scale(row);
  }
}

double Mechanics::acceleration_resolution(Index row, const AccelerationResult& forces) const {
  const Index n = nc();
  double scale = acceleration_scale(row);
  for (Index k = 0; k < n; ++k) scale += std::abs(delassus.G(row, k) * forces.lambda_N(k));
  for (Index k = 0; k < nt(); ++k) scale += std::abs(delassus.G(row, n + k) * forces.lambda_T(k));
  return std::max(kAccelerationResolution * scale, forces.inaccuracy(row));
}

}  // namespace nsmb
