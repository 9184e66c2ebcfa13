// Where a run stands.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// All that the motion goes on from.
struct RunState {
  explicit RunState(const System& system)
      : y(Vector::Zero(system.ny())),
        states(static_cast<std::size_t>(system.nc()), ContactState::Open),
        modes(static_cast<std::size_t>(system.ne()), ElementMode::Open) {}

  double t = 0.0;
  Vector y;                  // (ny) q, u, x
  ContactStates states;      // (nc)
  ElementModes modes;        // (ne)
  ContactFeatures features;  // candidates, where contact points come and go
};

/// Where a run stands beside (t, q, u, x).
struct Standing {
  ContactStates states;               // (nc)
  ElementModes modes;                 // (ne)
  std::vector<ContactFeature> slots;  // (nc); empty: contact points are looked for
};

}  // namespace nsmb
