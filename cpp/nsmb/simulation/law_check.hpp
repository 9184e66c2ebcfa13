// States whose end only the law can determine.
#pragma once

#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/simulation/frozen_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// A comparison of the frozen state with the law, which is solved alongside the motion. It is
/// needed where single forces do not show whether the state lasts, as for sticking contacts in a
/// plane and for dependent contacts.
class LawCheck {
 public:
  LawCheck(Mechanics& mechanics, const FrictionOptions& friction);

  /// Freeze the roles. Forces that are not unique continue from those of the instant.
  void freeze(const FrozenRoles& roles);

  /// Solve the law at the last update of the mechanics, with frozen slip.
  void ask(const FrozenRoles& roles) { ask(roles, is_warm_); }
  const AccelerationResult& result() const { return result_; }

  /// Return true if the law just solved gives the frozen state, which moves with `solution`. With
  /// dependent contacts the law may have several solutions. The one found without a starting point
  /// decides, as at instants. `solution` receives the forces found if the state lasts, or if they
  /// move the body alike, as at the end of the state. Otherwise, with dependent contacts, it
  /// receives the last such forces.
  bool lasts(const ConstVectorRef& u, const FrozenRoles& roles, bool is_dependent,
             FrozenSolution& solution);

 private:
  void ask(const FrozenRoles& roles, bool warm);
  bool gives_state(const FrozenRoles& roles) const;
  bool moves_alike(const Vector& udot);

  Mechanics& mechanics_;
  ContactSolver solver_;
  AccelerationResult result_;
  std::vector<ContactRole> roles_;  // (nc)
  bool is_warm_ = false;
  Vector last_N_, last_T_;  // forces where the state last held
  Vector difference_;       // (nu) scratch
};

}  // namespace nsmb
