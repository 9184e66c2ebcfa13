// Functions of the motion that decide between two modes of a system.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class WatchedFunctions {
 public:
  /// Values of the watched functions among the force elements, into their rows of `values` (ne);
  /// not negative while the mode, which is in x (nx_own), lasts.
  virtual void watch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, VectorRef values, SystemWorkspace& work) const = 0;

 protected:
  ~WatchedFunctions() = default;
};

}  // namespace nsmb
