// Friction whose bound depends on the states of its system: on a pressure, on a mode.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class StateBounds {
 public:
  /// `bound` (nc) of ContactKinematics, in place of what the system wrote there; x (nx_own).
  virtual void friction_bounds(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                               const ConstVectorRef& x, VectorRef bound,
                               SystemWorkspace& work) const = 0;

 protected:
  ~StateBounds() = default;
};

}  // namespace nsmb
