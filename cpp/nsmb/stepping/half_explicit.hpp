// Half-explicit steps: contacts in any number, of the description and of shapes that may touch
// anywhere.
//
//   q_p = q_k + θ h B u_k,   u_p = u_k + θ h M⁻¹ F(t_p, q_p, u_p, x_k),
//   M (u_{k+1} - u_k) = h F(t_p, q_p, u_p, x_k) + H Λ + W_B Λ_B,   W_Bᵀ ū + w̃_B = 0,
//   ū = (1 - θ) u_k + θ u_{k+1}
//
// with u_k and u_{k+1} at q_p: those that centres of mass of free bodies have there, CentreMotion.
// Impacts of two phases, and Newton's, come before the forces, at q_p.
// Projected: contacts that close until the end of the step take part, and may go on until they
// touch, γ_N + g_N/(θ h) >= 0; then out of penetration.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/centre_motion.hpp"
#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_selection.hpp"
#include "nsmb/stepping/middle_forces.hpp"
#include "nsmb/stepping/set_impact.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/set_projection.hpp"
#include "nsmb/stepping/sleeping_groups.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/step_solver.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

class HalfExplicit final : public Stepper {
 public:
  /// Throws std::invalid_argument for options and systems that have no such step.
  HalfExplicit(Mechanics& mechanics, const TimeSteppingOptions& options);

  double longest(const RunState& from, double h) override;
  void step(const RunState& from, double h, StepOutcome& outcome) override;
  void forget() override;
  const FoundContacts* found() const override { return &found_; }
  double passed(const RunState& end) override;
  void watch(std::function<bool()> keep_going) override { solver_.watch(std::move(keep_going)); }
  void keep() override { memory_.save(); }
  void go_back() override { memory_.restore(); }

 private:
  void look(const RunState& from, double h, StepOutcome& outcome);
  void find(const RunState& from, double h);
  void hold(double share, VectorRef held, Vector* Lambda_B);
  void judge_middle(StepOutcome& outcome) const;
  bool decide_impulses(const RunState& from, double h, StepOutcome& outcome);
  bool prepare(double h, StepOutcome& outcome);
  void collide(StepOutcome& outcome);
  void add_impact(StepOutcome& outcome);
  void keep_states(double h, bool strikes, StepOutcome& outcome);
  std::size_t place_of(const FoundContact& contact, Index i) const;
  KnownContact known_of(const FoundContact& contact, double nothing) const;
  void keep_book(const FoundContact& contact, StepOutcome& outcome) const;
  void tell(StepOutcome& outcome);
  void move(const RunState& from, double h, const ConstVectorRef& u, VectorRef q);
  const Vector& at_end(const ConstVectorRef& u, const ConstVectorRef& q);
  void end(double t, StepOutcome& outcome);
  void rest(double h, StepOutcome& outcome);
  bool has_one_phase() const { return options_.impact_law == ImpactLaw::Moreau; }
  bool is_projected() const { return options_.scheme == SteppingScheme::Projected; }

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  StepPlace place_;
  ContactModel model_;
  CentreMotion centres_;
  MiddleForces forces_;
  ContactSelection selection_;
  SetProblem problem_;
  SetProjection projection_;
  SleepingGroups groups_;
  ContactSet set_;
  struct {
    std::vector<std::pair<Index, Index>> asked;  // shapes of contacts of the last step
    ContactSet there;
  } passed_;  // scratch of passed()
  StepSolver solver_;
  SetImpact impact_;
  SparseFrictionResult result_;
  ContactMemory memory_;
  FoundContacts carried_, found_;  // by all contacts of the step; by those that were found
  ConstraintKinematics constraints_;
  struct {
    Vector y;                               // (ny) where forces and contacts are looked at
    Vector u_start, u_free;                 // (nu) at q_p
    Vector u_mean, u_end, x_start, q_step;  // scratch
  } step_;
};

}  // namespace nsmb
