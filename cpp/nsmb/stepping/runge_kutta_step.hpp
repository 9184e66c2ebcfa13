// A step of a Runge-Kutta method under constant contact forces, and the effect of these forces on
// its end:
//
//   q_{n+1} = W_q λ + w_q,   u_{n+1} = W_u λ + ...        (5.20), (5.24), (5.37), (A.13), (A.14),
//   (A.29)
#pragma once

#include <vector>

#include "nsmb/stepping/stage_solver.hpp"

namespace nsmb {

/// A workspace for steps of a Runge-Kutta method.
class RungeKuttaStep {
 public:
  RungeKuttaStep(Mechanics& mechanics, RungeKuttaMethod method);

  /// Start a step of length h from (t, y) with the force-element modes of `mechanics`.
  void begin(double t, double h, const Vector& y);
  /// Compute end() and sums() under these forces, with the contact points of `mechanics`.
  void run(const Vector& lambda_N, const Vector& lambda_T);
  /// Compute the effect of unit forces of these rows on the end of the last run(), with its contact
  /// points: W_q along velocities and W_u, both (nu, rows). M⁻¹W at the stages is weighted by bᵀA
  /// and b. Implicit stages also include the stiffness of the system.
  void find_map(const std::vector<Index>& rows);

  const Vector& end() const { return end_; }  // (ny)
  const StageSums& sums() const { return sums_; }
  const Matrix& W_q() const { return W_q_; }
  const Matrix& W_u() const { return W_u_; }

 private:
  void find_end();

  Mechanics& mechanics_;
  const RungeKuttaTableau& tableau_;
  StageEquations equations_;
  std::unique_ptr<StageSolver> solver_;
  Stages stages_;
  StageSums sums_;
  double t_ = 0.0, h_ = 0.0;
  bool again_ = false;
  Vector start_, end_;                   // (ny)
  std::vector<Matrix> columns_, moved_;  // (s) of (nu, rows): M⁻¹W, and its effect on velocities
  Matrix W_q_, W_u_;
};

}  // namespace nsmb
