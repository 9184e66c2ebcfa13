#include "nsmb/simulation/bilateral_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

BilateralConstraints::BilateralConstraints(const System& system, SystemWorkspace& work,
                                           MassMatrix& mass)
    : kinematics(system.nu(), system.nb()),
      gamma(Vector::Zero(system.nb())),
      system_(system),
      work_(work),
      mass_(mass),
      projection_(system.nu(), system.nb()),
      sizes_(Vector::Zero(system.nb())),
      u_scratch_(system.nu()),
      q_scratch_(system.nq()) {}

void BilateralConstraints::update(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  system_.constraint_set()->constraint_kinematics(t, q, u, kinematics, work_);
  projection_.update(mass_.cholesky(), kinematics);
  if (projection_.weak(drift::kWeakConstraint) > always_weak_) pass_singular_position(t, q, u);
  find_velocities(u);
}

void BilateralConstraints::find_velocities(const ConstVectorRef& u) {
  gamma = kinematics.w_tilde;
  gamma.noalias() += kinematics.W.transpose() * u;
}

void BilateralConstraints::pass_singular_position(double t, const ConstVectorRef& q,
                                                  const ConstVectorRef& u) {
  if (!singular_) singular_ = std::make_unique<SingularPosition>(system_);
  singular_->set_inputs(work_.inputs());
  const SingularPosition::Kind kind = singular_->look_around(t, q, u, projection_);
  if (kind == SingularPosition::Kind::Permanent)
    always_weak_ = projection_.weak(drift::kWeakConstraint);
  if (kind != SingularPosition::Kind::Passing) return;
  projection_.continue_with(mass_.cholesky(), drift::kWeakConstraint, singular_->continuation());
}

void BilateralConstraints::forget() {
  sizes_.setZero();
  always_weak_ = 0;
}

void BilateralConstraints::correction(const ConstVectorRef& value, VectorRef step) {
  projection_.correction(mass_.cholesky(), value, step);
}

void BilateralConstraints::velocity_correction(const ConstVectorRef& u, VectorRef step) {
  projection_.velocity_correction(mass_.cholesky(), u, gamma, step);
}

void BilateralConstraints::forces(const ConstVectorRef& force, VectorRef lambda_B) {
  projection_.forces(mass_.cholesky(), force, lambda_B);
}

bool BilateralConstraints::near_singular_position(double part) {
  if (!exist()) return false;
  for (Index i = 0; i < system_.nb(); ++i) {
    sizes_(i) = std::max(sizes_(i), projection_.Y().col(i).norm());
  }
  return projection_.has_weaker_than(part, sizes_);
}

// Take one step of Newton's method. Return true, without a step, if rounding would swallow it.
bool BilateralConstraints::step_back(double t, VectorRef q, double rounding) {
  correction(kinematics.g, u_scratch_);
  system_.coordinate_rates(t, q, u_scratch_, q_scratch_, work_);
  if (q_scratch_.cwiseAbs().maxCoeff() <= rounding * q.cwiseAbs().maxCoeff()) return true;
  q += q_scratch_;
  system_.normalise(q);
  return false;
}

bool BilateralConstraints::satisfy(double t, VectorRef y) {
  constexpr int most_steps = 50;
  auto q = y.head(system_.nq());
  auto u = y.segment(system_.nq(), system_.nu());
  bool close = false;
  for (int step = 0; step <= most_steps; ++step) {
    mass_.factorise(t, q);
    update(t, q, u);
    const double error = kinematics.g.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    close = error <= drift::kHeld;
    if (close || step == most_steps) break;
    close = step_back(t, q, drift::kSwallowed);
    if (close) break;
  }
  if (!close) return false;
  velocity_correction(u, u_scratch_);
  u += u_scratch_;
  find_velocities(u);
  return gamma.cwiseAbs().maxCoeff() <= 1e3 * drift::kHeld * (1.0 + u.cwiseAbs().maxCoeff());
}

void BilateralConstraints::project_velocities(double t, VectorRef y) {
  const auto q = y.head(system_.nq());
  auto u = y.segment(system_.nq(), system_.nu());
  mass_.factorise(t, q);
  update(t, q, u);
  velocity_correction(u, u_scratch_);
  u += u_scratch_;
}

void BilateralConstraints::approach(double t, VectorRef y) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();  // m or rad
  constexpr int most_steps = 6;
  auto q = y.head(system_.nq());
  auto u = y.segment(system_.nq(), system_.nu());
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0;; ++step) {
    mass_.factorise(t, q);
    update(t, q, u);
    const double error = kinematics.g.cwiseAbs().maxCoeff();
    // Iterate down to rounding, because weak constraints amplify the remaining error.
    if (!(error > rounding && error < 0.25 * before) || step == most_steps) break;
    before = error;
    step_back(t, q, -1.0);
  }
  velocity_correction(u, u_scratch_);
  u += u_scratch_;
}

}  // namespace nsmb
