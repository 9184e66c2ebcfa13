// A step of a Runge-Kutta method under forces of contacts that are held in it, and how they move
// its end:
//
//   q_{n+1} = W_q λ + w_q,   u_{n+1} = W_u λ + ...        (5.20), (5.24), (5.37), (A.13), (A.14),
//   (A.29)
#pragma once

#include <vector>

#include "nsmb/stepping/stage_solver.hpp"

namespace nsmb {

/// Workspace.
class RungeKuttaStep {
 public:
  RungeKuttaStep(Mechanics& mechanics, RungeKuttaMethod method);

  /// A step of length h from (t, y); force elements in the modes of `mechanics`.
  void begin(double t, double h, const Vector& y);
  /// To its end under these forces, with the contact points that `mechanics` has: end(), sums().
  void run(const Vector& lambda_N, const Vector& lambda_T);
  /// How unit forces of these rows move the end of the last run(), contact points included: W_q
  /// along velocities and W_u, both (nu, rows). With weights bᵀA and b of M⁻¹W at the stages; of
  /// implicit stages with the stiffness of the system, too.
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
  std::vector<Matrix> columns_, moved_;  // (s) of (nu, rows): M⁻¹W, and what it does to velocities
  Matrix W_q_, W_u_;
};

}  // namespace nsmb
