#include "nsmb/stepping/step_matrix.hpp"

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

StepMatrix::StepMatrix(Mechanics& mechanics)
    : mechanics_(mechanics),
      nu_(mechanics.nu()),
      nx_(mechanics.system().nx()),
      nb_(mechanics.nb()) {
  inverse_.setThreshold(tolerances::stepping::kDependentConstraint);
}

bool StepMatrix::take(const Matrix& A) {
  is_mass_ = false;
  lu_.compute(A);
  return lu_.matrixLU().diagonal().allFinite() &&
         lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

void StepMatrix::solve(MatrixRef B) {
  if (!is_mass_) {
    B = lu_.solve(B).eval();
    return;
  }
  mechanics_.mass.solve(B.topRows(nu_));
}

void StepMatrix::constrain(const Matrix& force_directions, const Matrix& velocity_directions) {
  if (nb_ == 0) return;
  directions_ = velocity_directions;
  effects_.setZero(size(), nb_);
  effects_.topRows(nu_) = force_directions;
  solve(effects_);
  inverse_.compute(directions_.transpose() * effects_.topRows(nu_));
}

void StepMatrix::project(MatrixRef B, MatrixRef Lambda) const {
  if (nb_ == 0) return;
  Lambda = -inverse_.solve(directions_.transpose() * B.topRows(nu_));
  B += effects_ * Lambda;
}

void StepMatrix::satisfy(const ConstVectorRef& u, const ConstVectorRef& w_tilde, VectorRef d,
                         VectorRef Lambda_B) const {
  if (nb_ == 0) return;
  const Vector impulse = inverse_.solve(-(directions_.transpose() * (u + d.head(nu_)) + w_tilde));
  d += effects_ * impulse;
  Lambda_B += impulse;
}

}  // namespace nsmb
