// The interface of all mechanical systems:
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

/// A number that remains constant until a run changes it: the force of a motor, the opening of a
/// valve.
struct InputDescription {
  std::string name;
  double value = 0.0;  // default value, unless a run changes it
};

/// The components of a system.
struct SystemDescription {
  std::vector<std::string> coordinates;  // (nq)
  Index nu = 0;
  std::vector<ContactDescription> contacts;
  std::vector<std::string> states = {};  // its own first-order states
  std::vector<ForceElementDescription> elements = {};
  std::vector<std::string> constraints = {};  // bilateral constraints, may be dependent
  Discontinuities discontinuities = {};       // of all functions of time
  std::vector<InputDescription> inputs = {};

  /// Return true if a coordinate map is required. With equal numbers of coordinates and velocities,
  /// the rates are the velocities by default.
  bool needs_map() const { return static_cast<Index>(coordinates.size()) != nu; }
};

/// A mechanical system. It is a description: immutable once built and shared between threads. Every
/// method is const and writes only into its output arguments.
class System {
 public:
  /// Create a system. Names must be unique and not empty, and items of the description require
  /// their capability. Throw std::invalid_argument otherwise.
  explicit System(SystemDescription description, const Capabilities& capabilities = {});
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Index nq() const { return static_cast<Index>(description_.coordinates.size()); }
  Index nu() const { return description_.nu; }
  Index nc() const { return rows_.nc; }
  Index nt() const { return rows_.nt; }
  Index ne() const { return static_cast<Index>(description_.elements.size()); }
  /// Number of internal states: those of the system itself, then the walls of its force elements.
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
  /// Return the default values (ni) of the inputs.
  Vector given_inputs() const;
  /// Return the index of the wall of element e in x, or -1 if it has none.
  Index wall(Index e) const { return walls_[static_cast<std::size_t>(e)]; }
  /// Return true if some friction coefficient depends on the slip speed.
  bool has_curves() const { return has_curves_; }

  /// Return the name of a velocity: its coordinate, or its number if velocities are not coordinate
  /// rates.
  std::string name_of_velocity(Index i) const;

  /// Return a workspace for all evaluations, with the default values of the inputs.
  std::unique_ptr<SystemWorkspace> workspace() const;
  /// Create a workspace without the inputs. The default has no other data.
  virtual std::unique_ptr<SystemWorkspace> make_workspace() const;

  /// Compute M (nu, nu), symmetric positive definite.
  virtual void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                           SystemWorkspace& work) const = 0;
  /// Compute h (nu): all forces and gyroscopic terms of the system without contacts and force
  /// elements (3.11). x has shape (nx_own).
  virtual void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const = 0;
  virtual void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                  ContactKinematics& contacts, SystemWorkspace& work) const = 0;
  /// Return V(q, t) in J, without force elements and terms that depend on states. NaN, the default:
  /// not known.
  virtual double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const;

  /// Describe the part of the system without a finite value there. Empty: unknown.
  virtual std::string trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const;

  /// Return true if functions of the user are called. Their values may change between calls of a
  /// run without a change of inputs().
  virtual bool calls_user() const { return true; }
  /// Return true if M does not depend on q and t. It is then factorised once per simulation.
  virtual bool constant_mass_matrix() const { return false; }
  /// Return true if, in addition, W_N and W_T are constant.
  virtual bool constant_directions() const { return false; }

  // Optional capabilities, see their classes; nullptr: not available, or no such items.
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

  /// Compute q̇ = B(q) u, with or without a coordinate_map().
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot,
                        SystemWorkspace& work) const;
  /// Project q onto its admissible values. Return true if q has changed.
  bool normalise(VectorRef q) const;

 private:
  void check_capabilities();
  void check_resistances() const;

  SystemDescription description_;
  Capabilities can_;
  ContactRows rows_;
  std::vector<std::string> states_;
  std::vector<Index> walls_;
  bool has_curves_ = false;
};

/// Return the message of trouble() for a number that must be positive.
std::string below_limit(const std::string& name, double value);

}  // namespace nsmb
