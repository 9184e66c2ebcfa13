// Coefficients of Runge-Kutta methods, for steps and for the effect of constant forces on their
// end.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

enum class RungeKuttaMethod {
  Euler,  // explicit Euler for velocities, mean of both velocities for coordinates
  Rk4,    // classical fourth-order method, (A.1)-(A.3)
  Radau,  // Radau IIA with three stages, (A.15)-(A.17)
};

/// A Runge-Kutta method for y' = f(t, y) with stages k_i = f(t + c_i h, y + h Σ a_ij k_j).
/// Velocities and states follow from u += h Σ b_i k_i, coordinates from q += h Σ b_q,i k_i.
struct RungeKuttaTableau {
  Matrix A;    // (s, s)
  Vector b;    // (s) for velocities
  Vector b_q;  // (s) for coordinates
  Vector c;    // (s)

  Index stages() const { return b.size(); }
  /// Return bᵀA (s), the effect of an acceleration at each stage on the coordinates, divided by h².
  /// The sum is 1/2.
  Vector position_weights() const { return A.transpose() * b_q; }
  /// Return true if no stage depends on itself or on a later one.
  bool is_explicit() const {
    for (Index i = 0; i < stages(); ++i) {
      if (!A.row(i).tail(stages() - i).isZero(0.0)) return false;
    }
    return true;
  }
  /// Return true if the last stage is the end of the step.
  bool ends_with_a_stage() const { return A.row(stages() - 1).transpose() == b && b == b_q; }
};

const RungeKuttaTableau& tableau(RungeKuttaMethod method);

}  // namespace nsmb
