// State of a run.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The state from which the motion continues.
struct RunState {
  explicit RunState(const System& system)
      : y(Vector::Zero(system.ny())),
        states(static_cast<std::size_t>(system.nc()), ContactState::Open),
        modes(static_cast<std::size_t>(system.ne()), ElementMode::Open) {}

  double t = 0.0;
  Vector y;                  // (ny) q, u, x
  ContactStates states;      // (nc)
  ElementModes modes;        // (ne)
  ContactFeatures features;  // candidates, if contact points come and go
};

/// The state of a run in addition to (t, q, u, x).
struct DiscreteState {
  ContactStates states;               // (nc)
  ElementModes modes;                 // (ne)
  std::vector<ContactFeature> slots;  // (nc); if empty, contact points are searched for
};

}  // namespace nsmb
