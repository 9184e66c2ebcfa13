// Separation of the forces of a system into those of the free motion, h_0, and the loads, h_1.
#pragma once

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/free_motion.hpp"

namespace nsmb {

/// A workspace that separates the forces. If a system does not separate them itself, h_0 is the
/// part that is even in the velocities and vanishes at rest, as gyroscopic terms do:
///
///   h_0 = (h(u) + h(-u))/2 - h(0),   h_1 = (h(u) - h(-u))/2 + h(0)
///
/// If M is constant and q̇ = u, then h_0 is zero.
class ForceParts {
 public:
  explicit ForceParts(Mechanics& mechanics);

  FreeMotion::Kind kind() const { return kind_; }
  /// Compute h_0 (nu) of a motion that is `Bent`.
  void gyroscopic(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                  const ConstVectorRef& x, VectorRef h);
  /// Compute h_1 (nu), or all forces h if the free motion is `Whole`.
  void loads(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
             VectorRef h);

 private:
  void find_halves(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x);

  Mechanics& mechanics_;
  const FreeMotion* known_;
  FreeMotion::Kind kind_;
  Vector u_, forward_, backward_, at_rest_;  // (nu)
};

}  // namespace nsmb
