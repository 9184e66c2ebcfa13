// Coordinates whose rates are not the velocities: quaternions, say.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class CoordinateMap {
 public:
  /// q̇ = B(q) u (nq).
  virtual void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef qdot, SystemWorkspace& work) const = 0;
  /// Puts q back where it belongs, quaternions to unit length; was there anything to do?
  virtual bool normalise(VectorRef q) const = 0;

 protected:
  ~CoordinateMap() = default;
};

}  // namespace nsmb
