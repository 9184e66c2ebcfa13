// Coordinates whose rates are not the velocities, for example quaternions.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class CoordinateMap {
 public:
  /// Compute q̇ = B(q) u (nq).
  virtual void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef qdot, SystemWorkspace& work) const = 0;
  /// Project q onto its admissible values, quaternions to unit length. Return true if q has
  /// changed.
  virtual bool normalise(VectorRef q) const = 0;

 protected:
  ~CoordinateMap() = default;
};

}  // namespace nsmb
