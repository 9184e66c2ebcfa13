// The motion of a system without loads, before and after the kick of a step:
//
//   q̇ = B u,   M u̇ = h_0 + W_B λ_B
//
// Free bodies move in closed form. Everything else is integrated with an error far below that of a
// step. If the motion is known to conserve the kinetic energy of each clique, the energy is
// restored to rounding by
//
//   u ← u (T_0/T)^(1/2)
#pragma once

#include <memory>
#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/integration/integrator.hpp"
#include "nsmb/stepping/force_parts.hpp"
#include "nsmb/system/free_bodies.hpp"

namespace nsmb {

/// A workspace for the free motion.
class FreeFlow final : private OdeProblem {
 public:
  explicit FreeFlow(Mechanics& mechanics);

  /// Advance (t, q, u) of y by h s without changing the states. Return false if the rotation was
  /// too fast and the motion was approximated coarsely. If the system has no value on the way, y is
  /// not finite afterwards.
  bool go(double t, double h, VectorRef y);
  /// Compute λ_B (nb), which enforces the constraints at (t, y) in this motion. It is zero where
  /// the motion has none.
  void constraint_forces(double t, const ConstVectorRef& y, VectorRef lambda_B);
  ForceParts& parts() { return parts_; }
  /// Continue as the flow of another run of the same system would.
  void go_on_as(const FreeFlow& other) {
    if (integrator_) integrator_->expect_as(*other.integrator_);
  }

 private:
  Index dimension() const override { return mechanics_.nq() + mechanics_.nu(); }
  void rhs(double t, const ConstVectorRef& y, VectorRef ydot) override;
  void move_bodies(double h, VectorRef y);
  bool integrate(double t, double h, VectorRef y);
  bool step_once(double t, double h);
  bool step_often(double t, double h);
  void measure(double t, double h, const ConstVectorRef& y);
  void find_energies(double t, const ConstVectorRef& y, Vector& energies);
  void keep_energies(double t, VectorRef y);
  void move_coarsely(double t, double h, VectorRef y);
  const Matrix& find_factor(double t, const ConstVectorRef& q);

  Mechanics& mechanics_;
  ForceParts parts_;
  std::vector<FreeBody> bodies_;
  bool keeps_energy_ = false;
  std::unique_ptr<Integrator> integrator_;  // null: everything moves in closed form
  Vector x_;                                // (nx) states of the flow
  long evaluations_ = 0;
  Matrix M_;
  DenseCholesky llt_;
  Vector before_, after_;  // (cliques) kinetic energies
  Vector diagonal_;        // (nu) diagonal of M
  Matrix slopes_;
  Vector end_;
  Vector start_, rest_, atol_;            // (nq + nu)
  Vector acceleration_, force_, q_step_;  // scratch
};

}  // namespace nsmb
