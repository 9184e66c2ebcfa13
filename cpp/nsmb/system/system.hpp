// The interface every mechanical system implements:
//   M(q,t) u̇ = h(q,u,x,t) + W λ,   q̇ = B(q) u,   ẋ = f(q,u,x,t),   γ = Wᵀu + w̃,   γ̇ = Wᵀu̇ + w̄.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsmb/system/contact.hpp"
#include "nsmb/system/discontinuities.hpp"
#include "nsmb/system/force_element.hpp"

namespace nsmb {

struct LinearForm;
struct GivenForces;
struct Jacobians;

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
};

/// What a system keeps between evaluations: scratch memory, and what it computed last. One per
/// thread, made by System::workspace(). It also holds the values of the inputs, which belong to a
/// run and not to the description.
struct SystemWorkspace {
  virtual ~SystemWorkspace() = default;
  const Vector& inputs() const { return inputs_; }
  /// (ni)
  void set_inputs(const ConstVectorRef& values) {
    inputs_ = values;
    forget();
  }

 protected:
  /// Nothing computed so far holds any longer; to be overridden by what depends on inputs.
  virtual void forget() {}

 private:
  Vector inputs_;
};

class System;

/// A part of a system that nothing joins to the rest: a system of its own, and where what it has
/// stands in the whole, in the same order.
struct SystemPart {
  std::shared_ptr<const System> system;
  std::vector<Index> q, u, x, contacts, elements, constraints;
};

/// A description: immutable once built and shared between threads, so every method is const and
/// writes only into its output arguments.
class System {
 public:
  /// Names must be unique and not empty. Throws std::invalid_argument otherwise.
  explicit System(SystemDescription description);
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
  /// Some force element is a watched function.
  bool watches() const { return watches_; }
  /// Some friction coefficient depends on the slip speed.
  bool has_curves() const { return has_curves_; }

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
  /// Of the bilateral constraints; to be overridden where there are some.
  virtual void constraint_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                     ConstraintKinematics& constraints,
                                     SystemWorkspace& work) const;
  /// q̇ = B(q) u; identity unless overridden, which needs nq == nu.
  virtual void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef qdot, SystemWorkspace& work) const;
  /// Puts q back where it belongs, as unit quaternions; was there anything to do? No, unless
  /// overridden.
  virtual bool normalise(VectorRef q) const;
  /// ẋ = f (nx_own); to be overridden where there are states.
  virtual void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                           const ConstVectorRef& x, VectorRef xdot, SystemWorkspace& work) const;
  /// γ, w and w̃ of the force elements; to be overridden where there are some.
  virtual void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                  SystemWorkspace& work) const;
  /// Values of the watched functions among the force elements, into their rows of `values` (ne);
  /// to be overridden where there are some.
  virtual void watch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, VectorRef values, SystemWorkspace& work) const;
  /// V(q, t) in J, force elements not included; NaN when the system does not know it.
  virtual double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const;
  /// What is stored besides V and depends on x (nx_own), J; NaN: not known.
  virtual double state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, SystemWorkspace& work) const;

  /// Derivatives for stiff solvers, see jacobians.hpp; without them solvers take differences.
  virtual bool has_jacobians() const { return false; }
  virtual void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const GivenForces& forces, Jacobians& jacobians,
                         SystemWorkspace& work) const;

  /// Contact points come and go: which feature of one body may touch which of the other is part of
  /// the state, see ContactFeatures.
  virtual bool has_features() const { return false; }
  /// All candidates at (t, q); those that remain keep their slots.
  virtual void find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                             SystemWorkspace& work) const;
  /// Is slot i, which touches at `contacts` and is not closed, a contact? Where two corners meet it
  /// may be one for the features alone.
  virtual bool is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                          const ContactKinematics& contacts, SystemWorkspace& work) const;

  /// The system solves with M faster than by its entries, as trees of many bodies do.
  virtual bool solves_mass() const { return false; }
  /// Prepares solve_mass at (t, q). Throws std::domain_error when M is singular.
  virtual void factorise_mass(double t, const ConstVectorRef& q, SystemWorkspace& work) const;
  /// B := M⁻¹ B, (nu, any).
  virtual void solve_mass(MatrixRef B, SystemWorkspace& work) const;

  /// Functions of the user enter, which may say something else from one call of a run to the next
  /// without inputs() saying so.
  virtual bool has_inputs() const { return true; }

  /// M does not depend on q and t: it is then factorised once per simulation.
  virtual bool constant_mass_matrix() const { return false; }
  /// Nor do W_N and W_T.
  virtual bool constant_directions() const { return false; }
  /// The constant matrices of a linear system, nullptr for any other.
  virtual const LinearForm* linear_form() const { return nullptr; }
  /// The parts it falls into, each coordinate, contact and element in one of them; empty: they are
  /// fewer than `fewest`, or it does not know.
  virtual std::vector<SystemPart> split(std::size_t fewest) const;

 private:
  SystemDescription description_;
  ContactRows rows_;
  std::vector<std::string> states_;
  std::vector<Index> walls_;
  bool has_curves_ = false, watches_ = false;
};

}  // namespace nsmb
