// Forces apart: what a system does without loads, h_0, and its loads, h_1.
#pragma once

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/free_motion.hpp"

namespace nsmb {

/// Workspace. Of a system that does not know them apart, h_0 is what is even in the velocities and
/// vanishes at rest, as gyroscopic terms are:
///
///   h_0 = (h(u) + h(-u))/2 - h(0),   h_1 = (h(u) - h(-u))/2 + h(0)
///
/// and none where M is constant and q̇ = u.
class ForceParts {
 public:
  explicit ForceParts(Mechanics& mechanics);

  FreeMotion::Kind kind() const { return kind_; }
  /// h_0 (nu), where the motion is `Bent`.
  void gyroscopic(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                  const ConstVectorRef& x, VectorRef h);
  /// h_1 (nu); where the free motion is `Whole`, h.
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
