// The interface every mechanical system implements:
//   M(q,t) u̇ = h(q,u,x,t) + W λ,   q̇ = B(q) u,   ẋ = f(q,u,x,t),   γ = Wᵀu + w̃,   γ̇ = Wᵀu̇ + w̄.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/system/capabilities.hpp"
#include "nsmb/system/contact.hpp"
#include "nsmb/system/discontinuities.hpp"
#include "nsmb/system/force_element.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// A number that a run holds until it is set anew: the force of a motor, the opening of a valve.
struct InputDescription {
  std::string name;
  double value = 0.0;  // unless a run sets another one
};

/// What a system is made of.
struct SystemDescription {
  std::vector<std::string> coordinates;  // (nq)
  Index nu = 0;
  std::vector<ContactDescription> contacts;
  std::vector<std::string> states = {};  // internal first-order states of its own
  std::vector<ForceElementDescription> elements = {};
  std::vector<std::string> constraints = {};  // bilateral constraints, may depend on each other
  Discontinuities discontinuities = {};       // of everything that depends on time
  std::vector<InputDescription> inputs = {};

  /// With as many coordinates as velocities, the rates are the velocities unless told otherwise.
  bool needs_map() const { return static_cast<Index>(coordinates.size()) != nu; }
};

/// A description: immutable once built and shared between threads, so every method is const and
/// writes only into its output arguments.
class System {
 public:
  /// Names must be unique and not empty, and what the description lists needs its capability.
  /// Throws std::invalid_argument otherwise.
  explicit System(SystemDescription description, const Capabilities& capabilities = {});
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Index nq() const { return static_cast<Index>(description_.coordinates.size()); }
  Index nu() const { return description_.nu; }
  Index nc() const { return rows_.nc; }
  Index nt() const { return rows_.nt; }
  Index ne() const { return static_cast<Index>(description_.elements.size()); }
  /// Internal states: those of the system itself, then the walls of its force elements.
  Index nx() const { return static_cast<Index>(states_.size()); }
  Index nx_own() const { return static_cast<Index>(description_.states.size()); }
  Index nb() const { return static_cast<Index>(description_.constraints.size()); }
  Index ni() const { return static_cast<Index>(description_.inputs.size()); }
  /// Length of y = (q, u, x).
  Index ny() const { return nq() + nu() + nx(); }
  const std::vector<std::string>& coordinates() const { return description_.coordinates; }
  const std::vector<std::string>& states() const { return states_; }
  const std::vector<ContactDescription>& contacts() const { return description_.contacts; }
  const std::vector<ForceElementDescription>& elements() const { return description_.elements; }
  const std::vector<std::string>& constraints() const { return description_.constraints; }
  const ContactRows& rows() const { return rows_; }
  const Discontinuities& discontinuities() const { return description_.discontinuities; }
  const std::vector<InputDescription>& inputs() const { return description_.inputs; }
  /// (ni) Values of the inputs unless a run sets others.
  Vector given_inputs() const;
  /// Where the wall of element e stands in x; -1: it has none.
  Index wall(Index e) const { return walls_[static_cast<std::size_t>(e)]; }
  /// Some friction coefficient depends on the slip speed.
  bool has_curves() const { return has_curves_; }

  /// In words: its coordinate, or where velocities are no rates of coordinates its number.
  std::string name_of_velocity(Index i) const;

  /// To be handed to all evaluations, with the inputs as they are given.
  std::unique_ptr<SystemWorkspace> workspace() const;
  /// Without the inputs; empty unless overridden.
  virtual std::unique_ptr<SystemWorkspace> make_workspace() const;

  /// M (nu, nu), symmetric positive definite.
  virtual void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                           SystemWorkspace& work) const = 0;
  /// h (nu): all forces and gyroscopic terms of the system without contacts and force elements
  /// (3.11). x (nx_own).
  virtual void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const = 0;
  virtual void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                  ContactKinematics& contacts, SystemWorkspace& work) const = 0;
  /// V(q, t) in J, force elements and what depends on states not included; NaN, unless overridden:
  /// not known.
  virtual double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const;

  /// Which part of the system has no finite value there, in words; empty: none that it knows.
  virtual std::string trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const;

  /// Functions of the user enter, which may say something else from one call of a run to the next
  /// without inputs() saying so.
  virtual bool calls_user() const { return true; }
  /// M does not depend on q and t: it is then factorised once per simulation.
  virtual bool constant_mass_matrix() const { return false; }
  /// Nor do W_N and W_T.
  virtual bool constant_directions() const { return false; }

  // What it can do, see the class of each; nullptr: it cannot, or has no such thing.
  const CoordinateMap* coordinate_map() const { return can_.coordinate_map; }
  const InternalStates* internal_states() const { return can_.internal_states; }
  const ElementSet* element_set() const { return can_.element_set; }
  const WatchedFunctions* watched_functions() const { return can_.watched_functions; }
  const ConstraintSet* constraint_set() const { return can_.constraint_set; }
  const StateBounds* state_bounds() const { return can_.state_bounds; }
  const StepLimits* step_limits() const { return can_.step_limits; }
  const MassSolver* mass_solver() const { return can_.mass_solver; }
  const Differentiable* derivatives() const { return can_.derivatives; }
  const FeatureSearch* feature_search() const { return can_.feature_search; }
  const ContactFinder* contact_finder() const { return can_.contact_finder; }
  const Division* division() const { return can_.division; }
  const Cliques* cliques() const { return can_.cliques; }
  const std::vector<FreeBody>* free_bodies() const { return can_.free_bodies; }
  const FreeMotion* free_motion() const { return can_.free_motion; }
  const LinearForm* linear_form() const { return can_.linear_form; }

  /// q̇ = B(q) u, with or without a coordinate_map().
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot,
                        SystemWorkspace& work) const;
  /// Puts q back where it belongs; was there anything to do?
  bool normalise(VectorRef q) const;

 private:
  void check_capabilities();

  SystemDescription description_;
  Capabilities can_;
  ContactRows rows_;
  std::vector<std::string> states_;
  std::vector<Index> walls_;
  bool has_curves_ = false;
};

/// What trouble() says of a number that must be positive.
std::string below_limit(const std::string& name, double value);

}  // namespace nsmb
