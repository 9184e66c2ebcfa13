#include "nsmb/stepping/step_matrix.hpp"

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

StepMatrix::StepMatrix(Mechanics& mechanics)
    : mechanics_(mechanics),
      nu_(mechanics.nu()),
      nx_(mechanics.system().nx()),
      nb_(mechanics.nb()) {
  inverse_.set_threshold(tolerances::stepping::kDependentConstraint);
}

bool StepMatrix::take(const Matrix& A) {
  is_mass_ = false;
  lu_.compute(A);
  return lu_.is_regular();
}

void StepMatrix::solve(MatrixRef B) {
  if (!is_mass_) {
    solution_.resize(B.rows(), B.cols());
    lu_.solve_columns_to(B, solution_);
    B = solution_;
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
  Lambda = -inverse_.solve_columns(directions_.transpose() * B.topRows(nu_));
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
