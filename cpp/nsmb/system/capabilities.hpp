// Optional capabilities of a system.
#pragma once

#include <vector>

namespace nsmb {

class Cliques;
class ConstraintSet;
class ContactFinder;
class CoordinateMap;
class Differentiable;
class Division;
class ElementSet;
class FeatureSearch;
class FreeMotion;
class InternalStates;
class MassSolver;
class StateBounds;
class StepLimits;
class WatchedFunctions;
struct FreeBody;
struct LinearForm;

/// The optional capabilities. They are passed to the constructor of System, mostly as `this` of a
/// class that implements them, and live as long as the system. nullptr: not available.
struct Capabilities {
  // Required if the description lists such items.
  const CoordinateMap* coordinate_map = nullptr;  // none: q̇ = u, which requires nq == nu
  const InternalStates* internal_states = nullptr;
  const ElementSet* element_set = nullptr;
  const WatchedFunctions* watched_functions = nullptr;
  const ConstraintSet* constraint_set = nullptr;
  const StateBounds* state_bounds = nullptr;  // none: friction bounds do not depend on x
  const StepLimits* step_limits = nullptr;    // none: integrators notice all forces in steps of any
                                              // length
  // Not required, for speed or for more features.
  const MassSolver* mass_solver = nullptr;             // M⁻¹ without the entries of M
  const Differentiable* derivatives = nullptr;         // none: stiff solvers use finite differences
  const FeatureSearch* feature_search = nullptr;       // none: contact points are permanent
  const ContactFinder* contact_finder = nullptr;       // none: all contacts are listed in the
                                                       // description
  const Division* division = nullptr;                  // none: the system is not divided
  const Cliques* cliques = nullptr;                    // none: M may couple all velocities
  const std::vector<FreeBody>* free_bodies = nullptr;  // none: not known
  const FreeMotion* free_motion = nullptr;             // none: not separated from loads
  const LinearForm* linear_form = nullptr;             // constant matrices of a linear system
};

}  // namespace nsmb
