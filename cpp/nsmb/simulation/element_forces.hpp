// Force elements at one (t, q, u, x).
#pragma once

#include "nsmb/system/system.hpp"

namespace nsmb {

/// Workspace.
struct ElementForces {
  explicit ElementForces(const System& system);

  /// In `modes`; rates of the walls go to xdot (nx).
  void update(const System& system, double t, const ConstVectorRef& q, const ConstVectorRef& u,
              const ConstVectorRef& x, SystemWorkspace& work, VectorRef xdot);

  bool watches = true;           // false: watched functions, which carry no force, are left out
  ElementModes modes;            // (ne)
  ElementKinematics kinematics;  // γ, w and w̃
  Vector speed;                  // (ne) γ̇
  Vector force;                  // (ne) ζ, N
  Vector switch_value;           // (ne) not negative while the mode lasts
};

}  // namespace nsmb
