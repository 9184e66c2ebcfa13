// The forces of one instant by (6.35), and the roles under which they are computed.
#pragma once

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantForces {
 public:
  InstantForces(InstantWorkspace& work, InstantResolution& resolution);

  /// Find roles and forces. Triggers determine the roles unless the forces contradict them; after
  /// an impact, triggers are ignored. Return false if there is no solution.
  bool find(const Triggers& triggers);
  /// Find roles and forces after a trial impact.
  bool find_anew();
  /// Return true if slip in a plane has become so slow that the law decides.
  bool has_come_to_rest() const;

 private:
  void assign_roles(const Triggers& triggers, bool forced);
  void assign_role(Index i, Trigger trigger, bool forced);
  bool forced_roles_hold() const;
  void solve_law();
  bool solve_on_the_border();
  bool is_solved() const { return work_.forces.status == LcpStatus::Solved; }

  InstantWorkspace& work_;
  InstantResolution& resolution_;
  Vector free_resolution_;  // (rows) m/s²: free accelerations below it may be zero
  const Triggers none_;
};

}  // namespace nsmb
