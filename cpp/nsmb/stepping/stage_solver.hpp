// Stages of a Runge-Kutta step under constant contact forces.
#pragma once

#include <memory>

#include "nsmb/stepping/runge_kutta_tableau.hpp"
#include "nsmb/stepping/stage_equations.hpp"

namespace nsmb {

/// Stages of one step.
struct Stages {
  Stages(Index ny, Index s) : Y(ny, s), K(Matrix::Zero(ny, s)) {}
  Matrix Y;  // (ny, s) states
  Matrix K;  // (ny, s) rates of these states
};

/// Sums over the stages, added with `mechanics` at the state of each of them.
class StageSums {
 public:
  StageSums(const RungeKuttaTableau& tableau, const Mechanics& mechanics);

  void begin();
  void add(Index stage, const ConstVectorRef& ydot, StageEquations& equations);

  Vector gamma_N, gamma_T;  // (nc), (nt) Σ b_q γ, mean velocities
  Vector lambda_B;          // (nb) Σ b λ_B, mean forces

 private:
  const RungeKuttaTableau& tableau_;
  Vector forces_;
};

class StageSolver {
 public:
  virtual ~StageSolver() = default;

  /// Compute the stages from y_0 at t. With `again`, start from the stages of the last call for the
  /// same step. Throw std::domain_error if there is no solution.
  virtual void solve(double t, double h, const Vector& y_0, bool again, Stages& stages,
                     StageSums& sums) = 0;
  /// Compute h Σ a_pj (D_j + J δY_j) in `moved[p]` (nu, n), the effect of constant accelerations
  /// D_p (nu, n) of the stages on their velocities. Return false if only h Σ a_pj D_j is available.
  virtual bool move(double /*h*/, const std::vector<Matrix>& /*D*/,
                    std::vector<Matrix>& /*moved*/) {
    return false;
  }
};

std::unique_ptr<StageSolver> make_stage_solver(const RungeKuttaTableau& tableau,
                                               StageEquations& equations);

}  // namespace nsmb
