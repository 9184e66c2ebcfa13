// Derivative of the jump of the state at an instant, y⁺ = J(t, y), with its decisions frozen.
#pragma once

#include <functional>

#include "nsmb/simulation/transition.hpp"
#include "nsmb/simulation/varied_systems.hpp"

namespace nsmb {

/// A function of (t, y) that computes y after an effect.
using EffectMap = std::function<void(double, const ConstVectorRef&, VectorRef)>;

class VariationJump {
 public:
  VariationJump(VariedSystems& systems, const TransitionOptions& options, FrozenChoices& frozen);

  void set_inputs(const ConstVectorRef& values);
  void set_span(const TimeSpan& span);

  /// Prepare for an instant.
  void begin() { acts_ = false; }
  /// Follow the change of y before: differentiate `effect` at (t, y) by differences. `rate`, ẏ
  /// before the instant, becomes E_y f⁻ + E_t for what follows.
  void follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect, Vector& rate);
  /// Freeze the decisions of the instant. `zeros`: number of zeros that led there.
  void decide(const Transition& transition, const ElementModes& modes,
              const ContactFeatures& features, std::size_t zeros);
  /// Differentiate at (t, y), with ẏ = `rate` before the instant.
  void differentiate(double t, const ConstVectorRef& y, const Vector& rate);

  const Matrix& J_y() const { return J_y_; }    // (ny, ny + np) J_y, J_p
  const Vector& rate() const { return rate_; }  // J_y f⁻ + J_t
  /// Return true if the impacts of the instant are smooth.
  bool is_smooth() const { return smooth_; }
  /// The system at the instant.
  const Mechanics& mechanics() const { return jump_.base.mechanics; }

 private:
  void differentiate_velocities(double t, const ConstVectorRef& y, const Vector& rate);
  void differentiate_walls(double t, const ConstVectorRef& y, const Vector& rate);

  VariedSystems& systems_;
  FrozenChoices& frozen_;
  Jump jump_;
  JumpMechanics other_side_;  // the system itself, for the other side of differences
  bool jumps_ = false;        // the instant is more than a change of equations
  bool smooth_ = true;
  Matrix J_y_;
  Vector rate_;
  Matrix E_y_;         // (ny, ny), of an effect
  bool acts_ = false;  // there is one
  Vector plus_, minus_;
};

}  // namespace nsmb
