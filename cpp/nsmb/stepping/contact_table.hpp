// Contacts found between shapes in a step, in any number, and their storage in a trajectory.
#pragma once

#include <array>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/simulation/trajectory.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Contacts of one step, at the positions where the step evaluated them.
struct FoundContacts {
  std::vector<FoundContact> contacts;
  std::vector<std::array<double, 6>> impulses;  // N, T1, T2 in N s; R1, R2, D in N m s
  std::vector<ContactState> states;             // at the end of the step

  void clear();
};

/// Add the contacts of a sample to a trajectory, with the mean forces of a step of length h.
void add_found(double h, const FoundContacts& found, Trajectory& trajectory);

}  // namespace nsmb
