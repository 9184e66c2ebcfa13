// Bilateral constraints of a system.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// Kinematics of the nb bilateral constraints g = 0: γ = Wᵀu + w̃ = 0, γ̇ = Wᵀu̇ + w̄ = 0.
struct ConstraintKinematics {
  ConstraintKinematics(Index nu, Index nb);

  Vector g;        // (nb)
  Matrix W;        // (nu, nb)
  Vector w_tilde;  // (nb)
  Vector w_bar;    // (nb)
};

/// The bilateral constraints of a system, which may depend on one another.
class ConstraintSet {
 public:
  virtual void constraint_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                     ConstraintKinematics& constraints,
                                     SystemWorkspace& work) const = 0;

 protected:
  ~ConstraintSet() = default;
};

}  // namespace nsmb
