#include "nsmb/simulation/rounding_terms.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

RoundingTerms::RoundingTerms(Index nu)
    : velocity_(Vector::Zero(nu)),
      impulse_(Vector::Zero(nu)),
      acceleration_(Vector::Zero(nu)),
      recent_(Vector::Zero(nu)),
      energy_(Vector::Zero(nu)),
      power_(Vector::Zero(nu)),
      recent_power_(Vector::Zero(nu)),
      momentum_(nu) {}

void RoundingTerms::measure(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                            const ConstVectorRef& h) {
  if (mass.cliques()) {
    measure_blocks(mass, constant, u, h);
  } else {
    measure_whole(mass, constant, u, h);
  }
  energy_ = u.cwiseAbs().cwiseProduct(momentum_);
  power_ = h.cwiseAbs().cwiseProduct(acceleration_);
}

void RoundingTerms::measure_whole(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                                  const ConstVectorRef& h) {
  const Index nu = u.size();
  if (abs_Minv_.size() == 0 || !constant) {
    abs_Minv_.setIdentity(nu, nu);
    mass.solve(abs_Minv_);
    abs_Minv_ = abs_Minv_.cwiseAbs();
  }
  // Compute by columns, since products of expressions would allocate.
  momentum_.setZero();
  const Matrix& M = mass.entries();
  for (Index k = 0; k < nu; ++k) momentum_ += M.col(k).cwiseAbs() * std::abs(u(k));
  velocity_.noalias() = abs_Minv_ * momentum_;
  velocity_ += impulse_;
  acceleration_.setZero();
  for (Index k = 0; k < nu; ++k) acceleration_ += abs_Minv_.col(k) * std::abs(h(k));
}

// Compute the same sums over the blocks of the cliques only.
void RoundingTerms::measure_blocks(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                                   const ConstVectorRef& h) {
  const Index nu = u.size();
  const Cliques& cliques = *mass.cliques();
  const bool is_new = abs_Minv_.size() == 0;
  if (is_new) abs_Minv_.setZero(nu, nu);
  const Matrix& M = mass.entries();
  momentum_.setZero();
  acceleration_.setZero();
  for (Index k = 0; k < nu; ++k) {
    const Index clique = cliques.of_velocity(k);
    const VelocityRanges& members = cliques.members(clique);
    auto column = abs_Minv_.col(k);
    if (is_new || !constant) {
      for (const VelocityRange& r : members) column.segment(r.first, r.size).setZero();
      column(k) = 1.0;
      mass.solve(clique, column);
    }
    for (const VelocityRange& r : members) {
      auto part = column.segment(r.first, r.size);
      part = part.cwiseAbs();
      momentum_.segment(r.first, r.size) +=
          M.col(k).segment(r.first, r.size).cwiseAbs() * std::abs(u(k));
      acceleration_.segment(r.first, r.size) += part * std::abs(h(k));
    }
  }
  velocity_ = impulse_;
  for (Index k = 0; k < nu; ++k) {
    for (const VelocityRange& r : cliques.members(cliques.of_velocity(k))) {
      velocity_.segment(r.first, r.size) +=
          abs_Minv_.col(k).segment(r.first, r.size) * momentum_(k);
    }
  }
}

void RoundingTerms::forget() {
  acceleration_.setZero();
  recent_.setZero();
  power_.setZero();
  recent_power_.setZero();
  impulse_.setZero();
}

void RoundingTerms::add_impulse(double Lambda, const ConstVectorRef& Minv_w) {
  impulse_ += std::abs(Lambda) * Minv_w.cwiseAbs();
}

double RoundingTerms::velocity_along(const VelocityRanges& reach, const ConstVectorRef& w) const {
  if (reach.size() == 1 && reach.front().size == w.size()) return w.cwiseAbs().dot(velocity_);
  double sum = 0.0;
  for (const VelocityRange& r : reach) {
    sum += w.segment(r.first, r.size).cwiseAbs().dot(velocity_.segment(r.first, r.size));
  }
  return sum;
}

double RoundingTerms::acceleration_along(const VelocityRanges& reach,
                                         const ConstVectorRef& w) const {
  if (reach.size() == 1 && reach.front().size == w.size()) {
    return w.cwiseAbs().dot(acceleration_.cwiseMax(recent_));
  }
  double sum = 0.0;
  for (const VelocityRange& r : reach) {
    const auto terms =
        acceleration_.segment(r.first, r.size).cwiseMax(recent_.segment(r.first, r.size));
    sum += w.segment(r.first, r.size).cwiseAbs().dot(terms);
  }
  return sum;
}

double RoundingTerms::acceleration_beside(const VelocityRanges& reach, double G_rr) const {
  double power = 0.0;
  for (const VelocityRange& r : reach) {
    power += power_.segment(r.first, r.size).cwiseMax(recent_power_.segment(r.first, r.size)).sum();
  }
  return std::sqrt(power * std::max(G_rr, 0.0));
}

double RoundingTerms::speed_beside(const VelocityRanges& reach, double G_rr) const {
  double energy = 0.0;
  for (const VelocityRange& r : reach) energy += energy_.segment(r.first, r.size).sum();
  return std::sqrt(energy * std::max(G_rr, 0.0));
}

}  // namespace nsmb
