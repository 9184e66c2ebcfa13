// First-order states of a system's own: oil pressures, currents, temperatures.
#pragma once

#include "nsmb/core/sparsity.hpp"
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

  /// Entries of ∂f/∂x (nx_own, nx_own) that may differ from zero at any (t, q, u, x); empty: any
  /// may. What f and forces have of q and u, and forces of x, is not asked for.
  virtual SparsityPattern rate_pattern() const { return {}; }

 protected:
  ~InternalStates() = default;
};

}  // namespace nsmb
