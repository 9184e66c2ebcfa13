// Forces in the middle of a step, at velocities that they lead to there themselves:
//
//   u_p = g(u_p),   g(u) = P(u_k + θ h M⁻¹ F(t_p, q_p, u, x_k))
//
// with P onto constraints. With θ = 1/2, u_{k+1} = 2 u_p - u_k: what does no work at u_p, as
// gyroscopic forces, leaves u_kᵀ M u_k as it is, in steps of any length.
#pragma once

#include <functional>

#include "nsmb/stepping/centre_motion.hpp"
#include "nsmb/stepping/smooth_forces.hpp"

namespace nsmb {

/// Workspace. By u ← g(u) while that contracts, else by Newton's method, whose equations
/// (1 - ∂g/∂u) δ = g - u are solved by GMRES, with differences along its directions.
class MiddleForces {
 public:
  /// Where and how long; M at its last factorise(), at the place in y.
  struct Step {
    double t, h, theta;
    ConstVectorRef u_start;            // (nu)
    std::function<void(VectorRef)> P;  // velocities (nu) in the middle onto constraints
  };

  /// `centres`: velocities are those that their bodies have by their centres of mass.
  MiddleForces(Mechanics& mechanics, const CentreMotion& centres);

  /// F and ẋ at (t, y), and h M⁻¹ F.
  void evaluate(double t, double h, const ConstVectorRef& y);
  /// F and ẋ at the start's velocities are the last ones evaluated; y gets u_p, and has the last
  /// ones evaluated behind it. One evaluation where forces do not depend on velocities.
  void settle(const Step& step, VectorRef y);

  /// (nu + nx) F, ẋ.
  const Vector& rates() const { return rates_; }
  /// (nu) h M⁻¹ F.
  const Vector& change() const { return change_; }
  /// |g(u_p) - u_p|, part of the largest velocity.
  double residual() const { return residual_; }

 private:
  void try_at(const Step& step, const ConstVectorRef& u, VectorRef y);
  void find_image(const Step& step);
  bool improve(const Step& step, VectorRef y);
  void find_direction(const Step& step, VectorRef y);

  Mechanics& mechanics_;
  const CentreMotion& centres_;
  SmoothForces forces_;
  Vector rates_, change_;
  Vector image_;  // (nu) g at the last velocities
  double scale_ = 0.0, residual_ = 0.0;
  Vector u_, miss_, delta_;  // (nu) a Newton step: from where, g - u there, and the step
  Matrix V_, H_;             // Arnoldi's directions and coefficients
};

}  // namespace nsmb
