// Stages of a Runge-Kutta step under forces of contacts that are held in it.
#pragma once

#include <memory>

#include "nsmb/stepping/runge_kutta_tableau.hpp"
#include "nsmb/stepping/stage_equations.hpp"

namespace nsmb {

/// Of one step.
struct Stages {
  Stages(Index ny, Index s) : Y(ny, s), K(Matrix::Zero(ny, s)) {}
  Matrix Y;  // (ny, s) states
  Matrix K;  // (ny, s) their rates
};

/// What is summed over stages, with `mechanics` standing at each of them.
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

  /// From y_0 at t; of the last call for the same step, `again`, stages are where to begin. Throws
  /// std::domain_error where there are none.
  virtual void solve(double t, double h, const Vector& y_0, bool again, Stages& stages,
                     StageSums& sums) = 0;
  /// What constant accelerations D_p (nu, n) of stages do to velocities of stages, found last:
  /// `moved[p]` (nu, n), h Σ a_pj (D_j + J δY_j). False: h Σ a_pj D_j is all that is known.
  virtual bool move(double /*h*/, const std::vector<Matrix>& /*D*/,
                    std::vector<Matrix>& /*moved*/) {
    return false;
  }
};

std::unique_ptr<StageSolver> make_stage_solver(const RungeKuttaTableau& tableau,
                                               StageEquations& equations);

}  // namespace nsmb
