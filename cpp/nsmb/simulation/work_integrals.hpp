// Work lost to friction, and work of moving contacts and constraints.
#pragma once

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/simulation/phase.hpp"

namespace nsmb {

/// The work so far, the work at the current sample, and the power on the last step as a power
/// series.
class WorkIntegrals {
 public:
  explicit WorkIntegrals(Index nc);

  void clear();
  void forget_step() { is_known_ = false; }
  /// Find the powers on the last step of `phase`.
  void find(Phase& phase);
  /// Add the integral of the friction power from the start of that step to its fraction s.
  void add_friction(const Phase& phase, const ContactStates& states, double s,
                    VectorRef loss) const;
  /// Return the same integral of the power that moves contacts and constraints, in J.
  double drive_work(const Phase& phase, double s) const;

  bool slips() const { return slips_; }
  bool drives() const { return drives_; }
  const Matrix& friction_power() const { return friction_power_; }
  const Vector& drive_power() const { return drive_power_; }

  Vector friction, sample_friction;        // (nc) J, so far and at the current sample
  double drive = 0.0, sample_drive = 0.0;  // J

 private:
  Matrix friction_power_;  // (nc, 2 degree + 1) W
  Vector drive_power_;     // (2 degree + 1) W
  bool slips_ = false, drives_ = false, is_known_ = false;
};

}  // namespace nsmb
