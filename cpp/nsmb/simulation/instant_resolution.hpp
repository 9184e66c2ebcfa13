// What an instant can resolve: below these sizes its quantities count as zero.
#pragma once

#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantResolution {
 public:
  explicit InstantResolution(InstantWorkspace& work);

  double velocity(Index row) const;
  /// m/s: slip that is slower is rest, as far as the integrator can tell.
  double rest_speed(Index contact) const;
  double slip(Index contact) const;
  /// Under the forces at hand.
  double acceleration(Index row) const;
  double slip_acceleration(Index contact) const;
  /// N, of a normal force, or of the bound of friction alone.
  double force(Index contact) const;
  /// Of the switch function of a force element: what the tolerances of gaps and velocities make of
  /// it.
  double switch_function(Index element) const;

  /// What a few ulps of t and y make of accelerations counts as zero, too, until time moves on: an
  /// instant that does not settle at once may lie where they are not known as well as the sizes of
  /// their terms promise. t, being large, is too coarse for them, or w̄ is zero by the cancellation
  /// of what it is made of.
  void perturb(double t, const ConstVectorRef& y);
  void forget_perturbation() { rounding_terms.setZero(); }

  Vector rest_speeds;      // (nc) m/s: slip in a plane that is slower counts as rest
  bool takes_rest = true;  // does it?
  Vector rounding_terms;   // (nc + nt) m/s², what rounding of t and y makes of accelerations

 private:
  double unclocked_speed(Index row) const;

  InstantWorkspace& work_;
};

}  // namespace nsmb
