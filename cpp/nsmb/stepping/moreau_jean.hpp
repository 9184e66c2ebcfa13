// Moreau's time stepping: contacts on velocity level, impacts and forces in one impulse.
#pragma once

#include <optional>
#include <vector>

#include "nsmb/stepping/contact_columns.hpp"
#include "nsmb/stepping/missed_by_name.hpp"
#include "nsmb/stepping/position_projection.hpp"
#include "nsmb/stepping/smooth_forces.hpp"
#include "nsmb/stepping/step_book.hpp"
#include "nsmb/stepping/step_impact.hpp"
#include "nsmb/stepping/step_laws.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

class MoreauJean final : public Stepper {
 public:
  MoreauJean(Mechanics& mechanics, const TimeSteppingOptions& options);

  void step(const RunState& from, double h, StepOutcome& outcome) override;
  double passed(const RunState& end) override { return place_.passed(end); }

 private:
  void look(const RunState& from, double h, StepOutcome& outcome);
  void find_matrix(double h);
  void move_freely(StepOutcome& outcome);
  void strike(const RunState& from, double h, StepOutcome& outcome);
  void collide(StepOutcome& outcome);
  void solve(StepOutcome& outcome);
  void find_ends();
  StepVerdict settle_missed(StepOutcome& outcome);
  void add_lock(StepOutcome& outcome);
  void end(const RunState& from, double h, StepOutcome& outcome);
  bool reaches_more(const StepOutcome& outcome);
  void settle(StepOutcome& outcome);
  void keep_book(StepOutcome& outcome);

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  StepPlace place_;
  SmoothForces forces_;
  ContactColumns columns_;
  StepImpact impact_;
  PositionProjection projection_;
  std::vector<bool> struck_;  // (nc) contacts whose products with M⁻¹ it needs
  ContactSolver solver_;
  StepImpulses impulses_;
  ConstraintKinematics constraints_;  // at the end that is to be expected
  bool two_phases_ = false;           // an impact came before the forces
  double t_ = 0.0;                    // where forces and contacts are looked at
  Vector y_;                          // (ny) there; u that behind the impacts of the step
  Vector rates_, delta_;              // (nu + nx) F and ẋ; what they do in the step
  Vector q_step_, u_mean_;
  StepVelocities v_;
  std::vector<Index> reached_;          // contacts that the step closes after its middle
  Vector bound_;                        // (nc) h β, N s
  std::optional<MissedByName> missed_;  // locked in this step
};

}  // namespace nsmb
