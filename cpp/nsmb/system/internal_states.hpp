// First-order states of a system's own: oil pressures, currents, temperatures.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class InternalStates {
 public:
  /// ẋ = f (nx_own). The modes of watched functions are among x and have the rate zero.
  virtual void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                           const ConstVectorRef& x, VectorRef xdot,
                           SystemWorkspace& work) const = 0;
  /// What is stored besides V(q, t) and depends on x (nx_own), J; NaN: not known.
  virtual double state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const = 0;

 protected:
  ~InternalStates() = default;
};

}  // namespace nsmb
