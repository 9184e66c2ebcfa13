#include "nsmb/simulation/singular_position.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Interpolation at 0 from ±1, ±2, ±3, ±4, exact for polynomials of degree 7.
constexpr int kPlaces = 4;
constexpr std::array<double, kPlaces> kWeights = {56.0 / 70.0, -28.0 / 70.0, 8.0 / 70.0,
                                                  -1.0 / 70.0};
constexpr int kTries = 8;
constexpr int kNewtonSteps = 10;

}  // namespace

SingularPosition::SingularPosition(const System& system)
    : system_(system),
      work_(system.workspace()),
      M_(system.nu(), system.nu()),
      llt_(system.nu()),
      constraints_(system.nu(), system.nb()),
      projection_(system.nu(), system.nb()),
      continuation_{Matrix(system.nu(), system.nu()), Vector(system.nu()), Vector(system.nu()), 0},
      q_(system.nq()),
      qdot_(system.nq()),
      u_(system.nu()),
      gamma_(system.nb()),
      step_(system.nu()) {}

// Move to the point of the branch that lies tau ahead. The constraints there are evaluated at its
// velocity. Return false if the branch is not found.
bool SingularPosition::go(double t, double tau, const ConstVectorRef& q, const ConstVectorRef& u) {
  const double time = t + tau;
  u_ = u;
  system_.coordinate_rates(t, q, u, qdot_, *work_);
  q_ = q + tau * qdot_;
  system_.normalise(q_);
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    system_.mass_matrix(time, q_, M_, *work_);
    llt_.compute(M_);
    if (!llt_.is_definite()) return false;
    system_.constraint_set()->constraint_kinematics(time, q_, u_, constraints_, *work_);
    projection_.update(llt_, constraints_);
    const double error = constraints_.g.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    if (error <= drift::kHeld || (pass > 2 && error >= 0.5 * before)) break;
    if (pass == kNewtonSteps) return false;
    before = error;
    projection_.correction(llt_, constraints_.g, step_);
    system_.coordinate_rates(time, q_, step_, qdot_, *work_);
    q_ += qdot_;
    system_.normalise(q_);
  }
  gamma_ = constraints_.w_tilde;
  gamma_.noalias() += constraints_.W.transpose() * u_;
  projection_.correction(llt_, gamma_, step_);
  u_ += step_;
  system_.constraint_set()->constraint_kinematics(time, q_, u_, constraints_, *work_);
  return true;
}

// Return the time after which W has rotated by drift::kTurn. Infinity if it does not rotate, 0 if
// no such point is found.
double SingularPosition::find_distance(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                       const ConstraintProjection& here) {
  system_.coordinate_rates(t, q, u, qdot_, *work_);
  const double speed = qdot_.cwiseAbs().maxCoeff();
  if (!(speed > 0.0)) return 0.0;
  double tau = drift::kTurn * std::max(1.0, q.cwiseAbs().maxCoeff()) / speed;
  for (int k = 0; k < kTries; ++k) {
    if (!go(t, tau, q, u)) {
      tau *= 0.1;
      continue;
    }
    const double turn = (projection_.Y() - here.Y()).colwise().norm().maxCoeff() / here.largest();
    if (turn >= drift::kSmallestTurn && turn <= drift::kLargestTurn) return tau;
    if (!(turn > 1e-12)) return std::numeric_limits<double>::infinity();
    tau *= std::clamp(drift::kTurn / turn, 1e-3, 1e3);
  }
  return 0.0;
}

SingularPosition::Kind SingularPosition::look_around(double t, const ConstVectorRef& q,
                                                     const ConstVectorRef& u,
                                                     const ConstraintProjection& here) {
  const double tau = find_distance(t, q, u, here);
  if (tau == 0.0) return Kind::Unknown;
  if (std::isinf(tau)) return Kind::Permanent;
  const Index weak_here = here.weak(drift::kWeakConstraint);
  ConstraintContinuation& c = continuation_;
  c.projector.setZero();
  c.velocity.setZero();
  c.acceleration.setZero();
  c.rank = -1;
  bool permanent = true;
  for (int k = -kPlaces; k <= kPlaces; ++k) {
    if (k == 0) continue;
    if (!go(t, k * tau, q, u)) return Kind::Unknown;
    permanent = permanent && projection_.weak(drift::kWeakConstraint) >= weak_here;
    if (c.rank >= 0 && projection_.rank() != c.rank) return Kind::Unknown;
    c.rank = projection_.rank();
    const double weight = kWeights[static_cast<std::size_t>(std::abs(k) - 1)];
    c.projector.noalias() += weight * projection_.basis() * projection_.basis().transpose();
    projection_.correction(llt_, constraints_.w_tilde, step_);
    c.velocity += weight * step_;
    projection_.correction(llt_, constraints_.w_bar, step_);
    c.acceleration += weight * step_;
  }
  return permanent ? Kind::Permanent : Kind::Passing;
}

}  // namespace nsmb
