// Forces that act on velocities and states.
#pragma once

#include "nsmb/stepping/force_parts.hpp"

namespace nsmb {

/// The forces F (nu) of a system and of its force elements, and the rates ẋ (nx).
class SmoothForces {
 public:
  /// With `parts`, the forces of the system are restricted to its loads.
  explicit SmoothForces(Mechanics& mechanics, ForceParts* parts = nullptr)
      : mechanics_(mechanics), parts_(parts) {}

  /// Compute (F, ẋ) at (t, q, u, x) with the force-element modes of `mechanics`.
  void evaluate(double t, const ConstVectorRef& y, VectorRef rates);

 private:
  Mechanics& mechanics_;
  ForceParts* parts_;
};

}  // namespace nsmb
