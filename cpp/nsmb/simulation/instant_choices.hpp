// Tests for forces of an instant, or even accelerations, that are not unique.
#pragma once

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantChoices {
 public:
  InstantChoices(InstantWorkspace& work, const InstantResolution& resolution);

  /// Count the instant if (6.35) has other solutions, where they can be enumerated.
  void count_solutions();
  /// Count the instant if closed contacts are dependent, so that their forces are not unique.
  void count_dependence(const ContactStates& states);

 private:
  bool order_decides();

  InstantWorkspace& work_;
  const InstantResolution& resolution_;
  AccelerationResult others_;
};

}  // namespace nsmb
