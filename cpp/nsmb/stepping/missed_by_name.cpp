#include "nsmb/stepping/missed_by_name.hpp"

#include "nsmb/core/dense_qr.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Of the velocities that meet W_Bᵀ u = 0.
Matrix basis_of(const Matrix& W_B, Index nu) {
  if (W_B.cols() == 0) return Matrix::Identity(nu, nu);
  RankedQr qr(stepping::kDependentConstraint);
  qr.compute(W_B);
  return qr.Q().rightCols(nu - qr.rank());
}

}  // namespace

MissedByName::MissedByName(Mechanics& mechanics, const StepVelocities& v, const Vector& bound,
                           const Matrix& W_B, const StepImpulses& impulses)
    : rows_(mechanics.rows()),
      M_(mechanics.mass.entries()),
      W_B_(W_B),
      basis_(basis_of(W_B, mechanics.nu())) {
  for (const Index i : impulses.missed) {
    ContactBlock block;
    block.first = static_cast<Index>(places_.size());
    block.normal = rows_.is_unilateral(i);
    block.tangents = rows_.dim(i);
    block.mu = mechanics.mu(i);
    block.bound = bound(i);
    block.aspect = mechanics.laws[at(i)].aspect;
    if (block.normal) places_.push_back(i);
    for (Index k = 0; k < rows_.dim(i); ++k) places_.push_back(rows_.row(i) + k);
    contacts_.blocks.push_back(block);
  }
  directions_.resize(mechanics.nu(), static_cast<Index>(places_.size()));
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Index row = places_[k];
    const ContactKinematics& at_hand = mechanics.contacts;
    directions_.col(static_cast<Index>(k)) =
        row < rows_.nc ? at_hand.W_N.col(row) : at_hand.W_T.col(row - rows_.nc);
  }
  contacts_.M = basis_.transpose() * M_ * basis_;
  contacts_.W = basis_.transpose() * directions_;
  contacts_.gamma_free = pick(v.free_N, v.free_T);
  contacts_.given = pick(v.given_N, v.given_T);
}

Vector MissedByName::pick(const Vector& of_N, const Vector& of_T) const {
  Vector part(static_cast<Index>(places_.size()));
  for (Index k = 0; k < part.size(); ++k) {
    const Index row = places_[at(k)];
    part(k) = row < rows_.nc ? of_N(row) : of_T(row - rows_.nc);
  }
  return part;
}

bool MissedByName::are_acceptable(const StepVelocities& v, const StepImpulses& impulses) const {
  return nsmb::are_acceptable(contacts_, pick(impulses.Lambda_N, impulses.Lambda_T),
                              pick(v.end_N, v.end_T));
}

void MissedByName::brake(const StepVelocities& v, StepImpulses& impulses) const {
  const Vector Lambda = pick(impulses.Lambda_N, impulses.Lambda_T);
  put(braking_share(contacts_, Lambda, pick(v.end_N, v.end_T)) * Lambda, impulses);
}

const PlasticLock& MissedByName::lock(const StepImpulses& impulses) {
  lock_ = nsmb::lock(contacts_, pick(impulses.Lambda_N, impulses.Lambda_T));
  return lock_;
}

Vector MissedByName::constraint_impulses() const {
  if (W_B_.cols() == 0) return Vector(0);
  return pivoted_least_squares(W_B_, M_ * change() - directions_ * lock_.Lambda);
}

void MissedByName::put(const Vector& Lambda, StepImpulses& impulses) const {
  for (Index k = 0; k < Lambda.size(); ++k) {
    const Index row = places_[at(k)];
    (row < rows_.nc ? impulses.Lambda_N(row) : impulses.Lambda_T(row - rows_.nc)) = Lambda(k);
  }
}

}  // namespace nsmb
