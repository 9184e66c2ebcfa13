// Limits of step lengths: short-range forces could be stepped over.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class StepLimits {
 public:
  /// Return the longest step in s, starting or ending there, that passes over no force that begins
  /// and ends within it. Infinity: any step. The result is never so small that the motion stops.
  virtual double longest_step(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              SystemWorkspace& work) const = 0;

 protected:
  ~StepLimits() = default;
};

}  // namespace nsmb
