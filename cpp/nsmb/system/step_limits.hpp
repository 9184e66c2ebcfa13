// How far motion may go unseen: forces that act near something alone can be stepped over.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class StepLimits {
 public:
  /// s, what a step that begins or ends there may take so that it passes over no force that begins
  /// and ends within it; infinity: any. Never so little that motion comes to a stop.
  virtual double longest_step(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              SystemWorkspace& work) const = 0;

 protected:
  ~StepLimits() = default;
};

}  // namespace nsmb
