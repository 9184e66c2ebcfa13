// What is watched in the phase behind an instant, with the zeros known at its start.
#pragma once

#include <vector>

#include "nsmb/simulation/indicators.hpp"
#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"

namespace nsmb {

class NextIndicators {
 public:
  NextIndicators(const InstantWorkspace& work, const InstantResolution& resolution)
      : work_(work), resolution_(resolution) {}

  /// Those of the roles at hand, with the orders of the zeros they have now.
  void prepare();
  const std::vector<Indicator>& list() const { return list_; }

 private:
  void prepare(Indicator& indicator) const;
  bool starts_from_rest(const Indicator& slip) const;
  Index order_of_slip(Index contact) const;

  const InstantWorkspace& work_;
  const InstantResolution& resolution_;
  std::vector<Indicator> list_;
  std::vector<bool> frictionless_, tangential_direction_;  // (nc)
};

}  // namespace nsmb
