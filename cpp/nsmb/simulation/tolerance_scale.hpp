// Sizes of the components of y, and absolute tolerances for integrators.
#pragma once

#include "nsmb/simulation/frozen_motion.hpp"

namespace nsmb {

/// Absolute tolerances as rtol times the size of each component. The size of a velocity is its
/// largest value so far. It is at least the velocity that all kinetic energy so far would give it.
/// A component at rest is therefore not judged by its rounding. The size of a coordinate is at
/// least what its velocity covers in a short time. A system at rest has the energy that its forces
/// would give it. If large forces balance at rest, it has the velocities of their rounding. The
/// wall of a force element has the size of the displacement of that element while a wall relaxes.
class ToleranceScale {
 public:
  /// `given` (ny): constant tolerances. If empty, tolerances are measured.
  ToleranceScale(const System& system, double rtol, Vector given);

  /// Discard what earlier motion has shown.
  void reset();
  /// Measure at (t, y) of `motion`. Return false if the tolerances are given and constant.
  bool measure(FrozenMotion& motion, double t, const ConstVectorRef& y);
  /// Return true if y far exceeds the measured sizes, which were those of rest or of another
  /// motion.
  bool is_outgrown(const Vector& y) const;

  const Vector& atol() const { return atol_; }
  /// Sizes of the components.
  const Vector& scale() const { return scale_; }

 private:
  bool is_given() const { return given_.size() > 0; }
  void measure_rounding(FrozenMotion& motion, double t, const ConstVectorRef& y);
  void measure_rest(FrozenMotion& motion, double t, const ConstVectorRef& y);
  void measure_elements(const Mechanics& mechanics, const ConstVectorRef& u);
  double scale_velocities(Mechanics& mechanics, double energy);
  void scale_states(const Mechanics& mechanics, double fastest, double time);
  void scale_walls(const Mechanics& mechanics, double fastest, double time);
  void allow_for_projection(FrozenMotion& motion);

  double rtol_;
  Vector given_;
  double largest_energy_ = 0.0;   // J, largest kinetic energy so far
  double rest_energy_ = 0.0;      // J, given by the forces to a system at rest
  double rounding_energy_ = 0.0;  // J, of the velocities that rounding makes, divided by rtol
  bool knows_rounding_ = false;
  Vector element_speed_;              // (ne) largest |γ̇| so far, beyond rounding
  Vector size_;                       // (ny) largest values so far
  Vector state_rate_;                 // (nx) largest rates of the internal states near rest
  Vector scale_, atol_;               // (ny)
  Vector y_, slope_, slope_at_rest_;  // (ny) scratch
  Vector Minv_h_, change_, q_step_;   // (nu), (nu), (nq) scratch
};

}  // namespace nsmb
