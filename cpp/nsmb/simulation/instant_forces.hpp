// The forces of one instant by (6.35), and the roles under which they are looked for.
#pragma once

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantForces {
 public:
  InstantForces(InstantWorkspace& work, InstantResolution& resolution);

  /// Roles and forces. After an impact everything is open again; otherwise what fired is settled
  /// unless the forces contradict it. False: there are none.
  bool find(const Triggers& triggers);
  /// Behind an impact that is only tried.
  bool find_anew();
  /// Has slip in a plane become so slow that the law decides?
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
