// What a system can do besides what every system must.
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

/// Handed to System when it is constructed, mostly as `this` of a class that implements them; they
/// live as long as the system. nullptr: it cannot.
struct Capabilities {
  // Needed where the description lists such things.
  const CoordinateMap* coordinate_map = nullptr;  // none: q̇ = u, which needs nq == nu
  const InternalStates* internal_states = nullptr;
  const ElementSet* element_set = nullptr;
  const WatchedFunctions* watched_functions = nullptr;
  const ConstraintSet* constraint_set = nullptr;
  const StateBounds* state_bounds = nullptr;  // none: bounds of friction do not depend on x
  const StepLimits* step_limits = nullptr;    // none: integrators see all forces in any step
  // Faster, or more, than without.
  const MassSolver* mass_solver = nullptr;        // M⁻¹ by other ways than its entries
  const Differentiable* derivatives = nullptr;    // none: stiff solvers take differences
  const FeatureSearch* feature_search = nullptr;  // none: contact points neither come nor go
  const ContactFinder* contact_finder = nullptr;  // none: contacts are those of the description
  const Division* division = nullptr;             // none: it stays whole
  const Cliques* cliques = nullptr;               // none: M may join all velocities
  const std::vector<FreeBody>* free_bodies = nullptr;  // none that is known
  const FreeMotion* free_motion = nullptr;             // none: not known apart from loads
  const LinearForm* linear_form = nullptr;             // the constant matrices of a linear system
};

}  // namespace nsmb
