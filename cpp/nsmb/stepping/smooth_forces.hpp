// What forces do to velocities and states in a step, and their derivative along it.
#pragma once

#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// Workspace. All forces of the system and of its force elements, F (nu), and ẋ (nx).
class SmoothForces {
 public:
  explicit SmoothForces(Mechanics& mechanics);

  /// (F, ẋ) at (t, q, u, x); force elements in the modes of `mechanics`.
  void evaluate(double t, const ConstVectorRef& y, VectorRef rates);
  /// (M, 1) - `share` D (nu + nx, nu + nx), D being how (F, ẋ) changes where velocities and states
  /// change by a unit, and coordinates by `along` seconds of these velocities. By differences from
  /// `rates`, those at (t, y); `size` are increments of (u, x) that are to be expected.
  const Matrix& linearise(double t, const ConstVectorRef& y, const ConstVectorRef& rates,
                          double share, double along, const Matrix& M, const ConstVectorRef& size);

 private:
  Mechanics& mechanics_;
  Vector y_, rates_, unit_, q_step_;
  Matrix A_;
};

}  // namespace nsmb
