// The motion with frozen contact state and modes of force elements, as an ordinary differential
// equation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/integration/integrator.hpp"
#include "nsmb/simulation/contact_projection.hpp"
#include "nsmb/simulation/frozen_equations.hpp"
#include "nsmb/simulation/frozen_jacobian.hpp"
#include "nsmb/simulation/law_check.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/plane_slip.hpp"

namespace nsmb {

/// The differential equation of a frozen state,
///   M u̇ = h + w ζ + W λ,  λ from (5.15) or, where that is not unique, from the law,
/// held to closed contacts, bilateral constraints and walls. Only this class evaluates right-hand
/// sides and watched quantities. It does not take steps.
class FrozenMotion final : public OdeProblem {
 public:
  /// `atol`: see PlaneSlip.
  FrozenMotion(const System& system, const TransitionOptions& options, double rtol,
               const Vector& atol);

  /// Discard the findings of earlier motion.
  void reset();
  void freeze(const FrozenRoles& roles, const ElementModes& modes);
  /// Freeze, and move y at the start of the phase onto everything that is closed.
  void enter(const FrozenRoles& roles, const ElementModes& modes, double t, VectorRef y);
  /// Start the phase at (t, y), after the tolerances have been set.
  void begin(double t, const ConstVectorRef& y);
  /// Start a step at (t, y); discard the failures of earlier trial steps.
  void begin_step(double t, const ConstVectorRef& y);
  void forget_trouble() { no_value_.clear(); }
  /// Record that a function has no value at a trial state.
  void note_trouble(std::string_view why) { no_value_ = why; }
  /// Restore the contact points at the start of the step, because trial steps search for them far
  /// away.
  void restore_features();
  /// Take over the findings of `moving`, which is in the same state.
  void adopt(const FrozenMotion& moving) { slip_.adopt(moving.slip_); }

  Index dimension() const override { return mechanics_.system().ny(); }
  void rhs(double t, const ConstVectorRef& y, VectorRef ydot) override;
  bool jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) override;
  SparsityPattern jacobian_pattern() override;
  bool project(double t, VectorRef y) override;

  /// Observe at (t, y), with the forces of the frozen state.
  void observe(double t, const ConstVectorRef& y, Observation& observation);
  /// Observe gaps, their rates and force elements, and leave the rest of `observation` unchanged.
  void observe_gaps(double t, const ConstVectorRef& y, Observation& observation);

  Mechanics& mechanics() { return mechanics_; }
  const Mechanics& mechanics() const { return mechanics_; }
  const ContactRows& contact_rows() const { return mechanics_.rows(); }
  const System& system() const { return mechanics_.system(); }
  const FrozenRoles& roles() const { return roles_; }
  /// Return the rows that are equations.
  const std::vector<Index>& rows() const { return equations_.rows(); }
  /// Return the tolerances of the projection.
  double held_gap() const { return projection_.held_gap(); }
  double held_velocity() const { return projection_.held_velocity(); }
  /// Return the effect (nu) on velocities of 1 m/s in each of these rows: all of them, or those of
  /// the gaps.
  const Vector& reach_of_rows() { return projection_.reach_of(equations_.rows()); }
  const Vector& reach_of_gaps() { return projection_.reach_of(equations_.normal_rows()); }
  PlaneSlip& slip() { return slip_; }
  const PlaneSlip& slip() const { return slip_; }
  /// Return the start time of the phase.
  double entered() const { return entered_; }
  /// Return true if all contacts are open.
  bool is_open() const { return is_open_; }
  /// Return true if another phase in the same state gives the same values. The other phase does not
  /// have the rows chosen during this one, nor the starting points of its law.
  bool recalls() const;

  /// Return the function that has had no value since forget_trouble(), or the contact that is lost;
  /// empty: none.
  std::string trouble() const;
  /// Return the constraints that are nearly dependent on this step; empty: none.
  std::string weak_constraints() const;
  /// Return a contact whose point is not found; -1: none.
  Index lost_contact() const;

 private:
  /// The equations in which contacts that start to slip are held.
  struct Holding {
    FrozenEquations equations;
    FrozenRoles roles;
    std::vector<bool> contacts;
    bool is_unique = false;  // the equations determine the force of each contact
  };
  void solve_forces();  // λ and u̇ at the last update of mechanics_
  void update_directions();
  void refine_accelerations();
  const Vector& on_constraints(double t, const ConstVectorRef& y);
  void observe_slip(Index contact, Observation& observation) const;
  void remember_rounding(double t, const ConstVectorRef& y);
  void renew_rows(double t, const ConstVectorRef& y);
  std::size_t count_conditions() const;
  void restrict_to_closed();

  Mechanics mechanics_;
  FrozenRoles roles_;
  RowSelection selection_;
  FrozenEquations equations_;
  Holding holding_;
  FrozenSolution solution_, change_;
  PlaneSlip slip_;
  LawCheck law_;
  ContactProjection projection_;
  std::unique_ptr<FrozenJacobian> jacobian_;  // created on first use
  ContactFeatures features_;                  // at the start of the step
  bool is_open_ = false;
  bool is_dependent_ = false;   // the frozen equations do not give the force of each contact
  bool near_singular_ = false;  // some bilateral constraints are nearly dependent on this step
  double entered_ = 0.0;
  std::vector<Index> closed_;  // contacts
  Vector y_on_;                // y on the bilateral constraints
  std::string no_value_;       // why the system had no value at a trial step
};

}  // namespace nsmb
