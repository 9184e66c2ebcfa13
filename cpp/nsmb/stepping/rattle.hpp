// A nonsmooth RATTLE scheme: half a step to a place that no gap and no constraint forbids, and half
// a step to velocities that the laws of impact and friction allow there.
//
//   A (Δu, Δx)_1 = h/2 (F, ẋ)(t_0, q_0, u_½, x_½) + W(q_0) Λ_1,   q_1 = q_0 + h B u_½,
//   g_B(q_1) = 0,   0 <= g_N(q_1) ⟂ Λ_1N >= 0,   -γ_T(q_0, u_½) ∈ N_C(Λ_1T)
//   M (Δu)_2 = h/2 F(t_1, q_1, u_½, x_½) + W(q_1)(Λ - Λ_1),   γ_B(q_1, u_1) = 0,
//   0 <= γ_N(q_1, u_1) + e_N γ_N(q_0, u_0) ⟂ Λ_N >= 0,   -(γ_T + e_T γ_T0) ∈ N_C(Λ_T)
#pragma once

#include <vector>

#include "nsmb/stepping/contact_columns.hpp"
#include "nsmb/stepping/smooth_forces.hpp"
#include "nsmb/stepping/step_book.hpp"
#include "nsmb/stepping/step_laws.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

class Rattle final : public Stepper {
 public:
  Rattle(Mechanics& mechanics, const TimeSteppingOptions& options);

  void step(const RunState& from, double h, StepOutcome& outcome) override;
  double passed(const RunState& end) override { return place_.passed(end); }

 private:
  void look_at_start(const RunState& from, double h);
  void move(const RunState& from, double h, StepOutcome& outcome);
  double correct(const RunState& from, double h, bool first, StepOutcome& outcome);
  void find_start_directions(const RunState& from, const ContactFeatures& features);
  void find_velocities(const RunState& from, double h, StepOutcome& outcome);
  void find_strikes(const RunState& from, StepOutcome& outcome);
  void tell(StepOutcome& outcome);
  void finish(const RunState& from, double h, StepOutcome& outcome);

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  StepPlace place_;
  SmoothForces forces_;
  ContactColumns columns_;
  ContactSolver solver_;
  StepImpulses first_, whole_;  // of the first half, and of the step
  ContactKinematics start_,
      mixed_;   // there; normal directions of the end, tangential ones of the start
  Matrix W_B_;  // (nu, nb) at the start
  Vector y_, rates_, smooth_, delta_, next_, q_step_;
  Vector free_;  // (nu) what the first half does without impulses of contacts
  StepVelocities v_;
  Vector mu_, bound_, half_bound_;  // (nc) μ at the start, and h β, N s
};

}  // namespace nsmb
