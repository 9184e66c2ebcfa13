// Impacts in a step, as the event-driven method has them: laws of two phases, and laws that say
// nothing of finite forces.
#pragma once

#include <vector>

#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

/// Contacts at one place, in the order of `rows`.
struct StruckContacts {
  const ContactRows& rows;
  const Matrix& G;
  const Vector &w_tilde_N, &w_tilde_T;  // (nc), (nt) m/s
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& touching;  // unilateral ones
  const Vector& resolution;            // (nc + nt) m/s, what rounding may have left
};

/// The sum of all impacts of a step. Allocates where something strikes.
class StepImpact {
 public:
  explicit StepImpact(ImpactLaw law) : law_(law) {}

  /// Impacts one after the other until nothing approaches, from γ to γ behind them. False: one has
  /// no solution.
  bool apply(const StruckContacts& contacts, Vector& gamma_N, Vector& gamma_T,
             ContactSolver& solver);

  const Vector& Lambda_N() const { return Lambda_N_; }
  const Vector& Lambda_T() const { return Lambda_T_; }
  /// (nc) J of each contact, (8.52).
  const Vector& work_N() const { return work_N_; }
  const Vector& work_T() const { return work_T_; }
  double change() const { return change_; }  // of the kinetic energy by contacts, J
  long problems() const { return problems_; }

 private:
  ImpactLaw law_;
  Vector Lambda_N_, Lambda_T_, work_N_, work_T_;
  double change_ = 0.0;
  long problems_ = 0;
};

}  // namespace nsmb
