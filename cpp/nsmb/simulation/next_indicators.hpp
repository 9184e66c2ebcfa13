// The indicators of the phase after an instant, with the zeros known at its start.
#pragma once

#include <vector>

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"
#include "nsmb/simulation/quantity.hpp"

namespace nsmb {

class NextIndicators {
 public:
  NextIndicators(const InstantWorkspace& work, const InstantResolution& resolution)
      : start_{work, resolution} {}

  /// List the indicators of the current roles, with the orders of their zeros now.
  void prepare() { list_indicators(start_, list_); }
  const std::vector<Indicator>& list() const { return list_; }

 private:
  const PhaseStart start_;
  std::vector<Indicator> list_;
};

}  // namespace nsmb
