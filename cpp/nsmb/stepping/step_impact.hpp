// Impacts in a step, as the event-driven method has them: laws of two phases, and laws that say
// nothing of finite forces.
#pragma once

#include <vector>

#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// Workspace.
class StepImpact {
 public:
  StepImpact(Mechanics& mechanics, ImpactLaw law);

  /// Impacts of these contacts, one after the other until nothing approaches, where `mechanics`
  /// stands: u (nu) and γ of `mechanics` are those behind them. False: one has no solution.
  bool apply(const std::vector<Index>& closed, double t, VectorRef y, ContactSolver& solver);

  const Vector& Lambda_N() const { return Lambda_N_; }
  const Vector& Lambda_T() const { return Lambda_T_; }
  /// (nc) J of each contact, (8.52).
  const Vector& work_N() const { return work_N_; }
  const Vector& work_T() const { return work_T_; }
  double change() const { return change_; }  // of the kinetic energy, J
  double residual() const { return residual_; }
  long problems() const { return problems_; }

 private:
  bool approaches(const std::vector<Index>& closed) const;

  Mechanics& mechanics_;
  ImpactLaw law_;
  ImpactResult result_;
  EnergyBook book_;
  std::vector<bool> needed_;
  Vector resolution_, u_;
  Vector Lambda_N_, Lambda_T_, work_N_, work_T_;
  double change_ = 0.0, residual_ = 0.0;
  long problems_ = 0;
};

}  // namespace nsmb
