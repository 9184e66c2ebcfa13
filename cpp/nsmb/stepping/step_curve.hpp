// Interpolation between the ends of a step.
#pragma once

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/step_motion.hpp"

namespace nsmb {

/// An interpolant with u and x linear in time. q is a parabola with the correct rates at its start.
class StepCurve final : public StepMotion {
 public:
  /// `mechanics` must outlive this object.
  explicit StepCurve(Mechanics& mechanics);

  /// Set the two ends of a step of length h.
  void lay(const RunState& from, const RunState& to, double h);
  /// Coefficients (ny, 3) of the power series in s.
  const Matrix& series() const { return series_; }

  void state_at(double s, VectorRef y) override;
  double t_old() const override { return t_old_; }
  double t() const override { return t_; }
  double duration() const override { return h_; }

 private:
  Mechanics& mechanics_;
  Matrix series_;
  double t_old_ = 0.0, t_ = 0.0, h_ = 0.0;
};

}  // namespace nsmb
