// What forces do to velocities and states.
#pragma once

#include "nsmb/stepping/force_parts.hpp"

namespace nsmb {

/// All forces of the system and of its force elements, F (nu), and ẋ (nx).
class SmoothForces {
 public:
  /// `parts`: of the system's own forces the loads alone.
  explicit SmoothForces(Mechanics& mechanics, ForceParts* parts = nullptr)
      : mechanics_(mechanics), parts_(parts) {}

  /// (F, ẋ) at (t, q, u, x); force elements in the modes of `mechanics`.
  void evaluate(double t, const ConstVectorRef& y, VectorRef rates);

 private:
  Mechanics& mechanics_;
  ForceParts* parts_;
};

}  // namespace nsmb
