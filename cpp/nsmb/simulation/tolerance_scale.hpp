// What counts as small for an integrator: sizes of the components of y, and absolute tolerances.
#pragma once

#include "nsmb/simulation/frozen_motion.hpp"

namespace nsmb {

/// Absolute tolerances are rtol times the size of each component. The size of a velocity is the
/// largest one it has had, or the one all the kinetic energy so far would give it, so that a
/// component at rest is not judged by its rounding; that of a coordinate, at least what its
/// velocity covers in a short time. A system at rest has the energy that its forces make; one in
/// which large forces balance at rest, the velocities that their rounding makes. The wall of a
/// force element has the size of the way on which that element has moved while a wall relaxes.
class ToleranceScale {
 public:
  /// `given` (ny) tolerances last; empty: they are measured.
  ToleranceScale(const System& system, double rtol, Vector given);

  /// Forget what earlier motion has shown.
  void reset();
  /// At (t, y) of `motion`. False: tolerances are given, and stay.
  bool measure(FrozenMotion& motion, double t, const ConstVectorRef& y);
  /// Has y grown far beyond the sizes measured? Those were of rest, or of another motion.
  bool is_outgrown(const Vector& y) const;

  const Vector& atol() const { return atol_; }
  /// Sizes.
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
  double largest_energy_ = 0.0;   // J, kinetic, so far
  double rest_energy_ = 0.0;      // J, what the forces make of rest
  double rounding_energy_ = 0.0;  // J, of velocities that rounding makes of their size by rtol
  bool knows_rounding_ = false;
  Vector element_speed_;              // (ne) largest |γ̇| so far, beyond rounding
  Vector size_;                       // (ny) largest values so far
  Vector state_rate_;                 // (nx) largest rates of the internal states near rest
  Vector scale_, atol_;               // (ny)
  Vector y_, slope_, slope_at_rest_;  // (ny) scratch
  Vector Minv_h_, change_, q_step_;   // (nu), (nu), (nq) scratch
};

}  // namespace nsmb
