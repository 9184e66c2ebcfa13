#include "nsmb/simulation/mechanics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/check.hpp"

namespace nsmb {

Mechanics::Mechanics(const System& system)
    : M(system.nu(), system.nu()),
      h(system.nu()),
      contacts(system.nu(), system.nc()),
      delassus(system.nu(), system.nc()),
      Minv_h(system.nu()),
      gamma_N(Vector::Zero(system.nc())),
      gamma_T(Vector::Zero(system.nc())),
      free_N(Vector::Zero(system.nc())),
      free_T(Vector::Zero(system.nc())),
      mu(system.nc()),
      system_(system),
      llt_(system.nu()),
      velocity_terms_(Vector::Zero(system.nu())),
      acceleration_terms_(Vector::Zero(system.nu())),
      momentum_terms_(system.nu()) {
  for (Index i = 0; i < system.nc(); ++i) {
    laws.push_back(system.contacts()[static_cast<std::size_t>(i)].law);
    mu(i) = laws.back().mu;
  }
}

void Mechanics::factorise(double t, const ConstVectorRef& q) {
  if (has_mass_ && system_.constant_mass_matrix()) return;
  system_.mass_matrix(t, q, M);
  llt_.compute(M);
  if (llt_.info() != Eigen::Success || !llt_.matrixLLT().allFinite()) {
    throw std::domain_error("mass matrix: not positive definite at t = " + to_text(t));
  }
  has_mass_ = true;
}

void Mechanics::update_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  factorise(t, q);
  system_.contact_kinematics(t, q, u, contacts);
  const bool constant = system_.constant_directions() && system_.constant_mass_matrix();
  if (!constant || !has_delassus_) {
    compute_delassus(llt_, contacts, delassus);
    has_delassus_ = true;
  }
  gamma_N = contacts.w_tilde_N;
  gamma_N.noalias() += contacts.W_N.transpose() * u;
  gamma_T = contacts.w_tilde_T;
  gamma_T.noalias() += contacts.W_T.transpose() * u;
}

void Mechanics::update(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  update_contacts(t, q, u);
  system_.forces(t, q, u, h);
  Minv_h = h;
  llt_.matrixL().solveInPlace(Minv_h);
  llt_.matrixU().solveInPlace(Minv_h);
  free_N = contacts.w_bar_N;
  free_N.noalias() += contacts.W_N.transpose() * Minv_h;
  free_T = contacts.w_bar_T;
  free_T.noalias() += contacts.W_T.transpose() * Minv_h;
}

double Mechanics::kinetic_energy(const ConstVectorRef& u) const {
  double energy = 0.0;
  for (Index k = 0; k < u.size(); ++k) energy += 0.5 * u(k) * M.col(k).dot(u);
  return energy;
}

bool Mechanics::is_frictionless(Index contact) const {
  return !(mu(contact) > 0.0 && delassus.G(nc() + contact, nc() + contact) > 0.0);
}

void Mechanics::measure_rounding(const ConstVectorRef& u) {
  if (abs_Minv_.size() == 0 || !system_.constant_mass_matrix()) {
    abs_Minv_ = llt_.solve(Matrix::Identity(nu(), nu())).cwiseAbs();
  }
  // By columns: products of expressions would allocate.
  momentum_terms_.setZero();
  for (Index k = 0; k < nu(); ++k) momentum_terms_ += M.col(k).cwiseAbs() * std::abs(u(k));
  velocity_terms_.noalias() = abs_Minv_ * momentum_terms_;
  acceleration_terms_.setZero();
  for (Index k = 0; k < nu(); ++k) acceleration_terms_ += abs_Minv_.col(k) * std::abs(h(k));
}

double Mechanics::velocity_resolution(Index row, double smallest) const {
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  const Index n = nc();
  const double w_tilde = row < n ? contacts.w_tilde_N(row) : contacts.w_tilde_T(row - n);
  const double size = delassus.W.col(row).cwiseAbs().dot(velocity_terms_) + std::abs(w_tilde);
  return std::max(smallest, rounding * size);
}

double Mechanics::acceleration_resolution(Index row, const ConstVectorRef& lambda_N,
                                          const ConstVectorRef& lambda_T) const {
  constexpr double resolution = 1e-10;
  const Index n = nc();
  const double w_bar = row < n ? contacts.w_bar_N(row) : contacts.w_bar_T(row - n);
  double scale = delassus.W.col(row).cwiseAbs().dot(acceleration_terms_) + std::abs(w_bar);
  for (Index k = 0; k < n; ++k) {
    scale +=
        std::abs(delassus.G(row, k) * lambda_N(k)) + std::abs(delassus.G(row, n + k) * lambda_T(k));
  }
  return resolution * scale;
}

}  // namespace nsmb
