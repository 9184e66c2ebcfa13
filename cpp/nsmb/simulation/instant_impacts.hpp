// The impacts of one instant, until no contact approaches.
#pragma once

#include <string>
#include <vector>

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantImpacts {
 public:
  InstantImpacts(InstantWorkspace& work, const InstantResolution& resolution);

  /// Apply impacts of the touching contacts, one after the other, each as an event. y receives
  /// their velocities.
  SimulationStatus apply(double t, VectorRef y, const ContactStates& states);
  /// Apply one impact. Return false if its problem has no solution, or, without collision, only
  /// zero.
  bool apply_one(VectorRef y, const ContactStates& states, ImpactCourse course);

 private:
  bool has_approach() const;
  double work_of_constraints(const TransitionEvent& event);
  void book(const ImpactProblem& impact, TransitionEvent& event);
  std::vector<Index> contacts_that_close_in() const;
  std::string remedy();

  InstantWorkspace& work_;
  const InstantResolution& resolution_;
  ImpactResult impact_;
  Vector zero_;  // (rows) m/s: velocities below it count as zero
};

}  // namespace nsmb
