// Force elements at one (t, q, u, x).
#pragma once

#include "nsmb/system/system.hpp"

namespace nsmb {

/// A workspace for the force elements.
struct ElementForces {
  explicit ElementForces(const System& system);

  /// Evaluate all elements in their `modes`. The rates of the walls are written to xdot (nx).
  void update(const System& system, double t, const ConstVectorRef& q, const ConstVectorRef& u,
              const ConstVectorRef& x, SystemWorkspace& work, VectorRef xdot);

  bool watches = true;           // false: skip watched functions, which carry no force
  ElementModes modes;            // (ne)
  ElementKinematics kinematics;  // γ, w and w̃
  Vector speed;                  // (ne) γ̇
  Vector force;                  // (ne) ζ, N
  Vector switch_value;           // (ne) nonnegative while the mode lasts
};

}  // namespace nsmb
