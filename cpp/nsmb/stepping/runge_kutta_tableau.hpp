// Coefficients of Runge-Kutta methods: of a step, and of how a force that is held in it moves its
// end.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

enum class RungeKuttaMethod {
  Euler,  // velocities by explicit Euler, coordinates with the mean of both velocities
  Rk4,    // the classical one, (A.1)-(A.3)
  Radau,  // Radau IIA with three stages, (A.15)-(A.17)
};

/// y' = f(t, y) by k_i = f(t + c_i h, y + h Σ a_ij k_j), then u += h Σ b_i k_i of velocities and
/// states, q += h Σ b_q,i k_i of coordinates.
struct RungeKuttaTableau {
  Matrix A;    // (s, s)
  Vector b;    // (s) of velocities
  Vector b_q;  // (s) of coordinates
  Vector c;    // (s)

  Index stages() const { return b.size(); }
  /// (s) what an acceleration of a stage adds to the coordinates, over h²: bᵀA. Their sum is 1/2.
  Vector position_weights() const { return A.transpose() * b_q; }
  /// No stage depends on itself or a later one.
  bool is_explicit() const {
    for (Index i = 0; i < stages(); ++i) {
      if (!A.row(i).tail(stages() - i).isZero(0.0)) return false;
    }
    return true;
  }
  /// The last stage is the end of the step.
  bool ends_with_a_stage() const { return A.row(stages() - 1).transpose() == b && b == b_q; }
};

const RungeKuttaTableau& tableau(RungeKuttaMethod method);

}  // namespace nsmb
