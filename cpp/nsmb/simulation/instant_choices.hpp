// Are the forces of an instant, or even its accelerations, a choice among several?
#pragma once

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class InstantChoices {
 public:
  InstantChoices(InstantWorkspace& work, const InstantResolution& resolution);

  /// Other solutions of (6.35), where they can be enumerated.
  void count_solutions();
  /// Dependent closed contacts, whose forces are a choice.
  void count_dependence(const ContactStates& states);

 private:
  bool order_decides();

  InstantWorkspace& work_;
  const InstantResolution& resolution_;
  AccelerationResult others_;
};

}  // namespace nsmb
