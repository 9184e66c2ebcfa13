// Contacts of the description whose problem a solver has missed: its impulses are taken, or the
// contacts are locked, see plastic_lock.hpp.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/plastic_lock.hpp"
#include "nsmb/stepping/step_book.hpp"
#include "nsmb/stepping/step_laws.hpp"

namespace nsmb {

/// The contacts that `impulses` has missed, with velocities that bilateral constraints leave.
class MissedByName {
 public:
  /// `bound` (nc) h β, W_B (nu, nb). At the last update of `mechanics`.
  MissedByName(Mechanics& mechanics, const StepVelocities& v, const Vector& bound,
               const Matrix& W_B, const StepImpulses& impulses);

  /// Whether the impulses, which lead to the velocities v_E, may be taken.
  bool are_acceptable(const StepVelocities& v, const StepImpulses& impulses) const;
  /// Leaves as much of the impulses as creates no energy.
  void brake(const StepVelocities& v, StepImpulses& impulses) const;
  /// Brings them to rest.
  const PlasticLock& lock(const StepImpulses& impulses);

  /// (nu) what the lock changes of velocities.
  Vector change() const { return basis_ * lock_.change; }
  /// (nb) impulses of the constraints that belong to it.
  Vector constraint_impulses() const;
  /// The contacts get these impulses (m), or those of the lock.
  void put(const Vector& Lambda, StepImpulses& impulses) const;
  void put_lock(StepImpulses& impulses) const { put(lock_.Lambda, impulses); }

 private:
  Vector pick(const Vector& of_N, const Vector& of_T) const;

  const ContactRows& rows_;
  const Matrix& M_;
  const Matrix& W_B_;
  std::vector<Index> places_;  // (m) among the rows of G
  CoupledContacts contacts_;
  Matrix directions_;  // (nu, m)
  Matrix basis_;       // (nu, n) of the velocities that constraints leave
  PlasticLock lock_;
};

}  // namespace nsmb
