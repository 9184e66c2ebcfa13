// Friction bounds that depend on states of the system, such as a pressure or a mode.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class StateBounds {
 public:
  /// Replace `bound` (nc) of ContactKinematics, using x (nx_own).
  virtual void friction_bounds(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                               const ConstVectorRef& x, VectorRef bound,
                               SystemWorkspace& work) const = 0;

 protected:
  ~StateBounds() = default;
};

}  // namespace nsmb
