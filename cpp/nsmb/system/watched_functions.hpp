// Functions of the motion that select one of two modes of a system.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class WatchedFunctions {
 public:
  /// Compute the watched functions among the force elements, in their rows of `values` (ne). A
  /// value is nonnegative while its mode, which is part of x (nx_own), lasts.
  virtual void watch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, VectorRef values, SystemWorkspace& work) const = 0;

 protected:
  ~WatchedFunctions() = default;
};

}  // namespace nsmb
