// The resolution of an instant: sizes below which its quantities count as zero.
#pragma once

#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantResolution {
 public:
  explicit InstantResolution(InstantWorkspace& work);

  double velocity(Index row) const;
  /// Return the slip speed, m/s, below which the integrator cannot distinguish slip from rest.
  double rest_speed(Index contact) const;
  double slip(Index contact) const;
  /// Return the resolution of an acceleration under the current forces.
  double acceleration(Index row) const;
  double slip_acceleration(Index contact) const;
  /// Return the resolution, N, of a normal force, or of the friction bound of a contact with
  /// friction only.
  double force(Index contact) const;
  /// Return the resolution of the switch function of a force element, from the tolerances of gaps
  /// and velocities.
  double switch_function(Index element) const;

  /// Measure the effect of a few ulps of t and y on accelerations. It counts as zero until time
  /// advances. An instant that does not settle at once may lie where accelerations are less
  /// accurate than the sizes of their terms suggest. Either t is too large to resolve them, or w̄
  /// is zero by cancellation of its terms.
  void perturb(double t, const ConstVectorRef& y);
  void forget_perturbation() { rounding_terms.setZero(); }

  Vector rest_speeds;      // (nc) m/s: slip in a plane that is slower counts as rest
  bool takes_rest = true;  // rest_speeds apply
  Vector rounding_terms;   // (nc + nt) m/s², effect of rounding of t and y on accelerations

 private:
  double unclocked_speed(Index row) const;

  InstantWorkspace& work_;
};

}  // namespace nsmb
