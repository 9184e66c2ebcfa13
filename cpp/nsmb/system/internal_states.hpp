// First-order states of a system: oil pressures, currents, temperatures.
#pragma once

#include "nsmb/core/sparsity.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

class InternalStates {
 public:
  /// Compute ẋ = f (nx_own). The modes of watched functions are part of x and have rate zero.
  virtual void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                           const ConstVectorRef& x, VectorRef xdot,
                           SystemWorkspace& work) const = 0;
  /// Return the stored energy in J that V(q, t) does not contain and that depends on x (nx_own).
  /// NaN: not known.
  virtual double state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const = 0;

  /// Return the entries of ∂f/∂x (nx_own, nx_own) that may differ from zero at any (t, q, u, x).
  /// Empty: all entries. Derivatives of f with respect to q and u, and those of forces, are not
  /// included.
  virtual SparsityPattern rate_pattern() const { return {}; }

 protected:
  ~InternalStates() = default;
};

}  // namespace nsmb
