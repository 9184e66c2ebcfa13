// Phases of a linear system in closed form: every frozen contact state is a linear ODE.
#pragma once

#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/linear_equations.hpp"
#include "nsmb/simulation/linear_modes.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/system/linear_system.hpp"

namespace nsmb {

/// A phase of a linear system. LinearEquations builds the matrices of a contact state, LinearModes
/// keeps them, and LinearFlow moves the system.
class LinearPhase final : public Phase {
 public:
  explicit LinearPhase(const System& system, const LinearForm& form);

  void reset() override;
  void set_span(const Discontinuity& from, const Discontinuity& /*to*/) override {
    equations_.set_span(from);
  }
  void set_inputs(const ConstVectorRef& values) override;
  void enter(const FrozenRoles& roles, const ElementModes& modes, double t, VectorRef y) override;
  StepStatus step(double t_stop) override;
  StepStatus locate(const Indicator& indicator, double s_guess) override;
  StepStatus cut(double s) override;
  void state_at(double s, VectorRef y) override;
  StepStatus cut_at_zero(const TimedFunction& f, double s) override;
  void observe(double t, const ConstVectorRef& y, Observation& observation) override;
  void expand(const std::vector<Indicator>& indicators, bool starts, Matrix& coefficients) override;
  bool expand_friction_power(Matrix& power) override;
  bool expand_drive_power(VectorRef power) override;
  const Matrix& series() override { return flow_.coefficients(); }
  Index series_degree() const override { return flow_.degree(); }
  double t() const override { return flow_.t(); }
  const Vector& y() const override { return flow_.y(); }
  double duration() const override { return flow_.duration(); }
  const Integrator& integrator() const override { return flow_; }
  void freeze(const FrozenRoles& roles, const ElementModes& modes) override;
  void rate(double t, const ConstVectorRef& y, VectorRef ydot) override;
  bool rate_jacobian(double t, const ConstVectorRef& y, MatrixRef J) override;
  bool move(double t, double duration, VectorRef y) override;
  bool is_linear() const override { return true; }
  bool recalls() const override { return true; }
  KeptStates kept_states() const override;

 private:
  using Series = Eigen::Ref<const Vector>;

  LinearMode* mode(const FrozenRoles& roles);
  bool is_noise(const Indicator& indicator, const Series& c) const;
  void project(double t, VectorRef y);

  const LinearForm& form_;
  bool moves_;  // some contact has a prescribed velocity
  Index n_, nc_, ny_;
  TimeBasis basis_;
  LinearEquations equations_;
  LinearFlow flow_;
  LinearModes modes_;
  LinearModes::Key key_;
  LinearMode* mode_ = nullptr;
  Vector z_, row_;
  Eigen::Matrix<double, LinearFlow::kOrder + 1, 2> power_series_;
  Eigen::Matrix<double, 2 * LinearFlow::kOrder + 1, 1> product_;
};

}  // namespace nsmb
