#include "nsmb/simulation/rounding_terms.hpp"

#include <cmath>

namespace nsmb {

RoundingTerms::RoundingTerms(Index nu)
    : velocity_(Vector::Zero(nu)),
      impulse_(Vector::Zero(nu)),
      acceleration_(Vector::Zero(nu)),
      recent_(Vector::Zero(nu)),
      momentum_(nu) {}

void RoundingTerms::measure(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                            const ConstVectorRef& h) {
  const Index nu = u.size();
  if (abs_Minv_.size() == 0 || !constant) {
    abs_Minv_.setIdentity(nu, nu);
    mass.solve(abs_Minv_);
    abs_Minv_ = abs_Minv_.cwiseAbs();
  }
  // By columns: products of expressions would allocate.
  momentum_.setZero();
  const Matrix& M = mass.entries();
  for (Index k = 0; k < nu; ++k) momentum_ += M.col(k).cwiseAbs() * std::abs(u(k));
  velocity_.noalias() = abs_Minv_ * momentum_;
  velocity_ += impulse_;
  acceleration_.setZero();
  for (Index k = 0; k < nu; ++k) acceleration_ += abs_Minv_.col(k) * std::abs(h(k));
}

void RoundingTerms::forget() {
  acceleration_.setZero();
  recent_.setZero();
  impulse_.setZero();
}

void RoundingTerms::add_impulse(double Lambda, const ConstVectorRef& Minv_w) {
  impulse_ += std::abs(Lambda) * Minv_w.cwiseAbs();
}

double RoundingTerms::velocity_along(const ConstVectorRef& w) const {
  return w.cwiseAbs().dot(velocity_);
}

double RoundingTerms::acceleration_along(const ConstVectorRef& w) const {
  return w.cwiseAbs().dot(acceleration_.cwiseMax(recent_));
}

}  // namespace nsmb
