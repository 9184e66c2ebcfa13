// States of which the law itself is asked whether they last.
#pragma once

#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/simulation/frozen_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// Where single forces do not tell whether a frozen state lasts, as of sticking contacts in a plane
/// and of contacts that depend on each other, the law is solved beside the motion and compared.
class LawWatch {
 public:
  LawWatch(Mechanics& mechanics, const FrictionOptions& friction);

  /// Where forces are not unique, those of the instant go on.
  void freeze(const FrozenRoles& roles);

  /// The law at the last update of the mechanics, slip as it is frozen.
  void ask(const FrozenRoles& roles) { ask(roles, is_warm_); }
  const AccelerationResult& result() const { return result_; }

  /// Does the law just asked give the frozen state, which moves with `solution`? It may have
  /// several solutions where contacts are dependent: the one found without a start decides, as it
  /// does at instants. The forces found are taken into `solution`, which are admissible, at the end
  /// of the state, too, if they move the body alike; else, where those of dependent contacts are
  /// not unique, those before it.
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
  Vector last_N_, last_T_;  // forces where the state was last seen to last
  Vector difference_;       // (nu) scratch
};

}  // namespace nsmb
