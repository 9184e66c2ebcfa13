// Impacts in a step, solved as in the event-driven method: two-phase laws, and laws that do not
// consider finite forces.
#pragma once

#include <vector>

#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

/// Contacts at one instant, in the order of `rows`.
struct StruckContacts {
  const ContactRows& rows;
  const Matrix& G;
  const Vector &w_tilde_N, &w_tilde_T;  // (nc), (nt) m/s
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& touching;  // unilateral contacts
  const Vector& resolution;            // (nc + nt) m/s, bound of rounding errors
};

/// The sum of all impacts of a step. It allocates memory only if an impact occurs.
class StepImpact {
 public:
  explicit StepImpact(ImpactLaw law) : law_(law) {}

  /// Solve impacts one after another until nothing approaches, and replace γ by the velocities
  /// after them. Return false if an impact has no solution.
  bool apply(const StruckContacts& contacts, Vector& gamma_N, Vector& gamma_T,
             ContactSolver& solver);

  const Vector& Lambda_N() const { return Lambda_N_; }
  const Vector& Lambda_T() const { return Lambda_T_; }
  /// Work (nc) in J of each contact, (8.52).
  const Vector& work_N() const { return work_N_; }
  const Vector& work_T() const { return work_T_; }
  double change() const { return change_; }  // kinetic energy change by contacts, J
  long problems() const { return problems_; }

 private:
  ImpactLaw law_;
  Vector Lambda_N_, Lambda_T_, work_N_, work_T_;
  double change_ = 0.0;
  long problems_ = 0;
};

}  // namespace nsmb
