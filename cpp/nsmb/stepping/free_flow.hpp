// The motion between the kicks of a step: that of a system without loads,
//
//   q̇ = B u,   M u̇ = h_0 + W_B λ_B
//
// in closed form where bodies are free, else by an integrator whose error is far below that of a
// step. What is known to keep its kinetic energy, clique by clique, keeps it to rounding:
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

/// Workspace.
class FreeFlow final : private OdeProblem {
 public:
  explicit FreeFlow(Mechanics& mechanics);

  /// (t, q, u) of y by h s; states stay. False: it turns too fast for that, and was moved coarsely.
  /// Without a value somewhere y is not finite behind it.
  bool go(double t, double h, VectorRef y);
  /// λ_B (nb) that keeps the constraints at (t, y) in this motion; zero where it has none.
  void constraint_forces(double t, const ConstVectorRef& y, VectorRef lambda_B);
  ForceParts& parts() { return parts_; }
  /// It goes on as that of another run of the same system.
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
  std::unique_ptr<Integrator> integrator_;  // null: all is in closed form
  Vector x_;                                // (nx) states of the flow
  long evaluations_ = 0;
  Matrix M_;
  DenseCholesky llt_;
  Vector before_, after_;  // (cliques) kinetic energies
  Vector diagonal_;        // (nu) of M
  Matrix slopes_;
  Vector end_;
  Vector start_, rest_, atol_;            // (nq + nu)
  Vector acceleration_, force_, q_step_;  // scratch
};

}  // namespace nsmb
